import assert from "node:assert/strict";
import { test } from "node:test";
import { partsOf } from "../src/gallery/dropped_file.ts";

test("parts make up the text again, and none cuts a character", () => {
  const text = "<robot name=\"Süß 🤖\">".repeat(50), parts = partsOf(text, 7);
  assert.equal(parts.join(""), text);
  assert.ok(parts.every((part) => [...part].length <= 7 && !/[\uD800-\uDBFF]$/.test(part)));
  assert.deepEqual(partsOf(""), []);
});
