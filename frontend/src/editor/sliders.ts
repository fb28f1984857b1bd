// Sliders of parameters and inputs: the model follows while one is dragged, and a drag is one step of the history.
import { phrase } from "../language/language.ts";
import { element } from "../page/dom.ts";
import type { Path, Value } from "./contract.ts";
import type { Data, Send } from "./data.ts";

const OFTEN = 80; // ms between two values of a drag
const STEPS = 400; // of a slider

/** The ends of a slider: those of the file, or around the value. */
export const endsOf = (value: number, low: Value | undefined, high: Value | undefined): [number, number] => {
  const size = Math.abs(value) || 1;
  const least = typeof low === "number" ? low : value < 0 ? value - size : 0;
  const most = typeof high === "number" ? high : value < 0 ? 0 : value + size;
  return [Math.min(least, value), Math.max(most, value)];
};

export interface Sliders {
  /** A slider for a number; null: the value is not a plain number. */
  make(name: string, entries: Data, path: Path): HTMLInputElement | null;
  /** Whether one is being dragged: what shows it must stay. */
  held(): boolean;
}
/** released: a drag has ended. */
export const makeSliders = (send: Send, released: () => void): Sliders => {
  let dragged: HTMLInputElement | null = null, waiting = 0, sent = 0;
  return {
    held: () => dragged !== null,
    make: (name, entries, path) => {
      const { value, low, high } = entries;
      if (typeof value !== "number") return null;
      const [least, most] = endsOf(value, low, high), step = (most - least) / STEPS;
      const made = element("input", { type: "range", className: "slider", min: String(least), max: String(most), step: "any",
        value: String(value) });
      made.setAttribute("aria-label", phrase("Slider of {name}", { name }));
      const digits = Math.max(0, 2 - Math.floor(Math.log10(step || 1)));
      const give = () => {
        clearTimeout(waiting);
        send({ do: "slide", path, value: Number(Number(made.value).toFixed(Math.min(digits, 20))), first: dragged !== made });
        [dragged, sent] = [made, performance.now()];
      };
      made.oninput = () => {
        clearTimeout(waiting);
        const wait = dragged === made ? OFTEN - (performance.now() - sent) : 0;
        if (wait > 0) waiting = window.setTimeout(give, wait);
        else give();
      };
      made.onchange = () => {
        give();
        dragged = null;
        released();
      };
      return made;
    },
  };
};
