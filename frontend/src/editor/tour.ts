// The guided tour: a four-bar from nothing to an animated run, each step shown until it is done.
import { phrase, type PageText } from "../language/language.ts";
import { byId, element } from "../page/dom.ts";
import type { DocumentNews } from "./contract.ts";
import { valueAt } from "./data.ts";

interface Step { text: PageText; done(news: DocumentNews): boolean }
const bodies = ({ data }: DocumentNews) => Object.keys((data.bodies ?? {}) as object).length;
export const STEPS: Step[] = [
  { text: "Click “body” in the list of parts: a body hangs on the ground.", done: (news) => bodies(news) >= 1 },
  { text: "Select the body, and click “body” again: the second body is on the tip of the first.", done: (news) =>
    bodies(news) >= 2 },
  { text: "Select the ground, add a point in its properties, and set it to 0.7, 0, 0.", done: ({ data }) => valueAt(data,
    ["ground", "points"]) !== undefined },
  { text: "Drop a third “body” on the ground.", done: (news) => bodies(news) >= 3 },
  { text: "Choose “cut”, and drag from the tip of the second body to the tip of the third: the loop is closed.",
    done: ({ data }) => data.cuts !== undefined },
  { text: "Click “Simulate”: the run is animated, and its channels are plotted.", done: () =>
    byId("result").dataset.kind === "simulate" },
];

/** Starts the tour; the function that it returns is called with each news. */
export const makeTour = () => {
  const box = byId("guide");
  let at = -1, last: DocumentNews | null = null;
  const show = () => {
    box.hidden = at < 0;
    if (at < 0) return;
    const over = at >= STEPS.length, text = over ? phrase("The four-bar runs. Save it with “Save”.") : phrase(STEPS[at].text);
    box.replaceChildren(element("p", { textContent: over ? text : `${at + 1}/${STEPS.length} ${text}` }),
      element("button", { textContent: phrase("Close"), onclick: () => { at = -1; show(); } }));
  };
  const look = (news: DocumentNews | null = last) => {
    last = news;
    if (at < 0 || !news) return;
    while (at < STEPS.length && STEPS[at].done(news)) at++;
    show();
  };
  return { start: () => { at = 0; show(); look(); }, look };
};
