import assert from "node:assert/strict";
import { test } from "node:test";
import type { BodyCard } from "../src/contract.ts";
import { valueOf, wordOf } from "../src/studio/inspector.ts";
import { itemsOf, moves, type Item } from "../src/studio/tree.ts";

const body = (name: string, frame: number, on: number, joints: string[]): BodyCard =>
  ({ name, frame, on, dials: [], joints: joints.map((type) => ({ name: `${name}_${type}`, type, nature: "independent", channels: [] })) });
const lines = (items: Item[], indent = ""): string[] =>
  items.flatMap((item) => [`${indent}${item.label}`, ...lines(item.children, `${indent} `)]);

test("bodies are under what carries them, after its joints", () => {
  const parts = [body("cart", 1, 0, ["T1"]), body("pole", 2, 1, ["R2"]), body("bob", 3, 2, []), body("wall", 4, 0, [])];
  assert.deepEqual(lines(itemsOf(parts)), ["cart", " cart_T1", " pole", "  pole_R2", "  bob", "wall"]);
});

test("joints and their numbers in words", () => {
  assert.deepEqual(["R1", "T3", "ball", "free"].map(moves), ["turns about x", "slides along z", "turns any way", "floats"]);
  const hinge = body("a", 1, 0, ["R2"]).joints[0], float = { ...hinge, type: "free" };
  assert.deepEqual(["a_R2.q", "a_R2.qd", "a_R2.Q"].map((c) => wordOf(c, hinge)), ["angle", "angular velocity", "torque"]);
  assert.equal(wordOf("a_R2.qw", float), "qw");
  assert.equal(valueOf(Math.PI / 6, "rad"), "0.5236 rad (30°)");
  assert.equal(valueOf(NaN, "rad"), "– rad");
  assert.equal(valueOf(2, ""), "2");
  assert.equal(valueOf(-1.2e-14, "rad/s"), "0 rad/s");
});
