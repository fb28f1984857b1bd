// What is under the pointer: the body that a ray from the eye meets first, and places beside it.
import type { Triple } from "../contract.ts";
import type { Eye } from "./eye.ts";
import type { Mesh } from "./geometry.ts";
import type { Shape } from "./shapes.ts";
import { column, cross, dot, inverse, minus, plus, times, turnedBack, type Matrix, type Vector } from "./space.ts";

export interface Place {
  clientX: number;
  clientY: number;
}
export interface Hit {
  frame: number;
  hit: Triple; // where, in space
  local: Triple; // and on the frame
}
export interface Pointer {
  pick(event: Place, wanted: (frame: number) => unknown): Hit | null;
  beside(event: Place, at: { hit: Vector }): Triple;
}

const met = (from: Vector, way: Vector, { vertices, triangles }: Mesh): number => { // the nearest triangle along a ray
  let best = Infinity;
  const corner = (k: number) => vertices.subarray(3 * triangles[k], 3 * triangles[k] + 3);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = corner(t), e1 = minus(corner(t + 1), a), e2 = minus(corner(t + 2), a);
    const p = cross(way, e2), det = dot(e1, p);
    if (Math.abs(det) < 1e-30) continue;
    const s = minus(from, a), u = dot(s, p) / det, q = cross(s, e1), v = dot(way, q) / det, at = dot(e2, q) / det;
    if (u >= 0 && v >= 0 && u + v <= 1 && at > 0 && at < best) best = at;
  }
  return best;
};

export const makePointer = (canvas: HTMLCanvasElement, eye: Eye, frames: Matrix[], shapes: () => Shape[]): Pointer => {
  const ray = (event: Place) => { // from the eye through a place of the canvas
    const box = canvas.getBoundingClientRect(), { from, right, up, away, slope } = eye.now();
    const x = (2 * (event.clientX - box.left)) / box.width - 1, y = 1 - (2 * (event.clientY - box.top)) / box.height;
    return { from, away, way: plus(plus(times(-1, away), right, x * slope * eye.aspect()), up, y * slope) };
  };
  const pick = (event: Place, wanted: (frame: number) => unknown) => { // the first wanted frame that a ray meets
    const { from, way } = ray(event);
    let found: number | null = null, nearest = Infinity;
    for (const s of shapes()) {
      if (!wanted(s.frame) || s.hidden) continue;
      const rows = inverse(s.place), own = (v: Vector) => rows.map((row) => dot(row, v));
      const at = met(own(minus(from, column(s.place, 3))), own(way), s.mesh);
      if (at < nearest) [nearest, found] = [at, s.frame];
    }
    if (found === null) return null;
    const hit = plus(from, way, nearest), m = frames[found];
    return { frame: found, hit, local: turnedBack(m, minus(hit, column(m, 3))) };
  };
  const beside = (event: Place, { hit }: { hit: Vector }) => { // in the plane across the view through a place
    const { from, way, away } = ray(event);
    return plus(from, way, dot(minus(hit, from), away) / dot(way, away));
  };
  return { pick, beside };
};
