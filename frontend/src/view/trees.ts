// Trees of a landscape: cones near the eye, and triangles that face it farther away, each kind in one draw call.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh, ShaderMaterial, Vector3, type Group } from "three";
import type { LandscapeData, Triple } from "../contract.ts";
import type { Sight } from "./eye.ts";
import { floatsOf } from "./geometry.ts";
import type { Quality } from "./materials.ts";
import { mean, minus, norm } from "./space.ts";

const CELL = 120; // m: squares of trees
const NEAR = { plain: 60, full: 160 }; // m: trees of nearer squares are cones
const SEEN = { plain: 1500, full: 4000 }; // m
const SMALLEST = { plain: 2, full: 0 }; // pixels of a tree that is drawn

/** How much of what is `apart` from the eye is haze. */
export const HAZE = "clamp(1.0 - exp(-dot(apart, apart) / (hazy * hazy)), 0.0, 1.0)";

export interface Trees {
  /** grain: m of a pixel at a distance of 1 m. */
  show(sight: Sight, quality: Quality, grain: number, seen: (ball: { middle: Triple; radius: number }) => boolean): void;
  /** Of what is shown, only what is nearer than a distance (m). */
  keepNearer(far: number): void;
}
const TREES = [
  `attribute vec3 foot;
   uniform float tall, hazy;
   uniform vec3 light, right;
   varying float far, lit;
   void main() {
     float own = tall * (0.75 + 0.5 * fract(0.37 * foot.x + 0.61 * foot.y));
     #ifdef FLAT
       vec3 place = foot + own * (0.32 * position.x * right + vec3(0.0, 0.0, position.z));
       lit = 0.55 + 0.4 * position.z;
     #else
       vec3 place = foot + own * vec3(0.32 * position.xy, position.z);
       lit = 0.45 + 0.35 * position.z + 0.3 * max(dot(normal, light), 0.0);
     #endif
     vec3 apart = place - cameraPosition;
     far = ${HAZE};
     gl_Position = projectionMatrix * (viewMatrix * vec4(place, 1.0));
   }`,
  `uniform vec3 haze;
   uniform float bright;
   varying float far, lit;
   void main() { gl_FragColor = vec4(mix(vec3(0.13, 0.24, 0.15) * lit * bright, haze, far), 1.0); }`,
];

interface Kind { // corners of one tree, of height and radius 1
  position: number[];
  normal: number[];
}
const FLAT: Kind = { position: [-1, 0, 0.08, 1, 0, 0.08, 0, 0, 1], normal: [0, 0, 1, 0, 0, 1, 0, 0, 1] };
const coneCorners = (): Kind => {
  const sides = 6, position: number[] = [], normal: number[] = [];
  for (let k = 0; k < sides; k++) {
    const [a, b] = [k, k + 1].map((s) => (2 * Math.PI * s) / sides), middle = (a + b) / 2;
    position.push(Math.cos(a), Math.sin(a), 0.08, Math.cos(b), Math.sin(b), 0.08, 0, 0, 1);
    for (let i = 0; i < 3; i++) normal.push(0.9 * Math.cos(middle), 0.9 * Math.sin(middle), 0.43);
  }
  return { position, normal };
};
/** Four bytes for each corner of each tree. */
const repeated = (values: number[], trees: number) => {
  const one = new Int8Array((4 * values.length) / 3), all = new Int8Array(trees * one.length);
  values.forEach((x, k) => { one[4 * Math.floor(k / 3) + (k % 3)] = Math.round(127 * x); });
  for (let k = 0; k < trees; k++) all.set(one, k * one.length);
  return new BufferAttribute(all, 4, true);
};
/** All trees as triangles, of which a list of numbers says what is drawn: a processor draws instances one by one. */
const makeKind = (feet: Float32Array, { position, normal }: Kind, material: ShaderMaterial) => {
  const trees = feet.length / 3, each = position.length / 3, geometry = new BufferGeometry();
  const foot = new Float32Array(feet.length * each), numbers = Uint32Array.from({ length: trees * each }, (_, k) => k);
  for (let k = 0; k < trees * each; k++) foot.set(feet.subarray(3 * Math.floor(k / each), 3 * Math.floor(k / each) + 3), 3 * k);
  geometry.setAttribute("position", repeated(position, trees));
  geometry.setAttribute("normal", repeated(normal, trees));
  geometry.setAttribute("foot", new BufferAttribute(foot, 3));
  const list = new BufferAttribute(new Uint32Array(trees * each), 1).setUsage(DynamicDrawUsage);
  geometry.setIndex(list);
  const mesh = new Mesh(geometry, material);
  Object.assign(mesh, { frustumCulled: false, matrixAutoUpdate: false, matrixWorldAutoUpdate: false, visible: false });
  let cells: Cell[] = [], ends: number[] = []; // those of the list, and where each one ends in it
  const show = (shown: Cell[]) => {
    mesh.visible = shown.length > 0;
    if (shown.length !== cells.length || shown.some((cell, k) => cell !== cells[k])) {
      let end = 0;
      ends = shown.map(({ first, last }) => {
        list.array.set(numbers.subarray(first * each, last * each), end);
        return (end += (last - first) * each);
      });
      list.clearUpdateRanges();
      list.addUpdateRange(0, end);
      list.needsUpdate = true;
      cells = shown;
    }
    geometry.setDrawRange(0, ends.at(-1) ?? 0);
  };
  const keepNearer = (far: number) => { // the nearest are first
    const beyond = cells.findIndex((cell) => cell.far >= far), kept = beyond < 0 ? cells.length : beyond;
    mesh.visible &&= kept > 0;
    geometry.setDrawRange(0, ends[kept - 1] ?? 0);
  };
  return { mesh, show, keepNearer };
};

interface Cell { // trees of a square
  first: number;
  last: number;
  middle: Triple;
  radius: number;
  far: number; // m from the eye, in this picture
}
/** Feet in the order of their squares, and the squares. */
const cellsOf = (given: Float32Array, tall: number) => {
  const squares = new Map<string, Float32Array[]>(), feet = new Float32Array(given.length), cells: Cell[] = [];
  for (let k = 0; k < given.length; k += 3) {
    const foot = given.subarray(k, k + 3), name = `${Math.floor(foot[0] / CELL)} ${Math.floor(foot[1] / CELL)}`;
    if (!squares.has(name)) squares.set(name, []);
    squares.get(name)!.push(foot);
  }
  let last = 0;
  for (const own of squares.values()) {
    const first = last, middle = mean(own);
    for (const foot of own) feet.set(foot, 3 * last++);
    cells.push({ first, last, middle, radius: Math.max(...own.map((p) => norm(minus(p, middle)))) + tall, far: 0 });
  }
  return { feet, cells };
};

export const makeTrees = (
  group: Group, { trees, tree_height: tall }: LandscapeData, shared: Record<string, { value: unknown }>,
): Trees => {
  const { feet, cells } = cellsOf(floatsOf(trees), tall);
  const right = { value: new Vector3(1, 0, 0) }, uniforms = { ...shared, tall: { value: tall }, right };
  const material = (defines: Record<string, string>) =>
    new ShaderMaterial({ vertexShader: TREES[0], fragmentShader: TREES[1], uniforms, defines });
  const cones = makeKind(feet, coneCorners(), material({})), flat = makeKind(feet, FLAT, material({ FLAT: "" }));
  group.add(cones.mesh, flat.mesh);
  const show: Trees["show"] = (sight, quality, grain, seen) => {
    right.value.set(sight.right[0], sight.right[1], 0).normalize();
    const farthest = Math.min(SEEN[quality], tall / (SMALLEST[quality] * grain || Number.MIN_VALUE));
    for (const cell of cells) cell.far = norm(minus(cell.middle, sight.from)) - cell.radius;
    const shown = cells.filter((cell) => cell.far < farthest && seen(cell)).sort((a, b) => a.far - b.far);
    cones.show(shown.filter(({ far }) => far < NEAR[quality]));
    flat.show(shown.filter(({ far }) => far >= NEAR[quality]));
  };
  const keepNearer = (far: number) => [cones, flat].forEach((kind) => kind.keepNearer(far));
  return { show, keepNearer };
};
