// Cards over the picture: the progress of preparation, the first instruction, and why a machine has stopped.
import { effect } from "@preact/signals-core";
import type { Hello, Preparing, Preset, Status } from "../contract.ts";
import { phrase, translated } from "../language/language.ts";
import { inPreferredUnits } from "../language/units.ts";
import { byId, element } from "../page/dom.ts";
import { inWordsFor, isTouched } from "./instructions.ts";
import { isStanding } from "./state.ts";

/** Shows the stage of preparation, or why it failed; hides the card when both are empty. */
export const showPreparing = (preparing: Preparing | null, failed: string): void => {
  const bar = byId<HTMLProgressElement>("preparing-share");
  byId("preparing").hidden = !preparing && !failed;
  byId("preparing").classList.toggle("warn", Boolean(failed));
  byId("preparing-title").textContent = phrase(failed ? "Preparation failed" : "Preparing");
  byId("preparing-stage").textContent = failed || translated(preparing?.stage ?? "");
  [bar.hidden, bar.value] = [Boolean(failed), preparing?.share ?? 0];
};

export interface StartCard {
  /** The page has moved or set something: hide the card, after a drag when the pointer is up, so that nothing moves under it. */
  used(): void;
}

/** The card above the picture at the start, with scenarios; the first use of the machine or the picture hides it. */
export const makeStart = (
  { start, presets = [], touch }: Hello, choose: (preset: Preset) => void, begin: () => void,
): StartCard => {
  const card = byId("start"), list = byId<HTMLSelectElement>("preset");
  const [line = ""] = start ? inWordsFor(isTouched(), [start]) : [];
  let down = false, done = false;
  const hide = () => { card.hidden = true; };
  const settle = () => { if (done && !down) hide(); };
  const used = () => { done = true; settle(); };
  card.hidden = !touch || !(line || presets.length);
  byId("start-line").textContent = line;
  list.hidden = !touch || !presets.length;
  list.add(new Option(phrase("Scenario"), ""));
  presets.forEach((preset, k) => {
    const take = () => { hide(); choose(preset); };
    const [name, title] = [translated(preset.name), translated(preset.line)];
    const button = element("button", { className: "word", textContent: name, title, onclick: take });
    byId("start-presets").append(button);
    list.add(new Option(name, String(k)));
  });
  list.onchange = () => { if (list.value) choose(presets[Number(list.value)]); hide(); list.value = ""; list.blur(); };
  byId("begin").onclick = () => { hide(); begin(); };
  effect(() => { byId("begin").textContent = phrase(isStanding() ? "Start" : "Close"); });
  addEventListener("keydown", ({ key }) => { if (key === "Escape") hide(); });
  addEventListener("pointerdown", () => { down = true; }, true);
  for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, () => { down = false; settle(); }, true);
  byId("view").addEventListener("pointerdown", used);
  return { used };
};

/** The lines of the card after a stop. */
export const stopLines = ({ why, where, cure, t, set }: NonNullable<Status["stop"]>): string[] => {
  const names = set.map(translated).join(", ");
  const turned = set.length > 1 ? phrase("Changed since the start: {names}. Reset puts them back.", { names })
    : phrase("Changed since the start: {names}. Reset puts it back.", { names });
  const at = [phrase("At {t} s", { t: t.toFixed(2) }), inPreferredUnits(translated(where))].filter(Boolean).join(": ");
  return [translated(why), `${at}.`, ...(set.length ? [turned] : []), translated(cure)];
};

/** Shows or hides the card after a stop. */
export const showStop = (stop: Status["stop"]): void => {
  const card = byId("stop"), lines = stop ? stopLines(stop) : [];
  if (card.hidden !== !stop) card.hidden = !stop;
  const text = lines.join("\n");
  if (byId("stop-text").textContent !== text) byId("stop-text").textContent = text;
};
