import assert from "node:assert/strict";
import { test } from "node:test";
import { FINISHES } from "../src/view/finishes.ts";
import { patternOf, PATTERNS } from "../src/view/patterns.ts";

const SIZE = 64;

/** Mean difference of each line of the pattern from the next one; the last is across the border. */
const steps = (made: Float32Array, along: boolean) => Array.from({ length: SIZE }, (_, j) => {
  let sum = 0;
  for (let i = 0; i < SIZE; i++) {
    const [here, next] = [j, (j + 1) % SIZE].map((k) => (along ? made[SIZE * i + k] : made[SIZE * k + i]));
    sum += Math.abs(next - here) / SIZE;
  }
  return sum;
});

test("patterns are always the same, have mean one half, and fit themselves on all sides", () => {
  for (const kind of PATTERNS) {
    const made = patternOf(kind, SIZE);
    assert.deepEqual(made, patternOf(kind, SIZE));
    assert.ok(made.every((x) => x >= 0 && x <= 1), kind);
    assert.ok(Math.abs(made.reduce((all, x) => all + x, 0) / made.length - 0.5) < 0.02, kind);
    for (const along of [true, false]) {
      const inside = steps(made, along), border = inside.pop()!;
      assert.ok(border <= 1.2 * Math.max(...inside), `${kind}: ${border} at the border, ${Math.max(...inside)} inside`);
    }
  }
});

test("brushed metal and wood change less along the grain than across it", () => {
  for (const kind of ["brushed", "rings"] as const) {
    const made = patternOf(kind, 256), [along, across] = [true, false].map((way) => {
      let sum = 0;
      for (let i = 0; i < 255; i++)
        for (let j = 0; j < 255; j++) sum += Math.abs(made[256 * i + j] - made[256 * i + j + (way ? 1 : 256)]);
      return sum;
    });
    assert.ok(along < 0.5 * across, `${kind}: ${along} along, ${across} across`);
  }
});

test("finishes are physical: shares between 0 and 1, metal mirrors more than anything else but glass", () => {
  for (const [name, { roughness, metalness, clearcoat, sheen, formula }] of Object.entries(FINISHES)) {
    for (const share of [roughness, metalness, clearcoat, sheen, ...formula]) assert.ok(share >= 0 && share <= 1, name);
    if (name !== "steel") assert.ok(formula[0] < FINISHES.steel.formula[0], name);
  }
});
