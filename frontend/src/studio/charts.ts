// Charts on a page of a machine: bars with their intervals, lines, and maps of counts, as drawings with text.
import type { ChartContent, ChartData, SeriesData } from "../contract.ts";
import { phrase, translated } from "../language/language.ts";
import { element, svg } from "../page/dom.ts";
import { tickLabels, ticks } from "./numbers.ts";

export type Charts = Record<string, ChartContent>;

const WIDE = 420, HIGH = 220; // of a drawing, in its own units
const LEFT = 46, RIGHT = 8, TOP = 8, BOTTOM = 40;
const GAP = 0.25; // of a group of bars
const LINE = 12; // from one line of a name to the next
const CAP = 3; // half the width of the end of an interval

/** Ends of an axis that shows all numbers; bars begin at zero. */
export const ends = (numbers: (number | null)[], fromZero: boolean): [number, number] => {
  const known = numbers.filter((x) => x !== null);
  const low = Math.min(...known, ...(fromZero ? [0] : [])), high = Math.max(...known, ...(fromZero ? [0] : []));
  if (!known.length) return [0, 1];
  return high > low ? [low, high + 0.04 * (high - low)] : [low - (fromZero ? 0 : 0.5), high + 0.5];
};
/** All numbers of series, with the ends of their intervals. */
const heights = (series: SeriesData[]) => series.flatMap(({ y, low, high }) => [...y, ...low, ...high]);

/** The share of the whole range that a number has, of a map: the root shows rare places, too. */
export const shade = (count: number, most: number): number => (most > 0 ? Math.sqrt(count / most) : 0);

const written = (text: string, x: number, y: number, more: Record<string, string | number> = {}) => {
  const made = svg("text", { x, y, ...more });
  made.textContent = text;
  return made;
};
interface Axes { x: (value: number) => number; y: (value: number) => number; drawn: SVGElement[] }

/** Axes with labels; no ticks along x if groups of bars have names there. */
const axes = ({ x, y }: ChartData, across: [number, number], up: [number, number], named: boolean): Axes => {
  const right = WIDE - RIGHT, bottom = HIGH - BOTTOM;
  const place = {
    x: (value: number) => LEFT + ((value - across[0]) / (across[1] - across[0])) * (right - LEFT),
    y: (value: number) => bottom - ((value - up[0]) / (up[1] - up[0])) * (bottom - TOP),
  };
  const levels = ticks(up[0], up[1], 4), times = named ? [] : ticks(across[0], across[1], 4);
  const drawn = [
    ...levels.map((value) => svg("line", { class: "grid", x1: LEFT, x2: right, y1: place.y(value), y2: place.y(value) })),
    ...tickLabels(levels).map((text, k) => written(text, LEFT - 5, place.y(levels[k]) + 4, { "text-anchor": "end" })),
    ...tickLabels(times).map((text, k) => written(text, place.x(times[k]), bottom + 14, { "text-anchor": "middle" })),
    written(translated(x), (LEFT + right) / 2, HIGH - 6, { "text-anchor": "middle" }),
    written(translated(y), 12, (TOP + bottom) / 2, { "text-anchor": "middle", transform: `rotate(-90 12 ${(TOP + bottom) / 2})` }),
  ];
  return { ...place, drawn };
};
const drawnBars = (chart: ChartData, { names, series }: ChartContent) => {
  const { x, y, drawn } = axes(chart, [0, names.length], ends(heights(series), true), true);
  const width = (x(1) - x(0)) * (1 - GAP) / series.length;
  const marks = series.flatMap((one, s) => one.y.flatMap((value, k) => {
    if (value === null) return [];
    const left = x(k + GAP / 2) + s * width, middle = left + width / 2, top = Math.min(y(value), y(0));
    const bar = svg("rect", { class: `series-${s}`, x: left, y: top, width: 0.92 * width, height: Math.abs(y(value) - y(0)) });
    const [low, high] = [one.low[k] ?? null, one.high[k] ?? null];
    if (low === null || high === null) return [bar];
    const d = `M${middle - CAP} ${y(low)}h${2 * CAP}M${middle} ${y(low)}V${y(high)}M${middle - CAP} ${y(high)}h${2 * CAP}`;
    return [bar, svg("path", { class: "interval", d })];
  }));
  const texts = names.flatMap((name, k) => name.split(": ").map((line, n) => // such as a question and its answer
    written(translated(line), x(k + 0.5), HIGH - BOTTOM + 14 + LINE * n, { "text-anchor": "middle" })));
  return [...drawn, ...marks, ...texts];
};
const drawnLines = (chart: ChartData, { series }: ChartContent) => {
  const { x, y, drawn } = axes(chart, ends(series.flatMap((one) => one.x), false), ends(heights(series), false), false);
  return [...drawn, ...series.map((one, s) => {
    const points = one.x.flatMap((at, k) => (one.y[k] === null ? [] : [`${x(at).toFixed(1)},${y(one.y[k]).toFixed(1)}`]));
    return svg("polyline", { class: `series-${s}`, points: points.join(" ") });
  })];
};
const drawnMap = (chart: ChartData, { grid, ranges }: ChartContent) => {
  const [x0, y0, x1, y1] = ranges, { x, y, drawn } = axes(chart, [x0, x1], [y0, y1], false);
  const most = Math.max(...grid.flat()), rows = grid.length, columns = grid[0].length;
  const width = (x(x1) - x(x0)) / columns, height = (y(y0) - y(y1)) / rows;
  return [...drawn, ...grid.flatMap((row, j) => row.flatMap((count, i) => (count > 0 ? [svg("rect", {
    class: "cell", x: x(x0) + i * width, y: y(y0) - (j + 1) * height, width: width + 0.3, height: height + 0.3,
    opacity: shade(count, most).toFixed(3),
  })] : [])))];
};
const DRAWN = { bars: drawnBars, lines: drawnLines, map: drawnMap };

/** Whether there is something to draw. */
export const isFilled = ({ series, grid }: ChartContent): boolean =>
  grid.length > 0 || series.some(({ y }) => y.some((value) => value !== null));

/** A chart, which draws its content whenever that comes. */
export const makeChart = (chart: ChartData) => {
  const box = element("figure"), empty = element("p", { textContent: phrase("No entries yet.") });
  const head = element("figcaption", {}, element("h2", { textContent: translated(chart.title) }));
  const show = (charts: Charts) => {
    const content = charts[chart.key] as ChartContent | undefined;
    if (!content || !isFilled(content)) return box.replaceChildren(head, empty);
    const said = { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": translated(chart.title) };
    const labels = content.series.map(({ label }, k) => element("li", { className: `series-${k}`, textContent: translated(label) }));
    const note = content.note.split("; ").map(translated).join("; ");
    const more = [element("ul", {}, ...labels), element("p", { textContent: note })].filter((one) => one.textContent);
    box.replaceChildren(head, svg("svg", said, ...DRAWN[chart.kind](chart, content)), ...more);
  };
  show({});
  return { box, show };
};
