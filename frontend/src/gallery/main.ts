// The page of the gallery: a card for each machine; a click starts it and opens its page, on the same server.
import { phrase, translated, translatePage } from "../language/language.ts";
import { fillPreferences } from "../language/preferences_menu.ts";
import { byId, element } from "../page/dom.ts";
import { connect } from "../page/socket.ts";
import { dropFiles } from "./dropped_file.ts";
import { makeMoving, watchMoving } from "./moving_picture.ts";
import "./gallery.css";

interface Card {
  name: string;
  line: string;
  picture: string; // its address
  motion: string; // the address of a short film of the machine, an animated picture
}
interface News {
  cards?: Card[];
  files?: string[]; // names of cards that are files, the newest first
  opened?: string; // a file that was dropped, as a card
  touch?: boolean;
  states?: Record<string, string>; // of started machines: "preparing", "running", or why it failed
  refused?: { reason: string; detail: string };
}
interface Shown {
  box: HTMLElement;
  show(state: string | undefined): void;
}
const all = new Map<string, Shown>();
const watch = watchMoving(byId<HTMLInputElement>("films"));
let touch = false, states: Record<string, string> = {}, wanted = ""; // wanted: opened as soon as it is there

const say = (text: string, warns = false) => {
  byId("said").textContent = text;
  byId("said").classList.toggle("warn", warns);
};
const visit = (name: string) => {
  sessionStorage.setItem("gallery", location.pathname); // the page of a machine leads back
  location.assign(`${name}/`);
};
const isThere = (name: string) => states[name] === "running" || states[name] === "preparing";
const open = (name: string) => {
  if (isThere(name)) return visit(name);
  wanted = name;
  wire.send({ do: "start", name });
};
const makeCard = ({ name, line, picture, motion }: Card): Shown => {
  const start = element("button", { className: "main", textContent: phrase("Start"), onclick: () => open(name) });
  const end = element("button", { textContent: phrase("End"), onclick: () => wire.send({ do: "end", name }) });
  const why = element("p", { className: "why" });
  start.setAttribute("aria-label", phrase("Start {name}", { name }));
  end.setAttribute("aria-label", phrase("End {name}", { name }));
  const face = motion ? [makeMoving(motion)] : picture ? [element("img", { src: picture, alt: "", loading: "lazy" })] : [];
  for (const one of face) one.onclick = () => start.click();
  const about = [element("h2", { textContent: name }), element("p", { textContent: translated(line) }), why];
  const box = element("article", {}, ...face, ...about, element("div", {}, start, end));
  box.dataset.name = name;
  watch(box);
  const show = (state: string | undefined) => {
    const there = isThere(name);
    box.classList.toggle("running", there);
    start.textContent = phrase(there ? "Open" : "Start");
    start.setAttribute("aria-label", phrase(there ? "Open {name}" : "Start {name}", { name }));
    start.disabled = !touch && !there;
    end.hidden = !state || !touch;
    why.textContent = state && !there ? phrase("Failed: {why}", { why: translated(state) }) : "";
    why.hidden = !why.textContent;
  };
  return { box, show };
};
const told = ({ cards, files = [], touch: may, states: now, opened, refused }: News) => {
  if (may !== undefined) touch = may;
  if (cards) {
    all.clear();
    for (const card of cards) all.set(card.name, makeCard(card));
    const names = cards.map(({ name }) => name), boxes = (own: boolean) =>
      names.filter((name) => files.includes(name) === own).map((name) => all.get(name)!.box);
    byId("cards").replaceChildren(...boxes(false));
    byId("files").replaceChildren(...boxes(true));
    byId("recent").hidden = !files.length;
    byId<HTMLButtonElement>("open").disabled = !touch;
    byId<HTMLInputElement>("search").dispatchEvent(new Event("input"));
    if (!touch) say(phrase("watching only: without the token machines cannot be started"));
  }
  if (now) states = now;
  if (refused) {
    wanted = "";
    stopSending();
    say([refused.reason, refused.detail].filter(Boolean).map(translated).join(": "), true);
  }
  if (opened) {
    say("");
    open(opened);
  }
  for (const [name, { show }] of all) show(states[name]);
  if (wanted && isThere(wanted)) visit(wanted);
  else if (states[wanted]) wanted = ""; // it has failed already
};

translatePage();
fillPreferences();
type Order = { do: "start" | "end"; name: string } | { do: "file"; name: string; size: number } | { do: "part"; part: string };
const missing = () => say(phrase("not connected: the server does not answer"), true);
const wire = connect<News, Order>({ told, streamed: () => undefined, opened: () => say(""), closed: missing, silent: missing });
byId<HTMLInputElement>("search").oninput = ({ target }) => {
  const typed = (target as HTMLInputElement).value, word = typed.toLowerCase();
  for (const { box } of all.values()) box.hidden = !box.textContent!.toLowerCase().includes(word);
  const found = !all.size || [...all.values()].some(({ box }) => !box.hidden);
  const missed = phrase("No machine matches “{typed}”. Clear the search to see all machines.", { typed });
  byId("unmatched").textContent = found ? "" : missed;
};
const stopSending = dropFiles((order) => wire.send(order), say, () => touch);
addEventListener("pageshow", () => { wanted = ""; }); // also after going back
