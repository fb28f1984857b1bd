import assert from "node:assert/strict";
import { test } from "node:test";
import { inWordsFor } from "../src/studio/instructions.ts";

test("a screen that is touched has its own words, and no lines about keys", () => {
  const lines = [
    { text: "Swerve.", touch: "Swerve." }, { text: "Mouse: the wheel.", touch: "Touch: the wheel." },
    { text: "Keys: ← →.", touch: "" },
  ];
  assert.deepEqual(inWordsFor(false, lines), ["Swerve.", "Mouse: the wheel.", "Keys: ← →."]);
  assert.deepEqual(inWordsFor(true, lines), ["Swerve.", "Touch: the wheel."]);
});
