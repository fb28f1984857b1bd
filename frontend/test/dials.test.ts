import assert from "node:assert/strict";
import { test } from "node:test";
import type { Dial } from "../src/contract.ts";
import { AT_ONCE, isOutdated, readIn, settings, towards } from "../src/studio/dials.ts";

const dial = (name: string, value: number, low: number, high: number, unit = ""): Dial =>
  ({ name, label: "", value, low, high, unit, more: false, choices: [] });

test("small lengths are read in millimetres, long ones in metres, and what has no smaller unit in its own", () => {
  assert.deepEqual(readIn(dial("toe", 0, -0.002, 0.002, "m")), ["mm", 1000]);
  assert.deepEqual(readIn(dial("rod", 1, 0.5, 1.5, "m")), ["m", 1]);
  assert.deepEqual(readIn(dial("grip", 0, 0, 0.05)), ["", 1]);
});

test("a set of values takes all other dials back, and only what differs is told", () => {
  const dials = [dial("a", 1, 0, 2), dial("b", 2, 0, 4), dial("c", 3, 0, 6)], now = { a: 1, b: 3, c: 3 };
  assert.deepEqual(towards(dials, now, { c: 5 }), { b: 2, c: 5 });
  assert.deepEqual(towards(dials, now, {}), { b: 2 });
  assert.deepEqual(towards(dials, now, { a: 99 }), { a: 2, b: 2 }); // never beyond an end
});

test("many values come in messages that the server takes", () => {
  const values = Object.fromEntries(Array.from({ length: 2 * AT_ONCE + 1 }, (_, k) => [`p${k}`, k]));
  const sent = settings(values).map((message) => (message.do === "settings" ? message.values : {}));
  assert.equal(sent.length, 3);
  assert.ok(sent.every((some) => Object.keys(some).length <= AT_ONCE));
  assert.deepEqual(Object.assign({}, ...sent), values);
  assert.deepEqual(settings({}), []);
});

test("a slider does not jump back to a value that the server sent before it knew of the new one", () => {
  const k = dial("k", 2, 0, 4), sent = { value: 3.5, at: 1000 };
  assert.equal(isOutdated(undefined, 2, 1100, k), false);
  assert.equal(isOutdated(sent, 2, 1100, k), true);
  assert.equal(isOutdated(sent, 3.5, 1100, k), false); // confirmed
  assert.equal(isOutdated(sent, 2, 9000, k), false); // refused, or put back since
});
