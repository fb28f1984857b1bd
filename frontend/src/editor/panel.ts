// Properties of what is selected: every number with its unit, checked as it is typed; joints, points, laws, comments.
import { phrase, translated } from "../language/language.ts";
import { byId, element, svg } from "../page/dom.ts";
import { makeFormula } from "./code_fields.ts";
import type { Curve, DocumentNews, Path, Property, Tried, Value, Welcome } from "./contract.ts";
import { valueAt, type Data, type Send } from "./data.ts";
import { lookRows } from "./looks.ts";
import type { Sliders } from "./sliders.ts";
import { commaParts, numberOf, numbersOf, typed } from "./values.ts";

const WAIT = 250; // ms after the last key until a value is tried
type Row = Record<string, Value>;

/** A mapping, whichever short form the file has: a parameter as a number, a sensor as a point, a point as a place. */
export const normal = (section: string, value: Value | undefined): Row => {
  if (value !== null && typeof value === "object" && !Array.isArray(value)) return value;
  const key = { parameters: "value", inputs: "value", sensors: "point", force_sites: "point", points: "position" }[section];
  return key && value !== undefined && value !== null ? { [key]: value } : {};
};
/** The joints of a body as mappings. */
export const jointRows = (joints: Value | undefined): Row[] => {
  const listed = typeof joints === "string" ? joints.split(/\s+/).filter(Boolean) : Array.isArray(joints) ? joints : [];
  return listed.map((one) => (typeof one === "object" && one !== null && !Array.isArray(one) ? one : { type: one }));
};

export interface Panel {
  show(news: DocumentNews, selected: string[][], mayEdit: boolean): void;
  tried(news: Tried): void;
}
export const makePanel = (send: Send, welcome: () => Welcome | null, sliders: Sliders): Panel => {
  const panel = byId("panel");
  let news: DocumentNews | null = null, path: Path = [], shown = "", waiting = 0;
  const notes = new Map<string, { say: HTMLElement; plot: HTMLElement }>(), keyOf = (where: Path) => where.join("\n");
  const set = (where: Path, value: Value | null, label: string) =>
    send({ do: "edit", label, changes: [value === null ? { op: "remove", path: where } : { op: "set", path: where, value }] });
  const attempt = (where: Path, value: Value | null) => {
    clearTimeout(waiting);
    waiting = window.setTimeout(() => { if (value !== null) send({ do: "tryvalue", path: where, value }); }, WAIT);
  };

  const field = (label: string, unit: string, about: string, control: HTMLElement, where: Path) => {
    const say = element("p", { className: "tried" }), plot = element("div", { className: "curve" });
    notes.set(keyOf(where), { say, plot });
    const row = element("label", { className: "field", title: translated(about) }, element("span", { textContent: label }),
      control,
      element("small", { textContent: unit }));
    return element("div", {}, row, say, plot);
  };
  const input = (value: string, name: string, set: (text: string) => void, attempt: (text: string) => void = () => undefined) => {
    const made = element("input", { value, spellcheck: false });
    made.setAttribute("aria-label", name);
    made.setAttribute("list", "names");
    let known = value;
    const commit = () => { if (made.value !== known) { known = made.value; set(made.value); } };
    made.onchange = commit;
    made.oninput = () => attempt(made.value);
    made.onkeydown = ({ key }) => { if (key === "Enter") commit(); };
    return made;
  };
  const choice = (value: string, options: string[], name: string, set: (text: string) => void) => {
    const made = element("select", {});
    for (const one of options.includes(value) ? options : [value, ...options]) made.add(new Option(one, one, one === value,
      one === value));
    made.setAttribute("aria-label", name);
    made.onchange = () => set(made.value);
    return made;
  };
  const pointNames = () => (news?.diagram.nodes ?? []).flatMap(({ kind, name, points }) =>
    (kind === "body" || kind === "ground" ? points.map((point) => (point === "origin" ? name : `${name}.${point}`)) : []));
  const lawWords = (section: string) => [...(welcome()?.words[section] ?? []),
    ...["parameters", "inputs", "states"].flatMap((one) => Object.keys((news?.data[one] ?? {}) as Data))];

  /** The field of one property; `where` is its path, `raw` its value, `put` sets it (null removes it). */
  const property = (section: string, { key, kind, unit, about, choices }: Property, raw: Value | undefined, where: Path,
    put: (value: Value | null) => void) => {
    const name = translated(key || "law"), attemptIt = (value: Value | null) => attempt(where, value);
    const made = (control: HTMLElement) => field(name, unit, about, control, where);
    if (kind === "choice") return made(choice(typed(raw) || choices[0], choices, name, (text) => put(text)));
    if (kind === "point") return made(choice(typed(raw) || "ground", pointNames(), name, (text) => put(text)));
    if (kind === "points") {
      const ends = Array.isArray(raw) ? raw.map(typed) : ["", ""];
      return made(element("span", {}, ...ends.map((end, k) =>
        choice(end, pointNames(), `${name} ${k + 1}`, (text) => put(ends.map((one, other) => (other === k ? text : one)))))));
    }
    if (kind === "law") {
      const parent = element("div", { className: "formula" }), several = Array.isArray(raw);
      const read = (text: string): Value | null => (!text ? null : several || commaParts(text).length > 1
        ? commaParts(text).map((part) => part.trim()) : text);
      if (raw !== null && typeof raw === "object" && !Array.isArray(raw)) return made(element("output",
        { textContent: JSON.stringify(raw) }));
      makeFormula(parent, typed(raw), name, () => lawWords(section), (text) => put(read(text)), (text) => attemptIt(read(text)));
      if (typeof raw === "string") attempt(where, raw);
      return made(parent);
    }
    const several = kind === "vector" || kind === "numbers";
    const read = (text: string): Value | null => {
      if (kind === "text") return text || null;
      if (!several) return numberOf(text);
      const all = numbersOf(text);
      return !all.length ? null : all.length === 1 && kind === "numbers" ? all[0] : all;
    };
    return made(input(typed(raw), name, (text) => put(read(text)), (text) => attemptIt(read(text))));
  };

  // -- parts of the panel ------------------------------------------------------------------------------------------

  /** The documentation of an element, folded. */
  const about = (section: string) => {
    const text = welcome()?.about[section];
    return text ? [element("details", { className: "about" }, element("summary", { textContent: phrase("About this element") }),
      ...text.split("\n\n").map((part) => element("p", { textContent: translated(part) })))] : [];
  };
  const heading = (title: string, where: Path) => element("h2", {}, input(title, phrase("Name"), (name) => send({ do: "rename",
    path: where, name: name.trim() })));
  const rows = (section: string, data: Data, where: Path) => {
    const raw = valueAt(data, where), entries = normal(section, raw), whole = raw !== null && typeof raw === "object"
      && !Array.isArray(raw);
    return (welcome()?.properties[section] ?? []).map((one) => {
      const at = one.key ? [...where, one.key] : where;
      const put = (value: Value | null) => {
        if (!one.key || whole) return set(at, value, one.key || section);
        const all = { ...entries };
        if (value === null) Reflect.deleteProperty(all, one.key);
        else all[one.key] = value;
        return set(where, all, one.key);
      };
      return property(section, one, one.key ? entries[one.key] : raw, at, put);
    });
  };
  const joints = (name: string, data: Data) => {
    const where: Path = ["bodies", name, "joints"], raw = valueAt(data, where), all = jointRows(raw);
    const named = news?.diagram.edges.find(({ id }) => id === `joints.${name}`)?.joints ?? [];
    const write = (next: Row[]) => set(where, next.length ? next : null, "joints");
    const boxes = all.map((row, k) => element("fieldset", {},
      element("legend", {}, input(named[k]?.name ?? "", phrase("Name of the joint"), (to) => send({ do: "rename",
        path: [...where, k], name: to })),
        element("button", { textContent: "×", title: phrase("Remove the joint"), onclick: () => write(all.filter((_, other) =>
          other !== k)) })),
      ...(welcome()?.properties.joints ?? []).map((one) => property("joints", one, row[one.key], [...where, k, one.key],
        (value) => {
        const next = { ...row };
        if (value === null) Reflect.deleteProperty(next, one.key);
        else next[one.key] = value;
        write(all.map((other, at) => (at === k ? next : other)));
      })),
      ...["joint_forces", "trajectories"].map((section) => property(section, welcome()!.properties[section][0],
        valueAt(data, [section, named[k]?.name ?? ""]), [section, named[k]?.name ?? ""],
        (value) => set([section, named[k]?.name ?? ""], value, section))).map((made, which) => {
        made.querySelector("span")!.textContent = phrase(which ? "trajectory" : "force");
        return made;
      })));
    const add = element("button", { textContent: phrase("Add a joint"), onclick: () => write([...all, { type: "R2" }]) });
    return [element("h3", { textContent: phrase("Joints") }), ...about("joints"), ...boxes, add];
  };
  const points = (where: Path, data: Data) => {
    const all = (valueAt(data, where) ?? {}) as Data;
    const lines = Object.entries(all).map(([name, value]) => {
      const entries = normal("points", value), mapped = value !== null && typeof value === "object" && !Array.isArray(value);
      const place = input(typed(entries.position), phrase("Position of {name}", { name }),
        (text) => set(mapped ? [...where, name, "position"] : [...where, name], numbersOf(text), "point"));
      const title = input(name, phrase("Name of the point"), (to) => send({ do: "rename", path: [...where, name], name: to }));
      return element("div", { className: "point" }, title, place, element("small", { textContent: "m" }),
        element("button", { textContent: "×", title: phrase("Remove the point"), onclick: () => send({ do: "remove",
          paths: [[...where, name]] }) }));
    });
    const free = ["tip", "end", "point"].find((one) => !(one in all)) ?? `point_${Object.keys(all).length + 1}`;
    const add = element("button", { textContent: phrase("Add a point"), onclick: () => set([...where, free], [0.1, 0, 0],
      "point") });
    return [element("h3", { textContent: phrase("Points") }), ...lines, add];
  };
  const comment = (name: string, drawing: DocumentNews["drawing"]) => {
    const made = element("textarea", { value: drawing.notes[name] ?? "", rows: 2, placeholder: phrase("Comment") });
    made.setAttribute("aria-label", phrase("Comment"));
    made.onchange = () => send({ do: "draw", kind: "notes", changes: { [name]: made.value.trim() || null } });
    return made;
  };
  const general = (data: Data) => {
    const listed = ["parameters", "inputs"].flatMap((section) => {
      const all = (data[section] ?? {}) as Data;
      const lines = Object.keys(all).map((name) => {
        const entries = normal(section, all[name]), mapped = typeof all[name] === "object" && all[name] !== null;
        const put = (key: string) => (text: string) => {
          const value = key === "unit" ? text || null : numberOf(text);
          if (mapped) set([section, name, key], value, name);
          else set([section, name], key === "value" ? value : { ...entries, [key]: value }, name);
        };
        const slider = sliders.make(name, entries, [section, name]);
        return element("div", {}, element("div", { className: "point" },
          input(name, phrase("Name"), (to) => send({ do: "rename", path: [section, name], name: to })),
          input(typed(entries.value), phrase("Value of {name}", { name }), put("value")),
          input(typed(entries.unit), phrase("Unit of {name}", { name }), put("unit")),
          element("button", { textContent: "×", title: phrase("Remove"), onclick: () => set([section, name], null, "remove") })),
        ...(slider ? [slider] : []));
      });
      const free = ["k", "c", "L"].find((one) => !(one in all)) ?? `p${Object.keys(all).length + 1}`;
      const adding = section === "parameters" ? phrase("Add a parameter") : phrase("Add an input");
      return [element("h3", { textContent: section === "parameters" ? phrase("Parameters") : phrase("Inputs") }), ...lines,
        element("button", { textContent: adding, onclick: () => set([section, section === "parameters" ? free
          : `u${Object.keys(all).length + 1}`], 1, "add") })];
    });
    return [element("h2", { textContent: phrase("Model") }), ...about("model"),
      ...(welcome()?.properties.model ?? []).map((one) => property("model", one, data[one.key], [one.key], (value) =>
        set([one.key], value, one.key))), ...listed];
  };

  const content = (data: Data, selected: string[][]): (Node | string)[] => {
    if (selected.length > 1) return [element("p", { textContent: phrase("{n} elements are selected", { n: selected.length }) })];
    path = selected[0] ?? [];
    const [section, name] = path as string[];
    if (!section) return general(data);
    const looks = (where: Path) => lookRows([...where, "looks"], data, welcome()?.properties.looks ?? [], property, set);
    if (section === "ground") return [element("h2", { textContent: phrase("Ground") }), ...points(["ground", "points"], data),
      ...looks(["ground"]), comment("ground", news!.drawing)];
    const own: HTMLElement[] = [heading(name, path), ...about(section), ...rows(section, data, path)];
    if (section === "bodies") own.push(...joints(name, data), ...points([...path, "points"], data), ...looks(path));
    if (section === "circuits") own.push(element("pre", { textContent: JSON.stringify(valueAt(data, path), null, 1) }));
    return [...own, comment(name, news!.drawing)];
  };
  return {
    show: (given, selected, mayEdit) => {
      news = given;
      if (sliders.held()) return; // its slider must stay
      const state = JSON.stringify([given.data, given.drawing.notes, selected, mayEdit]);
      if (state === shown) return;
      shown = state;
      const focus = panel.contains(document.activeElement) ? (document.activeElement as HTMLElement).getAttribute("aria-label")
        : null;
      const index = focus ? [...panel.querySelectorAll(`[aria-label="${CSS.escape(focus)}"]`)].indexOf(document.activeElement!)
        : 0;
      notes.clear();
      panel.replaceChildren(...content(given.data, selected));
      panel.toggleAttribute("inert", !mayEdit);
      if (focus) (panel.querySelectorAll(`[aria-label="${CSS.escape(focus)}"]`)[index] as HTMLElement | undefined)?.focus();
      byId("names").replaceChildren(...["parameters"].flatMap((one) =>
        Object.keys((given.data[one] ?? {}) as Data)).map((name) => new Option(name)));
    },
    tried: ({ path: where, problem, curve }) => {
      const found = notes.get(keyOf(where));
      if (!found) return;
      found.say.textContent = problem;
      found.plot.replaceChildren(...(curve ? [drawCurve(curve)] : []));
    },
  };
};

/** A law over its range, as a small picture. */
const drawCurve = ({ argument, x, y }: Curve): HTMLElement => {
  const good = y.filter((one): one is number => one !== null), low = Math.min(...good, 0), high = Math.max(...good, 0);
  const across = (k: number) =>
    (200 * (x[k] - x[0])) / (x[x.length - 1] - x[0]), up = (v: number) => 56 - (52 * (v - low)) / (high - low || 1);
  const d = y.map((v, k) => (v === null ? ""
    : `${k && y[k - 1] !== null ? "L" : "M"}${across(k).toFixed(1)} ${up(v).toFixed(1)}`)).join("");
  const picture = svg("svg", { viewBox: "0 0 200 60", role: "img" }, svg("path", { d: `M0 ${up(0)}H200`, class: "zero" }),
    svg("path", { d, class: "law" }));
  const short = (v: number) => v.toPrecision(3), ends = [x[0], x[x.length - 1], low, high].map(short);
  const text = `${argument}: ${ends[0]} … ${ends[1]}; ${ends[2]} … ${ends[3]}`;
  const made = element("div", {}, element("small", { textContent: text }));
  made.prepend(picture);
  return made;
};
