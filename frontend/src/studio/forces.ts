// The button for force arrows, and their legend.
import type { ArrowKind, Message } from "../contract.ts";
import { phrase, type PageText } from "../language/language.ts";
import { COLOURS } from "../view/arrows.ts";
import type { View } from "../view/view.ts";
import { byId, element } from "../page/dom.ts";

const WORDS: Record<ArrowKind, PageText> =
  { link: "links", force: "forces", contact: "contacts", reaction: "reactions", pull: "pull" };

export interface Forces {
  /** Ask again after a new connection. */
  ask(): void;
  told(values: Float32Array): void;
  /** Update the legend. */
  write(): void;
}

export const makeForces = (seen: View, touch: boolean, send: (message: Message) => void, refresh: () => void): Forces => {
  const { rows } = seen.arrows, button = byId<HTMLButtonElement>("forces"), box = byId("legend"), scale = element("b");
  const kinds = [...new Set(rows.map(([, kind]) => kind))].filter((kind) => kind !== "pull" || touch);
  const keys = kinds.map((kind) => {
    const sign = element("i");
    sign.style.background = COLOURS[kind];
    return element("span", {}, sign, phrase(WORDS[kind]));
  });
  box.replaceChildren(scale, ...keys);
  button.hidden = !rows.length;
  let on = false;
  const ask = () => { if (on) send({ do: "arrows", on }); };
  button.onclick = () => {
    on = !on;
    button.setAttribute("aria-pressed", String(on));
    box.hidden = !on;
    send({ do: "arrows", on });
    if (!on) seen.arrows.told(null);
    refresh();
  };
  const told = (values: Float32Array) => { if (on) { seen.arrows.told(values); refresh(); } };
  const write = () => { scale.textContent = seen.arrows.legend() || phrase("no forces now"); };
  return { ask, told, write };
};
