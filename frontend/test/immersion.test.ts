import assert from "node:assert/strict";
import { test } from "node:test";
import type { CameraData, Triple } from "../src/contract.ts";
import { sightFrom, standpoint } from "../src/view/immersion.ts";
import { column, cross, dot, minus, moved, norm, turning } from "../src/view/space.ts";

const before = (size: number, middle: Triple, floor: number) =>
  ({ azimuth: 30, points: [middle, middle], middle, size, floor }) as unknown as CameraData;

test("one stands on the floor before what is large, upright, and looks at it", () => {
  const m = standpoint(before(3, [5, 6, 1], -0.2)), feet = column(m, 3), ahead = column(m, 2).map((x) => -x);
  assert.ok(Math.abs(feet[2] + 0.2) < 1e-6);
  assert.deepEqual([...column(m, 1)], [0, 0, 1]); // up
  const way = minus([5, 6, feet[2]], feet);
  assert.ok(norm(cross(way, ahead)) < 1e-5 && dot(way, ahead) > 3); // outside of it
  assert.ok(norm(minus(cross(column(m, 0), column(m, 1)), column(m, 2))) < 1e-6); // right-handed
});

test("what is small is on a table, near enough for hands, at its own scale", () => {
  const m = standpoint(before(0.2, [0, 0, 0.1], 0)), distance = minus([0, 0, 0.1], column(m, 3));
  assert.ok(Math.abs(distance[2] - 1.1) < 1e-6);
  assert.ok(Math.hypot(distance[0], distance[1]) < 0.8);
  assert.ok(Math.abs(norm(column(m, 0)) - 1) < 1e-6); // a metre is a metre
});

test("a head sees along its own axes", () => {
  const m = turning([Math.SQRT1_2, Math.SQRT1_2, 0, 0], [1, 2, 3]), sight = sightFrom(m, 50);
  assert.deepEqual(sight.from, [1, 2, 3]);
  const ahead = minus(moved(m, [0, 0, -1]), sight.from);
  assert.ok(norm(minus(ahead, minus(sight.target, sight.from))) < 1e-6);
  assert.ok(Math.abs(dot(sight.right, sight.up)) < 1e-6 && sight.far === 50);
});
