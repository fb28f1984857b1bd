import assert from "node:assert/strict";
import { test } from "node:test";
import { fittingWidth, readWidth } from "../src/studio/panels.ts";

test("a panel leaves room for the picture and the other panel", () => {
  assert.equal(fittingWidth(300, 1200, 260), 300);
  assert.equal(fittingWidth(5000, 1200, 260), 700);
  assert.equal(fittingWidth(Infinity, 2560, 260), 2060);
  assert.equal(fittingWidth(10, 1200, 260), 160);
  assert.equal(fittingWidth(300, 300, 260), 160); // a narrow page
});
test("a width in the address is a number", () => {
  assert.equal(readWidth("420"), 420);
  for (const bad of [null, "", " ", "wide", "-3", "NaN", "12"]) assert.equal(readWidth(bad), null);
});
