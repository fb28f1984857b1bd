// Imports of the sources point one way: modules that import each other cannot be read or tested one by one.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";

const SOURCES = join(import.meta.dirname, "..", "src");
type Graph = Map<string, string[]>;

/** The modules that each source imports, types included. */
const graphOf = (folder: string): Graph => new Map(globSync("**/*.ts", { cwd: folder }).map((file) => {
  const found = readFileSync(join(folder, file), "utf8").matchAll(/from "(\.[^"]+\.ts)"/g);
  return [file, [...found].map(([, path]) => relative(folder, join(folder, dirname(file), path)))];
}));

/** A path that comes back to where it began; null: there is none. */
const cycleIn = (graph: Graph): string[] | null => {
  const done = new Set<string>();
  const walk = (file: string, path: string[]): string[] | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const next of graph.get(file) ?? []) {
      const found = walk(next, [...path, file]);
      if (found) return found;
    }
    done.add(file);
    return null;
  };
  return [...graph.keys()].map((file) => walk(file, [])).find((found) => found !== null) ?? null;
};

test("no imports go in a circle", () => {
  const graph = graphOf(SOURCES);
  assert.ok(graph.size > 40);
  assert.equal(cycleIn(graph)?.join(" → ") ?? "", "");
});
test("a circle would be found", () => {
  assert.deepEqual(cycleIn(new Map([["a", ["b"]], ["b", ["c"]], ["c", ["b"]]])), ["b", "c", "b"]);
  assert.equal(cycleIn(new Map([["a", ["b", "c"]], ["b", ["c"]], ["c", []]])), null);
});
test("the view knows nothing of the pages", () => {
  for (const [file, imported] of graphOf(SOURCES))
    if (file.startsWith("view/")) assert.deepEqual(imported.filter((path) => !/^(view\/|contract\.ts)/.test(path)), [], file);
});
