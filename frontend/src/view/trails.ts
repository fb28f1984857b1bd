// Tracks on the ground: a ribbon behind each point of a body that leaves one.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh, MeshBasicMaterial, type Group } from "three";
import type { TrailRow, Triple } from "../contract.ts";
import { linear, type Quality } from "./materials.ts";
import { cross, minus, moved, norm, plus, times, unit, type Matrix, type Vector } from "./space.ts";

const STEP = 0.3, JUMP = 8; // m between two places of a track; what is farther away is another track
const CONTACT = 0.4; // m above the ground, up to which a point leaves a track
const LIFT = 0.03; // m above the ground
const MOST = 3000; // places of a track; the oldest are forgotten

const PIECE = 100; // places of a track that are drawn together, or not at all
const NARROWEST = { plain: 0.5, full: 0 }; // pixels of a track that is drawn

type Seen = (ball: { middle: Triple; radius: number }) => boolean;
export interface Trails {
  /** Draw on from where the frames are; height of the ground by x and y. */
  settle(frames: Matrix[], ground: (x: number, y: number) => number): void;
  /** Shows what can be seen in a picture; grain: m of a pixel at a distance of 1 m. */
  show(from: Vector, quality: Quality, grain: number, seen: Seen): void;
  /** Of what is shown, only what is nearer than a distance (m). */
  keepNearer(far: number): void;
}
interface Piece {
  mesh: Mesh;
  low: Triple; // of the box about it
  high: Triple;
  far: number; // m from the eye, in this picture
}

const makeTrail = (group: Group, [frame, at, width, colour]: TrailRow) => {
  const position = new BufferAttribute(new Float32Array(3 * 2 * MOST), 3).setUsage(DynamicDrawUsage);
  const look = { color: linear(colour), transparent: true, opacity: 0.75, depthWrite: false };
  const material = new MeshBasicMaterial({ ...look, polygonOffset: true, polygonOffsetFactor: -4, polygonOffsetUnits: -4 });
  material.toneMapped = false;
  const empty = () => ({ low: [Infinity, Infinity, Infinity] as Triple, high: [-Infinity, -Infinity, -Infinity] as Triple });
  const pieces = Array.from({ length: MOST / PIECE }, (): Piece => {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", position);
    geometry.setIndex(new BufferAttribute(new Uint16Array(6 * PIECE), 1).setUsage(DynamicDrawUsage));
    const mesh = new Mesh(geometry, material);
    Object.assign(mesh, { frustumCulled: false, matrixAutoUpdate: false, visible: false, renderOrder: 1 });
    group.add(mesh);
    return { mesh, ...empty(), far: 0 };
  });
  const join = (slot: number, corners: number[]) => { // the two triangles that end at a place
    const index = pieces[Math.floor(slot / PIECE)].mesh.geometry.getIndex()!;
    (index.array as Uint16Array).set(corners, 6 * (slot % PIECE));
    index.needsUpdate = true;
  };
  const widen = (slot: number, p: Triple) => {
    const piece = pieces[Math.floor(slot / PIECE)];
    if (slot % PIECE === 0) Object.assign(piece, empty()); // its older places are forgotten
    for (let i = 0; i < 3; i++) [piece.low[i], piece.high[i]] = [Math.min(piece.low[i], p[i]), Math.max(piece.high[i], p[i])];
  };
  let count = 0, last: Triple | null = null, joined = false; // count: places since the start; joined: the last one has a next
  const settle = (frames: Matrix[], ground: (x: number, y: number) => number) => {
    const m = frames[frame], p = moved(m, at), z = ground(p[0], p[1]);
    if (p[2] - z > CONTACT) return void (last = null); // in the air
    if (last && norm(minus(p, last)) < STEP) return;
    if (!last || norm(minus(p, last)) > JUMP) return void ([last, joined] = [p, false]);
    const aside = unit(cross([0, 0, 1], minus(p, last))), slot = count % MOST;
    widen(slot, p);
    if (joined) widen(slot, last);
    for (const [k, sign] of [1, -1].entries()) {
      const [x, y] = plus(p, aside, (sign * width) / 2);
      (position.array as Float32Array).set([x, y, ground(x, y) + LIFT], 6 * slot + 3 * k);
    }
    position.addUpdateRange(6 * slot, 6);
    position.needsUpdate = true;
    const before = (slot + MOST - 1) % MOST, next = (slot + 1) % MOST, none = [0, 0, 0, 0, 0, 0];
    join(slot, joined ? [2 * before, 2 * before + 1, 2 * slot + 1, 2 * before, 2 * slot + 1, 2 * slot] : none);
    join(next, none); // the oldest one would begin at the newest place
    [last, joined] = [p, true];
    count++;
  };
  const show: Trails["show"] = (from, quality, grain, seen) => {
    for (const piece of pieces) {
      const middle = times(0.5, plus(piece.low, piece.high)), radius = 0.5 * norm(minus(piece.high, piece.low)) + width;
      piece.far = norm(minus(middle, from)) - radius;
      const wide = piece.high[0] >= piece.low[0] && NARROWEST[quality] * grain * piece.far < width;
      piece.mesh.visible = wide && seen({ middle, radius });
    }
  };
  const keepNearer = (distance: number) => { for (const { mesh, far } of pieces) mesh.visible &&= far < distance; };
  return { settle, show, keepNearer };
};

export const makeTrails = (group: Group, rows: TrailRow[]): Trails => {
  const all = rows.map((row) => makeTrail(group, row));
  return {
    settle: (...now) => all.forEach((trail) => trail.settle(...now)),
    show: (...how) => all.forEach((trail) => trail.show(...how)),
    keepNearer: (far) => all.forEach((trail) => trail.keepNearer(far)),
  };
};
