import assert from "node:assert/strict";
import { test } from "node:test";
import { zlibSync } from "fflate";
import type { LandscapeData } from "../src/contract.ts";
import {
  chooseTiles, cornersOf, flatnessOf, nameOf, readTile, spanOf, tileTriangles, type Heights, type Key,
} from "../src/view/tiles.ts";

const QUADS = 4;
const about: LandscapeData = {
  corner: [-100, 0], size: [30, 20], finest: 1, quads: QUADS, levels: 4, snow: 0, trees: "", tree_height: 5,
};
const message = (key: Key, kind: number, steps: number[]) => {
  const planes = new Uint8Array(2 * steps.length), data = new ArrayBuffer(32), head = new DataView(data);
  steps.forEach((x, k) => {
    const change = x - (steps[k - 1] ?? 0);
    [planes[k], planes[steps.length + k]] = [change & 255, (change >> 8) & 255];
  });
  [7, 0, ...key, kind].forEach((x, k) => head.setUint32(4 * k, x, true));
  head.setFloat32(24, 10, true);
  head.setFloat32(28, 0.5, true);
  return Uint8Array.from([...new Uint8Array(data), ...zlibSync(planes)]).buffer;
};
const steps = Array.from({ length: (QUADS + 3) ** 2 }, (_, k) => (k * 7919) % 30000);

test("a tile comes back, and a difference changes it", () => {
  const tile = readTile(message([1, 2, 3], 0, steps), () => undefined)!;
  assert.deepEqual([...tile.steps], steps);
  assert.deepEqual([tile.key, tile.low, tile.step], [[1, 2, 3], 10, 0.5]);
  const change = steps.map((_, k) => (k === 9 ? -5 : 0)), after = readTile(message([1, 2, 3], 1, change), () => tile)!;
  assert.deepEqual([...after.steps], steps.map((x, k) => x + change[k]));
  assert.equal(readTile(message([1, 2, 3], 1, change), () => undefined), null); // of a tile that was forgotten
});

test("corners are on a plane where the heights are, and end at the border of the area", () => {
  const wide = QUADS + 3, flat = Int32Array.from({ length: wide * wide }, (_, k) => 2 * (k % wide)); // 1 m for a quad of 2 m
  const tile: Heights = { key: [1, 0, 3], low: 0, step: 0.5, steps: flat }, { position, normal } = cornersOf(tile, about);
  assert.equal(Math.max(...position.filter((_, k) => k % 3 === 0)), -70);
  const [nx, ny, nz] = normal;
  assert.ok(Math.abs(nx / nz + 0.5) < 0.02 && ny === 0);
});

test("triangles of a tile cover it once, whatever they span", () => {
  for (const every of [1, 2]) {
    const across = QUADS + 1, triangles = tileTriangles(QUADS, every), own = triangles.filter((k) => k >= across * across);
    let area = 0;
    for (let t = 0; t < triangles.length; t += 3) {
      const [a, b, c] = [0, 1, 2].map((i) => triangles[t + i]);
      if (Math.max(a, b, c) >= across * across) continue; // of the skirt
      const [x, y] = [(k: number) => k % across, (k: number) => Math.floor(k / across)];
      area += 0.5 * ((x(b) - x(a)) * (y(c) - y(a)) - (x(c) - x(a)) * (y(b) - y(a)));
    }
    assert.equal(area, QUADS * QUADS);
    assert.ok(own.length > 0);
  }
});

test("near the eye tiles are fine, and until they come the coarse one is drawn", () => {
  const has = new Set(["3/0/0"]), at = (key: Key) => Math.hypot(key[1] * QUADS * 2 ** key[0], key[2] * QUADS * 2 ** key[0]);
  const choose = () => chooseTiles(about, (key) => has.has(nameOf(key)), at, () => true, 1);
  const first = choose();
  assert.deepEqual(first.draw, [[3, 0, 0]]);
  assert.deepEqual(first.ask[0], [2, 0, 0]);
  for (let k = 0; k < 6; k++) choose().ask.forEach((key) => has.add(nameOf(key)));
  const { draw, ask } = choose();
  assert.deepEqual(ask, []);
  assert.ok(draw.some(([level]) => level === 0) && draw.some(([level]) => level >= 2));
  assert.ok(draw.every((key, k) => k === 0 || at(key) >= at(draw[k - 1]))); // the nearest first
  const covered = draw.reduce((sum, [level]) => sum + 4 ** level, 0); // no tile is drawn over another
  assert.ok(covered <= 4 ** 3);
});

test("triangles span a plane, and are no farther from a bump than they say", () => {
  const quads = 8, wide = quads + 3, own = { ...about, quads }, at = (i: number, j: number) => (i + 1) * wide + j + 1;
  const heights = (f: (i: number, j: number) => number): Heights => {
    const made = new Int32Array(wide * wide);
    for (let i = -1; i <= quads + 1; i++) for (let j = -1; j <= quads + 1; j++) made[at(i, j)] = f(i, j);
    return { key: [0, 0, 0], low: 0, step: 0.5, steps: made };
  };
  const flatness = (tile: Heights) => flatnessOf(tile, cornersOf(tile, own).normal, quads);
  const plane = flatness(heights((i, j) => 3 * i + 2 * j));
  assert.deepEqual(plane.map(({ height, normal }) => [height, normal]), [[0, 0], [0, 0], [0, 0]]);
  assert.equal(spanOf(plane, 1, 0.01), 8);
  const bump = flatness(heights((i, j) => (i === 5 && j === 3 ? 10 : 0)));
  assert.deepEqual(bump.map(({ height }) => height), [5, 5, 5]); // m, between the corners of all triangles
  assert.equal(spanOf(bump, 1, 0.01), 2); // it would be missed
  assert.equal(spanOf(bump, 1, 10), 8); // less than a pixel
  const roof = flatness(heights((i) => 10 - Math.abs(i - 4))); // its ridge is on corners of all but the widest triangles
  assert.deepEqual(roof.map(({ height }) => height), [0, 0, 2]);
});
