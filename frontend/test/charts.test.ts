import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChartContent } from "../src/contract.ts";
import { ends, isFilled, shade } from "../src/studio/charts.ts";

const content = (more: Partial<ChartContent>): ChartContent =>
  ({ names: [], series: [], grid: [], ranges: [], note: "", ...more });
const series = (y: (number | null)[]) => ({ label: "", x: [], y, low: [], high: [] });

test("the axis of bars begins at zero and has all of them", () => {
  for (let k = 0; k < 50; k++) {
    const numbers = Array.from({ length: 5 }, (_, i) => 10 * Math.sin(7 * k + i));
    const [low, high] = ends(numbers, true);
    assert.ok(low <= 0 && high >= 0);
    assert.ok(numbers.every((x) => low <= x && x <= high));
  }
});
test("missing numbers do not count, and equal ones still make a range", () => {
  assert.deepEqual(ends([null, null], false), [0, 1]);
  for (const numbers of [[3, null, 3], [0, 0], [-2]]) {
    const [low, high] = ends(numbers, false);
    assert.ok(high > low && low <= numbers[0]! && numbers[0]! <= high);
  }
});
test("a cell that is seen more often is never fainter", () => {
  const shades = [0, 1, 2, 5, 50].map((count) => shade(count, 50));
  assert.deepEqual([...shades].sort((a, b) => a - b), shades);
  assert.equal(shades[0], 0);
  assert.equal(shades[4], 1);
  assert.equal(shade(0, 0), 0);
});
test("a chart without numbers is empty", () => {
  assert.equal(isFilled(content({})), false);
  assert.equal(isFilled(content({ series: [series([null])] })), false);
  assert.equal(isFilled(content({ series: [series([null, 0])] })), true);
  assert.equal(isFilled(content({ grid: [[0]] })), true);
});
