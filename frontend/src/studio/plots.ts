// The plots that are chosen: boxes with a name, the newest value and a button that removes them.
import type { Hello } from "../contract.ts";
import { byId, element } from "./dom.ts";
import { short } from "./numbers.ts";
import { makePlot, type Plot } from "./plot.ts";
import { makeTrace } from "./trace.ts";

const COLOURS = ["#3f7cac", "#e07a3f", "#5b9a57", "#c8553d", "#8268a6", "#c9a227", "#4aa3a2", "#b5657d"];
const OTHER = 3, SPOKEN = 6000; // names that are offered for one that is not known; ms that a refusal is shown

interface Shown extends Plot {
  channels: string[];
  colour: string;
  unit: string;
  output: HTMLOutputElement;
}
export interface Plots {
  all: Map<string, Shown>;
  channels(): string[];
  clear(which?: (plot: Shown) => boolean): void;
  draw(t: number): void;
  /** Bands for the channels that were asked for, a row each: time, then least and largest of each channel. */
  take(rows: Float64Array, count: number, width: number): void;
}

const near = (name: string, known: string[]) => // channels that share a word with it
  known.filter((other) => name.toLowerCase().split(/[^a-z0-9]+/).some((word) => word && other.toLowerCase().includes(word)));

export const makePlots = ({ units, plots, span, most_channels: most }: Hello, watch: () => void): Plots => {
  const all = new Map<string, Shown>(), known = Object.keys(units);
  const channels = () => [...new Set([...all.values()].flatMap((plot) => plot.channels))];
  const clear: Plots["clear"] = (which = () => true) => { for (const plot of all.values()) if (which(plot)) plot.clear(); };
  const refusal = (own: string[]): string => {
    const strange = own.find((name) => !(name in units)), likely = strange ? near(strange, known).slice(0, OTHER) : [];
    if (strange) return `There is no channel “${strange}”${likely.length ? `: is it ${likely.join(" or ")}?` : "."}`;
    if (new Set([...channels(), ...own]).size > most) return `At most ${most} channels are plotted: remove one first.`;
    return "";
  };
  let quiet = 0;
  const say = (text: string) => {
    byId("channel-note").textContent = text;
    clearTimeout(quiet);
    quiet = window.setTimeout(() => { byId("channel-note").textContent = ""; }, SPOKEN);
  };
  const add = (wanted: string | string[]) => { // a channel, or two: the second over the first
    const own = [wanted].flat(), name = [...own].reverse().join(" over "), refused = refusal(own);
    if (refused || all.has(name)) return say(refused || `${name} is plotted already.`);
    say("");
    const output = element("output"), close = element("button", { textContent: "×", title: "Remove" });
    close.setAttribute("aria-label", `Remove the plot of ${name}`);
    const sheet = own.length > 1 ? element("canvas") : element("div", { className: "chart" });
    const head = element("header", {}, element("b", { textContent: name, title: name }), output, close);
    const box = element("div", { className: "plot" }, head, sheet);
    byId("plot-list").append(box);
    const used = new Set([...all.values()].map((p) => p.colour)), unit = units[own[own.length - 1]];
    const colour = COLOURS.find((c) => !used.has(c)) ?? COLOURS[all.size % COLOURS.length];
    const made = sheet instanceof HTMLCanvasElement ? makeTrace(sheet, colour, span) : makePlot(sheet, colour, span, unit);
    close.onclick = () => {
      made.forget();
      all.delete(name);
      box.remove();
      clear();
      watch();
    };
    all.set(name, { ...made, output, colour, channels: own, unit });
  };
  const field = byId<HTMLInputElement>("channel");
  field.onchange = () => {
    add(field.value.trim());
    field.value = "";
    clear();
    watch();
  };
  for (const name of known) byId("channels").append(new Option(name));
  const first = plots?.length ? plots : known.filter((name) => name.endsWith(".q")).slice(0, 2);
  first.forEach(add);
  const draw = (t: number) => {
    for (const plot of all.values()) {
      plot.draw(t);
      plot.output.textContent = `${short(plot.value(t))} ${plot.unit}`.trim();
    }
  };
  const take = (rows: Float64Array, count: number, width: number) => {
    const watched = channels();
    for (const plot of all.values()) {
      const columns = [0, ...plot.channels.flatMap((name) => [0, 1].map((end) => 2 * watched.indexOf(name) + 1 + end))];
      plot.add(Array.from({ length: count }, (_, i) => columns.map((j) => rows[i * width + j])));
    }
  };
  return { all, channels, clear, draw, take };
};
