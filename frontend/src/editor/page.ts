// The page of the editor: diagram, 3-D view, properties, messages and analyses of one document on the server.
import { phrase, translated, translatePage } from "../language/language.ts";
import { fillPreferences } from "../language/preferences_menu.ts";
import { byId, download, element, takesKey } from "../page/dom.ts";
import { askForToken, connect } from "../page/socket.ts";
import { makeAnalyses } from "./analyses.ts";
import { makeTextPane } from "./code_fields.ts";
import { makeBoard } from "./drawing.ts";
import { makePanel } from "./panel.ts";
import { makePalette } from "./palette.ts";
import { makeRunner } from "./runner.ts";
import { makeSliders } from "./sliders.ts";
import { makeStage } from "./stage.ts";
import { makeTour } from "./tour.ts";
import { makeUploads, takeDrops } from "./uploads.ts";
import type { DocumentNews, EditorNews, Order, Path, Remark, TextChange, Value, Welcome } from "./contract.ts";
import { valueAt } from "./data.ts";
import "./editor.css";

const button = (id: string) => byId<HTMLButtonElement>(id);
let news: DocumentNews | null = null, welcome: Welcome | null = null, pen = false, touch = false, version = 0;
const say = (text: string, warns = false) => {
  byId("said").textContent = text;
  byId("said").classList.toggle("warn", warns);
};
let expecting = false; // an element is being added: it is selected when it comes
const ADDS = new Set(["addpart", "copy"]);
const send = (order: Order) => {
  if (ADDS.has(order.do) || (order.do === "edit" && order.label in CONNECTIONS)) expecting = true;
  if (order.do === "rename" && order.path.length === 2) { // the selection follows the name
    const [section, old] = order.path;
    chosen = chosen.map((id) => (id === `${section}.${old}` ? `${section}.${order.name}` : id === `joints.${old}`
      ? `joints.${order.name}` : id));
  }
  wire.send(order);
};
const newIds = (old: DocumentNews | null, { diagram }: DocumentNews) => {
  const known = new Set([...(old?.diagram.nodes ?? []), ...(old?.diagram.edges ?? [])].map(({ id }) => id));
  return [...diagram.nodes, ...diagram.edges.filter(({ kind }) => kind !== "joints")].map(({ id }) => id).filter((id) =>
    !known.has(id));
};

// -- selection -----------------------------------------------------------------------------------------------------------

let chosen: string[] = []; // ids of nodes and edges
const pathOf = (id: string): string[] | null =>
  news?.diagram.nodes.find((one) => one.id === id)?.path ?? news?.diagram.edges.find((one) => one.id === id)?.path ?? null;
const paths = () => chosen.map(pathOf).filter((one) => one !== null);
const bodyOf = ([section, name]: string[] = []) => (section === "bodies" ? name : section === "ground" ? "ground" : null);
const choose = (ids: string[], reveal = false) => {
  chosen = ids;
  board.select(ids, reveal);
  stage.select(bodyOf(paths()[0]));
  showPanel();
};
const showPanel = () => { if (news) panel.show(news, paths(), pen); };
const showPath = (path: string[]) => {
  const same = (one: { path: string[] }) => one.path.join() === path.slice(0, 2).join();
  const found = news?.diagram.nodes.find(same) ?? news?.diagram.edges.find(same);
  choose(found ? [found.id] : [], true);
};

// -- parts of the page ---------------------------------------------------------------------------------------------------

const pointPath = ({ id, point }: { id: string; point: string }) => {
  const name = news?.diagram.nodes.find((one) => one.id === id)?.name ?? "ground";
  return point && point !== "origin" ? `${name}.${point}` : name;
};
const free = (section: string, wanted: string) => {
  const taken = Object.keys((news?.data[section] ?? {}) as object);
  for (let k = 1; ; k++) { const name = k > 1 ? `${wanted}_${k}` : wanted; if (!taken.includes(name)) return name; }
};
const edit = (label: string, ...changes: TextChange[]) => send({ do: "edit", label, changes });
const set = (path: Path, value: Value): TextChange => ({ op: "set", path, value });
const CONNECTIONS: Record<string, (a: string, b: string, to: string) => void> = {
  cut: (a, b) => edit("cut", set(["cuts", free("cuts", "loop")], { kind: "ball", between: [a, b] })),
  link: (a, b) => edit("link", set(["links", free("links", "spring")], { between: [a, b], law: "100*(length - 0.5) + 2*rate" })),
  carry: (a, _, to) => edit("carry", set(["bodies", to, "on"], a)),
};
const board = makeBoard({
  chosen: (ids) => choose(ids),
  moved: (places) => send({ do: "draw", kind: "at", changes: places }),
  connected: (from, to) => {
    const name = news?.diagram.nodes.find((one) => one.id === to.id)?.name ?? "";
    CONNECTIONS[byId<HTMLSelectElement>("connect").value](pointPath(from), pointPath(to), name);
  },
});
const stage = makeStage(
  (body) => choose(body === null ? [] : [body === "ground" ? "ground" : `bodies.${body}`], true),
  {
    moved: (point, at) => {
      const [body, name] = point.split("."), where: Path = body === "ground" ? ["ground", "points", name] : ["bodies", body,
        "points", name];
      const old = valueAt(news?.data, where); // a point with a rotation keeps it
      edit("move", set(old && typeof old === "object" && !Array.isArray(old) ? [...where, "position"] : where, at));
    },
    turned: (body, joint, direction) => send({ do: "turnaxis", body, joint, direction }),
  });
const sliders = makeSliders(send, () => { runner.again(); showPanel(); });
const panel = makePanel(send, () => welcome, sliders);
const runner = makeRunner(send, stage.play, stage.rest);
const tour = makeTour();
const uploads = makeUploads(send, (part) => wire.sendBytes(part), say);
const analyses = makeAnalyses(send, (file) => void uploads.send(file, ""));
/** Attaches a dropped mesh to the body under the pointer, or to the selected one. */
const attach = (file: File, under: string | null) => {
  const body = under ?? bodyOf(paths()[0]);
  if (!pen) return say(phrase("looking only: another browser edits, or the token is missing"), true);
  if (!body) return say(phrase("Drop the file on a body."), true);
  void uploads.send(file, body);
};
const bodyOnBoard = (x: number, y: number) => {
  const node = board.pointAt(x, y);
  return node ? bodyOf(pathOf(node.id) ?? []) : null;
};
takeDrops(byId("canvas"), bodyOnBoard, attach);
takeDrops(byId("stage"), (x, y) => stage.bodyAt(x, y), attach);
const text = makeTextPane(byId("text"), (at, removed, inserted) => send({ do: "splice", version: version++, at, removed,
  inserted }));

// -- palette and search --------------------------------------------------------------------------------------------------

/** The point on which a part is put: the last point of a body, or a point itself. */
const carrierOf = (id: string | undefined, point = "") => {
  const node = news?.diagram.nodes.find((one) => one.id === id);
  if (!node || (node.kind !== "body" && node.kind !== "ground")) return "ground";
  const last = node.kind === "body" ? node.points.filter((one) => one !== "origin").at(-1) ?? "origin" : "origin";
  return pointPath({ id: node.id, point: point || last });
};
const addPart = (name: string, on: string, at: number[] = []) => send({ do: "addpart", name, on, at });
byId<HTMLInputElement>("find").oninput = ({ target }) => {
  const word = (target as HTMLInputElement).value.toLowerCase().trim();
  for (const one of document.querySelectorAll<HTMLElement>(".part")) one.hidden = !one.textContent!.toLowerCase().includes(word)
    && !one.dataset.part!.includes(word);
  const all = [...(news?.diagram.nodes ?? []), ...(news?.diagram.edges ?? []).filter(({ kind }) => kind !== "mark")];
  const found = word ? all.filter(({ name }) => name.toLowerCase().includes(word)).slice(0, 12) : [];
  byId("found").replaceChildren(...found.map(({ id, name }) => element("button", { textContent: name, onclick: () =>
    choose([id], true) })));
};

// -- messages ------------------------------------------------------------------------------------------------------------

const remarkItem = ({ kind, path, text: said, cure, line, fix }: Remark) => {
  const made = element("li", { className: kind }, element("span", { textContent: translated(said) }));
  if (cure) made.append(element("small", { textContent: translated(cure) }));
  if (path.length || line) made.append(element("button", { textContent: phrase("Show"), onclick: () =>
    { if (path.length) showPath(path); else { showText(true); text.toLine(line); } } }));
  if (fix) made.append(element("button", { className: "main", textContent: translated(fix.label), onclick: () => edit("cure",
    ...fix.changes) }));
  return made;
};
const showRemarks = ({ remarks, diagram }: DocumentNews) => {
  byId("remarks").replaceChildren(...remarks.slice(0, 50).map(remarkItem));
  const wrong = new Map<string, string>(), at = new Map<string, string[]>(); // ids by path
  for (const { id, path } of [...diagram.nodes, ...diagram.edges]) at.set(path.join(), [...(at.get(path.join()) ?? []), id]);
  for (const { path, kind } of remarks) for (const id of path.length ? at.get(path.slice(0, 2).join()) ?? [] : [])
    if (wrong.get(id) !== "error") wrong.set(id, kind);
  board.mark(wrong);
};
const figures = { freedoms: "", operations: "" };
const showFigures = () => { byId("figures").textContent = [figures.freedoms, figures.operations].filter(Boolean).join(" · "); };

const showDocument = (given: DocumentNews) => {
  const other = news?.version !== given.version, added = expecting ? newIds(news, given).slice(0, 1) : [];
  news = given;
  if (added.length) { chosen = added; expecting = false; }
  version = given.version;
  byId("title").textContent = given.title;
  byId("file").textContent = given.saved ? given.name : `${given.name} •`;
  document.title = `${given.saved ? "" : "• "}${given.title}`;
  button("undo").disabled = given.undo === null || !pen;
  button("redo").disabled = given.redo === null || !pen;
  byId("outside").hidden = !given.outside;
  byId("restored").hidden = !given.restored;
  showDraftProblem(given.draftProblem);
  text.show(given.text, given.version, given.remarks);
  if (other) void board.show(given.diagram, given.drawing).then(() => { choose(chosen, added.length > 0); showRemarks(given);
    Object.assign(window, { shownVersion: given.version }); });
  else showRemarks(given);
  chosen = chosen.filter((id) => pathOf(id) !== null);
  showPanel();
  tour.look(given);
};
const showDraftProblem = (problem: string) => {
  byId("draft-problem").hidden = !problem;
  byId("draft-problem").querySelector("p")!.textContent = problem;
};
const told = (one: EditorNews) => {
  if (one.welcome) {
    welcome = one.welcome;
    makePalette(welcome.palette, { add: addPart, carrierOf, chosen: () => chosen[0], board });
    byId("live").hidden = !welcome.live;
    byId("done").hidden = !welcome.done;
  }
  if (one.pen) {
    ({ own: pen, touch } = one.pen);
    document.body.classList.toggle("looking", !pen);
    byId("pen").hidden = pen;
    byId("pen").textContent = touch ? phrase("Take the pen") : phrase("Enter the token…");
    say(pen ? (one.pen.others ? phrase("{n} others look", { n: one.pen.others }) : "")
      : phrase("looking only: another browser edits, or the token is missing"));
    if (news) showDocument(news);
  }
  if (one.document) showDocument(one.document);
  if (one.figures) {
    const { freedoms, problem, loops, redundant } = one.figures;
    figures.freedoms = problem ? translated(problem) : [translated(freedoms ?? ""),
      loops ? phrase("loops: {n}", { n: loops }) : "",
      redundant ? phrase("redundant equations: {n}", { n: redundant }) : ""].filter(Boolean).join(", ");
    figures.operations = "";
    byId("figures").classList.toggle("warn", Boolean(problem));
    showFigures();
  }
  if (one.operations) {
    const rows = one.operations.rows.map(({ function: name, operations, seconds }) =>
      `${name} ${operations} (≈ ${(1e6 * seconds).toPrecision(2)} µs)`);
    figures.operations = rows.length ? phrase("operations: {list}", { list: rows.join(", ") }) : "";
    showFigures();
  }
  if (one.view) stage.show(one.view);
  if (one.job) { runner.told(one.job); tour.look(); }
  if (one.tried) panel.tried(one.tried);
  if (one.outside !== undefined) byId("outside").hidden = !one.outside;
  if (one.draftProblem !== undefined) showDraftProblem(one.draftProblem);
  if (one.script) download(new Blob([one.script], { type: "text/x-python" }), "model.py");
  if (one.live) open(one.live, "_blank", "noopener");
  if (one.analyses) analyses.list(one.analyses);
  if (one.files) analyses.files(one.files);
  if (one.said) say(translated(one.said));
  if (one.refused) uploads.stop();
  if (one.refused) say([one.refused.reason, one.refused.detail].filter(Boolean).map(translated).join(": "), true);
};

// -- tools and keys ------------------------------------------------------------------------------------------------------

const chosenNodes = () => [...(board.placed()?.nodes.values() ?? [])].filter(({ node }) => chosen.includes(node.id));
const align = (row: boolean) => {
  const all = chosenNodes().sort((p, q) => (row ? p.x - q.x : p.y - q.y));
  if (all.length < 2) return;
  let at = row ? all[0].x : all[0].y;
  const places = all.map((one): [string, [number, number]] => {
    const place: [number, number] = row ? [Math.max(at, one.x), all[0].y] : [all[0].x, Math.max(at, one.y)];
    at = (row ? place[0] + one.width : place[1] + one.height) + 30;
    return [one.node.name, place];
  });
  send({ do: "draw", kind: "at", changes: Object.fromEntries(places) });
};
const save = (over = false) => { if (news?.saves) send({ do: "save", name: "", over }); else saveAs(); };
const saveAs = () => {
  const name = prompt(phrase("Name of the file (.yaml or .mbs):"), news?.name.replace(/(\.[^.]*)?$/, ".yaml").replace(" ",
    "-") ?? "machine.yaml");
  if (name) send({ do: "save", name, over: confirm(phrase("Replace a file of this name?")) });
};
const ACTIONS: Record<string, () => void> = {
  undo: () => send({ do: "undo" }), redo: () => send({ do: "redo" }), save: () => save(), "save-as": saveAs, script: () =>
    send({ do: "script" }),
  live: () => send({ do: "golive" }), done: () => send({ do: "finish" }), tour: tour.start, fit: board.fit,
  pen: () => { if (touch) send({ do: "takepen" }); else askForToken(); },
  "load-outside": () => send({ do: "loadoutside" }), "keep-own": () => send({ do: "keepown" }),
  "restored-close": () => { byId("restored").hidden = true; },
  copy: () => { if (paths().length) send({ do: "copy", paths: paths() }); },
  remove: () => { if (paths().length) send({ do: "remove", paths: paths() }); },
  group: () => {
    const names = chosenNodes().map(({ node }) => node.name), title = names.length ? prompt(phrase("Name of the group:")) : null;
    if (title) send({ do: "draw", kind: "groups", changes: { [title]: names } });
  },
  "align-row": () => align(true), "align-column": () => align(false),
  arrange: () => { if (Object.keys(news?.drawing.at ?? {}).length) send({ do: "draw", kind: "at",
    changes: Object.fromEntries(Object.keys(news!.drawing.at).map((one) => [one, null])) }); },
  "show-text": () => showText(byId("text").hidden),
};
const showText = (on: boolean) => {
  byId("text").hidden = !on;
  byId("canvas").hidden = on;
  byId("show-text").setAttribute("aria-pressed", String(on));
};
for (const [id, act] of Object.entries(ACTIONS)) byId(id).onclick = act;
for (const one of document.querySelectorAll<HTMLElement>("#tabs button"))
  one.onclick = () => {
    document.body.dataset.tab = one.dataset.tab;
    for (const other of document.querySelectorAll("#tabs button")) other.setAttribute("aria-pressed", String(other === one));
  };
document.body.dataset.tab = "board";
const KEYS: Record<string, string> = { Delete: "remove", Backspace: "remove", f: "fit" };
addEventListener("keydown", (event) => {
  const command = event.ctrlKey || event.metaKey, key = event.key.length > 1 ? event.key : event.key.toLowerCase();
  const shortcut = command ? { s: "save", z: event.shiftKey ? "redo" : "undo", y: "redo", d: "copy" }[key] : undefined;
  if (shortcut && !(takesKey(event.target, key) && shortcut !== "save")) { event.preventDefault(); ACTIONS[shortcut](); return; }
  if (command || takesKey(event.target, key)) return;
  if (key === "a" && event.target === byId("drawing")) return;
  if (KEYS[key]) { event.preventDefault(); ACTIONS[KEYS[key]](); }
});
addEventListener("beforeunload", (event) => { if (news && !news.saved && pen) event.preventDefault(); });

translatePage();
fillPreferences();
for (const name of Object.keys(CONNECTIONS)) byId<HTMLSelectElement>("connect").add(new Option(translated(name), name));
const missing = () => say(phrase("not connected: the server does not answer"), true);
const wire = connect<EditorNews, Order>({ told, streamed: () => undefined, opened: () => say(""), closed: missing,
  silent: missing });
Object.assign(window, { editor: { news: () => news, result: runner.result, placed: board.placed, drawn: stage.pictures,
  layoutTime: () => board.times().layout, drawTime: () => board.times().drawing } });
