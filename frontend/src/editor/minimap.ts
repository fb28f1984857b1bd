// The small map of the diagram: all symbols as boxes, and the part in sight as a frame.
import { svg } from "../page/dom.ts";
import type { Box } from "./layout.ts";

const MARGIN = 30; // pixels of the diagram

export interface Minimap {
  show(bounds: Box, boxes: Box[]): void;
  frame(sight: Box): void;
}
/** jump: a place of the diagram was clicked. */
export const makeMinimap = (map: SVGSVGElement, jump: (x: number, y: number) => void): Minimap => {
  const frame = svg("rect", { class: "frame" }), dots = svg("path"); // one path: hundreds of boxes cost as much as one
  map.append(dots, frame);
  map.onpointerdown = (event) => {
    const inverse = map.getScreenCTM()?.inverse();
    if (!inverse) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(inverse);
    jump(x, y);
  };
  return {
    show: ({ x, y, width, height }, boxes) => {
      map.setAttribute("viewBox", `${x - MARGIN} ${y - MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`);
      dots.setAttribute("d", boxes.map((one) => `M${one.x} ${one.y}h${one.width}v${one.height}h${-one.width}z`).join(""));
    },
    frame: (sight) => {
      for (const key of ["x", "y", "width", "height"] as const) frame.setAttribute(key, String(sight[key]));
    },
  };
};
