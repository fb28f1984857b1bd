// The page of the studio: one socket brings scene, poses, plots and status into the store and the parts of the page.
import { effect } from "@preact/signals-core";
import {
  BALLS, CLOUD, GAUGES, PATCH, PLOT, POSES, RECORDS, TILE, VALUES,
  type Hello, type Message, type PreviewData, type SceneData, type ServerMessage, type Status,
} from "../contract.ts";
import { phrase, translated, translatePage } from "../language/language.ts";
import { fillPreferences } from "../language/preferences_menu.ts";
import { inPreferredUnits } from "../language/units.ts";
import { patchHeights } from "../view/surfaces.ts";
import { makeView } from "../view/view.ts";
import { openEarly } from "../view/warm_up.ts";
import { WINDOW } from "./bands.ts";
import { showPreparing, showStop } from "./cards.ts";
import { byId } from "../page/dom.ts";
import { exposeStore } from "./inspect.ts";
import { makeLines } from "./lines.ts";
import { makeParts, type Parts } from "./parts.ts";
import { makePast } from "./past.ts";
import { startPictures } from "./pictures.ts";
import { confirmed, linkedSetup } from "./setups.ts";
import { shake } from "./shake.ts";
import { connect } from "../page/socket.ts";
import * as state from "./state.ts";
import { PAUSE, PLAY, showTimeline } from "./timeline.ts";
import { makeToolbar } from "./toolbar.ts";
import { firstViews } from "./view_frames.ts";
import "./studio.css";

const { motion } = state;
const SETTLED = 250; // ms
const NEEDS_SERVER = [
  "dials", "controls", "start", "play", "step", "reset", "again", "speed", "preset", "pilot", "scrub", "now", "channel",
];
let parts: Parts | null = null, choice = 0; // choice: of plotted channels, so that late messages for an earlier one are dropped
// what starts nothing
const LOOKING = new Set<Message["do"]>(["watch", "lookback", "zoom", "arrows", "inspect", "tiles", "letgo", "release"]);
const send = (message: Message) => {
  if (!state.hello.value) return; // a server that prepares does not listen
  if (!LOOKING.has(message.do)) {
    if (state.lost.value) return; // it would be carried out much later
    parts?.start.used();
  }
  wire.send(message);
};
const linked = linkedSetup(), writeLines = makeLines();
const past = makePast(send, () => (state.isRunning() ? state.status.value!.speed : 0), () => performance.now());
const beat = (now: number) => {
  if (motion.between?.settle(now) || motion.view?.gliding()) pictures.refresh();
  const tiles = motion.view?.wantedTiles(now) ?? [];
  if (tiles.length) send({ do: "tiles", keys: tiles });
  if (motion.view) parts?.sounds?.listen(now, motion.view.heardFrom);
  parts?.hold.tell();
  parts?.controls?.tell(now);
  past.tick(now);
};
const write = () => {
  const said = (state.status.value?.lines ?? []).map((line) => inPreferredUnits(translated(line)));
  writeLines([...(state.looking.value ? [phrase("looking back: {t} s", { t: motion.t.toFixed(2) })] : []), ...said]);
  byId("clock").textContent = `${motion.t.toFixed(2)} s`;
  showTimeline(past, byId("scrub"), motion.t, state.status.value ?? {}, toolbar.scrubbing());
  askForRecords(performance.now());
  parts?.plots.draw(motion.t);
  parts?.forces.write();
};
// Records are asked for when plots are zoomed or stand still, once their stretch of time does not change any more.
let wanted = "", since = 0, asked = "";
const askForRecords = (now: number) => {
  const range = parts && (parts.plots.zoom.range ?? (isStill() ? [motion.t - WINDOW, motion.t] : null));
  const key = JSON.stringify([range, choice]);
  if (key !== wanted) [wanted, since] = [key, now];
  if (asked === key || now - since < SETTLED) return;
  asked = key;
  if (range) send({ do: "zoom", since: range[0], until: range[1] });
  else parts?.plots.refine();
};
const isStill = () => (past.at === null ? state.status.value?.state === "paused" : !past.playing);
const watch = () => {
  choice++;
  send({ do: "watch", channels: parts?.plots.channels() ?? [] });
};

// -- text messages -----------------------------------------------------------------------------------------------------

const told = ({
  preparing, preview, failed, hello, scene, status, charts, changed, refused, controls, sounds,
}: ServerMessage) => {
  if (hello && isAnother(hello)) return wire.reload();
  if (preview && !state.hello.value) sketch(preview);
  if (preparing) [state.preparing.value, state.failed.value] = [preparing, ""];
  if (failed) [state.preparing.value, state.failed.value] = [null, failed];
  if (refused) byId("refused").textContent = [refused.reason, refused.detail].filter(Boolean).map(translated).join(": ");
  if (hello && scene) begin(hello, scene);
  if (status) show(status);
  if (charts) parts?.pages.draw(charts);
  if (changed && motion.view) {
    motion.view.change(changed);
    motion.renewed++;
    pictures.refresh();
  }
  if (controls) {
    motion.controls = controls;
    parts?.controls?.moved(controls);
  }
  if (sounds) hear(sounds);
};
const sketch = ({ title, scene, ...seen }: PreviewData) => { // the machine at its start, which cannot be touched yet
  byId("title").textContent = translated(title);
  motion.view?.forget();
  motion.view = makeView(scene, byId("view"), byId("words"), [], opened);
  motion.view?.fit();
  motion.view?.showViews(firstViews(seen));
  pictures.refresh();
};
const isAnother = ({ run, touch }: Hello, before = state.hello.value) => before && (before.run !== run || before.touch !== touch);
const begin = (hello: Hello, scene: SceneData) => {
  const before = state.hello.value;
  [state.hello.value, state.preparing.value, state.failed.value] = [hello, null, ""];
  if (before) parts?.view.renew(scene);
  else {
    parts = makeParts(hello, scene, opened, { send, beat, watch, refresh: pictures.refresh });
    if (linked?.machine === hello.title) parts.apply(hello.touch ? confirmed(linked) : linked);
  }
  parts?.plots.clear();
  [choice, asked] = [0, ""];
  watch();
  parts?.forces.ask();
  parts?.panel.ask();
};
const show = (status: Status) => {
  if (status.begun !== state.status.value?.begun) {
    parts?.plots.clear((plot) => plot.over);
    parts?.gauges.clear();
    motion.view?.restart();
  }
  state.status.value = status;
  byId("icon").setAttribute("d", status.state === "running" ? PAUSE : PLAY);
  byId<HTMLSelectElement>("speed").value = String(status.speed);
  byId<HTMLSelectElement>("pilot").value = status.pilot ?? "";
  parts?.dials.show(status.dials);
  parts?.pages.show(status.tables ?? {});
  showStop(status.stop);
};
const hear = (sounds: NonNullable<ServerMessage["sounds"]>) => {
  const kinds = state.hello.value!.sounds;
  for (const [k, loud] of sounds) {
    const { kind } = kinds[k];
    if (loud > 0 && (kind === "struck" || kind === "thud")) motion.heard++;
    if (loud > 0 && kind === "thud") {
      shake(byId("stage"), loud);
      motion.shakes++;
    }
  }
  parts?.sounds?.hear(sounds);
};

// -- binary messages ---------------------------------------------------------------------------------------------------

const streamed = (data: ArrayBuffer) => {
  const head = new DataView(data), kind = head.getUint32(0, true), count = head.getUint32(4, true), { view } = motion;
  if (kind === POSES && view) {
    motion.t = head.getFloat64(8, true);
    past.told(motion.t);
    motion.received++;
    const frames = new Uint32Array(data, 16, count), rows = new Float32Array(data, 16 + 4 * count);
    frames.forEach((frame, k) => {
      const row = rows.subarray(7 * k, 7 * k + 7);
      motion.poses[frame] = row;
    });
    motion.between?.told(frames, rows, performance.now());
    if (count) pictures.refresh(); // if only the time has changed, there is nothing to draw
  }
  if (kind === BALLS && view) {
    const balls = head.getUint32(8, true), looks = new Uint8Array(data, 16 + 4 * balls);
    view.balls(count, head.getUint32(12, true), new Uint32Array(data, 16, balls), looks);
    pictures.refresh();
  }
  if (kind === CLOUD && view) {
    view.cloud(count, new Float32Array(data, 16, 3 * head.getUint32(8, true)));
    pictures.refresh();
  }
  if (kind === PATCH && view) {
    const [row, column, rows, columns] = new Uint32Array(data, 8, 4);
    view.patch(count, row, column, rows, columns, patchHeights(data));
    pictures.refresh();
  }
  if (kind === TILE && view) {
    view.tile(data);
    pictures.refresh();
  }
  if (kind === GAUGES) parts?.gauges.show(new Float32Array(data, 8));
  if (kind === VALUES) { // of the arrows (0), or of a body
    if (count === 0) parts?.forces.told(new Float32Array(data, 8));
    else parts?.panel.told(count, new Float32Array(data, 8));
  }
  if (kind === PLOT && count === choice)
    parts?.plots.take(new Float64Array(data, 16), head.getUint32(8, true), head.getUint32(12, true));
  if (kind === RECORDS && count === choice && !asked.startsWith("[null")) // not too late
    parts?.plots.refine(new Float64Array(data, 16), head.getUint32(8, true), head.getUint32(12, true));
};

// -- start -------------------------------------------------------------------------------------------------------------

translatePage();
fillPreferences();
byId("home").hidden = !sessionStorage.getItem("gallery") || location.pathname === sessionStorage.getItem("gallery");
exposeStore(() => parts?.plots, send);
const pictures = startPictures(() => parts, beat, write);
const toolbar = makeToolbar(() => parts, past, pictures, send);
effect(() => {
  byId("state").textContent = state.sentence.value;
  byId("state").classList.toggle("warn", state.alarming.value);
});
effect(() => { // what does nothing without a server can neither be seen as usable nor be used
  document.body.classList.toggle("lost", state.lost.value);
  for (const id of NEEDS_SERVER) byId(id).inert = state.lost.value;
});
effect(() => {
  const silent = state.looking.value || state.isStanding(); // read first: without parts nothing would be watched
  parts?.sounds?.hush(silent);
});
effect(() => showPreparing(state.preparing.value, state.failed.value));
const wire = connect({
  told, streamed, opened: () => { state.connected.value = true; }, closed: () => { state.connected.value = false; },
  silent: () => { if (state.hello.value) state.connected.value = false; }, // one that prepares may be busy
});
const opened = openEarly(byId("view"), () => !motion.view); // while the server prepares the scene
