import assert from "node:assert/strict";
import { test } from "node:test";
import { meets } from "../src/view/pointer.ts";

/** The faces of a cube from −1 to 1. */
const cube = () => {
  const corners = Array.from({ length: 8 }, (_, k) => [k & 1, (k >> 1) & 1, k >> 2].map((x) => 2 * x - 1));
  const vertices = Float32Array.from(corners.flat());
  const quads = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
  return { vertices, triangles: Uint32Array.from(quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d])) };
};

test("a ray meets a cube where its slabs do", () => {
  let seed = 1;
  const random = () => { seed = (seed * 48271) % 2147483647; return (2 * seed) / 2147483647 - 1; };
  let hits = 0;
  for (let k = 0; k < 2000; k++) {
    const from = [3 * random(), 3 * random(), 4 + random()], way = [random(), random(), -1 + 0.5 * random()];
    const ends = [0, 1, 2].map((i) => [(-1 - from[i]) / way[i], (1 - from[i]) / way[i]].sort((a, b) => a - b));
    const enter = Math.max(...ends.map(([a]) => a)), leave = Math.min(...ends.map(([, b]) => b));
    const found = meets(from, way, cube());
    if (Math.abs(enter - leave) < 1e-3) continue; // along an edge
    if (enter < leave && enter > 0) {
      hits++;
      assert.ok(Math.abs(found - enter) < 1e-4, `${found} is not ${enter}`);
    } else assert.equal(found, Infinity);
  }
  assert.ok(hits > 100);
});

test("what is behind the eye is not met", () => assert.equal(meets([0, 0, 3], [0, 0, 1], cube()), Infinity));
