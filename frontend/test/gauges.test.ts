import assert from "node:assert/strict";
import { test } from "node:test";
import type { GaugeData } from "../src/contract.ts";
import { onScale, written, zoneOf } from "../src/studio/gauges.ts";

const row = (more: Partial<GaugeData>): GaugeData => ({
  kind: "digital", label: "", corner: "top", channels: [0], low: 0, high: 1, unit: "", scale: 1, digits: 1, zones: [],
  texts: [], latched: false, set_channel: -1, set_value: null, colour: "", area: [], line: [], ...more,
});

test("numbers have their unit, seconds are minutes and seconds", () => {
  assert.equal(written(row({ unit: "km/h" }), 12.34), "12.3 km/h");
  assert.equal(written(row({ kind: "score", digits: 0 }), 1200), "1200");
  assert.deepEqual([0, 9.96, 59.97, 61.5, 600, -3].map((x) => written(row({ kind: "timer" }), x)),
    ["0:00.0", "0:10.0", "1:00.0", "1:01.5", "10:00.0", "−0:03.0"]);
  assert.equal(written(row({}), NaN), "–");
});

test("zones include their ends", () => {
  const two = row({ zones: [[0, 1], [3, Infinity]] });
  assert.deepEqual([-1, 0, 1, 2, 3, 1e9, NaN].map((x) => zoneOf(two, x)), [-1, 0, 0, -1, 1, 1, -1]);
});

test("a round scale begins low left, has its middle above, and ends low right", () => {
  const [[x0, y0], [x1, y1], [x2, y2]] = [0, 0.5, 1].map((part) => onScale(part, 40));
  assert.ok(x0 < 50 && y0 > 50 && Math.abs(x1 - 50) < 1e-9 && y1 < 50 && x2 > 50 && y2 > 50);
});
