// A view for browsers without WebGL 2: it draws nothing, and all else of the page works.
import { Scene, type WebGLRenderer } from "three";
import type { ArrowRow } from "../contract.ts";
import { OUTSIDE } from "./eyes.ts";
import type { Shown } from "./shown.ts";
import type { View } from "./view.ts";

const nothing = () => undefined;

export const makeBlindView = (words: HTMLCanvasElement, rows: ArrowRow[]): View => ({
  put: nothing, draw: () => false, level: () => "plain",
  refine: nothing, fit: nothing, restart: nothing, look: nothing, move: nothing, steer: () => false, ride: nothing,
  place: () => ({ target: [0, 0, 0], distance: 1, azimuth: 0, elevation: 0, follow: false, seat: null }),
  showViews: nothing, views: () => ({ names: [OUTSIDE], arrangement: "inset" }), panes: () => [], handle: nothing,
  switches: () => ({ press: nothing, shown: nothing }), renew: nothing, change: nothing, forget: nothing, highlight: nothing,
  tile: nothing, wantedTiles: () => [], ground: () => null, balls: nothing, cloud: nothing, gliding: () => false, patch: nothing,
  arrows: { rows, told: nothing, settle: () => [], forces: () => [], legend: () => "" },
  immersion: { offered: () => Promise.resolve(false), enter: () => Promise.resolve(), leave: nothing, active: () => false },
  onFrame: () => [0, 0, 0], heardFrom: () => ({ pan: 0, distance: 0 }),
  onCanvas: () => null, pick: () => null, met: () => null, beside: () => [0, 0, 0],
  pace: nothing, due: () => true, shown: { sharpness: 1, labels: false, level: "plain" } as Shown,
  pen: words.getContext("2d")!,
  scene: new Scene(), renderer: null as unknown as WebGLRenderer, byProcessor: true,
});
