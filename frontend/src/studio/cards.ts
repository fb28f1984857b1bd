// Cards over the picture: what is being prepared, what to do at first, and why a run has stopped.
import type { Hello, Preparing, PresetData, Status } from "../contract.ts";
import { byId, element } from "./dom.ts";

/** Shows which stage it is at before there is a picture, or why there will be none; hides the card when there is. */
export const showPreparing = (preparing: Preparing | null, failed: string): void => {
  const bar = byId<HTMLProgressElement>("preparing-share");
  byId("preparing").hidden = !preparing && !failed;
  byId("preparing").classList.toggle("warn", Boolean(failed));
  byId("preparing-title").textContent = failed ? "It could not be prepared" : "Preparing";
  byId("preparing-stage").textContent = failed || (preparing?.stage ?? "");
  [bar.hidden, bar.value] = [Boolean(failed), preparing?.share ?? 0];
};

/** The card of the start, with its scenarios; touched anywhere else, it goes. */
export const makeStart = (
  { title, start = "", presets = [], touch }: Hello, choose: (preset: PresetData) => void, begin: () => void,
): void => {
  const card = byId("start"), list = byId<HTMLSelectElement>("preset");
  const hide = () => { card.hidden = true; };
  card.hidden = !touch || !(start || presets.length);
  byId("start-title").textContent = title;
  byId("start-line").textContent = start;
  list.hidden = !touch || !presets.length;
  list.add(new Option("Scenario", ""));
  presets.forEach((preset, k) => {
    const take = () => { hide(); choose(preset); };
    const button = element("button", { className: "word", textContent: preset.name, title: preset.line, onclick: take });
    byId("start-presets").append(button);
    list.add(new Option(preset.name, String(k)));
  });
  list.onchange = () => { if (list.value) choose(presets[Number(list.value)]); hide(); list.value = ""; list.blur(); };
  byId("begin").onclick = () => { hide(); begin(); };
  addEventListener("keydown", ({ key }) => { if (key === "Escape") hide(); });
  for (const id of ["view", "controls"]) byId(id).addEventListener("pointerdown", hide);
};

/** What the card of a stop says, line by line. */
export const stopLines = ({ why, where, cure, t, set }: NonNullable<Status["stop"]>): string[] => {
  const turned = set.length ? [`Before that, ${set.join(", ")} ${set.length > 1 ? "were" : "was"} set: Reset puts that back.`] : [];
  return [why, `At ${t.toFixed(2)} s${where ? `: ${where}` : ""}.`, ...turned, cure];
};

/** Shows or hides the card of a stop. */
export const showStop = (stop: Status["stop"]): void => {
  const card = byId("stop"), lines = stop ? stopLines(stop) : [];
  if (card.hidden !== !stop) card.hidden = !stop;
  const text = lines.join("\n");
  if (byId("stop-text").textContent !== text) byId("stop-text").textContent = text;
};
