// Names over the picture, on a sheet of its own.
import type { Triple } from "../contract.ts";
import type { Pane } from "./panes.ts";
import type { Matrix, Vector } from "./space.ts";

export interface Word {
  text: string;
  at: Triple;
  colour?: string;
}
export interface Words {
  /** An empty sheet, of so many pixels for a pixel of the page. */
  clear(ratio: number, canvas: HTMLCanvasElement): void;
  /** Words over a pane, which is given in shares of the canvas. */
  write(matrix: Matrix, pane: Pane, words: Word[]): void;
  onCanvas(p: Vector, matrix: Matrix, pane: Pane): [number, number] | null;
  pen(): CanvasRenderingContext2D;
}

export const makeWords = (sheet: HTMLCanvasElement, dark: MediaQueryList): Words => {
  const pen = sheet.getContext("2d")!;
  let inked = true; // since the last picture
  const ink = () => {
    inked = true;
    sheet.style.display = "";
    return pen;
  };
  let ratio = 1;
  const onCanvas = (p: Vector, m: Matrix, pane: Pane): [number, number] | null => { // pixels of a place, as the sheet counts them
    const [x, y, w] = [0, 1, 3].map((i) => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i]);
    const across = pane.left + (pane.width * (x / w + 1)) / 2, down = pane.top + (pane.height * (1 - y / w)) / 2;
    return w > 0 ? [across * sheet.width, down * sheet.height] : null;
  };
  const clear: Words["clear"] = (given, canvas) => {
    ratio = given;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(Math.round(x * ratio), 1));
    if (sheet.width !== w || sheet.height !== h) [sheet.width, sheet.height] = [w, h];
    if (inked) pen.clearRect(0, 0, sheet.width, sheet.height);
    sheet.style.display = inked ? "" : "none"; // an empty sheet would be laid over each picture
    inked = false;
  };
  const write: Words["write"] = (matrix, pane, words) => { // with a halo
    if (!words.length) return;
    ink();
    const [left, right] = [pane.left * sheet.width, (pane.left + pane.width) * sheet.width];
    const [top, bottom] = [pane.top * sheet.height, (pane.top + pane.height) * sheet.height];
    pen.font = `600 ${12.5 * ratio}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.lineJoin = "round";
    pen.lineWidth = 4 * ratio;
    pen.strokeStyle = dark.matches ? "#171b20cc" : "#ffffffd9";
    const taken: [number, number, number][] = []; // by numbers: the first numbers are the largest
    for (const { text, at: place, colour } of words) {
      const at = onCanvas(place, matrix, pane);
      if (!at || at[0] < left || at[0] > right || at[1] < top || at[1] > bottom) continue;
      if (colour) {
        const half = 0.5 * pen.measureText(text).width;
        if (taken.some(([x, y, w]) => Math.abs(x - at[0]) < w + half && Math.abs(y - at[1]) < 14 * ratio)) continue;
        taken.push([...at, half]);
      }
      pen.fillStyle = colour ?? (dark.matches ? "#e8ecf0" : "#1e252c");
      pen.strokeText(text, at[0], at[1] - 9 * ratio);
      pen.fillText(text, at[0], at[1] - 9 * ratio);
    }
  };
  return { clear, write, onCanvas, pen: ink };
};
