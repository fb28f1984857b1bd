// Better pictures of what stands still.
import type { Care } from "./shown.ts";

const RESTS: [Care, number][] = [["sharp", 250], ["best", 1500]]; // ms

/** Whether to draw as well as possible: the processor alone makes those shaders in ten seconds and more. */
const drawsBest = (byProcessor: boolean): boolean =>
  (globalThis as { wantsBest?: boolean }).wantsBest ?? !byProcessor; // who opens a page may set it

/** How what stands still is drawn, and after how long. */
export const rests = (byProcessor: boolean): [Care, number][] =>
  RESTS.filter(([how]) => how !== "best" || drawsBest(byProcessor));
