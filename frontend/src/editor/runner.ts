// Analyses from the page: their progress, tables, plots and films.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { phrase, translated } from "../language/language.ts";
import { byId, download, element } from "../page/dom.ts";
import { axisStyle } from "../page/axis_style.ts";
import type { Film, JobNews, JobResult, ResultTable } from "./contract.ts";
import type { Send } from "./data.ts";

const COLOURS = ["#3f7cac", "#e07a3f", "#5b9a57", "#c8553d", "#8268a6", "#c9a227"], MOST = 6; // curves in a plot
const bytesOf = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

export interface Runner {
  /** A slider was released: the last analysis of the buttons runs again, if a person wants it. */
  again(): void;
  told(news: JobNews): void;
  result(): JobResult | null;
}
export const makeRunner = (send: Send, play: (film: Film, share: number) => void, rest: () => void): Runner => {
  const job = byId("job"), bar = byId<HTMLProgressElement>("share"), box = byId("result"),
    scrub = byId<HTMLInputElement>("scrub");
  let film: Film | null = null, playing = false, share = 0, last = 0, result: JobResult | null = null, chart: uPlot | null = null;
  const read = (id: string, other: number) => { const x = Number(byId<HTMLInputElement>(id).value); return x > 0 ? x : other; };
  let lastKind = "";
  const run = (kind: string) => {
    lastKind = kind;
    send({ do: "runjob", kind, until: read("until", 2), dt: read("dt", 1e-3), values: {} });
  };
  for (const button of document.querySelectorAll<HTMLElement>("[data-run]")) button.onclick = () => run(button.dataset.run!);
  for (const kind of ["code", "fmu"]) byId(kind).onclick = () => run(kind);
  byId("cancel").onclick = () => send({ do: "canceljob" });

  // -- films ---------------------------------------------------------------------------------------------------------

  const show = () => { if (film) { play(film, share); scrub.value = String(share); } };
  const step = (now: number) => {
    if (!playing || !film) return;
    share += Math.min(now - last, 100) / 1000 / Math.max(film.seconds, 1e-6);
    last = now;
    if (share > 1) share = 0;
    show();
    requestAnimationFrame(step);
  };
  const start = (on: boolean) => {
    playing = on && film !== null;
    last = performance.now();
    byId("play").textContent = playing ? phrase("Pause") : phrase("Play");
    if (playing) requestAnimationFrame(step);
  };
  byId("play").onclick = () => start(!playing);
  scrub.oninput = () => { start(false); share = Number(scrub.value); show(); };
  const load = (given: Film | null) => {
    film = given;
    share = 0;
    byId("film").hidden = !film;
    start(film !== null && !matchMedia("(prefers-reduced-motion: reduce)").matches);
    if (!film) rest();
  };

  // -- results -------------------------------------------------------------------------------------------------------

  const cell = (x: string | number | null) => element("td", { textContent: x === null ? "–" : typeof x === "number"
    ? String(Number(x.toPrecision(8))) : translated(x) });
  const table = ({ head, rows }: ResultTable, films: Film[] = []) => {
    const lines = rows.map((row, k) => {
      const made = element("tr", {}, ...row.map(cell));
      if (films[k]) made.append(element("td", {}, element("button", { textContent: phrase("Play"), onclick: () =>
        load(films[k]) })));
      return made;
    });
    return element("table", {}, element("thead", {}, element("tr", {}, ...head.map((one) => element("th",
      { textContent: translated(one) })))), element("tbody", {}, ...lines));
  };
  const plot = (given: JobResult) => {
    const names = Object.keys(given.channels!), parent = element("div", { className: "plot" });
    const list = element("select", { multiple: true, size: Math.min(5, names.length) });
    list.setAttribute("aria-label", phrase("Plotted channels"));
    for (const [k, name] of names.entries()) list.add(new Option(`${name} (${given.units?.[name] || "1"})`, name, k < 3, k < 3));
    const draw = () => {
      chart?.destroy();
      const chosen = [...list.selectedOptions].slice(0, MOST).map((one) => one.value);
      const axes = [{ ...axisStyle(parent), label: "t (s)" }, { ...axisStyle(parent), size: 60 }];
      chart = new uPlot({
        width: parent.clientWidth || 300, height: 180, axes, scales: { x: { time: false } },
        series: [{ label: "t" }, ...chosen.map((label, k) => ({ label, stroke: COLOURS[k % COLOURS.length], width: 1.5 }))],
      }, [given.t as number[], ...chosen.map((name) => given.channels![name])], parent);
    };
    list.onchange = draw;
    const csv = element("button", {
      textContent: phrase("CSV"), title: phrase("Save the records as a table"), onclick: () => {
        const lines = [["t", ...names].join(","), ...given.t!.map((t, k) => [t, ...names.map((name) =>
          given.channels![name][k] ?? "")].join(","))];
        download(new Blob([lines.join("\n")], { type: "text/csv" }), "run.csv");
      },
    });
    requestAnimationFrame(draw);
    return [parent, element("div", { className: "row" }, list, csv)];
  };
  const done = (kind: string, given: JobResult) => {
    result = given;
    const parts: Node[] = [];
    if (given.note) parts.push(element("p", { textContent: given.note }));
    if (given.table) parts.push(table(given.table, given.films));
    for (const one of given.tables ?? []) {
      if (one.title) parts.push(element("h3", { textContent: translated(one.title) }));
      parts.push(element("div", { className: "wide-table" }, table(one)));
    }
    for (const [name, text] of Object.entries(given.pictures ?? {}))
      parts.push(element("img", { src: `data:image/png;base64,${text}`, alt: name }));
    if (given.channels) parts.push(...plot(given));
    for (const [name, text] of Object.entries(given.files ?? {}))
      parts.push(element("details", {}, element("summary", { textContent: name }), element("pre", { textContent: text.slice(0,
        20000) }),
        element("button", { textContent: phrase("Save {name}", { name }), onclick: () => download(new Blob([text]), name) })));
    for (const { name, base64 } of given.downloads ?? [])
      parts.push(element("button", { textContent: phrase("Save {name}", { name }), onclick: () =>
        download(new Blob([bytesOf(base64)]), name) }));
    if (given.download) download(new Blob([bytesOf(given.download.base64)]), given.download.name);
    box.replaceChildren(...parts);
    box.dataset.kind = kind;
    load(given.film ?? given.films?.[0] ?? null);
  };
  return {
    told: (news) => {
      const { kind, state, stage = "", share: part = 0, problem = "" } = news, runs = state === "running";
      byId("cancel").hidden = bar.hidden = !runs;
      bar.value = part;
      if (!part) bar.removeAttribute("value");
      job.classList.toggle("warn", state === "failed");
      job.dataset.state = state;
      job.textContent = runs ? translated(stage) : state === "failed" ? translated(problem) : state === "cancelled"
        ? phrase("Cancelled") : "";
      if (state === "done") done(kind, news.result!);
    },
    result: () => result,
    again: () => { if (lastKind && byId<HTMLInputElement>("again").checked) run(lastKind); },
  };
};
