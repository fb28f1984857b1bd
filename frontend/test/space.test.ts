import assert from "node:assert/strict";
import { test } from "node:test";
import { column, columns, dot, inverse, minus, moved, product, turnedBack, turning } from "../src/view/space.ts";

const near = (a: readonly number[], b: readonly number[]) => a.forEach((x, k) => assert.ok(Math.abs(x - b[k]) < 1e-5, `${a} ${b}`));

test("a quarter turn about z, of any length of its quaternion", () => {
  const m = turning([3, 0, 0, 3], [1, 2, 3]);
  near(moved(m, [1, 0, 0]), [1, 3, 3]);
  near(turnedBack(m, minus(moved(m, [4, 5, 6]), column(m, 3))), [4, 5, 6]);
});

test("products of matrices are one after the other, inverses back again", () => {
  const a = turning([1, 2, 3, 4], [1, 0, -1]), b = columns([2, 0, 0], [1, 3, 0], [0, 0, 0.5], [4, 5, 6]), p = [0.3, -0.2, 0.9];
  near(moved(product(a, b), p), moved(a, moved(b, p)));
  near(inverse(b).map((row) => dot(row, minus(moved(b, p), column(b, 3)))), p);
});
