// Arrows of forces in the picture: a shaft and a head each, of so many pixels, in front of all bodies; and their numbers.
import {
  ConeGeometry, CylinderGeometry, InstancedMesh, Matrix4, MeshBasicMaterial, type BufferGeometry, type Scene,
} from "three";
import type { ArrowKind, ArrowRow, Triple } from "../contract.ts";
import type { Sight } from "./eye.ts";
import { forcesOf, legend, newtons, scaled, type Force } from "./forces.ts";
import { linear } from "./materials.ts";
import { columns, cross, dot, minus, plus, times, unit, type Matrix } from "./space.ts";

export const COLOURS: Record<ArrowKind, string> =
  { link: "#2f8f5b", force: "#2f6fd0", contact: "#d03a2f", reaction: "#8a4fb0", pull: "#d07a10" };
const THICK = 1.6, HEAD = 4.5, POINT = 13; // pixels: half of a shaft, half of a head, length of a head
const LEAST = 0.012; // of the size of the motion: what is shorter is not drawn
const NUMBERS = 12; // of the largest forces

export interface Written {
  text: string;
  at: Triple;
  colour: string;
}
export interface Arrows {
  rows: ArrowRow[];
  /** Numbers of all arrows, as they come; null: none are drawn. */
  told(values: Float32Array | null): void;
  /** Puts them into the next picture; gives the numbers to be written beside them. */
  settle(frames: Matrix[], sight: Sight, grain: number): Written[];
  forces(): Force[];
  /** "1 cm = 100 N", or an empty text without forces. */
  legend(): string;
}

export const makeArrows = (scene: Scene, rows: ArrowRow[], size: number): Arrows => {
  const room = Math.max(rows.length, 1);
  const material = () => new MeshBasicMaterial({ depthTest: false, transparent: true, toneMapped: false });
  const upright = (made: BufferGeometry) => made.rotateX(Math.PI / 2); // along z
  const made = [
    upright(new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0)), upright(new ConeGeometry(1, 1, 12).translate(0, 0.5, 0)),
  ].map((geometry) => {
    const mesh = new InstancedMesh(geometry, material(), room);
    mesh.setColorAt(0, linear("#000000"));
    mesh.frustumCulled = mesh.matrixAutoUpdate = false;
    mesh.renderOrder = 20;
    mesh.count = 0;
    scene.add(mesh);
    return mesh;
  });
  const paints = Object.fromEntries(Object.entries(COLOURS).map(([kind, hex]) => [kind, linear(hex)]));
  let values: Float32Array | null = null, scale = 0, drawn: Force[] = [];

  const settle: Arrows["settle"] = (frames, sight, grain) => {
    for (const mesh of made) [mesh.count, mesh.visible] = [0, values !== null];
    drawn = values ? forcesOf(rows, values, frames) : [];
    if (!drawn.length) return [];
    scale = scaled(scale, Math.max(...drawn.map((f) => f.size)), size);
    const long = drawn.filter((f) => f.size > LEAST * size * scale), written: (Written & { size: number })[] = [];
    for (const { tail, force, size: newton, kind } of long) {
      const way = unit(force), length = newton / scale, depth = Math.max(dot(minus(sight.from, tail), sight.away), sight.near);
      const pixel = grain * depth, point = Math.min(POINT * pixel, 0.6 * length);
      const x = unit(cross(way, Math.abs(way[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
      const y = cross(way, x), neck = plus(tail, way, length - point);
      const sizes = [[THICK * pixel, length - point, tail], [Math.min(HEAD * pixel, 0.5 * point), point, neck]] as const;
      sizes.forEach(([r, along, from], k) => {
        const n = made[k].count++;
        made[k].setMatrixAt(n, new Matrix4().fromArray(columns(times(r, x), times(r, y), times(along, way), from)));
        made[k].setColorAt(n, paints[kind]);
      });
      written.push({ text: newtons(newton), at: plus(tail, way, length), colour: COLOURS[kind], size: newton });
    }
    for (const mesh of made) {
      mesh.instanceMatrix.needsUpdate = true;
      mesh.instanceColor!.needsUpdate = true;
    }
    return written.sort((a, b) => b.size - a.size).slice(0, NUMBERS);
  };
  return {
    rows, settle, told: (given) => { values = given; }, forces: () => drawn,
    legend: () => (values && scale > 0 ? legend(scale, size) : ""),
  };
};
