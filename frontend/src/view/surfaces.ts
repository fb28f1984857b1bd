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

/** Triangles over every so many rows and columns, and the last ones. */
export const gridTriangles = (rows: number, columns: number, every: number): Uint32Array => {
  const some = (count: number) =>
    Array.from({ length: Math.ceil((count - 1) / every) + 1 }, (_, k) => Math.min(k * every, count - 1));
  const [down, along] = [some(rows), some(columns)], made = new Uint32Array(6 * (down.length - 1) * (along.length - 1));
  for (let i = 0, t = 0; i + 1 < down.length; i++)
    for (let j = 0; j + 1 < along.length; j++, t += 6) {
      const [a, b] = [down[i], down[i + 1]].map((row) => row * columns + along[j]), wide = along[j + 1] - along[j];
      made.set([a, a + wide, b + wide, a, b + wide, b], t);
    }
  return made;
};
const MANY = 12_000; // triangles of a field that a processor draws in time

const makeField = ([, rows, columns, [dx, dy], corner]: FieldRow) => {
  const geometry = new BufferGeometry(), position = new Float32Array(3 * rows * columns), normal = position.slice();
  for (let i = 0, k = 0; i < rows; i++)
    for (let j = 0; j < columns; j++, k += 3) {
      position.set([corner[0] + j * dx, corner[1] + i * dy, corner[2]], k);
      normal[k + 2] = 1;
    }
  geometry.setAttribute("position", new BufferAttribute(position, 3).setUsage(DynamicDrawUsage));
  geometry.setAttribute("normal", new BufferAttribute(normal, 3).setUsage(DynamicDrawUsage));
  const seen = { frustumCulled: false, matrixAutoUpdate: false, receiveShadow: true, castShadow: true };
  return Object.assign(new Mesh(geometry), seen);
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
  const shades = fields.map((row) => linear(row[5]));
  const every = fields.map(([, rows, columns]) => Math.ceil(Math.sqrt((2 * rows * columns) / MANY)));
  const indices = fields.map(([, rows, columns], k) => ({
    full: new BufferAttribute(gridTriangles(rows, columns, 1), 1),
    plain: new BufferAttribute(gridTriangles(rows, columns, every[k]), 1),
  }));
  const grounds = fields.map(makeField);
  for (const made of grounds) group.add(made);
  const patch: Surfaces["patch"] = (number, row, column, rows, columns, heights) => {
    const field = fields[number], { geometry } = grounds[number], wide = field[2];
    if (row + rows > field[1] || column + columns > wide) throw new Error(`a patch beyond the edge of field ${number}`);
    const [position, normal] = ["position", "normal"].map((name) => geometry.getAttribute(name) as BufferAttribute);
    const places = position.array as Float32Array, base = field[4][2];
    for (let i = 0, k = 0; i < rows; i++)
      for (let j = 0; j < columns; j++, k++) places[3 * ((row + i) * wide + column + j) + 2] = base + heights[k];
    const [top, bottom] = straighten(places, normal.array as Float32Array, field, [row, column, rows, columns]);
    for (const attribute of [position, normal]) { // whole rows: what lies between two of them goes along
      attribute.addUpdateRange(3 * top * wide, 3 * (bottom - top) * wide);
      attribute.needsUpdate = true;
    }
  };
  let placed: Matrix[] = [];
  const reach = (from: Vector) => placed.length ? Math.max(0, ...fields.flatMap(([frame, rows, columns, [dx, dy], [x, y, z]]) =>
    [0, 1].flatMap((i) => [0, 1].map((j) =>
      norm(minus(moved(placed[frame], [x + i * (columns - 1) * dx, y + j * (rows - 1) * dy, z]), from)))))) : 0;
  const settle: Surfaces["settle"] = (frames, quality) => {
    placed = frames;
    grounds.forEach((made, k) => {
      made.matrix.fromArray(frames[fields[k][0]]);
      made.material = palette.matt(quality, shades[k]);
      made.geometry.setIndex(indices[k][quality]);
    });
  };
  return { patch, settle, reach };
};
