// Buttons that show or hide parts of a scene, and the list of view directions.
import type { RigData } from "../contract.ts";
import { PRESETS, type Eye } from "./eye.ts";
import { OUTSIDE, type Views } from "./eyes.ts";
import type { Shown } from "./shown.ts";

export interface Switches {
  /** Press the button of labels, axes, mass, inertia or follow, if there is one. */
  press(name: string): void;
  /** These views are shown. */
  shown(views: Views): void;
}
interface Switched {
  roles: Set<string>;
  rigs: RigData[];
  shown: Shown;
  eye: Eye;
  views(): Views;
  showViews(views: Views): void;
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
  parent: HTMLElement, { roles, rigs, shown, eye, views, showViews }: Switched, refresh: () => void,
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
  const names = [OUTSIDE, ...rigs.map(({ name }) => name)].map((name): [string, string] => [name, name]);
  const show = (next: Partial<Views>) => { showViews({ ...views(), ...next }); refresh(); };
  const first = choice("View from", names, (name) => show({ names: [name, ...views().names.slice(1)] }));
  const second = choice("Second view", [["One view", ""], ...names.map(([name]): [string, string] => [`+ ${name}`, name])],
    (name) => show({ names: [views().names[0], ...(name ? [name] : [])] }));
  const split = document.createElement("button");
  split.className = "word";
  split.textContent = "Split";
  split.title = "Two halves, or a small second view in a corner";
  split.onclick = () => show({ arrangement: views().arrangement === "split" ? "inset" : "split" });
  const write = ({ names: [main, other = ""], arrangement }: Views) => {
    [first.value, second.value, split.hidden] = [main, other, !other];
    split.setAttribute("aria-pressed", String(arrangement === "split"));
  };
  write(views());
  parent.prepend(...(rigs.length ? [first] : []), second);
  parent.append(split);
  return { press: (name) => made.get(name)?.click(), shown: write };
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
