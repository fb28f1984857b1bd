// The field's symbols in SVG: joints by type and nature, cuts by kind, links as springs, marks of forces and sensors.
import { svg } from "../page/dom.ts";
import { SYMBOL } from "./layout.ts";
import type { DiagramEdge, JointMark } from "./contract.ts";

const H = SYMBOL / 2;
const at = (x: number, y: number, ...parts: SVGElement[]) => svg("g", { transform: `translate(${x} ${y})` }, ...parts);
const path = (d: string, more: Record<string, string> = {}) => svg("path", { d, ...more });
const words = (text: string, x: number, y: number, more: Record<string, string | number> = {}) => {
  const made = svg("text", { x, y, "text-anchor": "middle", ...more });
  made.textContent = text;
  return made;
};

/** A joint: a circle for a rotation, a slide for a translation, a ball in a cup; the digit is its axis. */
export const jointSymbol = ({ type, nature, name }: JointMark, x: number, y: number): SVGElement => {
  const title = svg("title");
  title.textContent = `${name}: ${type}, ${nature}`;
  const shape = type === "ball" ? [svg("circle", { cx: H, cy: H, r: 8 }), path(`M${H - 8} ${H}a8 8 0 0 0 16 0`, { class: "cup" })]
    : type === "free" ? [svg("circle", { cx: H, cy: H, r: 8, "stroke-dasharray": "3 3" })]
      : type.startsWith("T") ? [svg("rect", { x: 3, y: 6, width: SYMBOL - 6, height: SYMBOL - 12 }),
        path(`M3 3H${SYMBOL - 3}M3 ${SYMBOL - 3}H${SYMBOL - 3}`)]
        : [svg("circle", { cx: H, cy: H, r: 9 })];
  const axis = /\d$/.exec(type)?.[0] ?? "";
  const made = at(x, y, title, ...shape, ...(axis ? [words(axis, H, H + 4, { class: "axis" })] : []));
  made.setAttribute("class", `joint ${nature}`);
  return made;
};

const CUTS: Record<string, string> = {
  ball: "M12 4a8 8 0 1 0 .01 0M12 9a3 3 0 1 0 .01 0", rod: "M4 12H20M4 8a4 4 0 1 0 .01 8M20 8a4 4 0 1 1-.01 8",
  universal: "M12 3V21M3 12H21M12 5a7 7 0 1 0 .01 0", revolute: "M12 4a8 8 0 1 0 .01 0M12 1V23",
  solid: "M4 4H20V20H4zM4 4L20 20M20 4L4 20", "planar-ball": "M3 20H21M12 4a6 6 0 1 0 .01 0",
    "planar-solid": "M3 21H21M6 5H18V17H6z",
};
const SPRING = "M0 12H4L6 6L9 18L12 6L15 18L18 6L20 12H24";

/** The symbol in the middle of a cut, a link or a contact, with its name below. */
export const edgeSymbol = ({ kind, detail, name }: DiagramEdge, width: number): SVGElement => {
  const d = kind === "cut" ? (CUTS[detail] ?? CUTS.ball) : kind === "rolling" ? "M12 4a8 8 0 1 0 .01 0M2 21H22" : SPRING;
  return svg("g", {}, svg("rect", { width, height: SYMBOL + 14, class: "back" }),
    at(width / 2 - H, 0, path(d, { class: "sign" })), words(name, width / 2, SYMBOL + 9, { class: "edge-name" }));
};

const SIGNS: Record<string, string> = {
  force: "M4 18L18 4M18 4H10M18 4V12", sensor: "M3 11a9 9 0 0 1 16 0a9 9 0 0 1-16 0M11 8a3 3 0 1 0 .01 0",
  constraint: "M5 8H17M5 14H17", volume: "M4 4H18V18H4z", tank: "M3 6V18H19V6",
    source: "M11 3a8 8 0 1 0 .01 0M11 19V8l-3 4M11 8l3 4",
  valve: "M2 6H20V16H2zM8 6V16M14 6V16", cylinder: "M2 6H20V16H2zM12 6V16M12 11H22", pump: "M11 3a8 8 0 1 0 .01 0M11 3L17 9H5z",
  throttle: "M6 3Q12 11 6 19M16 3Q10 11 16 19", state: "M4 18L18 4", signal: "M2 12Q6 2 11 12T20 12",
    input: "M2 11H18L12 5M18 11L12 17",
  limit: "M4 18H18M4 4V18",
};
/** The small sign of a node that is not a body. */
export const nodeSign = (kind: string): SVGElement => path(SIGNS[kind] ?? SIGNS.volume, { class: "sign",
  transform: "translate(5 4) scale(0.8)" });

/** Hatching below the ground. */
export const groundHatch = (width: number, height: number): SVGElement => {
  const lines = Array.from({ length: Math.ceil(width / 10) }, (_, k) => `M${10 * k + 8} 0L${10 * k} 8`).join("");
  return at(0, -8, path(lines, { class: "hatch", "data-height": String(height) }));
};
