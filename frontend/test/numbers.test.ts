import assert from "node:assert/strict";
import { test } from "node:test";
import { audible, floorOf, margins, short, tickLabels, ticks } from "../src/studio/numbers.ts";

test("four digits, and no number is a dash", () => {
  assert.deepEqual([0.123456, 12345.6, 2.5e7, NaN].map(short), ["0.1235", "12350", "2.5e7", "–"]);
});

test("noise does not fill an axis", () => {
  const [low, high] = margins(5 - 1e-12, 5 + 1e-12);
  assert.ok(high - low > 1e-4 && low < 5 && high > 5);
  assert.deepEqual(margins(0, 0), [-1, 1]);
  assert.deepEqual(margins(-1e-13, 1e-13), [-1, 1]);
});

test("a number below the floor of its unit is zero", () => {
  assert.deepEqual(margins(-1e-8, 1e-8, floorOf("N")), [-1, 1]);
  assert.deepEqual([audible(3e-14, floorOf("rad")), audible(3e-8, floorOf("N")), audible(3e-8, floorOf("rad"))], [0, 0, 3e-8]);
  const [low, high] = margins(-1e-8, 1e-8, floorOf("rad"));
  assert.ok(low > -1e-7 && high < 1e-7); // small, but data
});

test("a curve has room above and below", () => {
  const [low, high] = margins(-3, 5);
  assert.ok(low < -3 && high > 5 && high - low < 1.3 * 8);
});

test("axes have at least two ticks, round and between the ends", () => {
  for (let k = 0; k < 400; k++) {
    const low = Math.sin(7.3 * k) * 10 ** ((k % 13) - 6), high = low + (1.1 + Math.cos(k)) * 10 ** ((k % 7) - 3);
    const found = ticks(low, high, 3);
    assert.ok(found.length >= 2 && found.length <= 9, `${found.length} ticks between ${low} and ${high}`);
    const step = found[1] - found[0];
    assert.ok(found.every((x) => x >= low - 1e-6 * step && x <= high + 1e-6 * step));
    const lead = step / 10 ** Math.floor(Math.log10(step) + 1e-6);
    assert.ok([1, 2, 5, 10].some((d) => Math.abs(lead - d) < 1e-3), `a step of ${step}`);
  }
});

test("labels of ticks differ, and have no more digits than they need", () => {
  assert.deepEqual(tickLabels([-0.0124135, -0.012413]), ["-0.0124135", "-0.012413"]);
  assert.deepEqual(tickLabels([0, 0.5, 1]), ["0", "0.5", "1"]);
  assert.deepEqual(tickLabels([-1e-6, 0, 1e-6]), ["-1e-6", "0", "1e-6"]);
  assert.deepEqual(tickLabels([1e6, 1.5e6, 2e6]), ["1e6", "1.5e6", "2e6"]);
});
