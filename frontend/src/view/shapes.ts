// Shapes on frames and between them: where they are, which can be seen, and how coarse a mesh will do.
import type { Texture } from "three";
import type { Material, PartRow, ShapesData, SpanRow } from "../contract.ts";
import type { Mesh } from "./geometry.ts";
import type { Sight } from "./eye.ts";
import type { Moving } from "./keeper.ts";
import {
  column, columns, cross, dot, inverse, mean, minus, moved, norm, plus, product, times, unit, type Matrix, type Vector,
} from "./space.ts";
import type { Triple } from "../contract.ts";

export interface Shape {
  mesh: Mesh;
  frame: number;
  role: string;
  colour: string;
  opacity: number;
  material: Material;
  axis: number; // along which its grain goes: that of its longest side
  image: Texture | null;
  size: number; // of its round parts (m)
  local: Matrix; // on its frame
  place: Matrix; // in space
  centre: Triple; // of the ball about it, on its frame
  middle: Triple; // and in space
  radius: number;
  lit: boolean; // pointed at, or chosen
  pixels: number; // of its size, in this picture
  span: Span | null;
}
interface Span {
  other: number; // frame
  from: Triple;
  to: Triple;
  across: number;
}

export const SCENERY = "scenery";
const SHADES = 7, SHADE = 1.5e-3; // of surfaces that share a place: each frame's shapes are a little smaller

export const corners = ({ mesh, local }: { mesh: Mesh; local: Matrix }): Triple[] => // of the box about a shape
  Array.from({ length: 8 }, (_, k) => moved(local, [0, 1, 2].map((i) => mesh.box[(k >> i) & 1][i])));

/** A shape a little smaller about its middle: two that would share a surface do not flicker. */
const nested = (mesh: Mesh, frame: number, local: Matrix): Matrix => {
  const s = 1 - SHADE * (frame % SHADES), middle = moved(local, mean(mesh.box));
  const [x, y, z] = [0, 1, 2].map((k) => times(s, column(local, k)));
  return columns(x, y, z, plus(times(s, column(local, 3)), middle, 1 - s));
};

/** The axis of a mesh along which it is longest, when it is stretched; on the ground an axis of the ground. */
const longest = ({ box: [low, high] }: Mesh, local: Matrix, turned: boolean): number => {
  const sides = [0, 1, 2].map((k) => times(high[k] - low[k], column(local, k))), lengths = sides.map(norm);
  const found = lengths.indexOf(Math.max(...lengths)), way = sides[found].map(Math.abs);
  return turned ? way.indexOf(Math.max(...way)) : found;
};

type Images = (Texture | null)[];
const fromPart = (row: PartRow, meshes: Mesh[], colours: string[], images: Images): Shape => {
  const [number, frame, p, colour, role, opacity, material, texture] = row, mesh = meshes[number];
  const image = (mesh.uv && images[texture]) ?? null;
  const given = columns(p.slice(0, 3), p.slice(3, 6), p.slice(6, 9), p.slice(9, 12));
  const local = role === SCENERY ? given : nested(mesh, frame, given), box = corners({ mesh, local }), centre = mean(box);
  return {
    mesh, frame, role, opacity, material, image, axis: longest(mesh, local, role === SCENERY), colour: colours[colour],
    local, place: new Float32Array(16), centre, middle: centre,
    size: Math.max(norm(column(local, 0)), norm(column(local, 1))), // lengths are along the third
    radius: norm(minus(box[0], centre)), lit: false, pixels: 0, span: null,
  };
};
const fromSpan = (row: SpanRow, meshes: Mesh[], colours: string[], k: number): Shape => {
  const [mesh, frame, other, from, to, radius, colour, role, across, material] = row;
  return {
    mesh: meshes[mesh], frame, role, opacity: 1, material, axis: 2, image: null, colour: colours[colour],
    local: new Float32Array(16), place: new Float32Array(16), centre: from, middle: from,
    size: radius * (1 - SHADE * (k % SHADES)), radius: 0,
    lit: false, pixels: 0, span: { other, from, to, across },
  };
};
export const shapesOf = ({ parts, spans, colours }: ShapesData, meshes: Mesh[], images: Images): Shape[] =>
  [...parts.map((row) => fromPart(row, meshes, colours, images)), ...spans.map((row, k) => fromSpan(row, meshes, colours, k))];

/** Places of all shapes, from those of the frames. */
export const settle = (shapes: Shape[], frames: Matrix[]): void => {
  for (const s of shapes) {
    const frame = frames[s.frame];
    if (s.span) {
      const { other, from, to, across } = s.span, a = moved(frame, from), b = moved(frames[other], to);
      const z = minus(b, a), n = norm(z) || 1e-9, side = column(frame, across);
      const x = unit(plus(side, z, -dot(side, z) / (n * n))), y = unit(cross(z, x));
      columns(times(s.size, x), times(s.size, y), z, a, s.place);
      s.middle = plus(a, z, 0.5);
      s.radius = 0.5 * n + s.size;
    } else {
      product(frame, s.local, s.place);
      s.middle = moved(frame, s.centre);
    }
  }
};

/** Corners of settled shapes by body, without the ground. */
export const movingBodies = (shapes: Shape[], frames: Matrix[]): Moving[] => {
  const found = frames.slice(1).map((m): Moving => ({ origin: column(m, 3), corners: [] }));
  for (const { span, frame, mesh, place } of shapes)
    if (!span) found[frame - 1]?.corners.push(...corners({ mesh, local: place }));
    else {
      const ends = [column(place, 3), plus(column(place, 3), column(place, 2))];
      [frame, span.other].forEach((k, i) => found[k - 1]?.corners.push(ends[i]));
    }
  return found;
};

/** Whether a ball is in the picture, or reaches into it. */
export const inSight = ({ from, right, up, away, near, slope }: Sight, aspect: number) => {
  const sides = ([[right, slope * aspect], [up, slope]] as [Vector, number][])
    .map(([axis, s]) => [axis, s, Math.hypot(1, s)] as [Vector, number, number]);
  return ({ middle, radius }: { middle: Vector; radius: number }): boolean => {
    const rest = minus(middle, from), depth = -dot(rest, away);
    return depth > near - radius && sides.every(([axis, s, n]) => Math.abs(dot(rest, axis)) < depth * s + radius * n);
  };
};

/** Whether a ball reaches into these depths (m). */
export const reachesInto = ({ from, away }: Sight, near: number, far: number) =>
  ({ middle, radius }: { middle: Vector; radius: number }): boolean => {
    const depth = dot(minus(from, middle), away);
    return depth + radius > near && depth - radius < far;
  };

/** The coarsest mesh that looks round: its edges deviate by less than the tolerance (pixels). */
export const coarse = ({ mesh, pixels }: { mesh: Mesh; pixels: number }, tolerance: number): Mesh => {
  let found = mesh;
  while (found.coarser && found.coarser.deviation * pixels < tolerance) found = found.coarser;
  return found;
};

/** Whether a place of its frame is in the box about a shape. */
export const around = (s: Shape, p: Vector): boolean => {
  const [low, high] = s.mesh.box, own = inverse(s.local).map((row) => dot(row, minus(p, column(s.local, 3))));
  return own.every((x, i) => x > low[i] - 1e-6 && x < high[i] + 1e-6);
};
