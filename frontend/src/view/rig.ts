// Cameras of a machine: where the eye of a rig is, and what it sees ahead, from the frames of the bodies.
import type { RigData, Triple } from "../contract.ts";
import { clamp, column, dot, minus, moved, norm, plus, turned, unit, type Matrix } from "./space.ts";

const BEHIND = 1e-3; // of a direction: what is nearer has arrived

/** Directions that follow others. */
export interface Follower {
  /** The directions now (ms); each goes 1 − exp(−Δt/lag) of what is left to the wanted one. */
  follow(wanted: Triple[], now: number): Triple[];
  /** Whether they have not arrived yet. */
  late(): boolean;
}
export const makeFollower = (lag: number): Follower => {
  let held: Triple[] | null = null, since = 0, left = 0;
  const follow = (wanted: Triple[], now: number) => {
    if (!held || !lag) held = wanted;
    const share = lag ? 1 - Math.exp(-(now - since) / 1000 / lag) : 1;
    held = held.map((v, k) => unit(plus(v, minus(wanted[k], v), share)));
    left = Math.max(...held.map((v, k) => norm(minus(v, wanted[k]))));
    since = now;
    return held;
  };
  return { follow, late: () => left > BEHIND };
};

/** The axis of a frame that is up now, and not along a direction of it. */
export const upAxis = (m: Matrix, along: Triple): Triple => {
  const axes = [0, 1, 2].flatMap((i) => [1, -1].map((sign) => [0, 1, 2].map((j) => (i === j ? sign : 0)) as Triple));
  const across = axes.filter((axis) => Math.abs(dot(axis, unit(along))) < 0.9);
  return across.reduce((best, a) => (turned(m, a)[2] > turned(m, best)[2] ? a : best));
};

/** An eye that looks ahead: its place, and unit vectors ahead and up. */
export interface Gaze {
  from: Triple;
  ahead: Triple;
  up: Triple;
}
export const gazeOf = (rig: RigData, axis: Triple, frames: Matrix[], { follow }: Follower, now: number): Gaze => {
  const m = frames[rig.frame];
  if (rig.kind === "fixed") {
    const from = moved(frames[0], rig.eye), ahead = rig.frame ? minus(column(m, 3), from) : turned(frames[0], rig.ahead);
    return { from, ahead: unit(ahead), up: [0, 0, 1] };
  }
  const [ahead, up] = follow([unit(turned(m, rig.ahead)), unit(turned(m, axis))], now);
  return { from: moved(m, rig.eye), ahead, up };
};

/** An eye that looks at a target, from an azimuth and elevation (rad) and a distance (m). */
export interface Round {
  target: Triple;
  azimuth: number;
  elevation: number;
  distance: number;
}
export const roundOf = (rig: RigData, frames: Matrix[], { follow }: Follower, now: number): Round => {
  const m = frames[rig.frame], distance = norm(rig.eye) || 1, [x, y, z] = rig.eye;
  const heading = () => {
    const [ahead] = follow([turned(m, rig.ahead)].map(([a, b]) => unit(a || b ? [a, b, 0] : [1, 0, 0])), now);
    return Math.atan2(ahead[1], ahead[0]);
  };
  const azimuth = Math.atan2(y, x) + (rig.kind === "chase" ? heading() : 0);
  return { target: [...column(m, 3)] as Triple, azimuth, elevation: Math.asin(clamp(z / distance, -1, 1)), distance };
};
export const looksAhead = ({ kind }: RigData): boolean => kind === "seat" || kind === "fixed";
