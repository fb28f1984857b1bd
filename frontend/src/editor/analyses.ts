// All analyses of the command line: a form made of the options that each analysis declares.
import { phrase, translated } from "../language/language.ts";
import { byId, element } from "../page/dom.ts";
import type { Analysis, AnalysisOption, Value } from "./contract.ts";
import type { Data, Send } from "./data.ts";

const SEPARATOR = ";"; // between several values of an option

/** The value of a field as the server takes it; null: nothing is given. */
export const valueOf = ({ kind, several, default: usual }: AnalysisOption, text: string, on: boolean): Value => {
  if (kind === "switch") return on || null;
  const trimmed = text.trim();
  if (!trimmed || trimmed === usual) return null;
  const parts = several ? trimmed.split(SEPARATOR).map((part) => part.trim()).filter(Boolean) : [trimmed];
  return several ? parts : parts[0];
};

export interface Analyses {
  list(given: Analysis[]): void;
  files(names: string[]): void;
}
/** upload: sends a file that an analysis reads. */
export const makeAnalyses = (send: Send, upload: (file: File) => void): Analyses => {
  const box = byId("analyses"), chosen = byId<HTMLSelectElement>("analysis"), form = byId<HTMLFormElement>("analysis-form");
  const opener = byId("all-analyses"), names = byId("data-files"), typed = new Map<string, Data>(); // values by analysis
  let all: Analysis[] = [], read: () => Data = () => ({});

  const fileChooser = (field: HTMLInputElement) => {
    const file = element("input", { type: "file", accept: ".csv,.parquet,.mcap", hidden: true });
    file.onchange = () => {
      const [found] = file.files ?? [];
      if (!found) return;
      upload(found);
      field.value = found.name.replace(/[^\w.-]+/g, "_");
    };
    return [file, element("button", { type: "button", textContent: phrase("Choose a file…"), onclick: () => file.click() })];
  };
  const field = (option: AnalysisOption, known: Value | undefined) => {
    const { flag, kind, about, choices, form: shape, default: usual, required, several } = option;
    const name = flag.replace(/^-+/, ""), title = translated(about);
    const text = Array.isArray(known) ? known.join(`${SEPARATOR} `) : typeof known === "string" ? known : "";
    const made = kind === "choice" && !several ? element("select") : element("input", { type: kind === "switch" ? "checkbox"
      : "text", spellcheck: false });
    if (made instanceof HTMLSelectElement) {
      for (const one of ["", ...choices]) made.add(new Option(one, one, one === (text || usual), one === (text || usual)));
    } else {
      made.value = text;
      made.checked = known === true;
      made.placeholder = usual || shape;
      if (kind === "file") made.setAttribute("list", "data-files");
    }
    made.setAttribute("aria-label", name);
    const hint = several ? `${title} · ${phrase("several: separate them by ;")}` : title;
    const row = element("label", { className: "option", title: hint }, element("span", { textContent: required ? `${name} *`
      : name }), made);
    if (kind === "file" && made instanceof HTMLInputElement) row.append(...fileChooser(made));
    row.append(element("small", { textContent: title }));
    const value = () => valueOf(option, made.value, made instanceof HTMLInputElement && made.checked);
    return { row, flag, required, value };
  };
  const show = () => {
    const analysis = all.find(({ name }) => name === chosen.value);
    if (!analysis) return;
    const known = typed.get(analysis.name) ?? {}, fields = analysis.options.map((one) => field(one, known[one.flag]));
    read = () => Object.fromEntries(fields.map(({ flag, value }) => [flag, value()] as const).filter(([, value]) =>
      value !== null));
    const [needed, others] = [fields.filter(({ required }) => required), fields.filter(({ required }) => !required)];
    const more = element("details", { open: true }, element("summary",
      { textContent: phrase("Options") }), ...others.map(({ row }) => row));
    form.replaceChildren(element("p", { textContent: translated(analysis.about) }), ...needed.map(({ row }) => row),
      ...(others.length ? [more] : []), element("button", { className: "main", textContent: phrase("Run") }));
  };
  chosen.onchange = show;
  form.onsubmit = (event) => {
    event.preventDefault();
    const values = read();
    typed.set(chosen.value, values);
    send({ do: "runanalysis", name: chosen.value, values });
  };
  opener.onclick = () => {
    box.hidden = !box.hidden;
    opener.setAttribute("aria-expanded", String(!box.hidden));
    if (!box.hidden) send({ do: "listanalyses" });
  };
  return {
    list: (given) => {
      if (JSON.stringify(given) === JSON.stringify(all)) return; // what is typed stays
      all = given;
      chosen.replaceChildren(...all.map(({ name }) => new Option(translated(name), name)));
      byId("no-analyses").hidden = all.length > 0;
      show();
    },
    files: (given) => names.replaceChildren(...given.map((name) => new Option(name))),
  };
};
