// The page of the studio: one socket brings scene, poses, plots and status, and takes what the hands do.
import { effect } from "@preact/signals-core";
import {
  CLOUD, PATCH, PLOT, POSES, VALUES, type Hello, type Message, type PresetData, type Preview, type SceneData, type Status,
  type Told,
} from "../contract.ts";
import { addDirections } from "../view/switches.ts";
import { makeView, type Care, type View } from "../view/view.ts";
import { openEarly } from "../view/warm_up.ts";
import { makeStart, showPreparing, showStop } from "./cards.ts";
import { makeControls, type Controls } from "./controls.ts";
import { makeDials, type Dials } from "./dials.ts";
import { byId, takesKey } from "./dom.ts";
import { makeDrawers } from "./drawers.ts";
import { makeForces, type Forces } from "./forces.ts";
import { makeHeadset, type Headset } from "./headset.ts";
import { makeHold, type Hold } from "./hold.ts";
import { makeHover, type Hover } from "./hover.ts";
import { makeModelPanel, type ModelPanel } from "./model_panel.ts";
import { shake } from "./felt.ts";
import { makePast } from "./past.ts";
import { PAUSE, PLAY, showTimeline } from "./timeline.ts";
import { makePlots, type Plots } from "./plots.ts";
import { makeFilm, takePicture } from "./save.ts";
import type { Setup } from "./setup.ts";
import { linkedSetup, makeSetups } from "./setups.ts";
import { askForToken, connect } from "./socket.ts";
import { makeSounds, type Sounds } from "./sound.ts";
import * as state from "./state.ts";
import "./studio.css";

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];
const RESTS: [Care, number][] = [["best", 1500], ["sharp", 250]]; // ms without news after which it is drawn better

/** What a test, or a person with the console open, may look at. */
const studio = {
  t: 0, poses: [] as Float32Array[], status: {} as Partial<Status>, drawn: 0, received: 0, frames: 0, heard: 0,
  felt: 0, renewed: 0,
  care: "quick" as Care, controls: [] as number[], plots: new Map() as Plots["all"], seen: null as View | null,
  send: (message: Message): void => { if (state.hello.value) wire.send(message); }, // there is somebody to hear it
};
Object.assign(window, { studio, makeSounds });

const view = byId<HTMLCanvasElement>("view"), words = byId<HTMLCanvasElement>("words");
const [scrub, speed, pilot, sound] = [byId<HTMLInputElement>("scrub"), byId<HTMLSelectElement>("speed"),
  byId<HTMLSelectElement>("pilot"), byId<HTMLButtonElement>("sound")];
let controls: Controls | null = null, sounds: Sounds | null = null, plots: Plots | null = null, hold: Hold | null = null;
let forces: Forces | null = null, hover: Hover | null = null, panel: ModelPanel | null = null, headset: Headset | null = null;
let filming = () => false;
let dials: Dials | null = null;
let dirty = true, news = 0, choice = 0, scrubbing = false;
const send = (message: Message) => studio.send(message);
const linked = linkedSetup();
const pace = () => (studio.status.state === "running" ? studio.status.speed ?? 1 : 0);
const past = makePast(send, pace, () => performance.now());
const refresh = () => { dirty = true; news = performance.now(); };

// -- what comes ----------------------------------------------------------------------------------------------------

const told = ({
  preparing, preview, failed, hello, scene, status, changed, refused, controls: moved, sounds: heard,
}: Told) => {
  if (preview && !state.hello.value) sketch(preview);
  if (preparing) [state.preparing.value, state.failed.value] = [preparing, ""];
  if (failed) [state.preparing.value, state.failed.value] = [null, failed];
  if (refused) byId("refused").textContent = [refused.reason, refused.detail].filter(Boolean).join(": ");
  if (hello && scene) begin(hello, scene);
  if (status) show(status);
  if (changed && studio.seen) {
    studio.seen.change(changed);
    studio.renewed++;
    refresh();
  }
  if (moved) {
    studio.controls = moved;
    controls?.moved(moved);
  }
  if (heard) {
    const kinds = state.hello.value!.sounds;
    studio.heard += heard.filter(([k, loud]) => (kinds[k] === "struck" || kinds[k] === "thud") && loud > 0).length;
    for (const [k, loud] of heard) if (kinds[k] === "thud" && loud > 0) studio.felt += shake(byId("stage"), loud);
    sounds?.hear(heard);
  }
};
const streamed = (data: ArrayBuffer) => {
  const head = new DataView(data), kind = head.getUint32(0, true), count = head.getUint32(4, true);
  if (kind === POSES && studio.seen) {
    studio.t = head.getFloat64(8, true);
    past.told(studio.t);
    studio.received++;
    const frames = new Uint32Array(data, 16, count), rows = new Float32Array(data, 16 + 4 * count);
    frames.forEach((frame, k) => {
      const row = rows.subarray(7 * k, 7 * k + 7);
      studio.poses[frame] = row;
      studio.seen!.put(frame, row.subarray(0, 3), row.subarray(3, 7));
    });
    if (count) refresh(); // time alone is nothing to draw
  }
  if (kind === CLOUD && studio.seen) {
    studio.seen.cloud(count, new Float32Array(data, 16, 3 * head.getUint32(8, true)));
    refresh();
  }
  if (kind === PATCH && studio.seen) {
    const [row, column, rows, columns] = new Uint32Array(data, 8, 4);
    studio.seen.patch(count, row, column, rows, columns, new Float32Array(data, 24));
    refresh();
  }
  if (kind === VALUES) { // of the arrows, or of a body
    if (count === 0) forces?.told(new Float32Array(data, 8));
    else panel?.told(count, new Float32Array(data, 8));
  }
  if (kind === PLOT && count === choice)
    plots?.take(new Float64Array(data, 16), head.getUint32(8, true), head.getUint32(12, true));
};

const sketch = ({ title, seated, scene }: Preview) => { // it stands, and cannot be touched yet
  byId("title").textContent = title;
  studio.seen?.forget();
  studio.seen = makeView(scene, view, words, [], opened);
  studio.seen?.fit();
  if (seated) studio.seen?.ride(0);
  refresh();
};
const begin = (hello: Hello, scene: SceneData) => {
  const before = state.hello.value;
  if (before && (before.run !== hello.run || before.touch !== hello.touch)) return location.reload(); // another machine
  [state.hello.value, state.preparing.value, state.failed.value] = [hello, null, ""];
  if (!before) furnish(hello, scene);
  else studio.seen?.renew(scene);
  plots?.clear();
  choice = 0;
  watch();
  forces?.ask();
  panel?.ask();
};
const furnish = (hello: Hello, scene: SceneData) => { // once
  const { title, touch, dials: list, help, pulled, span, memory } = hello;
  byId("enter").hidden = touch;
  document.title = `${title} · symbody studio`;
  byId("title").textContent = title;
  byId("note").textContent = scene.note;
  const pull = pulled.length ? "drag a body to pull it, beside it to turn the view" : "";
  byId("hint").textContent = touch ? help?.length ? help.join("\n") : pull : "";
  studio.seen?.forget();
  const seen = makeView(scene, view, words, hello.arrows, opened);
  if (!seen) return void (state.trouble.value = "This browser cannot draw in space (WebGL 2 is missing).");
  studio.seen = seen;
  if (scene.camera.grid) byId("scale").textContent = `grid ${scene.camera.step} m`;
  seen.switches(byId("switches"), refresh);
  addDirections(byId("directions"), seen.look, refresh);
  dials = makeDials(list, touch, send);
  for (const id of ["play", "step", "reset", "again", "speed"]) byId<HTMLButtonElement>(id).disabled = !touch;
  scrub.disabled = !touch && !memory; // everybody may look back
  byId("dials").hidden = !list.length;
  byId("motion").classList.toggle("bare", !list.length);
  forces = makeForces(seen, touch, send, refresh);
  if (span) [scrub.min, scrub.max] = [String(span[0]), String(span[1])];
  scrub.hidden = !span && !memory;
  plots = makePlots(hello, watch);
  studio.plots = plots.all;
  equip(hello);
  hold = makeHold(view, seen, hello, controls, send, refresh);
  seen.handle(refresh, hold.take);
  panel = makeModelPanel(hello, send, (frame) => hover?.keep(frame));
  hover = makeHover(view, byId("pointed"), seen, hello.parts, hold.busy, panel.choose, refresh);
  makeDrawers(panel.opened);
  headset = makeHeadset(seen, hold, beat, refresh);
  filming = makeFilm(view, () => title);
  seen.fit();
  if (hello.seated) seen.ride(0);
  makeStart(hello, choose, () => { if (studio.status.state !== "running") send({ do: "play" }); });
  makeSetups(title, setupNow, apply);
  if (linked?.machine === title) apply(linked);
};
const choose = ({ values, pilot: who }: PresetData) => { // a scenario begins anew
  dials?.set(values);
  send({ do: "pilot", name: who });
  send({ do: "reset" });
};
const setupNow = (): Setup => ({
  machine: state.hello.value!.title, dials: dials?.changed() ?? {}, plots: [...studio.plots.keys()],
  view: studio.seen?.place() ?? null,
});
const apply = ({ dials: values, plots: names, view: place }: Setup) => {
  if (state.hello.value!.touch) dials?.set(values);
  plots?.choose(names);
  if (place) studio.seen?.move(place);
  refresh();
};
const equip = ({ controls: list = [], pilots = [], sounds: kinds, touch }: Hello) => { // what only machines have
  if (list.length && touch) controls = makeControls(list, byId("controls"), send);
  if (pilots.length) {
    pilot.add(new Option("You", ""));
    for (const name of pilots) pilot.add(new Option(name, name));
    [pilot.hidden, pilot.disabled] = [false, !touch];
  }
  if (kinds.length) {
    const made = (sounds = makeSounds(kinds));
    sound.hidden = false;
    for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, made.wake);
  }
};
const watch = () => {
  choice++;
  send({ do: "watch", channels: plots?.channels() ?? [] });
};
const show = (status: Status) => {
  if (status.begun !== studio.status.begun) plots?.clear((plot) => plot.over);
  studio.status = state.status.value = status;
  byId("icon").setAttribute("d", status.state === "running" ? PAUSE : PLAY);
  speed.value = String(status.speed);
  pilot.value = status.pilot ?? "";
  byId("lines").textContent = (status.lines ?? []).join("\n");
  dials?.show(status.dials);
  showStop(status.stop);
};
effect(() => {
  byId("state").textContent = state.sentence.value;
  byId("state").classList.toggle("warn", state.alarming.value);
});

effect(() => showPreparing(state.preparing.value, state.failed.value));

// -- one picture -----------------------------------------------------------------------------------------------------

let counted = 0, since = performance.now(), plotted = 0, known = 0;
const draw = (seen: View, how: Care) => {
  seen.refine(how);
  studio.care = how;
  dirty = seen.draw();
  hold?.draw();
  counted++;
  studio.drawn++;
};
const beat = (now: number) => { // once a picture, on the screen or in a headset
  hold?.tell();
  controls?.tell(now);
  past.tick(now);
};
const picture = (now: number) => {
  requestAnimationFrame(picture);
  const { seen } = studio;
  if (!headset?.active()) {
    beat(now);
    hover?.tell(now);
  }
  if (seen && !document.hidden && !headset?.active()) {
    // a machine that runs may be touched at any moment, and one that is prepared needs the processor
    const moves = studio.status.state === "running" || !state.hello.value;
    // A film needs pictures of what stands still, too.
    const [better] = dirty || filming() ? [] : RESTS.filter(([how, ms]) => now - news > ms && !(moves && how === "best"));
    if ((dirty || filming()) && seen.due(now)) draw(seen, "quick");
    else if (better && better[0] !== studio.care) draw(seen, better[0]);
  }
  if (now - plotted > 60 / (seen?.shown.sharpness ?? 1) ** 2) { // words and plots cost as much as pictures, without a card
    plotted = now;
    byId("clock").textContent = `${studio.t.toFixed(2)} s`;
    showTimeline(past, scrub, studio.t, studio.status, scrubbing);
    plots?.draw(studio.t);
    forces?.write();
  }
  if (now - since > 1000) {
    const second = (now - since) / 1000, wanted = studio.received - known;
    [studio.frames, counted, since, known] = [Math.round(counted / second), 0, now, studio.received];
    state.pictures.value = studio.frames;
    if (wanted > 30 * second) seen?.pace(studio.frames);
  }
};
view.addEventListener("webglcontextlost", () => { state.trouble.value = "the picture was lost: waiting for the graphics card"; });
view.addEventListener("webglcontextrestored", () => { state.trouble.value = ""; refresh(); });

// -- hands -----------------------------------------------------------------------------------------------------------

for (const s of SPEEDS) speed.add(new Option(`${s}×`, String(s), s === 1, s === 1));
speed.onchange = () => send({ do: "speed", factor: Number(speed.value) });
const live = () => { past.live(); news = performance.now(); };
const toggle = () => {
  if (past.at !== null) past.toggle();
  else send({ do: studio.status.state === "running" ? "pause" : "play" });
};
const step = () => send({ do: "step", n: 1 }), reset = () => { if (past.at !== null) live(); send({ do: "reset" }); };
byId("enter").onclick = askForToken;
byId("play").onclick = toggle;
byId("step").onclick = step;
byId("reset").onclick = byId("again").onclick = reset;
byId("now").onclick = live;
pilot.onchange = () => { send({ do: "pilot", name: pilot.value }); pilot.blur(); };
sound.onclick = () => {
  sounds?.mute(!sounds.quiet);
  sound.setAttribute("aria-pressed", String(!sounds?.quiet));
};
byId("fit").onclick = () => { studio.seen?.fit(); refresh(); };
scrub.oninput = () => {
  scrubbing = true;
  if (state.hello.value?.memory) past.look(Number(scrub.value));
  else send({ do: "seek", t: Number(scrub.value) });
};
scrub.onchange = () => { scrubbing = false; };
byId("shot").onclick = () => {
  if (studio.seen) takePicture(studio.seen, view, words, `${state.hello.value!.title}-${studio.t.toFixed(3)}`);
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || takesKey(event.target, event.key)) return;
  const acts: Record<string, () => void> = { " ": toggle, ".": step, r: reset }, act = acts[event.key];
  if (controls?.press(event)) event.preventDefault();
  else if (act) {
    event.preventDefault();
    act();
  } else if (event.target === view && studio.seen?.steer(event.key, event.shiftKey)) {
    event.preventDefault();
    refresh();
  }
});

const wire = connect({
  told, streamed, opened: () => { state.connected.value = true; }, closed: () => { state.connected.value = false; },
});
const opened = openEarly(view, () => !studio.seen); // while the server prepares what is drawn
requestAnimationFrame(picture);
