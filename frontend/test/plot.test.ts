import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf, joined, lined, recent, rowAt, WINDOW, withBands, within, type Row } from "../src/studio/bands.ts";

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

test("several curves share their times, and each keeps its peaks", () => {
  const [x, first, second] = lined([[0, 9, 10, 5, 5], [1, 7, 9, 5, 5]]);
  assert.deepEqual(x, [0, 0, 1, 1]);
  assert.deepEqual(first, [9, 10, 9, 7]);
  assert.deepEqual(second, [5, 5, 5, 5]);
});

test("an earlier stretch is found whatever there is beside it", () => {
  const rows: Row[] = Array.from({ length: 100 }, (_, k) => [k / 10, k, k]);
  assert.deepEqual(within(rows, 2, 2.25).map(([t]) => t), [2, 2.1, 2.2]);
  assert.deepEqual(within(rows, -5, 0).map(([t]) => t), [0]);
  assert.deepEqual(within([], 0, 1), []);
  assert.equal(rowAt(rows, 3.35)![0], 3.4);
  assert.equal(rowAt(rows, 99)![0], 9.9); // nothing later is known
  assert.equal(rowAt([], 0), undefined);
});

test("a table has all channels over their times, with units and names in quotes where they need them", () => {
  const text = csvOf([
    { name: "a", unit: "rad", rows: [[0, 1, 2], [1, 3, 4]] }, { name: 'odd, "b"', unit: "", rows: [[1, 5, 6], [2, 7, 8]] },
  ]);
  assert.deepEqual(text.split("\n"), [
    'time [s],a least [rad],a largest [rad],"odd, ""b"" least [1]","odd, ""b"" largest [1]"',
    "0,1,2,,", "1,3,4,5,6", "2,,,7,8", "",
  ]);
});

test("a curve with a standard deviation gets a band of two of them to either side", () => {
  const lines = [[0, 1], [5, 6], [10, 20], [1, 0.5]]; // times, two curves, the deviation of the second
  assert.deepEqual(withBands(lines, 2, [1]), [[0, 1], [5, 6], [10, 20], [12, 21], [8, 19]]);
  assert.deepEqual(withBands(lines.slice(0, 2), 1, []), [[0, 1], [5, 6]]);
  const stretch = [[0, 0, 1], [5, 9, 6], [1, 2, 1]]; // from 5 to 9 at the first time
  assert.deepEqual(withBands(stretch, 1, [0]).slice(2), [[13, 13, 8], [1, 1, 4]]);
});

test("records take the place of the bands of their stretch, and nothing is there twice", () => {
  const rows: Row[] = [0.8, 1.6, 2.4, 3.2].map((t) => [t, 0, 9]), records: Row[] = [1.7, 1.8, 1.9, 2.4].map((t) => [t, 5, 5]);
  assert.deepEqual(joined(rows, [], 1, 2).map(([t]) => t), [0.8, 1.6, 2.4]); // one beyond either end
  assert.deepEqual(joined(rows, records, 1.75, 1.85).map(([t]) => t), [1.7, 1.8, 1.9]);
  assert.deepEqual(joined(rows, records, 0, 4).map(([t]) => t), [0.8, 1.6, 1.7, 1.8, 1.9, 2.4, 3.2]);
});
