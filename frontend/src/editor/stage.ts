// The 3-D view beside the diagram: the same model, assembled; bodies are selected, points and axes have handles.
import type { Triple } from "../contract.ts";
import { phrase } from "../language/language.ts";
import { byId } from "../page/dom.ts";
import { floatsOf } from "../view/geometry.ts";
import { rests as restsOf } from "../view/rests.ts";
import { openRenderer } from "../view/renderer.ts";
import { makeView, type View } from "../view/view.ts";
import type { Film, ViewNews } from "./contract.ts";
import { makeHandles, type HandleEvents } from "./handles.ts";

export interface Stage {
  show(news: ViewNews): void;
  select(body: string | null): void;
  play(film: Film, share: number): void;
  rest(): void;
  /** The body under a place of the page; null: there is none. */
  bodyAt(x: number, y: number): string | null;
  /** Pictures that were drawn. */
  pictures(): number;
}
/** chosen: a body was clicked. */
export const makeStage = (chosen: (body: string | null) => void, events: HandleEvents): Stage => {
  const canvas = byId<HTMLCanvasElement>("view"), words = byId<HTMLCanvasElement>("words"), measure = byId("measure");
  const opened = openRenderer(canvas);
  let seen: View | null = null, news: ViewNews | null = null, body: string | null = null, waiting = false, rests: number[] = [],
    handled = false, pictures = 0;
  const onPage = (p: Triple): [number, number] | null => {
    const found = seen?.onCanvas(p);
    if (!found) return null;
    const [across, down] = [canvas.clientWidth / Math.max(words.width, 1), canvas.clientHeight / Math.max(words.height, 1)];
    return [found[0] * across, found[1] * down];
  };
  const handles = makeHandles(() => seen, onPage, events);
  const refresh = () => {
    if (waiting || !seen) return;
    waiting = true;
    rests.forEach(clearTimeout);
    requestAnimationFrame(() => {
      waiting = false;
      if (!seen) return;
      seen.refine("quick");
      const more = seen.draw();
      pictures++;
      handles.place();
      if (more) refresh();
      else rests = restsOf(seen.byProcessor)
        .map(([how, ms]) => window.setTimeout(() => { seen!.refine(how); seen!.draw(); }, ms));
    });
  };
  const nameOf = (frame: number) => Object.entries(news?.frames ?? {}).find(([, one]) => one === frame)?.[0] ?? null;
  const poses = () => {
    const first = floatsOf(news!.scene.poses);
    for (let b = 0; b < news!.scene.bodies; b++) seen!.put(b, [...first.subarray(7 * b, 7 * b + 3)],
      [...first.subarray(7 * b + 3, 7 * b + 7)]);
  };
  const show = (given: ViewNews) => {
    if (!opened) return void (measure.textContent = phrase("This browser cannot draw in 3-D: WebGL 2 is missing."));
    const same = news !== null && seen !== null && news.scene.bodies === given.scene.bodies;
    if (!given.scene.geometry && news) given.scene.geometry = news.scene.geometry; // as before: it is sent when it changes
    news = given;
    if (same) { // the view stays where a person has turned it
      seen!.renew(given.scene);
      poses();
    } else {
      seen?.forget();
      seen = makeView(given.scene, canvas, words, [], opened);
      seen?.handle(refresh, () => false);
      seen?.fit();
    }
    if (!handled) {
      handled = true;
      let from: [number, number] = [0, 0];
      canvas.addEventListener("pointerdown", (event) => { from = [event.clientX, event.clientY]; });
      canvas.addEventListener("pointerup", (event) => {
        if (Math.hypot(event.clientX - from[0], event.clientY - from[1]) > 4 || !seen) return;
        chosen(nameOf(seen.pick(event, (frame) => frame > 0)?.frame ?? -1));
      });
    }
    select(body);
  };
  const select = (name: string | null) => {
    body = name;
    seen?.highlight(name && name !== "ground" ? (news?.frames[name] ?? null) : null);
    if (news && seen) handles.show(news, name);
    refresh();
  };
  let kept: { text: string; floats: Float32Array } | null = null;
  const play = ({ poses: text, pictures }: Film, share: number) => {
    if (!seen || !news) return;
    if (kept?.text !== text) kept = { text, floats: floatsOf(text) };
    const frames = news.scene.bodies, k = Math.round(share * (pictures - 1));
    if (kept.floats.length !== 7 * frames * pictures) return; // the model has changed since
    for (let b = 0; b < frames; b++) {
      const at = 7 * (k * frames + b);
      seen.put(b, [...kept.floats.subarray(at, at + 3)], [...kept.floats.subarray(at + 3, at + 7)]);
    }
    refresh();
  };
  const bodyAt = (clientX: number, clientY: number) => {
    const hit = seen?.pick({ clientX, clientY }, (frame) => frame > 0);
    return hit ? nameOf(hit.frame) : null;
  };
  return { show, select, play, bodyAt, pictures: () => pictures, rest: () => { if (seen && news) { poses(); refresh(); } } };
};
