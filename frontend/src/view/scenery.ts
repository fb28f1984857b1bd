// What stands about and stays: its triangles where they are, in cells of which those in sight are drawn.
import { BufferAttribute, BufferGeometry, Mesh as ThreeMesh, type Group } from "three";
import type { CameraData, Triple } from "../contract.ts";
import { NEAR_FLOOR } from "./instanced_shapes.ts";
import { linear, type Palette, type Quality, type Surface } from "./materials.ts";
import { corners, type Shape } from "./shapes.ts";
import { minus, moved, norm, plus, product, times, turned, unit, type Matrix, type Vector } from "./space.ts";
import { LAYERS, putBelow } from "./underfoot.ts";

const CELL = 30; // sizes of the motion
const LOW = 0.02; // of that size: what is not higher lies on the floor

interface Cell {
  mesh: ThreeMesh;
  surface: Surface;
  middle: Triple;
  radius: number;
}
export interface Scenery {
  /** How far it goes, seen from a place (m). */
  reach(from: Vector): number;
  show(quality: Quality, above: boolean, seen: (cell: { middle: Triple; radius: number }) => boolean): void;
  /** Do not draw what lies on the floor in the next picture. */
  hideFlat(): void;
  forget(): void;
  some: boolean; // there is any
}

/** Corners of shapes where they are: position, normal, linear colour with opacity, place on an image; and their triangles. */
const baked = (shapes: Shape[]) => {
  const count = shapes.reduce((n, { mesh }) => n + mesh.vertices.length / 3, 0);
  const position = new Float32Array(3 * count), normal = new Float32Array(3 * count), colour = new Float32Array(4 * count);
  const spot = shapes[0].image ? new Float32Array(2 * count) : null;
  const triangles: number[] = [];
  let k = 0;
  for (const { mesh, place, colour: hex, opacity } of shapes) {
    const { r, g, b } = linear(hex), first = k;
    if (spot && mesh.uv) spot.set(mesh.uv, 2 * first);
    const [sx, sy, sz] = [0, 4, 8].map((j) => place[j] ** 2 + place[j + 1] ** 2 + place[j + 2] ** 2);
    for (let i = 0; i < mesh.vertices.length; i += 3, k++) {
      const n = mesh.normals.subarray((4 * i) / 3, (4 * i) / 3 + 3);
      position.set(moved(place, mesh.vertices.subarray(i, i + 3)), 3 * k);
      normal.set(unit(turned(place, [n[0] / sx, n[1] / sy, n[2] / sz])), 3 * k);
      colour.set([r, g, b, opacity], 4 * k);
    }
    for (const corner of mesh.triangles) triangles.push(corner + first);
  }
  return { position, normal, colour, spot, triangles };
};

const cells = (shapes: Shape[], size: number): Cell[] => {
  if (!shapes.length) return [];
  const { position, normal, colour, spot, triangles } = baked(shapes), found = new Map<string, number[]>();
  for (let t = 0; t < triangles.length; t += 3) {
    const name = [0, 1].map((i) => Math.floor(position[3 * triangles[t] + i] / size)).join(" ");
    if (!found.has(name)) found.set(name, []);
    found.get(name)!.push(triangles[t], triangles[t + 1], triangles[t + 2]);
  }
  const attributes = {
    position: new BufferAttribute(position, 3), normal: new BufferAttribute(normal, 3), color: new BufferAttribute(colour, 4),
    ...(spot ? { uv: new BufferAttribute(spot, 2) } : {}),
  };
  return [...found.values()].map((numbers) => {
    const geometry = new BufferGeometry(), low = [Infinity, Infinity, Infinity], high = low.map((x) => -x);
    for (const [name, attribute] of Object.entries(attributes)) geometry.setAttribute(name, attribute);
    geometry.setIndex(new BufferAttribute(Uint32Array.from(numbers), 1));
    for (const n of numbers)
      for (let i = 0; i < 3; i++) {
        low[i] = Math.min(low[i], position[3 * n + i]);
        high[i] = Math.max(high[i], position[3 * n + i]);
      }
    const mesh = new ThreeMesh(geometry);
    mesh.frustumCulled = mesh.matrixAutoUpdate = false; // seen to before
    mesh.receiveShadow = true;
    return { mesh, surface: shapes[0], middle: times(0.5, plus(low, high)), radius: 0.5 * norm(minus(high, low)) };
  });
};

export const makeScenery = (group: Group, palette: Palette, given: Shape[], camera: CameraData, ground: Matrix): Scenery => {
  const boxes = new Map(given.map((s) => [s, corners(s).map((p) => moved(ground, p))]));
  for (const s of given) product(ground, s.local, s.place);
  const low = (s: Shape) => Math.max(...boxes.get(s)!.map((p) => p[2])) < camera.floor + LOW * camera.size;
  const runs = (shapes: Shape[]) => { // of one material each, in their order
    const made: Shape[][] = [];
    for (const s of shapes)
      if (made.length && palette.name(made[made.length - 1][0]) === palette.name(s)) made[made.length - 1].push(s);
      else made.push([s]);
    return made;
  };
  const kinds = (shapes: Shape[]) => {
    const made = new Map<string, Shape[]>();
    for (const s of shapes) made.set(palette.name(s), [...(made.get(palette.name(s)) ?? []), s]);
    return [...made.values()];
  };
  const flat = runs(given.filter(low)).flatMap((run) => cells(run, Infinity));
  const tall = kinds(given.filter((s) => !low(s))).flatMap((kind) => cells(kind, CELL * camera.size));
  const ends = [...boxes.values()].flat();
  flat.forEach(({ mesh }, k) => putBelow(mesh, LAYERS.scenery + (0.5 * k) / flat.length));
  for (const { mesh } of tall) {
    mesh.castShadow = true;
    mesh.renderOrder = -1; // before glass, which is sorted by the places of its meshes, and these have none
    mesh.layers.enable(NEAR_FLOOR);
  }
  for (const { mesh } of [...flat, ...tall]) group.add(mesh);
  const show = (quality: Quality, above: boolean, seen: (cell: Cell) => boolean) => {
    for (const cell of flat) [cell.mesh.visible, cell.mesh.material] = [above, palette.scenery(quality, true, cell.surface)];
    for (const cell of tall)
      [cell.mesh.visible, cell.mesh.material] = [seen(cell), palette.scenery(quality, false, cell.surface)];
  };
  const forget = () => {
    for (const { mesh } of [...flat, ...tall]) { group.remove(mesh); mesh.geometry.dispose(); }
  };
  const reach = (from: Vector) => ends.reduce((far, p) => Math.max(far, norm(minus(p, from))), 0);
  const hideFlat = () => { for (const { mesh } of flat) mesh.visible = false; };
  return { reach, show, hideFlat, forget, some: given.length > 0 };
};
