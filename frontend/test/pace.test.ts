import assert from "node:assert/strict";
import { test } from "node:test";
import { makePace } from "../src/view/pace.ts";

test("few pictures make them coarser, many make them sharp again", () => {
  const shown = { sharpness: 1 }, { pace } = makePace(shown, true);
  for (let k = 0; k < 20; k++) pace(12);
  assert.equal(shown.sharpness, 0.35);
  for (let k = 0; k < 60; k++) pace(60);
  assert.equal(shown.sharpness, 1);
});

test("where a processor draws, 40 pictures a second are enough; a card draws as many as there are", () => {
  const count = (byProcessor: boolean) => {
    const { due } = makePace({ sharpness: 1 }, byProcessor);
    return Array.from({ length: 600 }, (_, k) => due((1000 * k) / 60)).filter(Boolean).length / 10;
  };
  assert.ok(Math.abs(count(true) - 40) < 1.5);
  assert.equal(count(false), 60);
});
