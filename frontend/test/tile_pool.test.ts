import assert from "node:assert/strict";
import { test } from "node:test";
import { makeTilePool, type Piece } from "../src/view/tile_pool.ts";

const COUNT = 5, TRIANGLES = Uint16Array.from([0, 1, 2, 2, 3, 4]);
const corners = (k: number) => ({
  position: Float32Array.from({ length: 3 * COUNT }, (_, i) => 100 * k + i), normal: new Int8Array(4 * COUNT).fill(k % 100),
});
/** The first coordinates of the corners that a geometry draws. */
const drawn = (geometry: ReturnType<ReturnType<typeof makeTilePool>["geometry"]>) => {
  const { index, attributes, drawRange } = geometry;
  return [...index!.array.slice(0, drawRange.count)].map((corner) => attributes.position.array[3 * corner]);
};

test("a geometry draws the corners of its tiles, in their order, however many tiles there are", () => {
  const pool = makeTilePool(COUNT), geometry = pool.geometry(), other = pool.geometry();
  const rooms = Array.from({ length: 200 }, (_, k) => pool.put(corners(k)));
  assert.equal(new Set(rooms).size, 200);
  const some = [150, 3, 77], pieces = some.map((k): Piece => [rooms[k], TRIANGLES]);
  pool.fill(geometry, pieces);
  pool.fill(other, pieces.slice(1));
  const expected = some.flatMap((k) => [...TRIANGLES].map((corner) => 100 * k + 3 * corner));
  assert.deepEqual(drawn(geometry), expected);
  assert.deepEqual(drawn(other), expected.slice(TRIANGLES.length));
  pool.fill(geometry, []);
  assert.deepEqual(drawn(geometry), []);
});

test("a tile that changes keeps its room, and a room that is given back is used again", () => {
  const pool = makeTilePool(COUNT), geometry = pool.geometry(), [a, b] = [pool.put(corners(1)), pool.put(corners(2))];
  assert.equal(pool.put(corners(3), a), a);
  pool.fill(geometry, [[a, TRIANGLES], [b, TRIANGLES]]);
  assert.deepEqual(drawn(geometry).filter((_, k) => k % 6 === 0), [300, 200]);
  pool.free(a);
  assert.equal(pool.put(corners(4)), a);
  assert.equal(geometry.attributes.normal.array[4 * COUNT * a], 4);
});

test("when one geometry gets a larger list of triangles, all give their buffers back", () => {
  const pool = makeTilePool(COUNT), geometries = [pool.geometry(), pool.geometry()], room = pool.put(corners(1));
  let released = 0;
  for (const one of geometries) one.addEventListener("dispose", () => { released++; });
  pool.fill(geometries[0], [[room, TRIANGLES]]);
  assert.equal(released, 2);
  pool.fill(geometries[0], [[room, TRIANGLES]]);
  assert.equal(released, 2);
});
