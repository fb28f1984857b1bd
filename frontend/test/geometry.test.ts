import assert from "node:assert/strict";
import { test } from "node:test";
import { zlibSync } from "fflate";
import type { MeshRow } from "../src/contract.ts";
import { meshesOf, unpacked } from "../src/view/geometry.ts";

const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

/** A triangle over a box of 2 × 4 m, as mesh_pack.py writes it. */
const packedTriangle = (): string => {
  const bytes = new Uint8Array(3 * 9 + 6), data = new DataView(bytes.buffer);
  [0, 65535, 0, 0, 0, 65535, 0, 0, 0].forEach((x, k) => data.setUint16(2 * k, x, true)); // all x, all y, all z
  [0, 0, 0, 0, 0, 0, 127, 127, -127].forEach((x, k) => data.setInt8(18 + k, x));
  [2, -1, -1].forEach((x, k) => data.setUint16(27 + 2 * k, x & 0xffff, true)); // 2, 1, 0 as differences
  return base64(zlibSync(bytes));
};
const ROW: MeshRow = [3, 1, 1, 0.25, [-1, 0, 5], [2, 4, 0], null];

test("a mesh has its vertices in the box, normals and triangles", () => {
  const mesh = unpacked([[7, ROW]], packedTriangle()).get(7)!;
  assert.deepEqual([...mesh.vertices], [-1, 0, 5, 1, 0, 5, -1, 4, 5]);
  assert.deepEqual([...mesh.normals], [0, 0, 127, 0, 0, 0, 127, 0, 0, 0, -127, 0]);
  assert.deepEqual([...mesh.triangles], [2, 1, 0]);
  assert.deepEqual(mesh.box, [[-1, 0, 5], [1, 4, 5]]);
});

test("texture coordinates come after the triangles, in steps of their box", () => {
  const row: MeshRow = [1, 0, -1, 0, [0, 0, 0], [1, 1, 1], [0.5, -1, 2, 4]], bytes = new Uint8Array(13);
  new DataView(bytes.buffer).setUint16(9, 65535, true); // all of the extent along u, nothing along v
  assert.deepEqual([...unpacked([[0, row]], base64(zlibSync(bytes))).get(0)!.uv!], [2.5, -1]);
  assert.equal(unpacked([[7, ROW]], packedTriangle()).get(7)!.uv, null);
});

test("meshes that did not come are those from before, and each knows the coarser one", () => {
  const rows: MeshRow[] = [ROW, [3, 1, -1, 0.5, [-1, 0, 5], [2, 4, 0], null]];
  const [fine, rough] = [0, 1].map((k) => unpacked([[k, rows[k]]], packedTriangle()).get(k)!);
  const before = meshesOf(rows, new Map([[0, fine], [1, rough]]), []);
  assert.equal(before[0].coarser, before[1]);
  assert.equal(before[1].coarser, null);
  const after = meshesOf(rows, new Map(), before);
  assert.deepEqual(after.map(({ vertices }) => vertices), before.map(({ vertices }) => vertices));
  assert.throws(() => meshesOf([ROW, ROW, ROW], new Map(), before), /mesh 2 never came/);
});
