import assert from "node:assert/strict";
import { test } from "node:test";
import { makeGlide, type Glide } from "../src/view/glide.ts";

/** Where ball k is drawn now (ms), as the graphics card mixes it. */
const drawn = ({ places, share }: Glide, k: number, now: number) =>
  [0, 1, 2].map((i) => places[6 * k + i] + share(now) * (places[6 * k + 3 + i] - places[6 * k + i]));
const row = (...x: number[]) => new Float32Array(x.flatMap((one) => [one, 0, 0]));

test("a ball moves evenly from one message to the next, and then from where it is drawn", () => {
  const glide = makeGlide(4, 0.1);
  glide.told(row(1), 0);
  assert.equal(drawn(glide, 0, 0)[0], 1);
  glide.told(row(2), 100);
  assert.deepEqual([100, 125, 150, 200, 900].map((now) => drawn(glide, 0, now)[0]), [1, 1.25, 1.5, 2, 2]);
  glide.told(row(3), 150);
  assert.ok(Math.abs(drawn(glide, 0, 150)[0] - 1.5) < 1e-6);
  assert.equal(drawn(glide, 0, 900)[0], 3);
});

test("a ball that jumps, and one that is new, appear where they are", () => {
  const glide = makeGlide(4, 0.1);
  glide.told(row(1, 2), 0);
  glide.told(row(1.5, 9, 5), 100);
  assert.deepEqual([0, 1, 2].map((k) => drawn(glide, k, 100)[0]), [1, 9, 5]);
});

test("a ball keeps its number when rows change, and a new one in the same row is not moved there", () => {
  const glide = makeGlide(4, 0.1);
  glide.name(new Uint32Array([7, 8, 9]));
  glide.told(row(1, 2, 3), 0);
  glide.name(new Uint32Array([8, 9, 10])); // 7 has become ground, 10 is new
  glide.told(row(2.5, 3.5, 1.2), 100);
  assert.deepEqual([0, 1].map((k) => drawn(glide, k, 100)[0]), [2, 3]);
  assert.ok(Math.abs(drawn(glide, 2, 100)[0] - 1.2) < 1e-6);
  assert.deepEqual([0, 1].map((k) => drawn(glide, k, 150)[0]), [2.25, 3.25]);
});

test("more balls than there is room for are left out", () => {
  const glide = makeGlide(2, 0.1);
  glide.told(row(1, 2, 3), 0);
  assert.equal(glide.count(), 2);
});
