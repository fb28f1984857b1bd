import assert from "node:assert/strict";
import { test } from "node:test";
import { gridTriangles, makeSheet, someLines, strideOf } from "../src/view/surfaces.ts";

test("triangles over some rows and columns of a grid cover it once, from edge to edge, seen from above", () => {
  for (const [rows, columns, every] of [[4, 5, 1], [9, 7, 2], [10, 6, 4], [2, 2, 3], [3, 50, 1], [4, 90, 1]]) {
    const down = someLines(rows, every), along = someLines(columns, every), made = gridTriangles(down.length, along.length);
    const stride = strideOf(along.length), corner = (n: number) => [along[n % stride], down[Math.floor(n / stride)]];
    let area = 0;
    for (let t = 0; t < made.length; t += 3) {
      const [a, b, c] = [0, 1, 2].map((k) => corner(made[t + k]));
      const twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
      assert.ok(twice > 0);
      area += twice / 2;
    }
    assert.equal(area, (rows - 1) * (columns - 1));
  }
  assert.equal(gridTriangles(someLines(256, 4).length, someLines(256, 4).length).length / 3, 2 * 64 * 64);
});

test("a sheet has the places of its rows and columns, and sends only rows that have changed", () => {
  const [rows, columns, every] = [10, 7, 3], position = Float32Array.from({ length: 3 * rows * columns }, (_, k) => k);
  const down = someLines(rows, every), along = someLines(columns, every), stride = strideOf(along.length);
  const { geometry, take } = makeSheet({ position, normal: position.map((x) => -x) }, columns, down, along);
  const attributes = ["position", "normal"].map((name) => geometry.getAttribute(name));
  take(0, rows);
  down.forEach((row, i) => along.forEach((column, j) => {
    const from = 3 * (row * columns + column), to = 3 * (i * stride + j);
    assert.deepEqual(attributes[0].array.slice(to, to + 3), position.slice(from, from + 3));
    assert.equal(attributes[1].array[to + 2], -position[from + 2]);
  }));
  for (const one of attributes) (one as typeof one & { clearUpdateRanges(): void }).clearUpdateRanges();
  position.fill(-1);
  take(4, 5); // between two of its rows
  take(6, 8); // the third of them
  for (const one of attributes)
    assert.deepEqual((one as typeof one & { updateRanges: object[] }).updateRanges, [{ start: 6 * stride, count: 3 * stride }]);
  assert.deepEqual([...attributes[0].array.slice(6 * stride, 6 * stride + 9)], Array(9).fill(-1));
  assert.equal(attributes[0].array[3 * stride], (3 * position.length) / rows); // the second row is as it was
});

test("the corners of two rows of a block of triangles have different places among the last ones", () => {
  const triangles = gridTriangles(40, 65), places = new Map<number, number>();
  let shaded = 0;
  for (const corner of triangles) {
    if (places.get(corner % 64) !== corner) shaded++;
    places.set(corner % 64, corner);
  }
  assert.ok(shaded < 1.3 * 40 * 65, `${shaded} of ${40 * 65}`);
});
