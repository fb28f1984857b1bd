// Where views are on the canvas: one that fills it, one with a small second one in a corner, or two halves.
import type { Arrangement } from "../contract.ts";

/** A rectangle of a canvas, in pixels of the page or as shares of the canvas. */
export interface Pane {
  left: number;
  top: number;
  width: number;
  height: number;
}
const WHOLE: Pane = { left: 0, top: 0, width: 1, height: 1 };
const INSET = 0.34, BESIDE = 0.015; // shares of the canvas: an edge of the small view, and its distance from the corner

/** Shares of the canvas that one or two views have; halves are beside each other on a wide canvas, else one above the other. */
export const panesOf = (count: number, arrangement: Arrangement, aspect: number): Pane[] => {
  if (count < 2) return [WHOLE];
  if (arrangement === "inset") return [WHOLE, { left: 1 - INSET - BESIDE, top: BESIDE * aspect, width: INSET, height: INSET }];
  return aspect >= 1
    ? [{ ...WHOLE, width: 0.5 }, { ...WHOLE, left: 0.5, width: 0.5 }]
    : [{ ...WHOLE, height: 0.5 }, { ...WHOLE, top: 0.5, height: 0.5 }];
};

/** The same rectangle on a canvas of a size. */
export const scaledPane = ({ left, top, width, height }: Pane, wide: number, high: number): Pane =>
  ({ left: left * wide, top: top * high, width: width * wide, height: height * high });

/** The number of the pane at a place of the canvas: the last one is in front. */
export const paneAt = (panes: Pane[], x: number, y: number): number => {
  const inside = ({ left, top, width, height }: Pane) => x >= left && y >= top && x < left + width && y < top + height;
  return Math.max(panes.map(inside).lastIndexOf(true), 0);
};
