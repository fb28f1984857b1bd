// The editor's own rules: layouts without overlaps, typed numbers, short forms of the file.
import assert from "node:assert/strict";
import { test } from "node:test";
import { valueOf } from "../src/editor/analyses.ts";
import type { AnalysisOption, Diagram, DiagramEdge } from "../src/editor/contract.ts";
import { boxOf, makeCulling } from "../src/editor/culling.ts";
import { snapped } from "../src/editor/handles.ts";
import { layoutFigures, placed } from "../src/editor/layout.ts";
import { endsOf } from "../src/editor/sliders.ts";
import { commaParts, numberOf, numbersOf, typed } from "../src/editor/values.ts";

/** A random tree of bodies with cuts and links between its points. */
const randomDiagram = (seed: number, count: number): Diagram => {
  let state = seed;
  const random = (n: number) => {
    state = (1103515245 * state + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * n);
  };
  const names = Array.from({ length: count }, (_, k) => `bodies.b${k}`), of = (k: number) => (k < 0 ? "ground" : names[k]);
  const edge = (id: string, kind: string, a: string, b: string, at: [string, string]): DiagramEdge =>
    ({
      id, kind, name: id, path: [], a, b, at, detail: "ball",
      joints: kind === "joints" ? [{ name: id, type: "R2", nature: "independent" }] : [],
    });
  const edges = names.map((name, k) => edge(`joints.${k}`, "joints", of(random(k + 1) - 1), name, ["tip", "origin"]));
  for (let k = 0; k < count / 4; k++) {
    const [a, b] = [random(count), random(count)];
    if (a !== b) edges.push(edge(`cuts.${k}`, k % 2 ? "cut" : "link", of(a), of(b), ["tip", "tip"]));
  }
  const node = (id: string, kind: string) => ({ id, kind, name: id, path: [], points: ["origin", "tip", "mid"], detail: "" });
  return { nodes: [node("ground", "ground"), ...names.map((id) => node(id, "body"))], edges };
};

test("no symbols overlap in random diagrams", async () => {
  for (let seed = 1; seed <= 10; seed++) {
    const made = await placed(randomDiagram(seed, 4 + 3 * seed));
    assert.equal(layoutFigures(made).overlaps, 0, `seed ${seed}`);
  }
});
test("large diagrams have a plain layout without overlaps", async () => {
  for (let seed = 1; seed <= 10; seed++) {
    const diagram = randomDiagram(seed, 75 + 10 * seed);
    assert.equal(layoutFigures(await placed(diagram)).overlaps, 0, `seed ${seed}`);
  }
});
test("an overlap would be found", async () => {
  const made = await placed(randomDiagram(2, 6)), [first, second] = [...made.nodes.values()];
  [second.x, second.y] = [first.x + 5, first.y + 5];
  assert.ok(layoutFigures(made).overlaps > 0);
});
test("what a person has moved stays there", async () => {
  const made = await placed(randomDiagram(3, 5), { "bodies.b2": [700, 33] });
  assert.deepEqual([made.nodes.get("bodies.b2")!.x, made.nodes.get("bodies.b2")!.y], [700, 33]);
});
test("numbers are typed with units, as formulas, and in lists", () => {
  assert.equal(numberOf("12 mm"), 0.012);
  assert.equal(numberOf("90°"), Math.PI / 2);
  assert.equal(numberOf("2 kN"), 2000);
  assert.equal(numberOf("-L/2"), "-L/2");
  assert.equal(numberOf("3 constructor"), "3 constructor");
  assert.equal(numberOf("  "), null);
  assert.deepEqual(numbersOf("[0.3, max(a, b), 5 cm]"), [0.3, "max(a, b)", 0.05]);
  assert.deepEqual(commaParts("f(a, [b, c]), d"), ["f(a, [b, c])", " d"]);
  assert.equal(typed([0.3, "L", 0]), "0.3, L, 0");
});
test("an axis near one of the three axes becomes that axis, any other stays a direction of length 1", () => {
  assert.deepEqual(snapped([0.05, 0, -2]).map((x) => x + 0), [0, 0, -1]);
  const free = snapped([1, 2, 2]);
  assert.deepEqual(free.map((x) => Math.round(3 * x)), [1, 2, 2]);
  assert.ok(Math.abs(Math.hypot(...free) - 1) < 1e-12);
});
test("sliders end at the range of the file, or around the value", () => {
  assert.deepEqual(endsOf(3, 1, 5), [1, 5]);
  assert.deepEqual(endsOf(3, undefined, undefined), [0, 6]);
  assert.deepEqual(endsOf(-3, undefined, undefined), [-6, 0]);
  assert.deepEqual(endsOf(0, undefined, undefined), [0, 1]);
  assert.deepEqual(endsOf(9, 1, 5), [1, 9]); // a value outside of its range can be shown
});
test("a field of a form gives a value, several values, or nothing", () => {
  const option = (more: Partial<AnalysisOption>): AnalysisOption => ({ flag: "--x", kind: "text", about: "", form: "",
    default: "", choices: [], required: false, several: false, listed: false, group: "", ...more });
  assert.equal(valueOf(option({}), "  ", false), null);
  assert.equal(valueOf(option({ default: "1.0" }), "1.0", false), null); // the command has it anyway
  assert.equal(valueOf(option({}), " k=1,2 ", false), "k=1,2");
  assert.deepEqual(valueOf(option({ several: true }), "k=1,2; c=3;", false), ["k=1,2", "c=3"]);
  assert.equal(valueOf(option({ kind: "switch" }), "on", true), true);
  assert.equal(valueOf(option({ kind: "switch" }), "on", false), null);
});
test("only symbols near the part in sight are drawn, and all of a small diagram", () => {
  const row = (count: number) => Array.from({ length: count }, (_, k) => ({
    box: () => ({ x: 100 * k, y: 0, width: 50, height: 50 }),
    group: { style: { display: "" } } as unknown as SVGElement,
  }));
  const shown = (all: ReturnType<typeof row>) => all.flatMap(({ group }, k) => (group.style.display === "none" ? [] : [k]));
  const culling = makeCulling(), many = row(400), sight = { x: 10_000, y: -10, width: 500, height: 300 };
  culling.keep(many);
  culling.look(sight);
  assert.deepEqual([Math.min(...shown(many)), Math.max(...shown(many))], [95, 110]); // one sight more on each side
  culling.look({ ...sight, x: 10_300 }); // still inside: nothing changes
  assert.equal(shown(many).length, 16);
  culling.look({ ...sight, x: 0 });
  assert.deepEqual([Math.min(...shown(many)), Math.max(...shown(many))], [0, 10]);
  const few = row(20);
  culling.keep(few);
  culling.look({ ...sight, x: 1e6 });
  assert.equal(shown(few).length, 20);
  assert.deepEqual(boxOf([[3, 4], [1, 9]]), { x: 1, y: 4, width: 2, height: 5 });
});
