// The one or two views of a page: which camera each one uses, and which part of the canvas it fills.
import type { Arrangement, CameraData, RigData } from "../contract.ts";
import { makeEye, type Eye } from "./eye.ts";
import { paneAt, panesOf, scaledPane, type Pane } from "./panes.ts";
import { movingBodies, type Shape } from "./shapes.ts";
import type { Matrix } from "./space.ts";
import { MARKS } from "./veil.ts";

export const OUTSIDE = "Outside"; // as cameras.py names it

/** The views as they are kept: names of cameras. */
export interface Views {
  names: string[];
  arrangement: Arrangement;
}
export interface Eyes {
  main: Eye;
  /** Shown eyes, the main one first. */
  shown(): Eye[];
  /** Shares of the canvas of each. */
  panes(): Pane[];
  at(event: { clientX: number; clientY: number }): Eye;
  /** Show these cameras; unknown names are ignored. */
  show(views: Views): void;
  views(): Views;
  /** Glide after the bodies of settled shapes. */
  keep(shapes: Shape[]): void;
  /** The motion begins again: views that nobody has moved show it as at first. */
  restart(): void;
}

export const makeEyes = (
  camera: CameraData, rigs: RigData[], canvas: HTMLCanvasElement, frames: Matrix[],
  ground: (x: number, y: number) => number | null,
): Eyes => {
  let count = 1, arrangement: Arrangement = "inset";
  const panes = () => panesOf(count, arrangement, canvas.clientWidth / Math.max(canvas.clientHeight, 1));
  const scaled = () => panes().map((pane) => scaledPane(pane, canvas.clientWidth, canvas.clientHeight));
  const both = [0, 1].map((k) => makeEye(camera, rigs, () => scaled()[k] ?? scaled()[0], frames, ground)), [main] = both;
  const shown = () => both.slice(0, count);
  const known = [OUTSIDE, ...rigs.map(({ name }) => name)];
  const show = ({ names, arrangement: given }: Views) => {
    const wanted = names.filter((name) => known.includes(name)).slice(0, 2), before = count;
    [count, arrangement] = [Math.max(wanted.length, 1), given];
    wanted.forEach((name, k) => {
      const number = known.indexOf(name) - 1, chosen = number < 0 ? null : number;
      if ((both[k].rig()?.k ?? null) !== chosen) both[k].ride(chosen);
    });
    if (count > before) both[1].fit();
    shown().forEach((eye) => eye.resized());
  };
  const at: Eyes["at"] = ({ clientX, clientY }) => {
    const box = canvas.getBoundingClientRect();
    return both[paneAt(scaled(), clientX - box.left, clientY - box.top)];
  };
  const views = (): Views => ({ names: shown().map((eye) => eye.rig()?.rig.name ?? OUTSIDE), arrangement });
  const keep: Eyes["keep"] = (shapes) => {
    const bodies = movingBodies(shapes.filter(({ role }) => !MARKS.has(role)), frames), now = performance.now();
    shown().forEach((one) => one.keep(bodies, now));
  };
  const restart = () => shown().forEach((one) => one.resized());
  return { main, shown, panes, at, show, views, keep, restart };
};
