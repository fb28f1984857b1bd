// Keeps moving bodies in the picture: an eye outside glides after them, as little as necessary.
import type { Triple } from "../contract.ts";
import { dot, minus, norm, plus, times, type Vector } from "./space.ts";

const EDGE = 1, COMFORT = 0.9; // of the picture: bodies never leave the first part, and are brought back into the second
const GLIDE = 0.5; // s, time constant
const MEMORY = 3000, EVERY = 50; // ms: motion that is kept in sight, so that a swing does not rock the view
const WIDER = 1.6; // of the distance: how much that motion may widen the view
const MOST = 2.5; // of the first distance: farther away, bodies at rest are left out
const SMALL = 0.12, LARGE = 0.3, NEARLY = 0.95; // of the picture: bodies that have become smaller are shown in the second size
const RESTS = 0.02, PAST = 500; // of the distance, ms: what has moved less is at rest
const LONGEST = 100; // ms between two pictures, for a glide
const FASTEST = 5; // distances in a second: what is faster is a jump
const ARRIVED = 1e-3; // of the distance

/** Where an eye outside looks, and from how far (m). */
export interface Framing {
  target: Triple;
  distance: number;
}
/** Directions of an eye, and tangents of half its fields: from left to right, and from bottom to top. */
export interface Lens {
  away: Triple;
  right: Triple;
  up: Triple;
  slopes: [number, number];
}
/** A moving body: its origin and the corners of its shapes (m). */
export interface Moving {
  origin: Vector;
  corners: Vector[];
}

/** Distances from the target at which all points are inside the two edges across an axis. */
export const spread = (points: Vector[], target: Vector, away: Vector, axis: Vector, slope: number): [number, number] => {
  let high = -Infinity, low = -Infinity;
  for (const p of points) {
    const d = minus(p, target), depth = dot(d, away), aside = dot(d, axis) / slope;
    high = Math.max(high, aside + depth);
    low = Math.max(low, depth - aside);
  }
  return [high, low];
};

/** The least change of a framing with which all points are inside a share of the picture. */
export const framed = (
  { target, distance }: Framing, { away, right, up, slopes }: Lens, share: number, points: Vector[],
): Framing => {
  const sides = [right, up].map((axis, k) => {
    const slope = share * slopes[k];
    return { axis, slope, edges: spread(points, target, away, axis, slope) };
  });
  const far = Math.max(distance, ...sides.map(({ edges: [high, low] }) => (high + low) / 2));
  let moved = target;
  for (const { axis, slope, edges: [high, low] } of sides)
    moved = plus(moved, axis, slope * (high > far ? high - far : low > far ? far - low : 0));
  return { target: moved, distance: far };
};

/** The points that reach farthest towards the edges of the picture. */
const outermost = (points: Vector[], { away, right, up, slopes }: Lens): Vector[] => {
  const edges = [right, up].flatMap((axis, k) => [1, -1].map((side) => plus(away, axis, side / slopes[k])));
  return edges.map((way) => [...points.reduce((best, p) => (dot(p, way) > dot(best, way) ? p : best))]);
};

/** How far from the target the middle of some points is, towards the eye. */
const depthOf = (points: Vector[], target: Vector, away: Vector): number => {
  const depths = points.map((p) => dot(minus(p, target), away));
  return (Math.min(...depths) + Math.max(...depths)) / 2;
};
/** The distance from their middle at which points fill the picture. */
const filling = (points: Vector[], target: Triple, lens: Lens): number =>
  framed({ target, distance: -Infinity }, lens, COMFORT, points).distance - depthOf(points, target, lens.away);

/** Nearer to points that are smaller than a share of the picture; null: they are large enough. */
const nearer = ({ target, distance }: Framing, lens: Lens, least: number, points: Vector[]): Framing | null => {
  const middle = depthOf(points, target, lens.away), need = filling(points, target, lens);
  if (need > least * (distance - middle)) return null;
  return framed({ target: plus(target, lens.away, middle), distance: need / LARGE }, lens, COMFORT, points);
};

export interface Keeper {
  /** The framing for the next picture (ms); home: the first distance. */
  keep(at: Framing, bodies: Moving[], lens: Lens, home: number, now: number): Framing;
  /** Whether it has not arrived yet. */
  late(): boolean;
  forget(): void;
}
export const makeKeeper = (): Keeper => {
  let seen: { t: number; points: Vector[] }[] = [], drawn = -Infinity, left = 0, nearing = false, gone = false;
  let goal: Triple = [0, 0, 0], drift: Triple = [0, 0, 0]; // the last wanted target, and its mean velocity (m/s)
  let places: { t: number; origins: Vector[] }[] = [], movers: Set<number> | null = null; // places: at two earlier times
  const restless = (bodies: Moving[], size: number, now: number) => {
    if (!places.length || now - places.at(-1)!.t > PAST)
      places = [...places.slice(-1), { t: now, origins: bodies.map(({ origin }) => [...origin]) }];
    const moved = bodies.flatMap(({ origin }, k) => (norm(minus(origin, places[0].origins[k])) > RESTS * size ? [k] : []));
    if (moved.length) movers = new Set(moved); // otherwise the bodies that moved last
    return bodies.filter((_, k) => movers?.has(k) ?? true);
  };
  const keep: Keeper["keep"] = (at, bodies, lens, home, now) => {
    const all = bodies.flatMap(({ corners }) => corners), need = (points: Vector[]) => filling(points, at.target, lens);
    const moving = restless(bodies, home, now);
    if (!all.length) return at;
    const some = moving.flatMap(({ corners }) => corners);
    const points = outermost(some.length && need(all) > MOST * home ? some : all, lens);
    if (!seen.length || now - seen.at(-1)!.t >= EVERY) seen.push({ t: now, points });
    seen = seen.filter(({ t }) => t > now - MEMORY);
    const recent = () => [...seen.flatMap((one) => one.points), ...points], widest = WIDER * Math.max(need(points), home);
    while (seen.length && need(recent()) > widest) seen.shift();
    const held = recent(), whole = framed(at, lens, COMFORT, held);
    const close = nearer(whole, lens, nearing ? NEARLY * LARGE : SMALL, held), wanted = close ?? whole;
    nearing = close !== null;
    const dt = Math.min(now - drawn, LONGEST) / 1000, share = 1 - Math.exp(-dt / GLIDE);
    const step = minus(wanted.target, goal), aside = plus(step, lens.away, -dot(step, lens.away));
    const way = drawn > -Infinity && dt > 0 ? times(1 / dt, aside) : drift;
    drift = norm(way) > FASTEST * at.distance ? [0, 0, 0] : plus(drift, minus(way, drift), share);
    [drawn, goal] = [now, wanted.target];
    const next = framed({
      target: plus(plus(at.target, minus(wanted.target, at.target), share), drift, dt),
      distance: at.distance + share * (wanted.distance - at.distance),
    }, lens, EDGE, some.length ? outermost(some, lens) : points);
    left = (norm(minus(wanted.target, next.target)) + Math.abs(wanted.distance - next.distance)) / next.distance;
    gone ||= left > ARRIVED;
    if (!gone) return next;
    const deeper = share * depthOf(held, next.target, lens.away); // the same picture, with the target among the bodies
    return { target: plus(next.target, lens.away, deeper), distance: next.distance - deeper };
  };
  const forget = () => {
    [seen, places, left, nearing, gone] = [[], [], 0, false, false];
    [movers, drift, drawn] = [null, [0, 0, 0], -Infinity];
  };
  return { keep, late: () => left > ARRIVED, forget };
};
