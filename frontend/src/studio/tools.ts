// One row of tools: on a narrow screen those of the view are in a menu. Also the full screen.
import { byId } from "../page/dom.ts";

const WIDE = "(min-width: 1760px)"; // pixels on which all tools are in one row

/** Puts the tools of the view into the row or into its menu, whenever the width changes. */
export const makeTools = (): void => {
  const menu = byId<HTMLDetailsElement>("tools"), tools = byId("viewing"), wide = matchMedia(WIDE);
  const place = () => {
    menu.hidden = wide.matches;
    tools.classList.toggle("menu", !wide.matches);
    if (wide.matches) menu.after(tools);
    else menu.append(tools);
  };
  wide.addEventListener("change", place);
  place();
  addEventListener("pointerdown", ({ target }) => { if (!menu.contains(target as Node)) menu.open = false; });
  addEventListener("keydown", ({ key }) => { if (key === "Escape") menu.open = false; });
  const full = byId<HTMLButtonElement>("full");
  full.hidden = !document.fullscreenEnabled;
  const fills = () => document.fullscreenElement !== null;
  full.onclick = () => void (fills() ? document.exitFullscreen() : document.documentElement.requestFullscreen());
  document.addEventListener("fullscreenchange", () => full.setAttribute("aria-pressed", String(fills())));
};
