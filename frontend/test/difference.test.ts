import assert from "node:assert/strict";
import { test } from "node:test";
import type { MeshRow, PartRow, SceneDifference, ShapesData } from "../src/contract.ts";
import { changedShapes } from "../src/view/difference.ts";

const mesh: MeshRow = [1, 1, -1, 0, [0, 0, 0], [1, 1, 1], null];
const part = (frame: number): PartRow => [0, frame, [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], 0, "body", 1, "paint", -1];
const shapes: ShapesData = {
  meshes: [mesh], geometry: "", colours: ["#ff0000"], textures: [],
  parts: [part(1), part(2)], spans: [], labels: [["arm", 1, [0, 0, 0]]],
};
const none: SceneDifference = {
  count: { meshes: 1, colours: 1, textures: 0, parts: 2, spans: 0, labels: 1 },
  meshes: [], geometry: "", colours: [], textures: [], parts: [], spans: [], labels: [],
};

test("nothing told changes nothing", () => assert.deepEqual(changedShapes(shapes, none), shapes));

test("rows are replaced, added and dropped by their numbers", () => {
  const grown = changedShapes(shapes, { ...none, count: { ...none.count, parts: 3 }, parts: [[0, part(5)], [2, part(7)]] });
  assert.deepEqual(grown.parts.map(([, frame]) => frame), [5, 2, 7]);
  assert.deepEqual(shapes.parts.map(([, frame]) => frame), [1, 2]); // what was known is not touched
  const fewer = changedShapes(grown, { ...none, count: { ...none.count, parts: 1, labels: 0 } });
  assert.deepEqual([fewer.parts.length, fewer.labels.length], [1, 0]);
});

test("a row that never came is an error, not a hole", () =>
  assert.throws(() => changedShapes(shapes, { ...none, count: { ...none.count, parts: 4 } }), /4 parts were told, not 2/));
