// Where a picture is taken from: outside, about a target, or from a camera of the machine; a person turns and moves it.
import type { CameraData, RigData, Triple } from "../contract.ts";
import { makeKeeper, spread, type Moving } from "./keeper.ts";
import type { Pane } from "./panes.ts";
import { gazeOf, looksAhead, makeFollower, roundOf, upAxis, type Follower } from "./rig.ts";
import {
  clamp, column, cross, dot, mean, minus, plus, product, times, unit, withDepths, type Matrix, type Vector,
} from "./space.ts";

const MARGIN = 1.12, ASIDE = 1.5, ABOVE = 0.7; // rad, in a seat
const BY_PIXEL = 0.008, BY_KEY = 40, STEEPEST = 1.55; // rad; pixels that a key stands for; rad
const NEAREST = 0.03, FARTHEST = 12; // of the distance, of the size: what is drawn, seen from outside
const ABOVE_GROUND = 0.15; // of the size: least height of an eye above a landscape
const SEAT_NEAREST = 0.004, SEAT_FARTHEST = 40; // of the size

/** Directions of view by name: azimuth and elevation in degrees; null: as the scene has it. */
export const PRESETS: Record<string, [number, number] | null> =
  { Home: null, Front: [0, 0], Back: [180, 0], Left: [90, 0], Right: [-90, 0], Top: [-90, 89] };

export interface Sight {
  away: Triple; // from what is seen to the eye
  right: Triple;
  up: Triple;
  target: Triple;
  from: Triple;
  slope: number; // tangent of half the field
  near: number;
  far: number;
  turn: Matrix; // from space to the eye
  lens: Matrix; // from the eye to the picture
  matrix: Matrix; // both
}

/** A camera of the machine that is used, and how far a person has turned it. */
export interface Seat {
  rig: RigData;
  k: number;
  axis: Triple; // of the body, that is up
  yaw: number;
  pitch: number;
  zoom: number;
  follower: Follower;
}

/** Where a picture is taken from, to be kept. */
export interface Place {
  target: Triple;
  distance: number;
  azimuth: number; // rad
  elevation: number;
  follow: boolean;
  seat: number | null; // number of a camera of the machine
}

export interface Eye {
  place(): Place;
  move(place: Place): void;
  now(reach?: (from: Vector) => number): Sight;
  /** Glide after moving bodies (now: ms), unless a person has moved the view since it was fitted. */
  keep(bodies: Moving[], now: number): void;
  fit(): void;
  look(preset: string): void;
  /** Take the k-th camera of the machine, or look from outside (null). */
  ride(k: number | null): void;
  follow(on: boolean): void;
  following(): boolean;
  steer(key: string, shift: boolean): boolean;
  turn(dx: number, dy: number): void; // pixels
  pan(dx: number, dy: number): void;
  zoom(factor: number): void;
  /** The canvas has another size: one that nobody has turned shows all of the motion again. */
  resized(): void;
  pane(): Pane;
  aspect(): number;
  /** The camera of the machine that is used; null: outside. */
  rig(): Seat | null;
  /** The same if it is a seat. */
  seat(): Seat | null;
  /** Whether it still follows what has moved. */
  late(): boolean;
}

/** pane: the rectangle of the canvas that the picture fills, in pixels of the page. */
export const makeEye = (
  camera: CameraData, rigs: RigData[], pane: () => Pane, frames: Matrix[], ground: (x: number, y: number) => number | null,
): Eye => {
  const FIELD = Math.tan((camera.field * Math.PI) / 360), MOST = ((camera.most_turn ?? Infinity) * Math.PI) / 180;
  const view = {
    target: [0, 0, 0] as Triple, distance: 1, home: 1, azimuth: 0, elevation: 0, follow: camera.follow,
    named: [0, 0] as [number, number], // azimuth and elevation from which a person turns it: limits are about them
    own: false, // turned, at least to a named direction
    held: false, // moved by a person
  };
  const keeper = makeKeeper();
  let along: Triple = [0, 0, 0]; // how far the followed bodies have gone
  let used: Seat | null = null;
  const aspect = () => { const { width, height } = pane(); return width / Math.max(height, 1); };
  const middle = () => mean(frames.slice(1).map((m) => column(m, 3))); // of the bodies

  const directions = (a: number, e: number) => {
    const away: Triple = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
    const right: Triple = [-Math.sin(a), Math.cos(a), 0];
    return { away, right, up: cross(away, right) };
  };
  const outside = () => {
    const target = view.follow ? plus(view.target, along) : view.target, way = directions(view.azimuth, view.elevation);
    const from = plus(target, way.away, view.distance);
    const near = NEAREST * view.distance, far = view.distance + FARTHEST * camera.size;
    return { ...way, target, from, slope: FIELD, near, far };
  };
  const tangent = ({ rig }: Seat) => Math.tan((rig.field * Math.PI) / 360);
  const gazing = (seat: Seat) => {
    const { yaw, pitch, axis, follower } = seat;
    const { from, ahead, up: over } = gazeOf(seat.rig, axis, frames, follower, performance.now());
    const right = unit(cross(ahead, over)), up = cross(right, ahead);
    const level = plus(times(Math.cos(yaw), ahead), right, Math.sin(yaw));
    const away = times(-1, plus(times(Math.cos(pitch), level), up, Math.sin(pitch)));
    const aside = plus(times(Math.cos(yaw), right), ahead, -Math.sin(yaw));
    const target = plus(from, away, -camera.size), near = SEAT_NEAREST * camera.size, far = SEAT_FARTHEST * camera.size;
    return { away, right: aside, up: cross(away, aside), target, from, slope: tangent(seat) * seat.zoom, near, far };
  };
  const rounding = (seat: Seat) => {
    const round = roundOf(seat.rig, frames, seat.follower, performance.now()), distance = round.distance * seat.zoom;
    const way = directions(round.azimuth + seat.yaw, clamp(round.elevation + seat.pitch, -STEEPEST, STEEPEST));
    const from = plus(round.target, way.away, distance);
    const near = NEAREST * Math.min(distance, camera.size), far = distance + SEAT_FARTHEST * camera.size;
    return { ...way, target: round.target, from, slope: tangent(seat), near, far };
  };

  /** The same, above the ground. */
  const raised = (e: ReturnType<typeof outside>) => {
    const lowest = (ground(e.from[0], e.from[1]) ?? -Infinity) + ABOVE_GROUND * camera.size;
    if (e.from[2] >= lowest) return e;
    const from: Triple = [e.from[0], e.from[1], lowest], away = unit(minus(from, e.target));
    return { ...e, from, away, up: cross(away, e.right) };
  };
  const now = (reach: (from: Vector) => number = () => 0): Sight => { // `reach(from)`: how far there is scenery
    along = minus(middle(), camera.middle);
    const e = used && looksAhead(used.rig) ? gazing(used) : raised(used ? rounding(used) : outside());
    const far = Math.max(e.far, reach(e.from)), { right, up, away, from, near } = e;
    const turn = new Float32Array([
      right[0], up[0], away[0], 0, right[1], up[1], away[1], 0, right[2], up[2], away[2], 0,
      -dot(right, from), -dot(up, from), -dot(away, from), 1,
    ]);
    const lens = new Float32Array(16);
    lens[0] = 1 / (e.slope * aspect());
    lens[5] = 1 / e.slope;
    lens[11] = -1;
    const deep = withDepths(lens, near, far);
    return { ...e, far, turn, lens: deep, matrix: product(deep, turn) };
  };

  const aim = (azimuth: number, elevation: number) => { // degrees
    view.named = [view.azimuth, view.elevation] = [(azimuth * Math.PI) / 180, (elevation * Math.PI) / 180];
  };
  const fit = () => { // the nearest place from which all of the motion is seen; a camera of the machine: as it was
    if (used) return void Object.assign(used, { yaw: 0, pitch: 0, zoom: 1 });
    aim(camera.azimuth, camera.elevation);
    view.own = false;
    frame();
  };
  const frame = () => {
    const { away, right, up } = directions(view.azimuth, view.elevation), { points } = camera;
    let target = mean(points), distance = 0;
    for (let round = 0; round < 4; round++) {
      const need = (axis: Vector, slope: number) => {
        const [high, low] = spread(points, target, away, axis, slope);
        return [(high + low) / 2, ((high - low) / 2) * slope];
      };
      const [d1, x] = need(right, FIELD * aspect()), [d2, y] = need(up, FIELD);
      target = plus(plus(target, right, x), up, y);
      distance = Math.max(d1, d2);
    }
    view.target = target;
    view.distance = view.home = MARGIN * distance || 1;
    view.held = false;
    keeper.forget();
  };
  const keep: Eye["keep"] = (bodies, time) => {
    if (used || view.held || !aspect()) return;
    const gone: Vector = view.follow ? minus(middle(), camera.middle) : [0, 0, 0];
    const back = (p: Vector) => minus(p, gone);
    const here = bodies.map(({ origin, corners }) => ({ origin: back(origin), corners: corners.map(back) }));
    const lens = { ...directions(view.azimuth, view.elevation), slopes: [FIELD * aspect(), FIELD] as [number, number] };
    Object.assign(view, keeper.keep(view, here, lens, view.home, time));
  };
  const look = (preset: string) => { // from a named direction, all of the motion in sight
    const angles = PRESETS[preset];
    used = null;
    if (!angles) return fit();
    aim(...angles);
    view.own = true;
    frame();
  };

  const place = (): Place => {
    const { target, distance, azimuth, elevation, follow } = view;
    return { target, distance, azimuth, elevation, follow, seat: used?.k ?? null };
  };
  const move = ({ target, distance, azimuth, elevation, follow }: Place) => {
    Object.assign(view, { target, azimuth, elevation, follow: follow && camera.follow, own: true, held: true });
    view.named = [azimuth, elevation];
    view.distance = clamp(distance, view.home / 40, view.home * 20);
  };
  const ride = (k: number | null) => {
    const rig = k === null ? undefined : rigs[k];
    const axis = rig ? upAxis(frames[rig.frame], rig.ahead) : null;
    used = rig ? { rig, k: k!, axis: axis!, yaw: 0, pitch: 0, zoom: 1, follower: makeFollower(rig.lag) } : null;
  };

  // -- a person ----------------------------------------------------------------------------------------------------

  const turn = (dx: number, dy: number) => {
    if (used && looksAhead(used.rig)) {
      const angle = (2 * now().slope) / pane().height; // by a pixel
      used.yaw = clamp(used.yaw - dx * angle, -ASIDE, ASIDE);
      used.pitch = clamp(used.pitch + dy * angle, -ABOVE, ABOVE);
    } else if (used) {
      used.yaw -= dx * BY_PIXEL;
      used.pitch = clamp(used.pitch + dy * BY_PIXEL, -2 * STEEPEST, 2 * STEEPEST);
    } else {
      view.own = view.held = true;
      const [azimuth, elevation] = view.named;
      view.azimuth = clamp(view.azimuth - dx * BY_PIXEL, azimuth - MOST, azimuth + MOST);
      const turned = clamp(view.elevation + dy * BY_PIXEL, elevation - MOST, elevation + MOST);
      view.elevation = clamp(turned, -STEEPEST, STEEPEST);
    }
  };
  const pan = (dx: number, dy: number) => {
    if (used) return turn(dx, dy);
    const { right, up } = directions(view.azimuth, view.elevation), scale = (2 * FIELD * view.distance) / pane().height;
    view.own = view.held = true;
    view.target = plus(plus(view.target, right, -dx * scale), up, dy * scale);
  };
  const zoom = (factor: number) => {
    if (used) used.zoom = looksAhead(used.rig) ? clamp(used.zoom * factor, 0.3, 1.5) : clamp(used.zoom * factor, 0.1, 20);
    else {
      view.own = view.held = true;
      view.distance = clamp(view.distance * factor, view.home / 40, view.home * 20);
    }
  };
  const follow = (on: boolean) => {
    if (on !== view.follow) view.target = plus(view.target, along, on ? -1 : 1);
    view.follow = on;
  };
  const steer = (key: string, shift: boolean) => { // by the keyboard; whether it was for the camera
    const ways: Record<string, [number, number]> =
      { ArrowLeft: [BY_KEY, 0], ArrowRight: [-BY_KEY, 0], ArrowUp: [0, BY_KEY], ArrowDown: [0, -BY_KEY] };
    const preset = Object.keys(PRESETS)[Number(key) - 1];
    if (key in ways) (shift ? pan : turn)(...ways[key]);
    else if (key === "+" || key === "-") zoom(key === "+" ? 1 / 1.15 : 1.15);
    else if (preset) look(preset);
    else return false;
    return true;
  };
  return {
    place, move, now, keep, fit, look, ride, follow, following: () => view.follow, steer, turn, pan, zoom, aspect, pane,
    resized: () => { if (!view.own && !used) fit(); }, rig: () => used, seat: () => (used?.rig.kind === "seat" ? used : null),
    late: () => (used ? used.follower.late() : !view.held && keeper.late()),
  };
};
