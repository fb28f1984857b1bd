// One channel over another; what is older is fainter.
import { joined, rowAt, WINDOW, within, type Row } from "./bands.ts";
import { margins, tickLabels, ticks } from "./numbers.ts";
import { keeper, type Plot, type Zoom } from "./plot.ts";

const PIECES = 6; // of a curve, from faint to full
const NEAR = 24; // pixels from the pointer to a point of the curve

/** A canvas that is clear, in pixels of the screen. */
const paper = (canvas: HTMLCanvasElement) => {
  const ratio = Math.min(devicePixelRatio || 1, 2), pen = canvas.getContext("2d")!;
  const [w, h] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  pen.clearRect(0, 0, w, h);
  return { pen, w, h, ratio };
};
type Sheet = ReturnType<typeof paper>;

/** Lines and numbers of two axes; gives where x and y are. */
const axes = (
  canvas: HTMLCanvasElement, { pen, w, h, ratio }: Sheet, [first, last]: number[], [low, high]: number[], [across, up]: string[],
) => {
  const style = getComputedStyle(canvas), heights = ticks(low, high, 3), names = tickLabels(heights);
  pen.font = `${11 * ratio}px system-ui, sans-serif`;
  pen.fillStyle = style.getPropertyValue("--faint");
  pen.strokeStyle = style.getPropertyValue("--line");
  pen.lineWidth = ratio;
  pen.lineJoin = "round";
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  const left = Math.max(...names.map((name) => pen.measureText(name).width)) + 9 * ratio;
  const [top, bottom] = [20 * ratio, h - 30 * ratio];
  const x = (t: number) => left + ((t - first) / (last - first || 1)) * (w - left - 10 * ratio);
  const y = (v: number) => bottom - ((v - low) / (high - low)) * (bottom - top);
  pen.beginPath();
  heights.forEach((v, k) => {
    pen.moveTo(left, y(v));
    pen.lineTo(w, y(v));
    pen.fillText(names[k], left - 5 * ratio, y(v));
  });
  pen.stroke();
  pen.textAlign = "center";
  const along = ticks(first, last, 3);
  tickLabels(along).forEach((name, k) => {
    const half = pen.measureText(name).width / 2;
    pen.fillText(name, Math.min(Math.max(x(along[k]), left + half), w - half), h - 20 * ratio);
  });
  pen.textAlign = "right";
  pen.fillText(across, w - 2 * ratio, h - 6 * ratio);
  pen.textAlign = "left";
  pen.fillText(up, 2 * ratio, 7 * ratio);
  return { x, y };
};

/** floors: least magnitudes of x and y that count. */
export const makeTrace = (
  canvas: HTMLCanvasElement, colour: string, span: [number, number] | null, memory: number, zoom: Zoom,
  names: [string, string], floors: [number, number],
): Plot => {
  let rows: Row[] = [], records: Row[] = []; // [t, x, y], the middles of bands
  let scales: { x(a: number): number; y(b: number): number; rows: Row[]; ratio: number } | null = null; // of the last drawing
  const kept = keeper(memory);
  const middles = (more: Row[]): Row[] => more.map(([t, a, b, c, d]) => [t, (a + b) / 2, (c + d) / 2]);
  const add = (more: Row[]) => {
    if (rows.length && more.length && more[0][0] < rows[rows.length - 1][0]) rows = [];
    rows.push(...middles(more));
    if (!span) rows = kept(rows);
  };
  const value = (t: number) => rowAt(rows, t)?.[2] ?? NaN;
  const draw = (now: number) => {
    const sheet = paper(canvas), { pen, ratio } = sheet;
    const [first, last] = zoom.range ?? span ?? [now - WINDOW, now];
    const good = within(joined(rows, records, first, last), first, last).filter((row) => row.every(Number.isFinite));
    if (!good.length) return;
    const of = (k: 1 | 2) => {
      const [low, high] = good.reduce(([a, b], row) => [Math.min(a, row[k]), Math.max(b, row[k])], [Infinity, -Infinity]);
      return margins(low, high, floors[k - 1]);
    };
    const { x, y } = axes(canvas, sheet, of(1), of(2), names), size = Math.ceil(good.length / PIECES);
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = 1.5 * ratio;
    for (let k = 0; k < PIECES; k++) {
      pen.globalAlpha = 0.25 + (0.75 * (k + 1)) / PIECES;
      pen.beginPath();
      for (const [, a, b] of good.slice(Math.max(k * size - 1, 0), (k + 1) * size)) pen.lineTo(x(a), y(b));
      pen.stroke();
    }
    pen.globalAlpha = 1;
    const [, a, b] = good[good.length - 1];
    pen.beginPath();
    pen.arc(x(a), y(b), 3.5 * ratio, 0, 7);
    pen.fill();
    scales = { x, y, rows: good, ratio };
    const marked = zoom.at === null ? undefined : rowAt(good, zoom.at); // where it was at the time under the pointer
    if (!marked) return;
    pen.beginPath();
    pen.arc(x(marked[1]), y(marked[2]), 6 * ratio, 0, 7);
    pen.stroke();
  };
  canvas.addEventListener("mousemove", ({ offsetX, offsetY }) => { // the time of the nearest point is that of all plots
    if (!scales) return;
    const far = ([, a, b]: Row) => Math.hypot(scales!.x(a) - offsetX * scales!.ratio, scales!.y(b) - offsetY * scales!.ratio);
    const near = scales.rows.reduce((best, row) => (far(row) < far(best) ? row : best), scales.rows[0]);
    zoom.at = far(near) < NEAR * scales.ratio ? near[0] : null;
  });
  canvas.addEventListener("mouseleave", () => { zoom.at = null; });
  return {
    add, draw, value, refine: (found) => { records = middles(found); }, clear: () => { [rows, records] = [[], []]; }, 
    rows: () => rows, records: () => records, forget: () => undefined,
  };
};
