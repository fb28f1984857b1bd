import assert from "node:assert/strict";
import { test } from "node:test";
import { stopLines } from "../src/studio/cards.ts";

test("the card of a stop says why, when, where, what was set, and what helps", () => {
  const stop = { why: "It came to a dead centre.", where: "crank at 3 rad/s", cure: "Begin again.", t: 3.9, set: ["k", "c"] };
  assert.deepEqual(stopLines(stop), [
    "It came to a dead centre.", "At 3.90 s: crank at 3 rad/s.", "Before that, k, c were set: Reset puts that back.",
    "Begin again.",
  ]);
  assert.deepEqual(stopLines({ ...stop, where: "", set: [] }), ["It came to a dead centre.", "At 3.90 s.", "Begin again."]);
});
