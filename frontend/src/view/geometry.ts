// Meshes as they come: planes of coordinates over the box about a mesh, normals of a byte, differences of numbers.
import { unzlibSync } from "fflate";
import type { MeshRow, Triple } from "../contract.ts";

export interface Mesh {
  number: number;
  vertices: Float32Array; // x y z
  normals: Int8Array; // x y z nothing
  triangles: Uint32Array;
  deviation: number; // of its edges from the round surface that they stand for
  coarser: Mesh | null;
  box: [Triple, Triple];
  uv: Float32Array | null; // texture coordinates
}

export const bytesOf = (text: string): Uint8Array => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
export const floatsOf = (text: string): Float32Array => new Float32Array(bytesOf(text).buffer);

const WHOLE = 65535; // steps of a coordinate across the box
const FEW = 65536; // vertices whose numbers have two bytes

/** The meshes of some rows from the bytes that hold all of them, one after the other. */
export const unpacked = (rows: [number, MeshRow][], geometry: string): Map<number, Mesh> => {
  const bytes = geometry ? unzlibSync(bytesOf(geometry)) : new Uint8Array(0), found = new Map<number, Mesh>();
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  for (const [number, [count, faces, , deviation, low, extent, painted]] of rows) {
    const vertices = new Float32Array(3 * count), normals = new Int8Array(4 * count), triangles = new Uint32Array(3 * faces);
    for (let i = 0; i < 3; i++)
      for (let k = 0; k < count; k++, at += 2) vertices[3 * k + i] = low[i] + (extent[i] * data.getUint16(at, true)) / WHOLE;
    for (let i = 0; i < 3; i++) for (let k = 0; k < count; k++) normals[4 * k + i] = data.getInt8(at++);
    const wide = count >= FEW ? 4 : 2;
    let last = 0;
    for (let k = 0; k < 3 * faces; k++, at += wide) { // each by the difference from the one before
      last += wide === 2 ? data.getUint16(at, true) : data.getUint32(at, true);
      triangles[k] = last = wide === 2 ? last & 0xffff : last >>> 0;
    }
    const uv = painted && new Float32Array(2 * count);
    if (uv)
      for (let i = 0; i < 2; i++)
        for (let k = 0; k < count; k++, at += 2) uv[2 * k + i] = painted[i] + (painted[2 + i] * data.getUint16(at, true)) / WHOLE;
    const high: Triple = [low[0] + extent[0], low[1] + extent[1], low[2] + extent[2]];
    found.set(number, { number, vertices, normals, triangles, deviation, coarser: null, box: [low, high], uv });
  }
  return found;
};

/** All meshes of a scene, new and existing; each with the next coarser one. */
export const meshesOf = (rows: MeshRow[], came: Map<number, Mesh>, before: Mesh[]): Mesh[] => {
  const all = rows.map((row, k) => {
    const mesh = came.get(k) ?? before[k];
    if (!mesh) throw new Error(`mesh ${k} never came`);
    return { ...mesh, deviation: row[3] };
  });
  rows.forEach((row, k) => { all[k].coarser = all[row[2]] ?? null; });
  return all;
};
