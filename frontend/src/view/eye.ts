// Where a picture is taken from: outside, about a target, or from a seat on a body; and hands that turn and move it.
import type { CameraData, RideData, Triple } from "../contract.ts";
import {
  clamp, column, cross, dot, mean, minus, moved, plus, product, times, turned, unit, type Matrix, type Vector,
} from "./space.ts";

const MARGIN = 1.12, ASIDE = 1.5, ABOVE = 0.7; // rad, in a seat
const BY_PIXEL = 0.008, BY_KEY = 40, STEEPEST = 1.55; // rad; pixels that a key stands for; rad
const NEAREST = 0.03, FARTHEST = 12; // of the distance, of the size: what is drawn, seen from outside
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

interface Seat {
  ride: RideData;
  k: number;
  axis: Triple; // of the body, that is up
  yaw: number;
  pitch: number;
  zoom: number;
}

/** Where a picture is taken from, to be kept. */
export interface Place {
  target: Triple;
  distance: number;
  azimuth: number; // rad
  elevation: number;
  follow: boolean;
  seat: number | null;
}

export interface Eye {
  place(): Place;
  move(place: Place): void;
  now(reach?: (from: Vector) => number): Sight;
  fit(): void;
  look(preset: string): void;
  ride(k: number | null): void;
  follow(on: boolean): void;
  following(): boolean;
  steer(key: string, shift: boolean): boolean;
  handle(refresh: () => void, take?: (event: PointerEvent) => boolean): void;
  aspect(): number;
  seat(): Seat | null;
}

export const makeEye = (camera: CameraData, rides: RideData[], canvas: HTMLCanvasElement, frames: Matrix[]): Eye => {
  const FIELD = Math.tan((camera.field * Math.PI) / 360);
  const view = { target: [0, 0, 0] as Triple, distance: 1, home: 1, azimuth: 0, elevation: 0, own: false, follow: camera.follow };
  let along: Triple = [0, 0, 0]; // how far the followed bodies have gone
  let seat: Seat | null = null;
  const aspect = () => canvas.clientWidth / Math.max(canvas.clientHeight, 1);
  const middle = () => mean(frames.slice(1).map((m) => column(m, 3))); // of the bodies

  const directions = () => { // outside
    const { azimuth: a, elevation: e } = view;
    const away: Triple = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
    const right: Triple = [-Math.sin(a), Math.cos(a), 0];
    return { away, right, up: cross(away, right) };
  };
  const outside = () => {
    const target = view.follow ? plus(view.target, along) : view.target, way = directions();
    const from = plus(target, way.away, view.distance);
    const near = NEAREST * view.distance, far = view.distance + FARTHEST * camera.size;
    return { ...way, target, from, slope: FIELD, near, far };
  };
  const seated = ({ ride, axis, yaw, pitch, zoom }: Seat) => {
    const m = frames[ride.frame], from = moved(m, ride.eye), ahead = unit(turned(m, ride.ahead));
    const right = unit(cross(ahead, turned(m, axis))), up = cross(right, ahead);
    const level = plus(times(Math.cos(yaw), ahead), right, Math.sin(yaw));
    const away = times(-1, plus(times(Math.cos(pitch), level), up, Math.sin(pitch)));
    const aside = plus(times(Math.cos(yaw), right), ahead, -Math.sin(yaw));
    const slope = Math.tan((ride.field * Math.PI) / 360) * zoom;
    const target = plus(from, away, -camera.size), near = SEAT_NEAREST * camera.size, far = SEAT_FARTHEST * camera.size;
    return { away, right: aside, up: cross(away, aside), target, from, slope, near, far };
  };

  const now = (reach: (from: Vector) => number = () => 0): Sight => { // `reach(from)`: how far there is scenery
    along = minus(middle(), camera.middle);
    const e = seat ? seated(seat) : outside(), far = Math.max(e.far, reach(e.from)), { right, up, away, from, near } = e;
    const turn = new Float32Array([
      right[0], up[0], away[0], 0, right[1], up[1], away[1], 0, right[2], up[2], away[2], 0,
      -dot(right, from), -dot(up, from), -dot(away, from), 1,
    ]);
    const lens = new Float32Array(16);
    lens[0] = 1 / (e.slope * aspect());
    lens[5] = 1 / e.slope;
    lens[10] = (far + near) / (near - far);
    lens[11] = -1;
    lens[14] = (2 * far * near) / (near - far);
    return { ...e, far, turn, lens, matrix: product(lens, turn) };
  };

  const fit = () => { // the nearest place from which all of the motion is seen; in a seat: straight ahead
    if (seat) return void Object.assign(seat, { yaw: 0, pitch: 0, zoom: 1 });
    view.azimuth = (camera.azimuth * Math.PI) / 180;
    view.elevation = (camera.elevation * Math.PI) / 180;
    view.own = false;
    frame();
  };
  const frame = () => {
    const { away, right, up } = directions(), { points } = camera;
    let target = mean(points), distance = 0;
    for (let round = 0; round < 4; round++) {
      const need = (axis: Vector, slope: number) => {
        let high = -Infinity, low = -Infinity;
        for (const p of points) {
          const d = minus(p, target), depth = dot(d, away);
          high = Math.max(high, dot(d, axis) / slope + depth);
          low = Math.max(low, -dot(d, axis) / slope + depth);
        }
        return [(high + low) / 2, ((high - low) / 2) * slope];
      };
      const [d1, x] = need(right, FIELD * aspect()), [d2, y] = need(up, FIELD);
      target = plus(plus(target, right, x), up, y);
      distance = Math.max(d1, d2);
    }
    view.target = target;
    view.distance = view.home = MARGIN * distance || 1;
  };
  const look = (preset: string) => { // from a named direction, all of the motion in sight
    const angles = PRESETS[preset];
    seat = null;
    if (!angles) return fit();
    [view.azimuth, view.elevation] = [(angles[0] * Math.PI) / 180, (angles[1] * Math.PI) / 180];
    view.own = true;
    frame();
  };

  const place = (): Place => {
    const { target, distance, azimuth, elevation, follow } = view;
    return { target, distance, azimuth, elevation, follow, seat: seat?.k ?? null };
  };
  const move = ({ target, distance, azimuth, elevation, follow }: Place) => {
    Object.assign(view, { target, azimuth, elevation, follow: follow && camera.follow, own: true });
    view.distance = clamp(distance, view.home / 40, view.home * 20);
  };

  const ride = (k: number | null) => { // sit down on the k-th seat, or stand up again (null)
    if (k === null || !rides[k]) return void (seat = null);
    const m = frames[rides[k].frame], ahead = unit(rides[k].ahead);
    const axes = [0, 1, 2].flatMap((i) => [1, -1].map((sign) => [0, 1, 2].map((j) => (i === j ? sign : 0)) as Triple));
    const across = axes.filter((axis) => Math.abs(dot(axis, ahead)) < 0.9);
    const axis = across.reduce((best, a) => (turned(m, a)[2] > turned(m, best)[2] ? a : best));
    seat = { ride: rides[k], k, axis, yaw: 0, pitch: 0, zoom: 1 };
  };

  // -- hands -----------------------------------------------------------------------------------------------------

  const turn = (dx: number, dy: number) => {
    if (seat) {
      const angle = (2 * now().slope) / canvas.clientHeight; // by a pixel
      seat.yaw = clamp(seat.yaw - dx * angle, -ASIDE, ASIDE);
      seat.pitch = clamp(seat.pitch + dy * angle, -ABOVE, ABOVE);
    } else {
      view.azimuth -= dx * BY_PIXEL;
      view.elevation = clamp(view.elevation + dy * BY_PIXEL, -STEEPEST, STEEPEST);
    }
  };
  const pan = (dx: number, dy: number) => {
    if (seat) return turn(dx, dy);
    const { right, up } = directions(), scale = (2 * FIELD * view.distance) / canvas.clientHeight;
    view.target = plus(plus(view.target, right, -dx * scale), up, dy * scale);
  };
  const zoom = (factor: number) => {
    if (seat) seat.zoom = clamp(seat.zoom * factor, 0.3, 1.5);
    else view.distance = clamp(view.distance * factor, view.home / 40, view.home * 20);
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
    view.own ||= !seat && preset === undefined;
    return true;
  };

  // Dragging turns and moves the camera, unless `take(event)` says that it takes the finger itself.
  const handle = (refresh: () => void, take: (event: PointerEvent) => boolean = () => false) => {
    const fingers = new Map<number, [number, number]>();
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      canvas.focus(); // keys go to the motion again
      if (!take(event)) fingers.set(event.pointerId, [event.clientX, event.clientY]);
    };
    for (const kind of ["pointerup", "pointercancel"] as const)
      canvas.addEventListener(kind, (event) => fingers.delete(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      const was = fingers.get(event.pointerId);
      if (!was) return;
      const here: [number, number] = [event.clientX, event.clientY], dx = here[0] - was[0], dy = here[1] - was[1];
      view.own ||= !seat;
      if (fingers.size === 1) (event.buttons & 6 || event.shiftKey ? pan : turn)(dx, dy);
      else if (fingers.size === 2) {
        const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
        const before = Math.hypot(was[0] - other[0], was[1] - other[1]);
        zoom(before / Math.max(Math.hypot(here[0] - other[0], here[1] - other[1]), 1));
        pan(dx / 2, dy / 2);
      }
      fingers.set(event.pointerId, here);
      refresh();
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      view.own ||= !seat;
      zoom(Math.exp(clamp(event.deltaY * (event.deltaMode ? 30 : 1), -200, 200) * 0.0015));
      refresh();
    }, { passive: false });
    canvas.ondblclick = () => { fit(); refresh(); };
    canvas.oncontextmenu = (event) => event.preventDefault();
    new ResizeObserver(() => { if (!view.own && !seat) fit(); refresh(); }).observe(canvas);
  };
  return { place, move, now, fit, look, ride, follow, following: () => view.follow, steer, handle, aspect, seat: () => seat };
};
