// Tiles of a landscape: heights as they come, their triangles with skirts, and which of them a picture needs.
import { unzlibSync } from "fflate";
import type { LandscapeData } from "../contract.ts";

export type Key = [level: number, row: number, column: number];
export const nameOf = (key: Key): string => key.join("/");

/** Heights (m) of a tile and one beyond each edge, in whole steps above the lowest. */
export interface Heights {
  key: Key;
  low: number;
  step: number;
  steps: Int32Array; // (quads + 3)², a row after the other
}
const HEAD = 32, DIFFERENCE = 1; // bytes before the steps; a message with a difference

/** A message with a tile, or with its difference from the one that is there. */
export const readTile = (data: ArrayBuffer, known: (key: Key) => Heights | undefined): Heights | null => {
  const head = new DataView(data), at = (k: number) => head.getUint32(4 * k, true), key: Key = [at(2), at(3), at(4)];
  const [low, step] = [head.getFloat32(24, true), head.getFloat32(28, true)];
  const planes = unzlibSync(new Uint8Array(data, HEAD)), count = planes.length / 2, steps = new Int32Array(count);
  let last = 0;
  for (let k = 0; k < count; k++) {
    last += ((planes[k] | (planes[count + k] << 8)) << 16) >> 16; // two bytes with a sign
    steps[k] = last = (last << 16) >> 16;
  }
  if (at(5) !== DIFFERENCE) return { key, low, step, steps };
  const before = known(key);
  if (!before || before.steps.length !== count) return null; // it was forgotten meanwhile
  return { ...before, steps: steps.map((x, k) => x + before.steps[k]) };
};

/** Places and normals of the corners of a tile; after the grid, those of the skirt along its four edges. */
export const cornersOf = ({ key: [level, row, column], low, step, steps }: Heights, about: LandscapeData) => {
  const { quads, finest, corner, size } = about, space = finest * 2 ** level, wide = quads + 3, across = quads + 1;
  const count = across * across + 4 * across, position = new Float32Array(3 * count), normal = new Int8Array(4 * count);
  const height = (i: number, j: number) => low + step * steps[(i + 1) * wide + j + 1];
  const drop = 0.7 * space + 0.02 * quads * space; // of a skirt: it fills gaps towards coarser tiles
  let k = 0, least = Infinity, most = -Infinity;
  const put = (i: number, j: number, down: number) => {
    const x = Math.min((column * quads + j) * space, size[0]), y = Math.min((row * quads + i) * space, size[1]), z = height(i, j);
    position[3 * k] = corner[0] + x;
    position[3 * k + 1] = corner[1] + y;
    position[3 * k + 2] = z - down;
    const nx = height(i, j - 1) - height(i, j + 1), ny = height(i - 1, j) - height(i + 1, j);
    const n = 127 / Math.hypot(nx, ny, 2 * space);
    normal[4 * k] = nx * n;
    normal[4 * k + 1] = ny * n;
    normal[4 * k + 2] = 2 * space * n;
    [least, most] = [Math.min(least, z), Math.max(most, z)];
    k++;
  };
  for (let i = 0; i <= quads; i++) for (let j = 0; j <= quads; j++) put(i, j, 0);
  for (let s = 0; s <= quads; s++) put(0, s, drop);
  for (let s = 0; s <= quads; s++) put(s, quads, drop);
  for (let s = 0; s <= quads; s++) put(quads, quads - s, drop);
  for (let s = 0; s <= quads; s++) put(quads - s, 0, drop);
  return { position, normal, least, most };
};

/** Triangles of every tile, over every so many quads, with those of its skirt. */
export const tileTriangles = (quads: number, every: number): Uint16Array => {
  const across = quads + 1, made: number[] = [], at = (i: number, j: number) => i * across + j;
  for (let i = 0; i < quads; i += every)
    for (let j = 0; j < quads; j += every) {
      const [a, b, c, d] = [at(i, j), at(i, j + every), at(i + every, j + every), at(i + every, j)];
      made.push(a, b, c, a, c, d);
    }
  const rim = (side: number, s: number) => [at(0, s), at(s, quads), at(quads, quads - s), at(quads - s, 0)][side];
  for (let side = 0; side < 4; side++) {
    const first = across * across + side * across;
    for (let s = 0; s < quads; s += every) {
      const [a, b, c, d] = [rim(side, s), rim(side, s + every), first + s + every, first + s];
      made.push(a, c, b, a, d, c);
    }
  }
  return Uint16Array.from(made);
};

/** Quads that a triangle may span without a graphics card, the fewest first. */
export const SPANS = [2, 4, 8];
const LEVEL = 2, EVEN = 0.08; // pixels, of a unit normal: how flat is flat
export const SMALL = 32; // pixels of a quad that need not be flat

/** How far the ground is from triangles that span so many quads: of its height (m), and of its normals. */
export interface Flatness {
  span: number;
  height: number;
  normal: number;
}
/** Differences from linear interpolation in the triangles of `tileTriangles`, the largest of a tile. */
export const flatnessOf = ({ step, steps }: Heights, normals: Int8Array, quads: number): Flatness[] => {
  const wide = quads + 3, across = quads + 1;
  const height = (i: number, j: number) => step * steps[(i + 1) * wide + j + 1];
  const normal = (axis: number) => (i: number, j: number) => normals[4 * (i * across + j) + axis] / 127;
  const most = (f: (i: number, j: number) => number, span: number) => {
    let found = 0;
    for (let a = 0; a < quads; a += span)
      for (let b = 0; b < quads; b += span) {
        const corner = f(a, b), other = f(a + span, b + span), right = f(a, b + span), above = f(a + span, b);
        for (let i = 0; i < span; i++)
          for (let j = 0; j < span; j++) {
            const side = j > i ? right : above, long = Math.max(i, j) / span, short = Math.min(i, j) / span;
            const flat = corner + long * (side - corner) + short * (other - side);
            found = Math.max(found, Math.abs(f(a + i, b + j) - flat));
          }
      }
    return found;
  };
  return SPANS.map((span) => ({
    span, height: most(height, span), normal: Math.max(most(normal(0), span), most(normal(1), span)),
  }));
};

/** The widest triangles that look like the ground: space: m of a quad; pixel: m of a pixel at the tile. */
export const spanOf = (flatness: Flatness[], space: number, pixel: number): number =>
  flatness.findLast(({ span, height, normal }) =>
    height <= LEVEL * pixel && (normal <= EVEN || span * space <= SMALL * pixel))?.span ?? SPANS[0];

export interface Chosen {
  draw: Key[]; // the nearest first: what it hides need not be coloured
  ask: Key[]; // the nearest first
}
/** Tiles for a picture: one is replaced by its four finer ones if the eye is nearer than `detail` times its edge. */
export const chooseTiles = (
  about: LandscapeData, has: (key: Key) => boolean, distance: (key: Key) => number, seen: (key: Key) => boolean, detail: number,
): Chosen => {
  const { quads, finest, levels, size } = about, draw: [number, Key][] = [], ask: [number, Key][] = [];
  const nearestFirst = (found: [number, Key][]) => found.sort(([a], [b]) => a - b).map(([, key]) => key);
  const edge = (level: number) => quads * finest * 2 ** level;
  const exists = ([level, row, column]: Key) => row * edge(level) < size[1] && column * edge(level) < size[0];
  const visit = (key: Key) => {
    if (!seen(key)) return;
    const [level, row, column] = key, far = distance(key);
    if (level > 0 && far < detail * edge(level)) {
      const finer = [0, 1].flatMap((i) => [0, 1].map((j): Key => [level - 1, 2 * row + i, 2 * column + j])).filter(exists);
      const missing = finer.filter((one) => !has(one));
      if (!missing.length) return finer.forEach(visit);
      ask.push(...missing.map((one): [number, Key] => [distance(one), one]));
    }
    draw.push([far, key]);
  };
  const root: Key = [levels - 1, 0, 0];
  if (has(root)) visit(root);
  else ask.push([0, root]);
  return { draw: nearestFirst(draw), ask: nearestFirst(ask) };
};
