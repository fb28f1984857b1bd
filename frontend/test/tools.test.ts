import assert from "node:assert/strict";
import { test } from "node:test";
import { forFingers } from "../src/studio/tools.ts";

test("the help on a touch screen leaves out keys", () => {
  const lines = ["Swerve around the car.", "Mouse: the wheel and the pedals.", "Keys: ← → steer.", "Game controller: left stick.",
    "turn the wheel: drag it, or press A and D"];
  assert.deepEqual(forFingers(lines), ["Swerve around the car.", "Touch: the wheel and the pedals.", "turn the wheel: drag it"]);
});
