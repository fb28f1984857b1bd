// Handles over the 3-D view: points and joint axes of the selected body are dragged, and its dimensions are drawn.
import type { Triple } from "../contract.ts";
import { phrase } from "../language/language.ts";
import { byId, element, svg } from "../page/dom.ts";
import type { View } from "../view/view.ts";
import type { AxisRow, PointRow, ViewNews } from "./contract.ts";

const SNAP = Math.cos((6 * Math.PI) / 180); // directions this near to one of the three axes become that axis, as in axes.py
const REACH = 0.35; // length of an axis, in sizes of the motion
const UNITS: Triple[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

export interface HandleEvents {
  /** A point was dragged to a place of its own frame (m). */
  moved(point: string, at: Triple): void;
  /** The axis of a joint was dragged to a direction in the frame where the joint begins. */
  turned(body: string, joint: number, direction: Triple): void;
}
export interface Handles {
  show(news: ViewNews, body: string | null): void;
  /** Puts all handles where their points are in the view. */
  place(): void;
}
interface Mark { button: HTMLElement; at(): Triple }
interface Dimension { group: SVGElement; ends(): [Triple, Triple]; label(): string }

const sum = (a: Triple, b: Triple, by = 1) => a.map((x, k) => x + by * b[k]) as Triple;
const dot = (a: Triple, b: Triple) => a.reduce((all, x, k) => all + x * b[k], 0);
/** The direction, or the nearest of the three axes if it is near one. */
export const snapped = (d: Triple): Triple => {
  const long = Math.hypot(...d) || 1, unit = d.map((x) => x / long) as Triple;
  const k = unit.findIndex((x) => Math.abs(x) > SNAP);
  return k < 0 ? unit : UNITS[k].map((x) => x * Math.sign(unit[k])) as Triple;
};

export const makeHandles = (
  view: () => View | null, onPage: (p: Triple) => [number, number] | null, events: HandleEvents,
): Handles => {
  const box = byId("handles"), measure = byId("measure"), drawn = svg("svg", { class: "dimensions", "aria-hidden": "true" });
  let marks: Mark[] = [], dimensions: Dimension[] = [], size = 1;
  let held = false, next: [ViewNews, string | null] | null = null; // news wait until a drag ends
  const local = (frame: number, p: Triple): Triple => { // the inverse of onFrame: axes of the frame are orthogonal
    const o = view()!.onFrame(frame, [0, 0, 0]);
    return UNITS.map((axis) => dot(sum(view()!.onFrame(frame, axis), o, -1), sum(p, o, -1))) as Triple;
  };
  const place = () => {
    if (!view()) return;
    for (const { button, at } of marks) {
      const found = onPage(at());
      button.hidden = !found;
      if (found) button.style.transform = `translate(${found[0]}px, ${found[1]}px)`;
    }
    for (const { group, ends, label } of dimensions) {
      const [p, q] = ends().map(onPage), [line, text] = [...group.children];
      group.toggleAttribute("hidden", !p || !q);
      if (!p || !q) continue;
      for (const [key, value] of [["x1", p[0]], ["y1", p[1]], ["x2", q[0]], ["y2", q[1]]] as const)
        line.setAttribute(key, value.toFixed(1));
      text.setAttribute("x", ((p[0] + q[0]) / 2).toFixed(1));
      text.setAttribute("y", ((p[1] + q[1]) / 2 - 4).toFixed(1));
      text.textContent = label();
    }
  };
  /** Lets a button be dragged in the plane of the screen: `to` gets the place in space. */
  const drags = (button: HTMLElement, at: () => Triple, to: (p: Triple) => void, end: () => void) => {
    button.onpointerdown = (event) => {
      button.setPointerCapture(event.pointerId);
      const hit = at();
      held = true;
      view()!.pick(event, () => false); // the view under the pointer
      button.onpointermove = (move) => { to(view()!.beside(move, { hit })); place(); };
      button.onpointerup = button.onpointercancel = () => {
        button.onpointermove = button.onpointerup = button.onpointercancel = null;
        measure.textContent = "";
        held = false;
        end();
        if (next) show(...next);
      };
    };
  };
  const named = (className: string, text: string) => {
    const made = element("button", { className, title: text });
    made.setAttribute("aria-label", text);
    return made;
  };
  const dimension = (className: string, ends: () => [Triple, Triple], label: () => string) => {
    const group = svg("g", { class: className }, svg("line"), svg("text", { "text-anchor": "middle" }));
    dimensions.push({ group, ends, label });
  };

  const addPoint = ({ path, frame, at }: PointRow) => {
    let now = at;
    const button = named("handle", path), step = 10 ** Math.floor(Math.log10(Math.max(size, 1e-6))) / 100;
    const inSpace = () => view()!.onFrame(frame, now);
    drags(button, inSpace, (p) => {
      now = local(frame, p).map((x) => Number((Math.round(x / step) * step).toPrecision(12))) as Triple;
      measure.textContent = `${path}: ${now.map((x) => x.toPrecision(3)).join(", ")} m, ${Math.hypot(...now).toPrecision(4)} m`;
    }, () => { if (now.some((x, k) => x !== at[k])) events.moved(path, now); });
    marks.push({ button, at: inSpace });
    dimension("length", () => [view()!.onFrame(frame, [0, 0, 0]), inSpace()], () =>
      `${Number(Math.hypot(...now).toPrecision(4))} m`);
  };
  const addAxis = ({ body, joint, name, type, at, axes }: AxisRow) => {
    const old = UNITS[Number(type[1]) - 1], text = phrase("Axis of {name}", { name });
    let now = old;
    const button = named("handle axis", text);
    button.dataset.joint = name;
    const inSpace = () => view()!.onFrame(0, axes.reduce((p, axis, k) => sum(p, axis, REACH * size * now[k]), at));
    drags(button, inSpace, (p) => {
      const d = sum(local(0, p), at, -1);
      now = snapped(axes.map((axis) => dot(axis, d)) as Triple);
      const k = now.findIndex((x) => Math.abs(x) === 1);
      measure.textContent = `${text}: ${k < 0 ? now.map((x) => x.toFixed(2)).join(", ") : `${type[0]}${k + 1}`}`;
    }, () => { if (dot(now, old) < 0.9998) events.turned(body, joint, now); });
    button.onkeydown = ({ key }) => { // the next or the previous of the three axes
      const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: 2, ArrowDown: 2 }[key];
      if (by) events.turned(body, joint, UNITS[(Number(type[1]) - 1 + by) % 3]);
    };
    marks.push({ button, at: inSpace });
    dimension("axis", () => [view()!.onFrame(0, at), inSpace()], () => "");
  };
  const show = (news: ViewNews, body: string | null) => {
    next = held ? [news, body] : null;
    if (held) return;
    [marks, dimensions, size] = [[], [], news.scene.camera.size];
    const own = body === null ? [] : news.points.filter(({ path }) => path.startsWith(`${body}.`) && path !== `${body}.origin`);
    own.forEach(addPoint);
    news.axes.filter((one) => one.body === body).forEach(addAxis);
    drawn.replaceChildren(...dimensions.map(({ group }) => group));
    box.dataset.version = String(news.version);
    box.replaceChildren(drawn, ...marks.map(({ button }) => button));
    place();
  };
  return { show, place };
};
