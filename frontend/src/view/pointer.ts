// What is under the pointer: the body that a ray from the eye, or from a hand, meets first, and places beside it.
import type { Triple } from "../contract.ts";
import type { Eye } from "./eye.ts";
import type { Mesh } from "./geometry.ts";
import type { Shape } from "./shapes.ts";
import { column, cross, dot, inverse, minus, norm, plus, times, turnedBack, type Matrix, type Vector } from "./space.ts";

export interface Place {
  clientX: number;
  clientY: number;
}
export interface Ray {
  from: Triple;
  way: Triple;
}
export interface Hit {
  frame: number;
  hit: Triple; // where, in space
  local: Triple; // and on the frame
}
export interface Pointer {
  pick(event: Place, wanted: (frame: number) => unknown): Hit | null;
  /** The first wanted frame that a ray meets. */
  met(ray: Ray, wanted: (frame: number) => unknown): Hit | null;
  beside(event: Place, at: { hit: Vector }): Triple;
  /** Where the ground is under the pointer; null: there is no landscape. */
  ground(event: Place): Triple | null;
}

/** How far along a ray the nearest triangle of a mesh is, in lengths of `way` (Möller and Trumbore 1997). */
export const meets = (from: Vector, way: Vector, { vertices: v, triangles }: Pick<Mesh, "vertices" | "triangles">): number => {
  let best = Infinity;
  const [ox, oy, oz] = from, [dx, dy, dz] = way;
  for (let t = 0; t < triangles.length; t += 3) { // without vectors: there may be a hundred thousand
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = v[b] - v[a], uy = v[b + 1] - v[a + 1], uz = v[b + 2] - v[a + 2];
    const wx = v[c] - v[a], wy = v[c + 1] - v[a + 1], wz = v[c + 2] - v[a + 2];
    const px = dy * wz - dz * wy, py = dz * wx - dx * wz, pz = dx * wy - dy * wx;
    const det = ux * px + uy * py + uz * pz;
    if (Math.abs(det) < 1e-30) continue;
    const sx = ox - v[a], sy = oy - v[a + 1], sz = oz - v[a + 2];
    const share = (sx * px + sy * py + sz * pz) / det;
    if (share < 0 || share > 1) continue;
    const qx = sy * uz - sz * uy, qy = sz * ux - sx * uz, qz = sx * uy - sy * ux;
    const other = (dx * qx + dy * qy + dz * qz) / det, at = (wx * qx + wy * qy + wz * qz) / det;
    if (other >= 0 && share + other <= 1 && at > 0 && at < best) best = at;
  }
  return best;
};

/** Whether a ray passes through the ball about a shape. */
const near = ({ from, way }: Ray, { middle, radius }: Shape): boolean =>
  norm(cross(minus(middle, from), way)) <= 1.01 * radius * norm(way);

export const makePointer = (
  canvas: HTMLCanvasElement, eyeAt: (event: Place) => Eye, frames: Matrix[], shapes: (eye?: Eye) => Shape[],
  ground: (ray: Ray) => Triple | null,
): Pointer => {
  let eye: Eye | null = null; // of the last pick: what it took stays in that view, wherever the pointer goes
  const through = (event: Place) => { // from the eye through a place of the canvas
    eye ??= eyeAt(event);
    const box = canvas.getBoundingClientRect(), pane = eye.pane(), { from, right, up, away, slope } = eye.now();
    const x = (2 * (event.clientX - box.left - pane.left)) / pane.width - 1;
    const y = 1 - (2 * (event.clientY - box.top - pane.top)) / pane.height;
    return { from, away, way: plus(plus(times(-1, away), right, x * slope * eye.aspect()), up, y * slope) };
  };
  const nearest = (ray: Ray, wanted: (frame: number) => unknown, candidates: Shape[]): Hit | null => {
    let found: number | null = null, least = Infinity;
    for (const s of candidates) {
      if (!wanted(s.frame) || !near(ray, s)) continue;
      const rows = inverse(s.place), own = (v: Vector) => rows.map((row) => dot(row, v));
      const at = meets(own(minus(ray.from, column(s.place, 3))), own(ray.way), s.mesh);
      if (at < least) [least, found] = [at, s.frame];
    }
    const behind = ground(ray); // a body behind a hill is not met
    if (found === null || (behind && norm(minus(behind, ray.from)) < least * norm(ray.way))) return null;
    const hit = plus(ray.from, ray.way, least), m = frames[found];
    return { frame: found, hit, local: turnedBack(m, minus(hit, column(m, 3))) };
  };
  const beside = (event: Place, { hit }: { hit: Vector }) => { // in the plane across the view through a place
    const { from, way, away } = through(event);
    return plus(from, way, dot(minus(hit, from), away) / dot(way, away));
  };
  const pick: Pointer["pick"] = (event, wanted) => {
    eye = eyeAt(event);
    return nearest(through(event), wanted, shapes(eye));
  };
  return { pick, met: (ray, wanted) => nearest(ray, wanted, shapes()), beside,
    ground: (event) => { eye = eyeAt(event); return ground(through(event)); } };
};
