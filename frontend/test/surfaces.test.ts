import assert from "node:assert/strict";
import { test } from "node:test";
import { gridTriangles } from "../src/view/surfaces.ts";

test("triangles over a grid cover it once, from edge to edge, seen from above", () => {
  for (const [rows, columns, every] of [[4, 5, 1], [9, 7, 2], [10, 6, 4], [2, 2, 3]]) {
    const made = gridTriangles(rows, columns, every);
    let area = 0;
    for (let t = 0; t < made.length; t += 3) {
      const [a, b, c] = [0, 1, 2].map((k) => [made[t + k] % columns, Math.floor(made[t + k] / columns)]);
      const twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
      assert.ok(twice > 0);
      area += twice / 2;
    }
    assert.equal(area, (rows - 1) * (columns - 1));
  }
  assert.equal(gridTriangles(256, 256, 4).length / 3, 2 * 64 * 64);
});
