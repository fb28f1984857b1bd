import assert from "node:assert/strict";
import { test } from "node:test";
import { stopLines } from "../src/studio/cards.ts";

test("the card after a stop says why, when and where, what was changed, and what helps", () => {
  const stop = { why: "It came to a dead centre.", where: "crank at 3 rad/s", cure: "Begin again.", t: 3.9, set: ["k", "c"] };
  assert.deepEqual(stopLines(stop), [
    "It came to a dead centre.", "At 3.90 s: crank at 3 rad/s.", "Changed since the start: k, c. Reset puts them back.",
    "Begin again.",
  ]);
  assert.deepEqual(stopLines({ ...stop, where: "", set: [] }), ["It came to a dead centre.", "At 3.90 s.", "Begin again."]);
});
