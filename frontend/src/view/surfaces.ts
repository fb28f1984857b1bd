// Height fields that change while they are watched: patches of them come.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh, type Group } from "three";
import { unzlibSync } from "fflate";
import type { FieldRow } from "../contract.ts";
import { linear, type Palette, type Quality } from "./materials.ts";
import { minus, moved, norm, type Matrix, type Vector } from "./space.ts";

/** Heights of a message with a patch: four planes of bytes. */
export const patchHeights = (data: ArrayBuffer): Float32Array => {
  const planes = unzlibSync(new Uint8Array(data, 24)), count = planes.length / 4, bytes = new Uint8Array(planes.length);
  for (let k = 0; k < count; k++) for (let i = 0; i < 4; i++) bytes[4 * k + i] = planes[i * count + k];
  return new Float32Array(bytes.buffer);
};

export interface Surfaces {
  /** How far fields go, seen from a place (m). */
  reach(from: Vector): number;
  /** Heights of a rectangle of a field, a row after the other. */
  patch(number: number, row: number, column: number, rows: number, columns: number, heights: Float32Array): void;
  /** For this picture: frames where they are. */
  settle(frames: Matrix[], quality: Quality): void;
}

/** Every so many of `count` rows, and the last one. */
export const someLines = (count: number, every: number): number[] =>
  Array.from({ length: Math.ceil((count - 1) / every) + 1 }, (_, k) => Math.min(k * every, count - 1));

// SwiftShader keeps the last corners, each in the place (number mod 64): triangles are in blocks of few columns, and the
// rows of a block are in different places, so that most corners are shaded once instead of three times.
const KEPT = 64, BLOCK = 16; // corners
/** Numbers from a corner to the one in the next row. */
export const strideOf = (columns: number): number => KEPT * Math.max(Math.ceil((columns - BLOCK) / KEPT), 0) + BLOCK;

/** Triangles over a grid. */
export const gridTriangles = (rows: number, columns: number): Uint32Array => {
  const made = new Uint32Array(6 * (rows - 1) * (columns - 1)), stride = strideOf(columns);
  let t = 0;
  for (let first = 0; first + 1 < columns; first += BLOCK - 1)
    for (let i = 0; i + 1 < rows; i++)
      for (let j = first; j + 1 < Math.min(first + BLOCK, columns); j++, t += 6) {
        const a = i * stride + j, b = a + stride;
        made.set([a, a + 1, b + 1, a, b + 1, b], t);
      }
  return made;
};
const MANY = 12_000; // triangles of a field that a processor draws in time

/** Places and normals of a field, a row after the other, before heights came. */
const flatField = ([, rows, columns, [dx, dy], corner]: FieldRow) => {
  const position = new Float32Array(3 * rows * columns), normal = position.slice();
  for (let i = 0, k = 0; i < rows; i++)
    for (let j = 0; j < columns; j++, k += 3) {
      position.set([corner[0] + j * dx, corner[1] + i * dy, corner[2]], k);
      normal[k + 2] = 1;
    }
  return { position, normal };
};
type Field = ReturnType<typeof flatField>;

/** What is drawn of a field: its places on some rows and columns, side by side, so that a changed row is short. */
export const makeSheet = (field: Field, columns: number, down: number[], along: number[]) => {
  const geometry = new BufferGeometry(), wide = 3 * strideOf(along.length);
  const parts = [field.position, field.normal].map((source, k) => {
    const attribute = new BufferAttribute(new Float32Array(down.length * wide), 3).setUsage(DynamicDrawUsage);
    geometry.setAttribute(["position", "normal"][k], attribute);
    return { source, attribute };
  });
  geometry.setIndex(new BufferAttribute(gridTriangles(down.length, along.length), 1));
  const take = (top: number, bottom: number) => { // rows of the field that have changed
    const [first, end] = [top, bottom].map((row) => down.filter((one) => one < row).length);
    if (first === end) return;
    for (const { source, attribute } of parts) {
      const { array } = attribute;
      for (let i = first; i < end; i++)
        for (let j = 0; j < along.length; j++)
          for (let k = 0; k < 3; k++) array[i * wide + 3 * j + k] = source[3 * (down[i] * columns + along[j]) + k];
      attribute.addUpdateRange(first * wide, (end - first) * wide);
      attribute.needsUpdate = true;
    }
  };
  return { geometry, take };
};

/** Normals by central differences, of a rectangle and the heights beside it; gives the rows that were written. */
const straighten = (position: Float32Array, normal: Float32Array, [, rows, columns, [dx, dy]]: FieldRow, box: number[]) => {
  const [row, column, high, wide] = box, [top, bottom] = [Math.max(row - 1, 0), Math.min(row + high + 1, rows)];
  const height = (i: number, j: number) => position[3 * (i * columns + j) + 2];
  for (let i = top; i < bottom; i++)
    for (let j = Math.max(column - 1, 0); j < Math.min(column + wide + 1, columns); j++) {
      const [j0, j1] = [Math.max(j - 1, 0), Math.min(j + 1, columns - 1)];
      const [i0, i1] = [Math.max(i - 1, 0), Math.min(i + 1, rows - 1)];
      const x = (height(i, j0) - height(i, j1)) / ((j1 - j0) * dx), y = (height(i0, j) - height(i1, j)) / ((i1 - i0) * dy);
      const n = Math.hypot(x, y, 1);
      normal.set([x / n, y / n, 1 / n], 3 * (i * columns + j));
    }
  return [top, bottom];
};

export const makeSurfaces = (group: Group, palette: Palette, fields: FieldRow[]): Surfaces => {
  const shades = fields.map((row) => linear(row[5])), flat = fields.map(flatField);
  const sheets = fields.map(() => new Map<Quality, ReturnType<typeof makeSheet>>());
  const sheetOf = (k: number, quality: Quality) => {
    const [, rows, columns] = fields[k], every = quality === "full" ? 1 : Math.ceil(Math.sqrt((2 * rows * columns) / MANY));
    const found = sheets[k].get(quality) ?? makeSheet(flat[k], columns, someLines(rows, every), someLines(columns, every));
    sheets[k].set(quality, found);
    return found;
  };
  let drawn: Quality | null = null;
  const seen = { frustumCulled: false, matrixAutoUpdate: false, receiveShadow: true, castShadow: true };
  const grounds = fields.map(() => Object.assign(new Mesh(), seen));
  if (fields.length) group.add(...grounds);
  const patch: Surfaces["patch"] = (number, row, column, rows, columns, heights) => {
    const field = fields[number], { position, normal } = flat[number], wide = field[2], base = field[4][2];
    if (row + rows > field[1] || column + columns > wide) throw new Error(`a patch beyond the edge of field ${number}`);
    for (let i = 0, k = 0; i < rows; i++)
      for (let j = 0; j < columns; j++, k++) position[3 * ((row + i) * wide + column + j) + 2] = base + heights[k];
    const [top, bottom] = straighten(position, normal, field, [row, column, rows, columns]);
    if (drawn) sheetOf(number, drawn).take(top, bottom);
  };
  let placed: Matrix[] = [];
  const reach = (from: Vector) => placed.length ? Math.max(0, ...fields.flatMap(([frame, rows, columns, [dx, dy], [x, y, z]]) =>
    [0, 1].flatMap((i) => [0, 1].map((j) =>
      norm(minus(moved(placed[frame], [x + i * (columns - 1) * dx, y + j * (rows - 1) * dy, z]), from)))))) : 0;
  const settle: Surfaces["settle"] = (frames, quality) => {
    placed = frames;
    grounds.forEach((made, k) => {
      const { geometry, take } = sheetOf(k, quality);
      if (drawn !== quality) take(0, fields[k][1]);
      made.matrix.fromArray(frames[fields[k][0]]);
      made.material = palette.matt(quality, shades[k]);
      made.geometry = geometry;
    });
    drawn = quality;
  };
  return { patch, settle, reach };
};
