import assert from "node:assert/strict";
import { test } from "node:test";
import { makeBetween } from "../src/view/between.ts";

const made = () => {
  const seen = new Map<number, number[]>();
  const between = makeBetween((frame, position, quaternion) => seen.set(frame, [...position, ...quaternion]));
  return { ...between, seen };
};
const row = (x: number, w = 1) => new Float32Array([x, 0, 0, w, 0, 0, 0]);

test("a frame moves evenly from one message to the next", () => {
  const { told, settle, seen } = made();
  for (let k = 0; k < 60; k++) {
    told([1], row(k), 20 * k);
    settle(20 * k + 19.9);
  }
  told([1], row(60), 1200);
  const places = [1205, 1210, 1215].map((now) => { settle(now); return seen.get(1)![0]; });
  places.forEach((x, k) => assert.ok(Math.abs(x - (59.25 + 0.25 * k)) < 0.06, `${x}`));
  assert.ok(settle(1300));
  assert.equal(seen.get(1)![0], 60);
  assert.ok(!settle(1310)); // nothing moves any more
});

test("the first message puts a frame there, and opposite quaternions are the same rotation", () => {
  const { told, settle, seen } = made();
  told([3], row(7), 0);
  assert.equal(seen.get(3)![0], 7);
  settle(1);
  told([3], row(7, -1), 20);
  settle(24);
  assert.ok(Math.abs(Math.abs(seen.get(3)![3]) - 1) < 1e-6);
});
