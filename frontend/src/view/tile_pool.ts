// Corners of all tiles in one buffer, so that the tiles of a picture are one draw call: without a graphics card, a call
// takes as long as hundreds of triangles.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage } from "three";

const ROOMS = 64; // tiles at first; the number of rooms doubles
export interface Corners { position: Float32Array; normal: Int8Array }
/** A tile that is drawn: its room, and the triangles of its corners. */
export type Piece = [room: number, triangles: Uint16Array];

export interface TilePool {
  /** Keeps the corners of a tile, in the room that it has or in a new one; returns the room. */
  put(corners: Corners, room?: number): number;
  free(room: number): void;
  /** A geometry over the corners of all tiles, without triangles yet. */
  geometry(): BufferGeometry;
  /** Gives a geometry the triangles of some tiles, in their order. */
  fill(geometry: BufferGeometry, pieces: Piece[]): void;
}

/** count: corners of each tile. */
export const makeTilePool = (count: number): TilePool => {
  const made: BufferGeometry[] = [], empty: number[] = [];
  let rooms = 0, used = 0;
  let position = new BufferAttribute(new Float32Array(0), 3), normal = new BufferAttribute(new Int8Array(0), 4, true);
  // Of all at once: the others would go on drawing what a buffer that they share held before.
  const release = () => made.forEach((geometry) => geometry.dispose());
  const share = (geometry: BufferGeometry) => {
    geometry.setAttribute("position", position);
    geometry.setAttribute("normal", normal);
  };
  const grow = () => {
    const before = [position.array, normal.array] as const;
    rooms = Math.max(ROOMS, 2 * rooms);
    position = new BufferAttribute(new Float32Array(3 * count * rooms), 3);
    normal = new BufferAttribute(new Int8Array(4 * count * rooms), 4, true);
    position.array.set(before[0]);
    normal.array.set(before[1]);
    release();
    made.forEach(share);
  };
  const write = (attribute: BufferAttribute, values: ArrayLike<number>, room: number) => {
    const size = attribute.itemSize * count;
    attribute.array.set(values, size * room);
    attribute.addUpdateRange(size * room, size);
    attribute.needsUpdate = true;
  };
  const put: TilePool["put"] = (corners, room = empty.pop() ?? used++) => {
    if (used > rooms) grow();
    write(position, corners.position, room);
    write(normal, corners.normal, room);
    return room;
  };
  const geometry = () => {
    const one = new BufferGeometry();
    share(one);
    made.push(one);
    return one;
  };
  const fill: TilePool["fill"] = (one, pieces) => {
    const total = pieces.reduce((sum, [, triangles]) => sum + triangles.length, 0);
    if (total > (one.index?.array.length ?? 0)) {
      release();
      one.setIndex(new BufferAttribute(new Uint32Array(2 * total), 1).setUsage(DynamicDrawUsage));
    }
    one.setDrawRange(0, total);
    if (!one.index || !total) return;
    const index = one.index.array;
    let k = 0;
    for (const [room, triangles] of pieces) for (const corner of triangles) index[k++] = room * count + corner;
    one.index.clearUpdateRanges();
    one.index.addUpdateRange(0, total);
    one.index.needsUpdate = true;
  };
  return { put, free: (room) => { empty.push(room); }, geometry, fill };
};
