// Screenshots and films of the view.
import type { View } from "../view/view.ts";
import { byId, download, element } from "./dom.ts";

const FRAMES = 30; // a second, of a film
const KINDS = ["video/mp4;codecs=avc1", "video/webm;codecs=vp9", "video/webm"];

/** The view in its best quality, on the background of the page. */
export const takePicture = (seen: View, view: HTMLCanvasElement, words: HTMLCanvasElement, name: string): void => {
  seen.refine("best");
  seen.draw(); // WebGL clears its buffer after this task
  const sheet = element("canvas", { width: view.width, height: view.height }), pen = sheet.getContext("2d")!;
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--paper");
  pen.fillRect(0, 0, sheet.width, sheet.height);
  pen.drawImage(view, 0, 0);
  if (words.style.display !== "none") pen.drawImage(words, 0, 0, sheet.width, sheet.height);
  seen.refine("quick");
  sheet.toBlob((blob) => { if (blob) download(blob, `${name}.png`); });
};

/** The button that starts and stops a film of the view; returns a function that says whether one is recorded. */
export const makeFilm = (view: HTMLCanvasElement, name: () => string): (() => boolean) => {
  const button = byId<HTMLButtonElement>("film");
  const kind = typeof MediaRecorder === "undefined" ? undefined : KINDS.find((k) => MediaRecorder.isTypeSupported(k));
  button.hidden = !kind || !("captureStream" in view);
  let recorder: MediaRecorder | null = null;
  button.onclick = () => {
    if (recorder) return recorder.stop();
    const pieces: Blob[] = [];
    recorder = new MediaRecorder(view.captureStream(FRAMES), { mimeType: kind });
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
  return () => recorder !== null;
};
