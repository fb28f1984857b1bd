// On a small screen model, parameters and plots are drawers over the picture, of which one is open at a time. On a large
// screen the open model takes the place of the parameters.
import { byId } from "../page/dom.ts";

const SMALL = "(max-width: 820px), (max-height: 480px)"; // as in studio.css
const MANY = 4; // controls of a machine whose help would cover it
const LOW = 420; // pixels of a picture that help would cover
const DRAWERS = ["model", "dials", "plots"];

export const makeDrawers = (opened: (name: string | null) => void): void => {
  const show = (open: string | null) => {
    for (const name of DRAWERS) {
      byId(name).classList.toggle("open", name === open);
      byId(`show-${name}`).setAttribute("aria-expanded", String(name === open));
      byId(`show-${name}`).setAttribute("aria-pressed", String(name === open));
    }
    opened(open);
  };
  for (const name of DRAWERS) {
    const button = byId<HTMLButtonElement>(`show-${name}`);
    button.onclick = () => show(byId(name).classList.contains("open") ? null : name);
    button.hidden = byId(name).hidden;
  }
  const crowded = byId("controls").childElementCount > MANY; // help would cover the machine
  const help = byId<HTMLDetailsElement>("help");
  help.open = !crowded && !matchMedia(SMALL).matches && byId("stage").clientHeight > LOW;
  // instruments on the left are above it (studio.css)
  new ResizeObserver(() => byId("stage").style.setProperty("--help", `${help.offsetHeight}px`)).observe(help);
};
