// Figures of the layouts of some diagrams: `node layout_figures.ts FILE` reads {name: diagram} and prints {name: figures}.
import { readFileSync } from "node:fs";
import { layoutFigures, placed } from "../src/editor/layout.ts";
import type { Diagram } from "../src/editor/contract.ts";

const given = JSON.parse(readFileSync(process.argv[2], "utf8")) as Record<string, Diagram>;
const found: Record<string, object> = {};
for (const [name, diagram] of Object.entries(given)) {
  const began = performance.now(), made = await placed(diagram);
  found[name] = { ...layoutFigures(made), nodes: made.nodes.size, ms: Math.round(performance.now() - began) };
}
console.log(JSON.stringify(found));
