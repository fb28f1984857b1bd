// The widths of the panels beside the picture: an edge is dragged, or moved by arrow keys; the address keeps them.
import { clamp } from "../view/space.ts";
import { keep, kept } from "../page/address.ts";
import { byId, takesKey } from "../page/dom.ts";

const LEAST = 160, PICTURE = 240; // pixels: smallest panel, smallest picture
const STEP = 16, LEAP = 4; // pixels of an arrow key, and how many times as many with Shift

interface Panel {
  edge: string; // id of the separator
  name: string; // in the address, and of the CSS variable
  sign: 1 | -1; // 1: the panel is to the left of its edge
  shown(): HTMLElement; // the panel beside it now
}
const PANELS: Panel[] = [
  { edge: "edge-left", name: "left", sign: 1, shown: () => byId(byId("model").classList.contains("open") ? "model" : "dials") },
  { edge: "edge-right", name: "right", sign: -1, shown: () => byId("plots") },
];

/** A width in the address; null if it is missing or not a number. */
export const readWidth = (text: string | null): number | null => {
  const width = text === null || text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(width) && width >= LEAST ? width : null;
};

/** The width that a panel may have, if the other panel and the picture need room, too. */
export const fittingWidth = (wanted: number, page: number, other: number): number =>
  Math.round(clamp(wanted, LEAST, Math.max(page - other - PICTURE, LEAST)));

export const makePanels = (): void => {
  const pane = byId("motion");
  PANELS.forEach(({ edge, name, sign, shown }, k) => {
    const grip = byId(edge), width = () => shown().getBoundingClientRect().width;
    const other = () => PANELS[1 - k].shown().getBoundingClientRect().width;
    const fitting = (wanted: number) => fittingWidth(wanted, pane.clientWidth, other());
    let chosen = readWidth(kept(name)); // null: as the page decides
    const apply = () => {
      if (chosen === null) pane.style.removeProperty(`--${name}`);
      else pane.style.setProperty(`--${name}`, `${fitting(chosen)}px`);
      const numbers = { "aria-valuenow": Math.round(width()), "aria-valuemin": LEAST, "aria-valuemax": fitting(Infinity) };
      for (const [key, value] of Object.entries(numbers)) grip.setAttribute(key, String(value));
    };
    const set = (wanted: number | null) => {
      chosen = wanted === null ? null : fitting(wanted);
      keep(name, chosen === null ? null : String(chosen));
      apply();
    };
    let from: [number, number] | null = null; // where the drag began, and the width then
    grip.onpointerdown = (event) => {
      grip.setPointerCapture(event.pointerId);
      from = [event.clientX, width()];
      event.preventDefault();
    };
    grip.onpointermove = (event) => { if (from) set(from[1] + sign * (event.clientX - from[0])); };
    grip.onpointerup = grip.onpointercancel = () => { from = null; };
    grip.ondblclick = () => set(null);
    grip.onkeydown = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !takesKey(grip, event.key)) return;
      const by = STEP * (event.shiftKey ? LEAP : 1) * sign;
      const goals: Record<string, () => number | null> = {
        ArrowLeft: () => width() - by, ArrowRight: () => width() + by, Home: () => LEAST, End: () => Infinity, Enter: () => null,
      };
      if (!(event.key in goals)) return;
      set(goals[event.key]());
      event.preventDefault();
      event.stopPropagation();
    };
    new ResizeObserver(apply).observe(pane);
  });
};
