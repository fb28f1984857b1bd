// The chosen plots: each has its name, its newest value and a button that removes it.
import type { Hello } from "../contract.ts";
import { phrase, translated } from "../language/language.ts";
import { shownIn } from "../language/units.ts";
import { keep, kept } from "../page/address.ts";
import { csvOf, SIGMA } from "./bands.ts";
import { byId, download, element } from "../page/dom.ts";
import { audible, floorOf, short } from "./numbers.ts";
import { makePlot, type Plot, type Zoom } from "./plot.ts";
import { makeTrace } from "./trace.ts";

const COLOURS = ["#3f7cac", "#e07a3f", "#5b9a57", "#c8553d", "#8268a6", "#c9a227", "#4aa3a2", "#b5657d"];
const OTHER = 3, SPOKEN = 6000; // suggestions for an unknown name; ms that a message is shown
const OVER = " over ", AND = ", "; // "y over x" is one channel over another, "a, b" are two in one plot
const KEPT = "plots", BETWEEN = "|"; // in the address

interface Shown extends Plot {
  channels: string[]; // then their standard deviations, if there are any
  over: boolean; // the second over the first
  colours: string[];
  unit: string;
  floor: number; // of its curves: a smaller number is rounding
  output: HTMLOutputElement;
  remove(): void;
}
export interface Plots {
  all: Map<string, Shown>;
  zoom: Zoom;
  channels(): string[];
  clear(which?: (plot: Shown) => boolean): void;
  draw(t: number): void;
  /** Bands of the watched channels, a row each: time, then least and largest value of each channel. */
  take(rows: Float64Array, count: number, width: number): void;
  /** The same of single records; without arguments: bands again. */
  refine(rows?: Float64Array, count?: number, width?: number): void;
  /** Replace all plots, by their names. */
  choose(names: string[]): void;
}

const near = (name: string, known: string[]) => // channels that share a word with a name
  known.filter((other) => name.toLowerCase().split(/[^a-z0-9]+/).some((word) => word && other.toLowerCase().includes(word)));

export const makePlots = (
  { units, plots, floors = {}, span, most_channels: most, labels, memory, title }: Hello, watch: () => void,
): Plots => {
  const zoom: Zoom = { range: null, held: false, at: null }, all = new Map<string, Shown>(), known = Object.keys(units);
  const read = (name: string) => translated(labels[name] ?? name); // its label
  const heading = (own: string[], over: boolean) =>
    (over ? [...own].reverse() : own).map(read).join(over ? phrase(" over ") : AND);
  const floor = (name: string) => { // in the shown unit
    const [unit, per] = shownIn(units[name]);
    return name in floors ? floors[name] * per : floorOf(unit);
  };
  const named = new Map(known.map((name) => [read(name), name])); // names by label
  const channels = () => [...new Set([...all.values()].flatMap((plot) => plot.channels))];
  const clear: Plots["clear"] = (which = () => true) => { for (const plot of all.values()) if (which(plot)) plot.clear(); };
  const refusal = (own: string[]): string => {
    const strange = own.find((name) => !(name in units)), likely = strange ? near(strange, known).slice(0, OTHER) : [];
    const asked = likely.length ? ` ${phrase("Did you mean {names}?", { names: likely.join(phrase(" or ")) })}` : "";
    if (strange) return `${phrase("Unknown channel “{name}”.", { name: strange })}${asked}`;
    const fits = new Set([...channels(), ...own]).size <= most;
    return fits ? "" : phrase("At most {n} channels can be plotted: remove one first.", { n: most });
  };
  let quiet = 0;
  const say = (text: string) => {
    byId("channel-note").textContent = text;
    clearTimeout(quiet);
    quiet = window.setTimeout(() => { byId("channel-note").textContent = ""; }, SPOKEN);
  };
  const parsed = (wanted: string) => { // "a", "a, b" or "y over x"
    const typed = wanted.trim(), over = typed.includes(OVER), words = over ? typed.split(OVER).reverse() : typed.split(",");
    const own = words.map((word) => word.trim()).filter(Boolean).map((word) => (word in units ? word : named.get(word) ?? word));
    const banded = over ? [] : own.map((one, k) => (`${one}${SIGMA}` in units ? k : -1)).filter((k) => k >= 0);
    const watched = [...own, ...banded.map((k) => `${own[k]}${SIGMA}`)]; // an estimate has a band
    return { own, over, banded, watched, name: over ? [...own].reverse().join(OVER) : own.join(AND) };
  };
  const add = (wanted: string) => {
    const { own, over, banded, watched, name } = parsed(wanted), refused = refusal(watched);
    if (!own.length || (over && own.length !== 2))
      return say(phrase("Enter a channel, several separated by commas, or “y over x”."));
    if (refused || all.has(name)) return say(refused || phrase("{name} is already plotted.", { name }));
    say("");
    const used = new Set([...all.values()].flatMap((p) => p.colours)), own_units = own.map((one) => shownIn(units[one])[0]);
    const unit = over ? own_units[1] : [...new Set(own_units)].join(AND);
    const titled = (k: number) => (labels[own[k]]?.endsWith(")") ? read(own[k]) : [read(own[k]), own_units[k] && `(${own_units[k]})`].join(" ").trim());
    const free = [...COLOURS.filter((c) => !used.has(c)), ...COLOURS], colours = free.slice(0, over ? 1 : own.length);
    const spoken = heading(own, over), least = own.map(floor);
    const output = element("output"), close = element("button", { textContent: "×", title: phrase("Remove") });
    close.setAttribute("aria-label", phrase("Remove the plot of {name}", { name: spoken }));
    const more = element("button", { textContent: "+", title: phrase("Add a channel to this plot"), hidden: over });
    more.setAttribute("aria-label", phrase("Add a channel to the plot of {name}", { name: spoken }));
    more.onclick = () => fill(name);
    const sheet = over ? element("canvas") : element("div", { className: "chart" }), title_ = element("b", { title: name });
    if (over) title_.textContent = spoken;
    else title_.append(...own.map((one, k) => {
      const word = element("span", { textContent: read(one) });
      const line = element("i", { className: "line" });
      line.style.background = colours[k];
      if (own.length > 1) word.append(line);
      return word;
    }));
    const box = element("div", { className: "plot" }, element("header", {}, title_, output, more, close), sheet);
    byId("plot-list").append(box);
    const made = sheet instanceof HTMLCanvasElement
      ? makeTrace(sheet, colours[0], span, memory, zoom, [titled(0), titled(1)], [least[0], least[1]])
      : makePlot(sheet, colours, span, unit, Math.min(...least), memory, zoom, banded);
    const remove = () => {
      made.forget();
      all.delete(name);
      box.remove();
    };
    close.onclick = () => {
      remove();
      changed();
    };
    all.set(name, { ...made, output, colours, channels: watched, over, unit, floor: over ? least[1] : least[0], remove });
  };
  const field = byId<HTMLInputElement>("channel"), usual = field.placeholder;
  let into = ""; // the plot to which the next channel is added; "": it gets a plot of its own
  const fill = (name: string) => {
    [into, field.placeholder] = [name, phrase("Add to {name}", { name })];
    field.focus();
  };
  field.onblur = () => { if (!field.value) [into, field.placeholder] = ["", usual]; };
  field.onchange = () => {
    const typed = field.value, before = into, joined = before && typed.trim() ? `${before}${AND}${typed}` : "";
    [field.value, into, field.placeholder] = ["", "", usual];
    const refused = joined && refusal(parsed(joined).watched);
    if (refused) return say(refused);
    if (joined) return choose([...all.keys()].map((name) => (name === before ? joined : name)));
    add(typed);
    changed();
  };
  for (const name of known) byId("channels").append(element("option", { value: name, label: read(name) }));
  const first = plots?.length ? plots : known.filter((name) => name.endsWith(".q")).slice(0, 2);
  const spelled = (plot: string | string[]) => (typeof plot === "string" ? plot : [...plot].reverse().join(OVER));
  const usually = first.map(spelled), linked = kept(KEPT);
  const changed = () => {
    const names = [...all.keys()];
    keep(KEPT, names.join(BETWEEN) === usually.join(BETWEEN) ? null : names.join(BETWEEN));
    clear();
    watch();
  };
  const choose = (names: string[]) => {
    for (const plot of [...all.values()]) plot.remove();
    names.forEach(add);
    changed();
  };
  (linked?.split(BETWEEN) ?? usually).filter(Boolean).forEach(add);
  byId("csv").onclick = () => {
    const table = [...all.values()].filter((plot) => !plot.over).flatMap((plot) => plot.channels.map((name, k) => (
      { name, unit: shownIn(units[name])[0], rows: plot.rows().map((row) => [row[0], row[2 * k + 1], row[2 * k + 2]]) })));
    if (table.length) download(new Blob([csvOf(table)], { type: "text/csv" }), `${title}.csv`);
    else say(phrase("There is no plot over time to save."));
  };
  const draw = (t: number) => {
    for (const plot of all.values()) {
      plot.draw(t);
      const at = zoom.at === null ? "" : `${zoom.at.toFixed(3)} s: `; // under the pointer
      plot.output.textContent = `${at}${short(audible(plot.value(zoom.at ?? t), plot.floor))} ${plot.unit}`.trim();
    }
  };
  const ownRows = ({ channels: own }: Shown, rows: Float64Array, count: number, width: number) => {
    const watched = channels(), per = [1, ...own.flatMap((name) => [0, 1].map(() => shownIn(units[name])[1]))];
    const columns = [0, ...own.flatMap((name) => [0, 1].map((end) => 2 * watched.indexOf(name) + 1 + end))];
    return Array.from({ length: count }, (_, i) => columns.map((j, k) => per[k] * rows[i * width + j]));
  };
  const take: Plots["take"] = (...sent) => { for (const plot of all.values()) plot.add(ownRows(plot, ...sent)); };
  const refine: Plots["refine"] = (rows = new Float64Array(), count = 0, width = 1) => {
    for (const plot of all.values()) plot.refine(ownRows(plot, rows, count, width));
  };
  return { all, zoom, channels, clear, draw, take, refine, choose };
};
