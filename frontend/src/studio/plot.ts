// A channel over time as bands of least and largest value, so that no peak is lost however few points are drawn.
import uPlot from "uplot";
import { phrase } from "../language/language.ts";
import { axisStyle } from "../page/axis_style.ts";
import "uplot/dist/uPlot.min.css";
import { joined, lined, recent, rowAt, WINDOW, withBands, type Row } from "./bands.ts";
import { margins, short, tickLabels } from "./numbers.ts";

export const HEIGHT = 148; // pixels, at least
const FAINT = "38"; // opacity of bands, in hexadecimal

/** The stretch of time (s) that all plots show; null: the last seconds, or the whole run. */
export interface Zoom {
  range: [number, number] | null;
  held: boolean; // a stretch is being chosen: plots stand still
  at: number | null; // the time (s) under the pointer, in any of the plots
}
export interface Plot {
  add(more: Row[]): void;
  /** Records instead of bands, for a plot that is zoomed or stands still; none: bands again. */
  refine(records: Row[]): void;
  draw(now: number): void;
  value(t: number): number; // at the time that is shown
  clear(): void;
  rows(): Row[];
  records(): Row[];
  forget(): void;
}

/** What a plot keeps of a machine that runs: a little more than it can be asked for, so that it is seldom cut. */
export const keeper = (memory: number) => (rows: Row[]): Row[] => {
  const span = Math.max(memory, WINDOW);
  return rows.length && rows[0][0] < rows[rows.length - 1][0] - 1.1 * span ? recent(rows, span) : rows;
};

/** Curves over time, a colour each. floor: what is smaller is drawn as zero.
 * span: of a recorded run (s). memory: of one that runs, how far back it is shown (s).
 * banded: curves whose standard deviations follow behind all curves, and are drawn as bands. */
export const makePlot = (
  parent: HTMLElement, colours: string[], span: [number, number] | null, unit: string, floor: number, memory: number, zoom: Zoom,
  banded: number[] = [],
): Plot => {
  let rows: Row[] = [], records: Row[] = []; // [t, least, largest, …]
  const kept = keeper(memory);
  const width = (self: uPlot, values: string[] | null) => { // of the widest number
    if (!values?.length) return 30;
    self.ctx.font = self.axes[1].font![0] as string;
    return Math.ceil(Math.max(...values.map((v) => self.ctx.measureText(v).width)) / devicePixelRatio) + 14;
  };
  const chart = new uPlot({
    width: parent.clientWidth || 200, height: parent.clientHeight || HEIGHT, legend: { show: false }, padding: [6, 8, 0, 0],
    cursor: { sync: { key: "studio" }, points: { size: 6 }, drag: { x: true, y: false, setScale: false } },
    scales: { x: { time: false }, y: { range: (_, low, high) => (low === null ? [0, 1] : margins(low, high, floor)) } },
    axes: [
      { ...axisStyle(parent), size: 18, space: 45, gap: 2, label: phrase("time (s)"), labelSize: 14 },
      {
        ...axisStyle(parent), size: width, space: 28, gap: 4, label: unit, labelSize: 15,
        values: (_, found) => tickLabels(found),
      },
    ],
    series: [
      {}, ...colours.map((stroke) => ({ stroke, width: 1.5, points: { show: false } })),
      ...banded.flatMap(() => [0, 1].map(() => ({ width: 0, points: { show: false } }))), // ends of bands
    ],
    bands: banded.map((curve, k) => {
      const upper = 1 + colours.length + 2 * k;
      return { series: [upper, upper + 1] as [number, number], fill: `${colours[curve]}${FAINT}` };
    }),
    hooks: {
      draw: [(self) => { // the instant that is shown of a recorded run, and the time under the pointer in another plot
        const { ctx, bbox } = self;
        ctx.fillStyle = getComputedStyle(parent).getPropertyValue("--faint");
        for (const t of [span && shown, hovered ? null : zoom.at]) {
          const at = t === null ? NaN : self.valToPos(t, "x", true);
          if (at >= bbox.left && at <= bbox.left + bbox.width) ctx.fillRect(at - 0.5, bbox.top, 1, bbox.height);
        }
      }],
      setSelect: [(self) => {
        const { left, width: wide } = self.select;
        if (wide > 0 && drags) zoom.range = [self.posToVal(left, "x"), self.posToVal(left + wide, "x")];
        self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      }],
      setCursor: [(self) => {
        const { left = -1 } = self.cursor;
        if (hovered) zoom.at = left < 0 ? null : self.posToVal(left, "x");
        const k = self.cursor.idx ?? -1, curves = self.data.slice(1, 1 + colours.length);
        const values = curves.map((line) => line[k]).filter((x) => typeof x === "number");
        parent.title = values.length ? phrase("{values} at {t} s", { values: `${values.map(short).join(", ")} ${unit}`, t: short(self.data[0][k]) }) : "";
      }],
    },
  }, [[], ...colours.map(() => []), ...banded.flatMap(() => [[], []])], parent);
  new ResizeObserver(() => chart.setSize({ width: parent.clientWidth, height: parent.clientHeight || HEIGHT })).observe(parent);

  let shown = 0, drags = false, hovered = false; // here, and not in another plot with the same cursor
  chart.over.addEventListener("mouseenter", () => { hovered = true; });
  chart.over.addEventListener("mouseleave", () => { hovered = false; zoom.at = null; });
  chart.over.addEventListener("mousedown", () => { drags = zoom.held = true; });
  addEventListener("mouseup", () => { setTimeout(() => { drags = zoom.held = false; }); }); // after the plot has read it
  chart.over.addEventListener("dblclick", () => { zoom.range = null; });
  const add = (more: Row[]) => {
    if (rows.length && more.length && more[0][0] < rows[rows.length - 1][0]) rows = [];
    rows.push(...more);
    if (!span) rows = kept(rows);
  };
  const value = (t: number) => {
    const row = rowAt(rows, t);
    return row ? (row[1] + row[2]) / 2 : NaN;
  };
  const draw = (now: number) => {
    if (zoom.held) return;
    const [first, last] = zoom.range ?? span ?? [now - WINDOW, now];
    const good = joined(rows, records, first, last).filter((row) => row.every(Number.isFinite));
    shown = now;
    if (!good.length) return;
    const [min, max] = zoom.range ?? span ?? [Math.max(good[0][0], first), Math.max(now, good[0][0] + 1)];
    chart.batch(() => {
      chart.setData(withBands(lined(good), colours.length, banded) as uPlot.AlignedData, false);
      chart.setScale("x", { min, max });
    });
  };
  return {
    add, draw, value, refine: (found) => { records = found; }, clear: () => { [rows, records] = [[], []]; },
    rows: () => rows, records: () => records, forget: () => chart.destroy(),
  };
};
