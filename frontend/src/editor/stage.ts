// The 3-D view beside the diagram: the same model, assembled; bodies are selected, points are moved by handles.
import type { Triple } from "../contract.ts";
import { phrase } from "../language/language.ts";
import { byId, element } from "../page/dom.ts";
import { floatsOf } from "../view/geometry.ts";
import { rests as restsOf } from "../view/rests.ts";
import { openRenderer } from "../view/renderer.ts";
import { makeView, type View } from "../view/view.ts";
import type { Film, ViewNews } from "./types.ts";


export interface Stage {
  show(news: ViewNews): void;
  select(body: string | null): void;
  play(film: Film, share: number): void;
  rest(): void;
}
/** chosen: a body was clicked. moved: a point was dragged to a place of its own frame (m). */
export const makeStage = (chosen: (body: string | null) => void, moved: (point: string, at: Triple) => void): Stage => {
  const canvas = byId<HTMLCanvasElement>("view"), words = byId<HTMLCanvasElement>("words"), handles = byId("handles"),
    measure = byId("measure");
  const opened = openRenderer(canvas);
  let seen: View | null = null, news: ViewNews | null = null, body: string | null = null, waiting = false, rests: number[] = [],
    handled = false;
  const onPage = (p: Triple): [number, number] | null => {
    const found = seen?.onCanvas(p);
    if (!found) return null;
    const [across, down] = [canvas.clientWidth / Math.max(words.width, 1), canvas.clientHeight / Math.max(words.height, 1)];
    return [found[0] * across, found[1] * down];
  };
  const placeHandles = () => {
    for (const dot of handles.children as HTMLCollectionOf<HTMLElement>) {
      const at = onPage(seen!.onFrame(Number(dot.dataset.frame), JSON.parse(dot.dataset.at!) as Triple));
      dot.hidden = !at;
      if (at) dot.style.transform = `translate(${at[0]}px, ${at[1]}px)`;
    }
  };
  const refresh = () => {
    if (waiting || !seen) return;
    waiting = true;
    rests.forEach(clearTimeout);
    requestAnimationFrame(() => {
      waiting = false;
      if (!seen) return;
      seen.refine("quick");
      const more = seen.draw();
      placeHandles();
      if (more) refresh();
      else rests = restsOf(seen.byProcessor)
        .map(([how, ms]) => window.setTimeout(() => { seen!.refine(how); seen!.draw(); }, ms));
    });
  };
  const nameOf = (frame: number) => Object.entries(news?.frames ?? {}).find(([, one]) => one === frame)?.[0] ?? null;
  const local = (frame: number, p: Triple): Triple => { // the inverse of onFrame: axes of the frame are orthogonal
    const o = seen!.onFrame(frame, [0, 0, 0]), axes = ([[1, 0, 0], [0, 1, 0], [0, 0, 1]] as Triple[]).map((a) =>
      seen!.onFrame(frame, a).map((x, k) => x - o[k]));
    return axes.map((axis) => axis.reduce((sum, x, k) => sum + x * (p[k] - o[k]), 0)) as Triple;
  };
  const makeHandles = () => {
    const own = news?.points.filter(({ path }) => body !== null && path.startsWith(`${body}.`)
      && path !== `${body}.origin`) ?? [];
    handles.replaceChildren(...own.map(({ path, frame, at }) => {
      const dot = element("button", { className: "handle", title: path });
      dot.setAttribute("aria-label", path);
      Object.assign(dot.dataset, { frame: String(frame), at: JSON.stringify(at) });
      dot.onpointerdown = (event) => {
        dot.setPointerCapture(event.pointerId);
        const hit = seen!.onFrame(frame, at), step = 10 ** Math.floor(Math.log10(Math.max(news!.scene.camera.size, 1e-6))) / 100;
        seen!.pick(event, () => false); // the view under the pointer
        dot.onpointermove = (move) => {
          const to = local(frame, seen!.beside(move, { hit })).map((x) =>
            Number((Math.round(x / step) * step).toPrecision(12))) as Triple;
          dot.dataset.at = JSON.stringify(to);
          measure.textContent = `${path}: ${to.map((x) => x.toPrecision(3)).join(", ")} m, ${Math.hypot(...to).toPrecision(4)} m`;
          placeHandles();
        };
        dot.onpointerup = () => {
          dot.onpointermove = dot.onpointerup = null;
          measure.textContent = "";
          const to = JSON.parse(dot.dataset.at!) as Triple;
          if (to.some((x, k) => x !== at[k])) moved(path, to);
        };
      };
      return dot;
    }));
    if (seen) placeHandles();
  };
  const poses = () => {
    const first = floatsOf(news!.scene.poses);
    for (let b = 0; b < news!.scene.bodies; b++) seen!.put(b, [...first.subarray(7 * b, 7 * b + 3)],
      [...first.subarray(7 * b + 3, 7 * b + 7)]);
  };
  const show = (given: ViewNews) => {
    if (!opened) return void (measure.textContent = phrase("This browser cannot draw in 3-D: WebGL 2 is missing."));
    const same = news !== null && seen !== null && news.scene.bodies === given.scene.bodies;
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
    makeHandles();
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
  return { show, select, play, rest: () => { if (seen && news) { poses(); refresh(); } } };
};
