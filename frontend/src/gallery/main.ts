// The page of the gallery: a card for each machine; a click starts it and opens its page, on the same server.
import { byId, element } from "../studio/dom.ts";
import { connect } from "../studio/socket.ts";
import "./gallery.css";

interface Card {
  name: string;
  line: string;
  picture: string;
}
interface News {
  cards?: Card[];
  touch?: boolean;
  states?: Record<string, string>; // of started machines: "preparing", "running", or why it failed
  refused?: { reason: string; detail: string };
}
interface Shown {
  box: HTMLElement;
  show(state: string | undefined): void;
}
const all = new Map<string, Shown>();
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
const makeCard = ({ name, line, picture }: Card): Shown => {
  const start = element("button", { className: "main", textContent: "Start", onclick: () => open(name) });
  const end = element("button", { textContent: "End", onclick: () => wire.send({ do: "end", name }) });
  const why = element("p", { className: "why" });
  start.setAttribute("aria-label", `Start ${name}`);
  end.setAttribute("aria-label", `End ${name}`);
  const face = picture ? [element("img", { src: picture, alt: "", loading: "lazy", onclick: () => start.click() })] : [];
  const box = element("article", {}, ...face, element("h2", { textContent: name }), element("p", { textContent: line }), why,
    element("div", {}, start, end));
  box.dataset.name = name;
  const show = (state: string | undefined) => {
    const there = isThere(name);
    box.classList.toggle("running", there);
    start.textContent = there ? "Open" : "Start";
    start.setAttribute("aria-label", `${there ? "Open" : "Start"} ${name}`);
    start.disabled = !touch && !there;
    end.hidden = !state || !touch;
    why.textContent = state && !there ? `Failed: ${state}` : "";
    why.hidden = !why.textContent;
  };
  return { box, show };
};
const told = ({ cards, touch: may, states: now, refused }: News) => {
  if (may !== undefined) touch = may;
  if (cards) {
    all.clear();
    for (const card of cards) all.set(card.name, makeCard(card));
    byId("cards").replaceChildren(...[...all.values()].map(({ box }) => box));
    byId<HTMLInputElement>("search").dispatchEvent(new Event("input"));
    say(touch ? "" : "watching only: without the token machines cannot be started");
  }
  if (now) states = now;
  if (refused) {
    wanted = "";
    say([refused.reason, refused.detail].filter(Boolean).join(": "), true);
  }
  for (const [name, { show }] of all) show(states[name]);
  if (wanted && isThere(wanted)) visit(wanted);
  else if (states[wanted]) wanted = ""; // it has failed already
};

const wire = connect<News, { do: "start" | "end"; name: string }>({
  told, streamed: () => undefined, opened: () => say(""), closed: () => say("not connected: the server does not answer", true),
  silent: () => say("not connected: the server does not answer", true),
});
byId<HTMLInputElement>("search").oninput = ({ target }) => {
  const word = (target as HTMLInputElement).value.toLowerCase();
  for (const { box } of all.values()) box.hidden = !box.textContent!.toLowerCase().includes(word);
};
addEventListener("pageshow", () => { wanted = ""; }); // also after going back
