import assert from "node:assert/strict";
import { test } from "node:test";
import { makePace, type Level } from "../src/view/pace.ts";

test("few pictures make them coarser, many make them sharp again", () => {
  const shown = { sharpness: 1, level: "full" as Level }, { pace } = makePace(shown, true);
  for (let k = 0; k < 20; k++) pace(12);
  assert.equal(shown.sharpness, 0.35);
  for (let k = 0; k < 60; k++) pace(60);
  assert.deepEqual(shown, { sharpness: 1, level: "full" }); // a processor never draws all of it in time: no level to try
});

test("where few are wanted, one that falls into the next second makes none coarser, and a missing one does", () => {
  const shown = { sharpness: 1, level: "plain" as Level }, { pace } = makePace(shown, true, 5);
  for (let k = 0; k < 20; k++) pace(4 + 2 * (k % 2));
  assert.equal(shown.sharpness, 1);
  pace(3);
  assert.ok(shown.sharpness < 1);
});

test("a card draws more simply in steps before pictures get coarse, and better again when there is time", () => {
  const shown = { sharpness: 1, level: "full" as Level }, { pace } = makePace(shown, false), passed: string[] = [];
  for (let k = 0; k < 20; k++) {
    pace(12);
    if (passed[passed.length - 1] !== shown.level) passed.push(shown.level);
    assert.ok(shown.level === "plain" || shown.sharpness >= 0.6);
  }
  assert.deepEqual([passed, shown.sharpness], [["full", "simple", "plain"], 0.35]);
  for (let k = 0; k < 200; k++) pace(60);
  assert.deepEqual(shown, { sharpness: 1, level: "full" });
});

test("where a processor draws, 40 pictures a second are enough; a card draws as many as there are", () => {
  const count = (byProcessor: boolean) => {
    const { due } = makePace({ sharpness: 1, level: "full" }, byProcessor);
    return Array.from({ length: 600 }, (_, k) => due((1000 * k) / 60)).filter(Boolean).length / 10;
  };
  assert.ok(Math.abs(count(true) - 40) < 1.5);
  assert.equal(count(false), 60);
});

test("pictures settle at 36 to 40 a second, as sharp as that allows", () => {
  for (const [fixed, pixels] of [[8, 20], [12, 40], [18, 25]]) { // ms of a picture, and of all its pixels
    const shown = { sharpness: 1, level: "plain" as Level }, { pace } = makePace(shown, true), seen: number[] = [];
    const counted = () => Math.min(40, 1000 / (fixed + pixels * shown.sharpness ** 2));
    for (let k = 0; k < 300; k++) {
      seen.push(counted());
      pace(Math.round(counted()));
    }
    const last = seen.slice(-100), best = Math.min(Math.sqrt((1000 / 36 - fixed) / pixels), 1);
    assert.ok(last.reduce((sum, x) => sum + x) / 100 > 35.4);
    assert.ok(shown.sharpness > 0.8 * best, `${shown.sharpness} of ${best}`);
  }
});
