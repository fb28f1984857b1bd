// The loop of pictures: one is drawn when something has moved, and a better one when nothing has moved for a while.
import { phrase } from "../language/language.ts";
import { BREAK } from "../view/pace.ts";
import { rests } from "../view/rests.ts";
import type { Care } from "../view/shown.ts";
import type { View } from "../view/view.ts";
import { byId } from "../page/dom.ts";
import type { Parts } from "./parts.ts";
import * as state from "./state.ts";

const PLOTS_EVERY = 60; // ms; longer if pictures are drawn with fewer pixels
const COUNT_EVERY = 1000; // ms
const WANTED = 30; // poses a second from which the number of pictures matters

export interface Pictures {
  /** Something has changed: draw soon. */
  refresh(): void;
  /** Nothing has changed, but do not draw better pictures yet. */
  stir(): void;
}

/** Starts the loop. beat: called once a picture. write: called now and then for texts and plots. */
export const startPictures = (parts: () => Parts | null, beat: (now: number) => void, write: () => void): Pictures => {
  let dirty = true, news = 0, counted = 0, since = performance.now(), written = 0, known = 0;
  const { motion } = state;
  const draw = (view: View, how: Care) => {
    view.refine(how);
    motion.care = how;
    dirty = view.draw();
    parts()?.hold.draw();
    parts()?.film.frame(performance.now()); // before the buffer of WebGL is cleared
    counted++;
    motion.drawn++;
  };
  const drawIfDue = (view: View, now: number) => {
    // a running machine may be touched at any moment, and a machine in preparation needs the processor
    const busy = state.isRunning() || !state.hello.value, filming = parts()?.film.active();
    const wanted = dirty || filming; // a film needs all pictures
    const better = wanted ? undefined
      : rests(view.byProcessor).filter(([how, ms]) => now - news > ms && !(busy && how === "best")).at(-1);
    if (wanted && view.due(now)) draw(view, filming ? "sharp" : "quick");
    else if (better && better[0] !== motion.care) draw(view, better[0]);
  };
  const count = (now: number) => {
    const seconds = (now - since) / 1000, received = motion.received - known;
    state.pictures.value = Math.round(counted / seconds);
    state.level.value = motion.view?.level() ?? "full";
    [counted, since, known] = [0, now, motion.received];
    if (received > WANTED * seconds) motion.view?.pace(state.pictures.value);
  };
  const picture = (now: number) => {
    const { view } = motion, immersed = parts()?.headset.active();
    if (BREAK && view?.byProcessor) setTimeout(() => requestAnimationFrame(picture), BREAK);
    else requestAnimationFrame(picture);
    if (!immersed) {
      beat(now);
      parts()?.hover.tell(now);
      if (view && !document.hidden) drawIfDue(view, now);
    }
    if (now - written > PLOTS_EVERY / (view?.shown.sharpness ?? 1) ** 2) { // they cost as much as pictures without a card
      written = now;
      write();
    }
    if (now - since > COUNT_EVERY) count(now);
  };
  const refresh = () => { dirty = true; news = performance.now(); };
  const canvas = byId("view");
  const lost = () => { state.trouble.value = phrase("picture lost: waiting for the graphics card"); };
  canvas.addEventListener("webglcontextlost", lost);
  canvas.addEventListener("webglcontextrestored", () => { state.trouble.value = ""; refresh(); });
  requestAnimationFrame(picture);
  return { refresh, stir: () => { news = performance.now(); } };
};
