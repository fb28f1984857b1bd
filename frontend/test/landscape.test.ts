import assert from "node:assert/strict";
import { test } from "node:test";
import { zlibSync } from "fflate";
import { Color, Group, Mesh } from "three";
import type { LandscapeData, Triple } from "../src/contract.ts";
import type { Sight } from "../src/view/eye.ts";
import { makeLandscape } from "../src/view/landscape.ts";
import type { Quality } from "../src/view/materials.ts";
import { inSight } from "../src/view/shapes.ts";
import type { Key } from "../src/view/tiles.ts";

const QUADS = 32, HALF = 4096, TREES = 8000; // m: a square of 8 km
const hill = (x: number, y: number) => 300 * Math.cos(x / 900) * Math.cos(y / 700) + 0.3 * Math.sin(x / 12) * Math.sin(y / 15);
const chances = () => { let seed = 3; return () => (seed = (seed * 48271) % 2147483647) / 2147483647; };
const feet = () => {
  const chance = chances(), place = () => (chance() + chance() + chance() - 1.5) * 2000;
  const places = Array.from({ length: TREES }, () => [place(), place()]);
  return Float32Array.from(places.flatMap(([x, y]) => [x, y, hill(x, y)]));
};
const about: LandscapeData = {
  corner: [-HALF, -HALF], size: [2 * HALF, 2 * HALF], finest: 1, quads: QUADS, levels: 9, snow: 150,
  trees: Buffer.from(feet().buffer).toString("base64"), tree_height: 9,
};
/** A tile as the server sends it, in steps of 2 cm. */
const tile = ([level, row, column]: Key) => {
  const space = 2 ** level, low = -310, step = 0.02, steps: number[] = [];
  for (let i = -1; i <= QUADS + 1; i++)
    for (let j = -1; j <= QUADS + 1; j++)
      steps.push(Math.round((hill((column * QUADS + j) * space - HALF, (row * QUADS + i) * space - HALF) - low) / step));
  const planes = new Uint8Array(2 * steps.length), head = new DataView(new ArrayBuffer(32));
  steps.forEach((x, k) => {
    const change = x - (steps[k - 1] ?? 0);
    [planes[k], planes[steps.length + k]] = [change & 255, (change >> 8) & 255];
  });
  [7, 0, level, row, column, 0].forEach((x, k) => head.setUint32(4 * k, x, true));
  head.setFloat32(24, low, true);
  head.setFloat32(28, step, true);
  return Uint8Array.from([...new Uint8Array(head.buffer), ...zlibSync(planes)]).buffer;
};
const sight = (from: Triple): Sight => ({ // ahead along x
  away: [-1, 0, 0], right: [0, -1, 0], up: [0, 0, 1], target: [0, 0, 0], from, slope: 0.46, near: 0.1, far: 12000,
  turn: new Float32Array(16), lens: new Float32Array(16), matrix: new Float32Array(16),
});
const group = new Group(), land = makeLandscape(group, about), one = sight([0, 0, hill(0, 0) + 3]), seen = inSight(one, 1.05);
/** Draw calls and triangles of the landscape once all tiles are there, in a picture of so many pixels. */
const drawn = (quality: Quality, tall: number) => {
  const how = {
    quality, dark: false, haze: new Color(), shadow: [5, 0, 300], size: 1, grain: (2 * one.slope) / tall,
  };
  for (let k = 0, keys: Key[] = []; k === 0 || keys.length; k++) {
    land.show(one, how, seen);
    keys = land.wanted(1e5 * k);
    for (const key of keys) land.take(tile(key));
  }
  const count = () => {
    let calls = 0, triangles = 0;
    group.traverseVisible((mesh) => {
      if (!(mesh instanceof Mesh)) return;
      const { geometry: { index, drawRange } } = mesh as Mesh;
      calls++;
      triangles += Math.min(index!.count, drawRange.count) / 3;
    });
    return { calls, triangles };
  };
  const all = count();
  land.keepNearer(one.from, 15);
  return { all, near: count() };
};

test("without a graphics card, 8 km with 8000 trees are few triangles and draw calls", () => {
  const { all, near } = drawn("plain", 270);
  assert.ok(all.calls <= 4, `${all.calls} calls`); // ground near and far, cones and flat trees
  assert.ok(all.triangles > 1000 && all.triangles < 12_000, `${all.triangles} triangles`);
  assert.ok(near.calls <= 4 && near.triangles < 3000, `${near.calls} calls, ${near.triangles} triangles nearby`);
});

test("more pixels get more triangles, and a card gets all", () => {
  const [small, large, card] = [drawn("plain", 270), drawn("plain", 800), drawn("full", 800)].map(({ all }) => all.triangles);
  assert.ok(small < large && 4 * large < card, `${small}, ${large}, ${card} triangles`);
});
