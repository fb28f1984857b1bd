// Screenshots and films of the view, on request with instruments and plots.
import type { View } from "../view/view.ts";
import { byId, download, element } from "../page/dom.ts";
import { drawOverlay } from "./overlay.ts";

const FRAMES = 30; // a second, of a film
const KINDS = ["video/mp4;codecs=avc1", "video/webm;codecs=vp9", "video/webm"];
const OVERLAY_EVERY = 250; // ms between two pictures of the instruments in a film

const paper = () => getComputedStyle(document.documentElement).getPropertyValue("--paper");
const withOverlay = () => byId<HTMLInputElement>("with-hud").checked;
const PLOTS = "plot-list";

/** The width of the plots on the page; 0: there are none, or they are hidden. */
const plotsWidth = () => (byId(PLOTS).childElementCount ? byId(PLOTS).getBoundingClientRect().width : 0);

/** The plots as they are, in their grid, on a canvas; null: there are none, or they are hidden. */
const plotsSheet = async (ratio: number): Promise<HTMLCanvasElement | null> => {
  const list = byId(PLOTS), box = list.getBoundingClientRect();
  if (!plotsWidth()) return null;
  const sheet = element("canvas", { width: Math.round(box.width * ratio), height: Math.round(list.scrollHeight * ratio) });
  const pen = sheet.getContext("2d")!;
  await drawOverlay(pen, list, box, ratio);
  for (const chart of list.querySelectorAll("canvas")) {
    const at = chart.getBoundingClientRect();
    pen.drawImage(chart, (at.left - box.left) * ratio, (at.top - box.top) * ratio, at.width * ratio, at.height * ratio);
  }
  return sheet;
};

/** The view in its best quality, on the background of the page. */
export const takePicture = async (seen: View, view: HTMLCanvasElement, words: HTMLCanvasElement, name: string): Promise<void> => {
  seen.refine("best");
  seen.draw(); // WebGL clears its buffer after this task
  const sheet = element("canvas", { width: view.width, height: view.height }), pen = sheet.getContext("2d")!;
  pen.drawImage(view, 0, 0);
  if (words.style.display !== "none") pen.drawImage(words, 0, 0, sheet.width, sheet.height);
  seen.refine("quick");
  const ratio = view.width / Math.max(view.clientWidth, 1), all = withOverlay();
  if (all) await drawOverlay(pen, byId("hud"), view.getBoundingClientRect(), ratio);
  const plots = all ? await plotsSheet(ratio) : null;
  const whole = element("canvas", {
    width: sheet.width + (plots?.width ?? 0), height: Math.max(sheet.height, plots?.height ?? 0),
  }), ink = whole.getContext("2d")!;
  ink.fillStyle = paper();
  ink.fillRect(0, 0, whole.width, whole.height);
  ink.drawImage(sheet, 0, 0);
  if (plots) ink.drawImage(plots, sheet.width, 0);
  whole.toBlob((blob) => { if (blob) download(blob, `${name}.png`); });
};

export interface Film {
  /** Whether one is recorded: pictures are then drawn with all pixels. */
  active(): boolean;
  /** A picture was drawn: it is the next one of the film. */
  frame(now: number): void;
}

/** The button that starts and stops a film: of one size, whatever the page draws meanwhile. */
export const makeFilm = (view: HTMLCanvasElement, words: HTMLCanvasElement, name: () => string): Film => {
  const button = byId<HTMLButtonElement>("film"), sheet = element("canvas"), over = element("canvas");
  const kind = typeof MediaRecorder === "undefined" ? undefined : KINDS.find((k) => MediaRecorder.isTypeSupported(k));
  button.hidden = !kind || !("captureStream" in view);
  let recorder: MediaRecorder | null = null, overlaid = -Infinity;
  let wide = 0; // pixels of the view in the film; plots are beside it
  const overlay = async (now: number) => {
    overlaid = now;
    const next = element("canvas", { width: sheet.width, height: sheet.height }), ink = next.getContext("2d")!;
    const ratio = wide / Math.max(view.clientWidth, 1);
    await drawOverlay(ink, byId("hud"), view.getBoundingClientRect(), ratio);
    const plots = sheet.width > wide ? await plotsSheet(ratio) : null;
    if (plots) ink.drawImage(plots, wide, 0);
    [over.width, over.height] = [sheet.width, sheet.height];
    over.getContext("2d")!.drawImage(next, 0, 0);
  };
  const frame = (now: number) => {
    if (!recorder) return;
    const pen = sheet.getContext("2d")!;
    pen.fillStyle = paper();
    pen.fillRect(0, 0, sheet.width, sheet.height);
    pen.drawImage(view, 0, 0, wide, sheet.height);
    if (words.style.display !== "none") pen.drawImage(words, 0, 0, wide, sheet.height);
    if (!withOverlay()) return;
    if (now - overlaid > OVERLAY_EVERY) void overlay(now);
    if (over.width) pen.drawImage(over, 0, 0);
  };
  button.onclick = () => {
    if (recorder) return recorder.stop();
    const pieces: Blob[] = [], full = Math.min(devicePixelRatio || 1, 2);
    const even = (x: number) => 2 * Math.round((x * full) / 2); // as codecs need it
    wide = even(view.clientWidth);
    [sheet.width, sheet.height] = [wide + (withOverlay() ? even(plotsWidth()) : 0), even(view.clientHeight)];
    recorder = new MediaRecorder(sheet.captureStream(FRAMES), { mimeType: kind });
    recorder.ondataavailable = ({ data }) => { pieces.push(data); };
    recorder.onstop = () => {
      recorder = null;
      button.setAttribute("aria-pressed", "false");
      const [plain] = kind!.split(";");
      download(new Blob(pieces, { type: plain }), `${name()}.${plain.split("/")[1]}`);
    };
    recorder.start();
    button.setAttribute("aria-pressed", "true");
  };
  return { active: () => recorder !== null, frame };
};
