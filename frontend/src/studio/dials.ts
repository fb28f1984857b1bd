// A slider for each parameter, with a field to type a number and a mark at its start value; or a list of choices.
import type { Dial, Message } from "../contract.ts";
import { phrase, translated } from "../language/language.ts";
import { shownIn } from "../language/units.ts";
import { clamp } from "../view/space.ts";
import { byId, element } from "../page/dom.ts";
import { short } from "./numbers.ts";

const SMALLER: Record<string, [string, number]> = { m: ["mm", 1e3], kg: ["g", 1e3], s: ["ms", 1e3] }; // for small numbers
export const AT_ONCE = 64; // values that one message sets
const SAME = 1e-9; // of the range
const CONFIRMED = 2000; // ms after a value was set here, in which messages with older ones may still arrive

interface Sent {
  value: number;
  at: number; // ms
}

/** Whether a value from the server was sent before it knew of the one that was set here: then the slider must not jump back. */
export const isOutdated = (sent: Sent | undefined, value: number, now: number, { low, high }: Dial): boolean =>
  sent !== undefined && now - sent.at < CONFIRMED && Math.abs(value - sent.value) > SAME * (high - low);

/** The unit in which a dial is read, and how many of them a unit of the model is. */
export const readIn = ({ low, high, unit }: Dial): [string, number] =>
  (Math.max(Math.abs(low), Math.abs(high)) < 0.1 ? SMALLER[unit] : undefined) ?? shownIn(unit);

/** Messages that set values, each with as many as the server accepts. */
export const settings = (values: Record<string, number>): Message[] => {
  const all = Object.entries(values), found: Message[] = [];
  for (let k = 0; k < all.length; k += AT_ONCE)
    found.push({ do: "settings", values: Object.fromEntries(all.slice(k, k + AT_ONCE)) });
  return found;
};

/** The changes that set some dials, and put all others back to their start values. */
export const towards = (
  dials: Dial[], now: Record<string, number>, wanted: Record<string, number>,
): Record<string, number> => {
  const goals = dials.map((d): [Dial, number] => [d, clamp(wanted[d.name] ?? d.value, d.low, d.high)]);
  return Object.fromEntries(goals.filter(([d, x]) => now[d.name] !== x).map(([d, x]) => [d.name, x]));
};

export interface Dials {
  show(values: Record<string, number>): void; // values from the server
  set(wanted: Record<string, number>): void; // all others to their start values
  changed(): Record<string, number>; // dials that differ from the start
}

interface Row {
  row: HTMLElement;
  write(x: number): void;
}
const makeChoice = (dial: Dial, touch: boolean, set: (x: number) => void): Row => {
  const { name, value, low, choices } = dial, title = translated(dial.label) || name, id = `dial-${name}`;
  const options = choices.map((text, k) => element("option", { value: String(k), textContent: translated(text) }));
  const list = element("select", { id, disabled: !touch }, ...options);
  const write = (x: number) => { list.selectedIndex = Math.round(x - low); };
  list.onchange = () => { set(low + list.selectedIndex); };
  write(value);
  const row = element("div", { className: "dial" }, element("label", { htmlFor: id, title: name, textContent: title }), list);
  row.dataset.name = `${title} ${dial.label} ${name} ${choices.join(" ")}`.toLowerCase();
  return { row, write };
};

const makeRow = (dial: Dial, touch: boolean, set: (x: number) => void): Row => {
  const { name, value, low, high } = dial, [unit, per] = readIn(dial), title = translated(dial.label) || name, id = `dial-${name}`;
  const slide = element("input", { type: "range", id, min: String(low), max: String(high), step: "any", disabled: !touch });
  const typed = element("input", { type: "number", step: "any", disabled: !touch, className: "typed" });
  typed.setAttribute("aria-label", unit ? phrase("{title}, in {unit}", { title, unit }) : title);
  const mark = element("i", { className: "mark", title: phrase("start value {value}", { value: `${short(per * value)} ${unit}`.trim() }) });
  mark.style.setProperty("--at", String((value - low) / (high - low)));
  const say = (x: number) => {
    slide.setAttribute("aria-valuetext", `${short(per * x)} ${unit}`.trim());
    if (document.activeElement !== typed) typed.value = short(per * x);
  };
  slide.value = String(value);
  say(value);
  slide.oninput = () => { say(Number(slide.value)); set(Number(slide.value)); };
  slide.ondblclick = () => { slide.value = String(value); slide.oninput!(new Event("input")); };
  typed.onchange = () => {
    const x = clamp(Number(typed.value) / per, low, high);
    if (typed.value === "" || !Number.isFinite(x)) return void say(Number(slide.value));
    slide.value = String(x);
    typed.value = short(per * x);
    say(x);
    set(x);
  };
  const heading = element("label", { htmlFor: id, title: name, textContent: title });
  const value_ = element("span", { className: "value" }, typed, element("span", { className: "unit", textContent: unit }));
  const row = element("div", { className: "dial" }, heading, value_, element("span", { className: "slide" }, mark, slide));
  row.dataset.name = `${title} ${dial.label} ${name}`.toLowerCase();
  const write = (x: number) => {
    if (document.activeElement === slide && slide.matches(":active")) return;
    slide.value = String(x);
    say(x);
  };
  return { row, write };
};

/** Adds the sliders; those with `more` are in a section that is closed at first. */
export const makeDials = (dials: Dial[], touch: boolean, send: (message: Message) => void): Dials => {
  const rows = new Map<string, Row>(), now: Record<string, number> = {}, sent = new Map<string, Sent>();
  const defaults = byId<HTMLButtonElement>("defaults"), more = byId<HTMLDetailsElement>("more");
  const changed = () => Object.fromEntries(dials.filter(({ name, value, low, high }) =>
    Math.abs((now[name] ?? value) - value) > SAME * (high - low)).map(({ name }) => [name, now[name]]));
  const settle = () => { defaults.disabled = !touch || !Object.keys(changed()).length; };
  for (const dial of dials) {
    now[dial.name] = dial.value;
    const row = (dial.choices.length ? makeChoice : makeRow)(dial, touch, (value) => {
      now[dial.name] = value;
      sent.set(dial.name, { value, at: performance.now() });
      send({ do: "set", name: dial.name, value });
      settle();
    });
    rows.set(dial.name, row);
    byId(dial.more ? "more-list" : "dial-list").append(row.row);
  }
  const known = new Map(dials.map((dial) => [dial.name, dial]));
  more.hidden = !dials.some((dial) => dial.more);
  let latest: Record<string, number> = {}, again = 0;
  const show = (values: Record<string, number>) => {
    latest = { ...latest, ...values };
    for (const [name, x] of Object.entries(values)) {
      const dial = known.get(name);
      if (!dial) continue;
      if (isOutdated(sent.get(name), x, performance.now(), dial)) {
        clearTimeout(again);
        again = window.setTimeout(() => show(latest), CONFIRMED); // it may have been refused
        continue;
      }
      now[name] = x;
      rows.get(name)?.write(x);
    }
    settle();
  };
  const set = (wanted: Record<string, number>) => {
    const values = towards(dials, now, wanted);
    for (const message of settings(values)) send(message);
    for (const [name, value] of Object.entries(values)) sent.set(name, { value, at: performance.now() });
    show(values);
  };
  defaults.onclick = () => set({});
  settle();
  const filter = byId<HTMLInputElement>("filter");
  filter.oninput = () => {
    const wanted = filter.value.toLowerCase();
    for (const { row } of rows.values()) row.hidden = !row.dataset.name!.includes(wanted);
    if (wanted) more.open = true;
  };
  return { show, set, changed };
};
