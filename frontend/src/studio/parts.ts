// The parts of the page, made once when the first scene comes: view, dials, plots, controls, sounds and the panels.
import type { Hello, Message, Preset, SceneData } from "../contract.ts";
import { phrase, translated, translateElement } from "../language/language.ts";
import { makeBetween } from "../view/between.ts";
import { addDirections } from "../view/switches.ts";
import { makeBlindView } from "../view/blind.ts";
import { makeView, type View } from "../view/view.ts";
import { makeStart, type StartCard } from "./cards.ts";
import { makeControls, type Controls } from "./controls.ts";
import { makeDials, type Dials } from "./dials.ts";
import { byId } from "../page/dom.ts";
import { makeDrawers } from "./drawers.ts";
import { makeForces, type Forces } from "./forces.ts";
import { makeGauges, type Gauges } from "./gauges.ts";
import { makeHeadset, type Headset } from "./headset.ts";
import { makeHold, type Hold } from "./hold.ts";
import { makeHover, type Hover } from "./hover.ts";
import { makeMachinePages, type MachinePages } from "./machine_pages.ts";
import { makeModelPanel, type ModelPanel } from "./model_panel.ts";
import { makePanels } from "./panels.ts";
import { makePlots, type Plots } from "./plots.ts";
import { makeFilm, type Film } from "./save.ts";
import { inWordsFor, isTouched } from "./instructions.ts";
import type { Setup } from "./setup.ts";
import { makeSetups } from "./setups.ts";
import { makeSounds, type Sounds } from "./sound.ts";
import * as state from "./state.ts";
import { makeTools } from "./tools.ts";
import { firstViews, keepViews, showFrames } from "./view_frames.ts";

const { isRunning, motion } = state;

export interface Parts {
  view: View;
  dials: Dials;
  plots: Plots;
  controls: Controls | null; // of a machine that a person may touch
  sounds: Sounds | null;
  forces: Forces;
  hold: Hold;
  hover: Hover;
  panel: ModelPanel;
  headset: Headset;
  gauges: Gauges;
  pages: MachinePages;
  start: StartCard;
  film: Film;
  /** A setup from a link, a file or this browser. */
  apply(setup: Setup): void;
}
export interface Hooks {
  send(message: Message): void;
  refresh(): void;
  /** Called once a picture, on the screen or in a headset. */
  beat(now: number): void;
  /** The plotted channels have changed. */
  watch(): void;
}
type Opened = Parameters<typeof makeView>[4];

const write = ({ title, touch, help, pulled }: Hello, { note, camera }: SceneData) => {
  document.title = `${translated(title)} · symbody studio`;
  byId("enter").hidden = touch;
  byId("title").textContent = translated(title);
  byId("note").textContent = translated(note);
  const pull = pulled.length ? [phrase("Drag a body to pull it. Drag beside it to turn the view.")] : [];
  const lines = help?.length ? inWordsFor(isTouched(), help) : pull;
  byId("hint").textContent = touch ? lines.join("\n") : "";
  if (camera.grid) byId("scale").textContent = phrase("grid {step} m", { step: camera.step });
};
const enableTransport = ({ touch, span, memory, dials }: Hello) => {
  const scrub = byId<HTMLInputElement>("scrub");
  for (const id of ["play", "step", "reset", "again", "speed"]) byId<HTMLButtonElement>(id).disabled = !touch;
  scrub.disabled = !touch && !memory; // without the token, one may still look back
  if (span) [scrub.min, scrub.max] = [String(span[0]), String(span[1])];
  scrub.hidden = !span && !memory;
  byId("dials").hidden = !dials.length;
  byId("motion").classList.toggle("bare", !dials.length);
};
const addPilots = ({ pilots = [], touch }: Hello) => {
  const pilot = byId<HTMLSelectElement>("pilot");
  if (!pilots.length) return;
  pilot.add(new Option(phrase("You"), ""));
  for (const name of pilots) pilot.add(new Option(translated(name), name));
  [pilot.hidden, pilot.disabled] = [false, !touch];
};
const addSounds = ({ sounds }: Hello): Sounds | null => {
  if (!sounds.length) return null;
  const button = byId<HTMLButtonElement>("sound");
  const made = makeSounds(sounds, undefined, (reason) => { [button.disabled, button.title] = [true, reason]; });
  button.hidden = false;
  const wake = () => void made.wake().then((ready) => { if (ready) button.dataset.ready = ""; });
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, wake);
  return made;
};

/** All parts of the page; if the browser cannot draw in 3-D, all but the picture. */
export const makeParts = (hello: Hello, scene: SceneData, opened: Opened, hooks: Hooks): Parts => {
  const { title, touch } = hello, { send, refresh } = hooks;
  const canvas = byId<HTMLCanvasElement>("view");
  write(hello, scene);
  motion.view?.forget();
  const words = byId<HTMLCanvasElement>("words");
  const drawn = makeView(scene, canvas, words, hello.arrows, opened), view = drawn ?? makeBlindView(words, hello.arrows);
  if (!drawn) state.trouble.value = phrase("This browser cannot draw in 3-D: WebGL 2 is missing.");
  motion.view = view;
  motion.between = makeBetween(view.put);
  const framed = () => { showFrames(view); refresh(); };
  view.switches(byId("switches"), () => { keepViews(view.views(), hello); framed(); });
  new ResizeObserver(framed).observe(canvas);
  addDirections(byId("directions"), view.look, framed);
  for (const id of ["switches", "directions"]) translateElement(byId(id)); // the view itself speaks English
  const dials = makeDials(hello.dials, touch, send);
  enableTransport(hello);
  const forces = makeForces(view, touch, send, refresh), plots = makePlots(hello, hooks.watch);
  const controls = hello.controls?.length && touch ? makeControls(hello.controls, byId("controls"), send) : null;
  addPilots(hello);
  const gauges = makeGauges(byId("hud"), hello.gauges ?? []);
  const sounds = addSounds(hello), hold = makeHold(canvas, view, hello, controls, send, refresh);
  view.handle(refresh, hold.take);
  const panel: ModelPanel = makeModelPanel(hello, send, (frame) => hover.keep(frame));
  const hover = makeHover(canvas, byId("pointed"), view, hello.parts, hold.busy, panel.choose, refresh);
  makeDrawers(panel.opened);
  makePanels();
  makeTools();
  const headset = makeHeadset(view, hold, hooks.beat, refresh), film = makeFilm(canvas, words, () => title);
  view.fit();
  view.showViews(firstViews(hello));
  framed();
  const choose = ({ values, pilot }: Preset) => { // a scenario starts from the beginning
    dials.set(values);
    send({ do: "pilot", name: pilot });
    send({ do: "reset" });
  };
  const start = makeStart(hello, choose, () => { if (!isRunning()) send({ do: "play" }); });
  const setupNow = (): Setup => ({
    machine: title, dials: dials.changed(), plots: [...plots.all.keys()], view: view.place(), views: view.views(),
  });
  const apply = ({ dials: values, plots: names, view: place, views }: Setup) => {
    if (touch) dials.set(values);
    plots.choose(names);
    if (views) view.showViews(views);
    if (place) view.move(place);
    framed();
  };
  makeSetups(title, setupNow, apply);
  const pages = makeMachinePages(hello.pages ?? [], touch, (message) => send(message as unknown as Message), plots.choose);
  return { view, dials, plots, controls, sounds, forces, hold, hover, panel, headset, gauges, pages, start, film, apply };
};
