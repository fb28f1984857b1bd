import assert from "node:assert/strict";
import { test } from "node:test";
import { lined, recent, WINDOW } from "../src/studio/bands.ts";

test("a line through bands keeps every peak, and a falling curve is no saw", () => {
  const [x, y] = lined([[0, 9, 10], [1, 7, 9], [2, 4, 7]]);
  assert.deepEqual(y, [9, 10, 9, 7, 7, 4]);
  assert.deepEqual(x, [0, 0, 1, 1, 2, 2]);
  assert.deepEqual(lined([[0, 1, 1], [1, 2, 2]])[1], [1, 2]); // a value is one point
});

test("what is older than the window is forgotten", () => {
  const rows = Array.from({ length: 30 }, (_, k) => [k, 0, 0]);
  assert.equal(recent(rows)[0][0], 29 - WINDOW);
  assert.deepEqual(recent([]), []);
});
