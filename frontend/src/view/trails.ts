// Tracks on the ground: a ribbon behind each point of a body that leaves one.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh, MeshBasicMaterial, type Group } from "three";
import type { TrailRow, Triple } from "../contract.ts";
import { linear } from "./materials.ts";
import { cross, minus, moved, norm, plus, unit, type Matrix } from "./space.ts";

const STEP = 0.3, JUMP = 8; // m between two places of a track; what is farther away is another track
const CONTACT = 0.4; // m above the ground, up to which a point leaves a track
const LIFT = 0.03; // m above the ground
const MOST = 3000; // places of a track; the oldest are forgotten

export interface Trails {
  /** Draw on from where the frames are; height of the ground by x and y. */
  settle(frames: Matrix[], ground: (x: number, y: number) => number): void;
}

const makeTrail = (group: Group, [frame, at, width, colour]: TrailRow) => {
  const position = new Float32Array(3 * 2 * MOST), index = new Uint16Array(6 * MOST), geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(position, 3).setUsage(DynamicDrawUsage));
  geometry.setIndex(new BufferAttribute(index, 1).setUsage(DynamicDrawUsage));
  const look = { color: linear(colour), transparent: true, opacity: 0.75, depthWrite: false };
  const material = new MeshBasicMaterial({ ...look, polygonOffset: true, polygonOffsetFactor: -4, polygonOffsetUnits: -4 });
  material.toneMapped = false;
  group.add(Object.assign(new Mesh(geometry, material), { frustumCulled: false, matrixAutoUpdate: false, renderOrder: 1 }));
  let count = 0, last: Triple | null = null, joined = false; // count: places since the start; joined: the last one has a next
  const attribute = (name: string) => geometry.getAttribute(name) as BufferAttribute;
  return (frames: Matrix[], ground: (x: number, y: number) => number) => {
    const m = frames[frame], p = moved(m, at), z = ground(p[0], p[1]);
    if (p[2] - z > CONTACT) return void (last = null); // in the air
    if (last && norm(minus(p, last)) < STEP) return;
    if (!last || norm(minus(p, last)) > JUMP) return void ([last, joined] = [p, false]);
    const aside = unit(cross([0, 0, 1], minus(p, last))), slot = count % MOST;
    for (const [k, sign] of [1, -1].entries()) {
      const [x, y] = plus(p, aside, (sign * width) / 2);
      position.set([x, y, ground(x, y) + LIFT], 6 * slot + 3 * k);
    }
    const before = (slot + MOST - 1) % MOST, next = (slot + 1) % MOST;
    const strip = joined ? [2 * before, 2 * before + 1, 2 * slot + 1, 2 * before, 2 * slot + 1, 2 * slot] : [0, 0, 0, 0, 0, 0];
    index.set(strip, 6 * slot);
    index.fill(0, 6 * next, 6 * next + 6); // the oldest one would begin at the newest place
    [last, joined] = [p, true];
    count++;
    geometry.setDrawRange(0, 6 * Math.min(count, MOST));
    for (const one of [attribute("position"), geometry.getIndex()!]) one.needsUpdate = true;
  };
};

export const makeTrails = (group: Group, rows: TrailRow[]): Trails => {
  const all = rows.map((row) => makeTrail(group, row));
  return { settle: (frames, ground) => all.forEach((draw) => draw(frames, ground)) };
};
