// The pages of a machine: a row of buttons chooses which panels are shown, with the tables, charts and forms of that page.
import type { BoardData, FieldData, FormContent, PageData, Panel } from "../contract.ts";
import { phrase, translated } from "../language/language.ts";
import { keep, kept } from "../page/address.ts";
import { byId, element } from "../page/dom.ts";
import { makeChart, type Charts } from "./charts.ts";
import { short } from "./numbers.ts";

const KEPT = "page"; // in the address
const PANELS: Panel[] = ["view", "controls", "dials", "plots"];

type Tables = Record<string, (string | number)[][]>;
/** A message of a verb that the machine has registered. */
export type FormMessage = { do: string } & Record<string, string | number>;

export interface MachinePages {
  /** New rows of the tables. */
  show(tables: Tables): void;
  /** New contents of the charts. */
  draw(charts: Charts): void;
}

/** The page with a name, or the first one. */
export const pageNamed = (pages: PageData[], name: string | null): PageData =>
  pages.find((page) => page.name === name) ?? pages[0];

/** The message that a filled form sends; numbers are numbers, and texts have no spaces at their ends. */
export const formMessage = ({ verb, fields }: FormContent, values: Record<string, string>): FormMessage => {
  const given = fields.map(({ name, kind }) => [name, kind === "number" ? Number(values[name]) : values[name].trim()]);
  return { ...Object.fromEntries(given) as Record<string, string | number>, do: verb };
};

const makeField = ({ name, label, kind, low, high, most, choices }: FieldData, touch: boolean) => {
  const options = choices.map((text) => element("option", { value: text, textContent: translated(text) }));
  const input = kind === "choice"
    ? element("select", { name, disabled: !touch }, ...options)
    : element("input", {
      name, required: true, disabled: !touch, type: kind, autocomplete: "off",
      ...(kind === "number" ? { min: String(low), max: String(high), step: "any" } : { maxLength: most }),
    });
  return element("label", {}, translated(label), input);
};
const makeForm = (form: FormContent, touch: boolean, send: (message: FormMessage) => void) => {
  const note = element("output");
  const button = element("button", { className: "word main", textContent: translated(form.button), disabled: !touch });
  const made = element("form", {}, element("h2", { textContent: translated(form.title) }),
    ...form.fields.map((field) => makeField(field, touch)), button, note);
  made.onsubmit = (event) => {
    event.preventDefault();
    const values = Object.fromEntries([...new FormData(made)].map(([name, value]) => [name, String(value)]));
    send(formMessage(form, values));
    note.textContent = phrase("Sent.");
  };
  return made;
};
const makeBoard = ({ key, title, columns }: BoardData) => {
  const names = [phrase("Place"), ...columns.map(translated)];
  const head = element("tr", {}, ...names.map((name) => element("th", { textContent: name, scope: "col" })));
  const body = element("tbody"), empty = element("p", { textContent: phrase("No entries yet.") });
  const table = element("table", {}, element("thead", {}, head), body);
  const show = (tables: Tables) => {
    const rows = tables[key] ?? [];
    [table.hidden, empty.hidden] = [!rows.length, rows.length > 0];
    body.replaceChildren(...rows.map((row, k) => element("tr", {}, ...[k + 1, ...row].map((cell) =>
      element("td", { textContent: typeof cell === "number" ? short(cell) : cell })))));
  };
  show({});
  return { box: element("section", {}, element("h2", { textContent: translated(title) }), table, empty), show };
};

/** Makes the row of pages; without pages, all panels stay. choosePlots: replaces the plots by those of a page. */
export const makeMachinePages = (
  pages: PageData[], touch: boolean, send: (message: FormMessage) => void, choosePlots: (names: string[]) => void,
): MachinePages => {
  const row = byId("pages"), sheet = byId("sheet"), pane = byId("motion");
  let boards: ReturnType<typeof makeBoard>[] = [], latest: Tables = {};
  let charts: ReturnType<typeof makeChart>[] = [], contents: Charts = {};
  row.hidden = pages.length < 2;
  const open = (page: PageData, chosen: boolean) => {
    for (const panel of PANELS) pane.classList.toggle(`without-${panel}`, !page.panels.includes(panel));
    for (const button of row.querySelectorAll("button")) {
      if (button.dataset.name === page.name) button.setAttribute("aria-current", "page");
      else button.removeAttribute("aria-current");
    }
    boards = page.boards.map(makeBoard);
    charts = page.charts.map(makeChart);
    const drawn = element("div", { className: "charts" }, ...charts.map(({ box }) => box));
    sheet.replaceChildren(...(charts.length ? [drawn] : []), ...boards.map(({ box }) => box),
      ...page.forms.map((form) => makeForm(form, touch, send)));
    sheet.hidden = !sheet.childElementCount;
    for (const board of boards) board.show(latest);
    for (const chart of charts) chart.show(contents);
    if (chosen) keep(KEPT, page === pages[0] ? null : page.name);
    if (page.plots.length && (chosen || kept("plots") === null)) choosePlots(page.plots);
  };
  row.replaceChildren(...pages.map((page) => {
    const button = element("button", { textContent: translated(page.name), onclick: () => { open(page, true); button.blur(); } });
    button.dataset.name = page.name;
    return button;
  }));
  if (pages.length) open(pageNamed(pages, kept(KEPT)), false);
  let written = "";
  const show = (tables: Tables) => {
    const text = JSON.stringify(tables);
    if (text === written) return; // a status comes often, and a table is read by screen readers
    [written, latest] = [text, tables];
    for (const board of boards) board.show(tables);
  };
  const draw = (news: Charts) => {
    contents = news;
    for (const chart of charts) chart.show(news);
  };
  return { show, draw };
};
