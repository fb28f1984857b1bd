// Instruments over the view: round and bar gauges, numbers, lamps, messages, a map, a timer and a score.
import type { GaugeData } from "../contract.ts";
import { phrase, translated } from "../language/language.ts";
import { shownIn } from "../language/units.ts";
import { element, svg } from "../page/dom.ts";

const FIRST = -225, SWEEP = 270; // degrees of a round scale, from its low end
const RADIUS = 42, LONG = 140; // of a round scale; of a bar

export interface Gauges {
  /** Values of all channels. */
  show(values: ArrayLike<number>): void;
  /** The machine begins again. */
  clear(): void;
}
const drawn = (kind: string, more: Record<string, string | number>, parent: Element) => {
  const made = svg(kind, more);
  parent.append(made);
  return made;
};
const share = ({ low, high }: GaugeData, x: number) => Math.min(Math.max((x - low) / (high - low), 0), 1);

/** A point on the round scale. */
export const onScale = (part: number, radius: number): [number, number] => {
  const a = ((FIRST + SWEEP * part) * Math.PI) / 180;
  return [50 + radius * Math.cos(a), 50 + radius * Math.sin(a)];
};
const arc = (from: number, to: number) => {
  const [a, b] = [onScale(from, RADIUS), onScale(to, RADIUS)];
  return `M${a.join(" ")}A${RADIUS} ${RADIUS} 0 ${(to - from) * SWEEP > 180 ? 1 : 0} 1 ${b.join(" ")}`;
};

/** A number as a gauge shows it; seconds as minutes and seconds. */
export const written = ({ kind, digits, unit }: GaugeData, x: number): string => {
  if (!Number.isFinite(x)) return "–";
  if (kind !== "timer") return `${x.toFixed(digits)}${unit && ` ${unit}`}`;
  const tenths = Math.round(Math.abs(x) * 10), rest = ((tenths % 600) / 10).toFixed(1).padStart(4, "0");
  return `${x < 0 ? "−" : ""}${Math.floor(tenths / 600)}:${rest}`;
};
/** The number of the zone that a value is in; −1: none. */
export const zoneOf = ({ zones }: GaugeData, x: number): number => zones.findIndex(([low, high]) => x >= low && x <= high);

interface Made {
  box: HTMLElement;
  show(x: number, y: number, set: number | null): void;
  clear?(): void;
}
const makeInstrument = (row: GaugeData): Made => {
  const { kind, label, zones, low, high } = row, text = element("b"), box = element("div", { className: `gauge ${kind}` });
  let needle: Element | null = null, mark: Element | null = null;
  if (kind === "round") {
    const face = drawn("svg", { viewBox: "0 0 100 86", "aria-hidden": "true" }, box);
    drawn("path", { class: "scale", d: arc(0, 1) }, face);
    for (const [a, b] of zones) drawn("path", { class: "red", d: arc(share(row, a), share(row, b)) }, face);
    mark = drawn("line", { class: "set" }, face);
    needle = drawn("line", { class: "needle", x1: 50, y1: 50 }, face);
  } else if (kind === "bar") {
    const face = drawn("svg", { viewBox: `0 0 ${LONG} 14`, "aria-hidden": "true" }, box), line = (a: number, b: number, name: string) =>
      drawn("line", { class: name, x1: LONG * a, x2: LONG * b, y1: 7, y2: 7 }, face);
    line(0, 1, "scale");
    for (const [a, b] of zones) line(share(row, a), share(row, b), "red");
    mark = drawn("line", { class: "set" }, face);
    needle = drawn("line", { class: "needle" }, face);
  }
  box.append(text, element("small", { textContent: label }));
  const ranged = kind === "round" || kind === "bar";
  box.setAttribute("role", ranged ? "meter" : "group");
  box.setAttribute("aria-label", label);
  if (ranged) [["aria-valuemin", low], ["aria-valuemax", high]].forEach(([name, x]) => box.setAttribute(String(name), String(x)));
  const at = (line: Element | null, x: number | null, inner: number) => {
    if (!line) return;
    line.setAttribute("visibility", x === null ? "hidden" : "visible");
    const part = share(row, x ?? low), [a, b] = kind === "round" ? [onScale(part, inner), onScale(part, RADIUS + 4)]
      : [[LONG * part, 0], [LONG * part, 14]];
    Object.entries({ x1: a[0], y1: a[1], x2: b[0], y2: b[1] }).forEach(([name, v]) => line.setAttribute(name, v.toFixed(2)));
  };
  const show: Made["show"] = (x, _, set) => {
    const words = written(row, x);
    if (text.textContent !== words) {
      text.textContent = words;
      if (ranged) box.setAttribute("aria-valuenow", String(Number.isFinite(x) ? x : low)); // a meter must have one
      box.setAttribute(ranged ? "aria-valuetext" : "aria-label", ranged ? words : `${label} ${words}`);
    }
    box.classList.toggle("alarm", zoneOf(row, x) >= 0);
    at(needle, x, 8);
    at(mark, set, RADIUS - 8);
  };
  return { box, show };
};
const makeLamp = (row: GaugeData): Made => {
  const light = element("i"), name = element("span", { textContent: row.label });
  const box = element("div", { className: "gauge lamp" }, light, name);
  box.setAttribute("role", "status");
  const show = (x: number) => {
    const on = zoneOf(row, x) >= 0, words = `${row.label}: ${phrase(on ? "on" : "off")}`;
    light.style.background = on ? row.colour : "";
    if (box.getAttribute("aria-label") !== words) box.setAttribute("aria-label", words);
  };
  return { box, show };
};
const makeMessage = (row: GaugeData): Made => {
  const box = element("div", { className: "gauge message" });
  box.setAttribute("role", "status");
  const show = (x: number) => {
    const words = row.texts[zoneOf(row, x)] ?? "";
    if (box.textContent !== words && (words || !row.latched)) box.textContent = words;
  };
  return { box, show, clear: () => { box.textContent = ""; } };
};
const makeMap = ({ label, area: [left, low, right, high], line }: GaugeData): Made => {
  const wide = right - left, tall = high - low, scale = 100 / Math.max(wide, tall);
  const at = (x: number, y: number) => [(x - left) * scale, (high - y) * scale];
  const box = element("div", { className: "gauge map" });
  const sheet = drawn("svg", { viewBox: `-3 -3 ${wide * scale + 6} ${tall * scale + 6}`, role: "img", "aria-label": label }, box);
  if (line.length) drawn("polyline", { class: "line", points: line.map(([x, y]) => at(x, y).join(",")).join(" ") }, sheet);
  const place = drawn("circle", { class: "place", r: 3.5 }, sheet);
  box.append(element("small", { textContent: label }));
  const show = (x: number, y: number) => {
    const [u, v] = at(Math.min(Math.max(x, left), right), Math.min(Math.max(y, low), high));
    place.setAttribute("cx", u.toFixed(1));
    place.setAttribute("cy", v.toFixed(1));
  };
  return { box, show };
};

const MAKERS: Partial<Record<GaugeData["kind"], (row: GaugeData) => Made>> =
  { lamp: makeLamp, message: makeMessage, map: makeMap };

/** A gauge in the language and the units of the person. */
export const preferredGauge = (row: GaugeData, into = shownIn): GaugeData => {
  const [unit, per] = into(row.unit), texts = row.texts.map(translated), label = translated(row.label);
  if (per === 1) return { ...row, label, texts };
  const zones = row.zones.map(([low, high]): [number, number] => [per * low, per * high]);
  const digits = Math.max(row.digits - Math.round(Math.log10(per)), 0);
  const set_value = row.set_value === null ? null : per * row.set_value;
  const [low, high, scale] = [per * row.low, per * row.high, per * row.scale];
  return { ...row, label, texts, unit, zones, digits, set_value, low, high, scale };
};

export const makeGauges = (parent: HTMLElement, given: GaugeData[]): Gauges => {
  const rows = given.map((row) => preferredGauge(row));
  const corners = new Map([...parent.children].map((one) => [one.className, one as HTMLElement]));
  const made = rows.map((row) => {
    const one = (MAKERS[row.kind] ?? makeInstrument)(row);
    if (!corners.has(row.corner)) {
      const corner = element("div", { className: row.corner });
      corners.set(row.corner, corner);
      parent.append(corner);
    }
    corners.get(row.corner)!.append(one.box);
    return one;
  });
  const show = (values: ArrayLike<number>) => rows.forEach(({ channels: [first, second], scale, set_channel, set_value }, k) => {
    const moving = set_channel < 0 ? set_value : scale * values[set_channel];
    const set = moving === null || Number.isNaN(moving) ? null : moving; // a task of a scenario may have no set point
    made[k].show(scale * values[first], scale * (values[second] ?? 0), set);
  });
  return { show, clear: () => made.forEach((one) => one.clear?.()) };
};
