// The lines over the view. On a phone they are a strip that shows the first ones, and a tap opens it.
import { byId } from "../page/dom.ts";

const PHONE = "(max-width: 820px), (max-height: 480px)"; // as in studio.css

/** Makes the strip; returns what writes lines into it. */
export const makeLines = (): ((lines: string[]) => void) => {
  const strip = byId("strip"), text = byId("lines"), all = byId("all-lines"), hud = byId("hud");
  const corner = strip.parentElement!, phone = matchMedia(PHONE), isOpen = () => strip.classList.contains("open");
  const measure = () => {
    all.hidden = !phone.matches || (!isOpen() && text.scrollHeight <= text.clientHeight + 1);
  };
  const open = (on: boolean) => {
    strip.classList.toggle("open", on);
    all.setAttribute("aria-expanded", String(on));
    if (on) text.tabIndex = 0; // it scrolls
    else text.removeAttribute("tabindex");
    text.scrollTop = 0;
    measure();
  };
  const place = () => {
    (phone.matches ? hud : corner).prepend(strip);
    open(false);
  };
  strip.onclick = () => { if (!all.hidden) open(!isOpen()); };
  phone.addEventListener("change", place);
  new ResizeObserver(measure).observe(strip);
  place();
  return (lines) => {
    const said = lines.join("\n");
    if (text.textContent === said) return;
    text.textContent = said;
    measure();
  };
};
