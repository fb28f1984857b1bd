// Widgets for controls: a steering wheel, a pedal or a slider; up increases the value.
import type { ControlData } from "../contract.ts";
import { svg } from "../page/dom.ts";

export interface Widget {
  face: SVGElement;
  draw(value: number): void;
  down(event: PointerEvent): void;
  move(event: PointerEvent): number; // displacement since `down`, in the unit of the control
}

const wheel = (): Widget => {
  const spokes = [90, 210, 330].map((a) => (a * Math.PI) / 180)
    .map((a) => svg("line", { x1: 0, y1: 0, x2: 42 * Math.cos(a), y2: 42 * Math.sin(a), class: "spoke" }));
  const turning = svg("g", {}, svg("circle", { r: 42, class: "rim" }), ...spokes,
    svg("circle", { r: 9, class: "hub" }), svg("circle", { cy: -42, r: 4, class: "mark" }));
  const face = svg("svg", { viewBox: "-52 -52 104 104", "aria-hidden": "true" }, turning);
  const angle = (event: PointerEvent) => {
    const box = face.getBoundingClientRect();
    return Math.atan2(-(event.clientY - box.top - box.height / 2), event.clientX - box.left - box.width / 2);
  };
  let last = 0, sum = 0;
  return {
    face, draw: (x) => turning.setAttribute("transform", `rotate(${(-x * 180) / Math.PI})`),
    down: (event) => { [last, sum] = [angle(event), 0]; },
    move: (event) => { // adds up over several turns
      const turn = angle(event) - last;
      sum += turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI));
      last += turn;
      return sum;
    },
  };
};

const bar = ({ low, high }: ControlData): Widget => {
  const [w, h] = [34, 96], knob = svg("rect", { x: 3, width: w - 6, height: 14, rx: 4, class: "knob" });
  const rail = svg("rect", { x: w / 2 - 4, width: 8, height: h, rx: 4, class: "rail" });
  const face = svg("svg", { viewBox: `0 0 ${w} ${h}`, "aria-hidden": "true" }, rail, knob);
  let from = 0;
  return {
    face, draw: (x) => knob.setAttribute("y", String(((h - 14) * (high - x)) / (high - low))),
    down: (event) => { from = event.clientY; },
    move: (event) => ((from - event.clientY) * (high - low)) / face.getBoundingClientRect().height,
  };
};

export const widgetOf = (control: ControlData): Widget => (control.shape === "wheel" ? wheel() : bar(control));
