// The page of a recorded motion: it reads the JSON inside the page, and needs nothing else.
import type { SceneData, Triple } from "../contract.ts";
import { phrase, translated, translatePage } from "../language/language.ts";
import { floatsOf } from "../view/geometry.ts";
import { clamp } from "../view/space.ts";
import { addDirections } from "../view/switches.ts";
import { rests as restsOf } from "../view/rests.ts";
import type { Care } from "../view/shown.ts";
import { makeView, type View } from "../view/view.ts";
import "./viewer.css";

const PAUSE = "M7 5h4v14H7zM13 5h4v14h-4z", PLAY = "M8 5v14l11-7z";
const SPEEDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10];

const byId = <E extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as E;

/** Puts all frames where they are at a time (s after the first), between the two nearest records. */
const poser = ({ poses: text, frames, bodies, dt }: SceneData, seen: View) => {
  const p = floatsOf(text); // frames × bodies × (x y z, quaternion w x y z)
  return (now: number) => {
    const at = dt > 0 ? clamp(now / dt, 0, frames - 1) : 0;
    const i = Math.min(Math.floor(at), Math.max(frames - 2, 0)), s = frames > 1 ? at - i : 0;
    for (let b = 0; b < bodies; b++) {
      const k = 7 * (i * bodies + b), l = frames > 1 ? k + 7 * bodies : k;
      const same = p[k + 3] * p[l + 3] + p[k + 4] * p[l + 4] + p[k + 5] * p[l + 5] + p[k + 6] * p[l + 6] < 0 ? -s : s;
      const between = (n: number, t: number) => (1 - s) * p[k + n] + t * p[l + n];
      seen.put(b, [0, 1, 2].map((n) => between(n, s)) as Triple, [3, 4, 5, 6].map((n) => between(n, same)));
    }
  };
};

const show = (data: SceneData) => {
  const seen = makeView(data, byId("view"), byId("words"));
  if (!seen) return void (byId("note").textContent = phrase("This browser cannot draw in 3-D: WebGL 2 is missing."));
  const pose = poser(data, seen), { frames, dt, start } = data, duration = (frames - 1) * dt;
  const scrub = byId<HTMLInputElement>("scrub"), pace = byId<HTMLSelectElement>("speed");

  // -- time ------------------------------------------------------------------------------------------------------

  let time = 0, speed = data.speed, playing = false, last = 0, waiting = false, rests: number[] = [];
  const digits = duration < 2 ? 3 : 2;
  const draw = (how: Care) => {
    pose(time);
    seen.refine(how);
    const more = seen.draw();
    scrub.value = String(duration > 0 ? time / duration : 0);
    byId("clock").textContent = `${(start + time).toFixed(digits)} s`;
    return more;
  };
  const refresh = () => {
    if (waiting) return;
    waiting = true;
    rests.forEach(clearTimeout);
    requestAnimationFrame((now) => {
      waiting = false;
      if (playing) {
        time += (clamp(now - last, 0, 100) / 1000) * speed; // a page that was hidden does not jump
        if (time > duration) time = duration > 0 ? time % duration : 0;
        last = now;
      }
      const more = draw("quick");
      if (playing || more) refresh();
      else rests = restsOf(seen.byProcessor).map(([how, ms]) => window.setTimeout(() => draw(how), ms));
    });
  };
  const play = (on: boolean) => {
    playing = on && frames > 1;
    last = performance.now();
    byId("icon").setAttribute("d", playing ? PAUSE : PLAY);
    refresh();
  };
  const go = (to: number) => {
    time = clamp(to, 0, duration);
    refresh();
  };

  // -- controls --------------------------------------------------------------------------------------------------

  const speeds = [...new Set([...SPEEDS, data.speed])].sort((a, b) => a - b);
  for (const s of speeds) pace.add(new Option(`${s}×`, String(s), s === speed, s === speed));
  pace.onchange = () => { speed = Number(pace.value); refresh(); };
  const hurry = (by: number) => {
    pace.selectedIndex = clamp(speeds.indexOf(speed) + by, 0, speeds.length - 1);
    speed = speeds[pace.selectedIndex];
  };
  const switches = seen.switches(byId("switches"), refresh);
  addDirections(byId("directions"), seen.look, refresh);
  byId("play").onclick = () => play(!playing);
  scrub.oninput = () => { play(false); go(Number(scrub.value) * duration); };
  byId("fit").onclick = () => { seen.fit(); refresh(); };

  addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement, presses = target.tagName === "BUTTON" || target.tagName === "SUMMARY";
    if (event.ctrlKey || event.metaKey || event.altKey || target.tagName === "SELECT") return;
    if (presses && (event.key === " " || event.key === "Enter")) return; // it is pressed itself
    const by = dt * (event.shiftKey ? 10 : 1);
    const keys: Record<string, () => void> = {
      " ": () => play(!playing), ArrowRight: () => { play(false); go(time + by); },
      ArrowLeft: () => { play(false); go(time - by); }, ArrowUp: () => hurry(1), ArrowDown: () => hurry(-1),
      Home: () => go(0), End: () => { play(false); go(duration); },
      l: () => switches.press("labels"), a: () => switches.press("axes"), m: () => switches.press("mass"),
      i: () => switches.press("inertia"), f: () => switches.press("follow"),
    };
    const act = keys[event.key.length > 1 ? event.key : event.key.toLowerCase()];
    if (act) {
      event.preventDefault();
      act();
    } else if (seen.steer(event.key, event.shiftKey)) refresh();
  });

  translatePage(); // with its switches
  byId("note").textContent = data.note.split(" · ").map(translated).join(" · ");
  if (data.camera.grid) byId("scale").textContent = phrase("grid {size} m", { size: data.camera.step });
  seen.handle(refresh);
  seen.fit();
  const asked = new URLSearchParams(location.hash.slice(1)); // #t=1.5 opens there and waits
  if (asked.has("labels")) switches.press("labels");
  if (asked.has("t")) { play(false); go(Number(asked.get("t")) - start || 0); }
  else play(!matchMedia("(prefers-reduced-motion: reduce)").matches);
};

const data = document.getElementById("motion");
if (data) show(JSON.parse(data.textContent) as SceneData);
else Object.assign(window, { makeView }); // for a page of one's own
