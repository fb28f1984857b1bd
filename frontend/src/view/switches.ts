// Buttons that show or hide parts of a scene, and the list of view directions.
import type { RideData } from "../contract.ts";
import { PRESETS, type Eye } from "./eye.ts";
import type { Shown } from "./shown.ts";

export interface Switches {
  /** Press the button of labels, axes, mass, inertia or follow, if there is one. */
  press(name: string): void;
  /** The view is from this seat; null: from outside. */
  seated(k: number | null): void;
}
interface Switched {
  roles: Set<string>;
  rides: RideData[];
  shown: Shown;
  eye: Eye;
  ride(k: number | null): void;
}
const NAMES = { labels: "Labels", axes: "Axes", mass: "Masses", inertia: "Inertia", follow: "Follow" };

const choice = (label: string, options: [string, string][], chosen: (value: string) => void) => {
  const made = document.createElement("select");
  made.setAttribute("aria-label", label);
  for (const [name, value] of options) made.add(new Option(name, value));
  made.onchange = () => { chosen(made.value); made.blur(); };
  return made;
};

export const makeSwitches = (
  parent: HTMLElement, { roles, rides, shown, eye, ride }: Switched, refresh: () => void,
): Switches => {
  const made = new Map<string, HTMLButtonElement>();
  for (const [key, name] of Object.entries(NAMES)) {
    if (key === "follow" ? !eye.following() : key !== "labels" && !roles.has(key)) continue;
    const button = document.createElement("button"), on = () => (key === "follow" ? eye.following() : shown[key]);
    button.className = "word";
    button.textContent = name;
    button.setAttribute("aria-pressed", String(on()));
    button.onclick = () => {
      if (key === "follow") eye.follow(!on());
      else shown[key] = !on();
      button.setAttribute("aria-pressed", String(on()));
      refresh();
    };
    made.set(key, button);
    parent.append(button);
  }
  const seats: [string, string][] = [["Outside", ""], ...rides.map(({ name }, k): [string, string] => [name, String(k)])];
  const seat = choice("View from", seats, (value) => { ride(value === "" ? null : Number(value)); refresh(); });
  if (rides.length) parent.prepend(seat);
  return { press: (name) => made.get(name)?.click(), seated: (k) => { seat.value = k === null ? "" : String(k); } };
};

/** The list of named directions; each shows the whole motion. */
export const addDirections = (parent: HTMLElement, look: (preset: string) => void, refresh: () => void): void => {
  const names = Object.keys(PRESETS).map((name): [string, string] => [name, name]);
  const side = choice("Direction of view", [["View", ""], ...names], (value) => {
    look(value);
    side.value = "";
    refresh();
  });
  parent.append(side);
};
