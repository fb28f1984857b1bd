// Buttons, lists and keys of the page: play, step, reset, speed, time, pilot, sound, screenshot.
import type { Message } from "../contract.ts";
import { byId, takesKey } from "../page/dom.ts";
import type { Parts } from "./parts.ts";
import type { Past } from "./past.ts";
import type { Pictures } from "./pictures.ts";
import { takePicture } from "./save.ts";
import { askForToken } from "../page/socket.ts";
import * as state from "./state.ts";

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];

export interface Toolbar {
  /** Whether the slider of the time is held. */
  scrubbing(): boolean;
}

export const makeToolbar = (
  parts: () => Parts | null, past: Past, pictures: Pictures, send: (message: Message) => void,
): Toolbar => {
  const [scrub, speed, pilot, sound] = [byId<HTMLInputElement>("scrub"), byId<HTMLSelectElement>("speed"),
    byId<HTMLSelectElement>("pilot"), byId<HTMLButtonElement>("sound")];
  const view = byId<HTMLCanvasElement>("view"), { motion } = state;
  let scrubbing = false;
  const live = () => { past.live(); pictures.stir(); };
  const toggle = () => {
    if (past.at !== null) past.toggle();
    else send({ do: state.isRunning() ? "pause" : "play" });
  };
  const step = () => send({ do: "step", n: 1 });
  const reset = () => { if (past.at !== null) live(); send({ do: "reset" }); };

  for (const s of SPEEDS) speed.add(new Option(`${s}×`, String(s), s === 1, s === 1));
  speed.onchange = () => send({ do: "speed", factor: Number(speed.value) });
  pilot.onchange = () => { send({ do: "pilot", name: pilot.value }); pilot.blur(); };
  sound.onclick = () => {
    const sounds = parts()?.sounds;
    sounds?.mute(!sounds.quiet);
    sound.setAttribute("aria-pressed", String(!sounds?.quiet));
  };
  byId("enter").onclick = askForToken;
  byId("play").onclick = toggle;
  byId("step").onclick = step;
  byId("reset").onclick = byId("again").onclick = reset;
  byId("now").onclick = live;
  byId("fit").onclick = () => { motion.view?.fit(); pictures.refresh(); };
  byId("shot").onclick = () => {
    const words = byId<HTMLCanvasElement>("words"), name = `${state.hello.value?.title}-${motion.t.toFixed(3)}`;
    if (motion.view && state.hello.value) void takePicture(motion.view, view, words, name);
  };
  scrub.oninput = () => {
    scrubbing = true;
    if (state.hello.value?.memory) past.look(Number(scrub.value));
    else send({ do: "seek", t: Number(scrub.value) });
  };
  scrub.onchange = () => { scrubbing = false; };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || takesKey(event.target, event.key)) return;
    const acts: Record<string, () => void> = { " ": toggle, ".": step, r: reset }, act = acts[event.key];
    if (parts()?.controls?.press(event)) event.preventDefault();
    else if (act) {
      event.preventDefault();
      act();
    } else if (event.target === view && motion.view?.steer(event.key, event.shiftKey)) {
      event.preventDefault();
      pictures.refresh();
    }
  });
  return { scrubbing: () => scrubbing };
};
