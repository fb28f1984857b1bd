// Values of the selected part: mass, centre of mass, inertia, joints with their coordinates now, and its parameters.
import type { JointCard } from "../contract.ts";
import { phrase, translated, type PageText } from "../language/language.ts";
import { shownIn } from "../language/units.ts";
import { element } from "../page/dom.ts";
import { short } from "./numbers.ts";
import { moves, type Choice } from "./tree.ts";

const OWN = 10; // numbers of a body before those of its joints: mass, centre of mass, inertia
const DEGREES = 180 / Math.PI, NOTHING = 1e-9; // smaller values, in any unit, are rounding errors

/** The quantity of a joint's channel. */
export const wordOf = (channel: string, { name, type }: JointCard): string => {
  const kind = channel.slice(name.length + 1), turns = type[0] === "R";
  const words: Record<string, PageText> = {
    q: turns ? "angle" : "position", qd: turns ? "angular velocity" : "velocity", effort: "effort", Q: turns ? "torque" : "force",
  };
  return kind in words ? phrase(words[kind]) : kind;
};
/** A number with its unit; angles also in degrees. */
export const valueOf = (given: number, unit: string): string => {
  const x = Math.abs(given) < NOTHING ? 0 : given, [shown, per] = shownIn(unit);
  if (per !== 1) return `${short(per * x)} ${shown}`;
  const turned = unit === "rad" && Number.isFinite(x) ? ` (${short(Number((x * DEGREES).toFixed(1)))}°)` : "";
  return `${short(x)} ${unit}${turned}`.trim();
};
const row = (values: number[], unit: string) => `${values.map(short).join(", ")} ${unit}`;

export interface Inspector {
  show(choice: Choice | null): void;
  /** New values of a body. */
  told(frame: number, values: Float32Array): void;
}

export const makeInspector = (box: HTMLElement, units: Record<string, string>): Inspector => {
  let now: Choice | null = null, written: ((values: Float32Array) => void)[] = [];
  let lent: [Node, HTMLElement][] = []; // dials that are shown here, and placeholders in the list
  const giveBack = () => {
    for (const [place, dial] of lent) place.parentNode?.replaceChild(dial, place);
    lent = [];
  };
  const borrow = (name: string) => {
    const dial = document.getElementById(`dial-${name}`)?.closest<HTMLElement>(".dial");
    if (!dial || dial.closest("#inspector")) return [];
    const place = document.createComment(name);
    dial.replaceWith(place);
    lent.push([place, dial]);
    return [dial];
  };
  const line = (list: HTMLElement, name: string, text: (values: Float32Array) => string) => {
    const value = element("dd", { textContent: "–" });
    list.append(element("dt", { textContent: name }), value);
    written.push((values) => { value.textContent = text(values); });
  };
  const jointLines = (list: HTMLElement, joint: JointCard, first: number) => {
    list.append(element("dt", { textContent: phrase("joint") }), element("dd", { textContent: `${joint.name}: ${moves(joint.type)}, ${translated(joint.nature)}` }));
    joint.channels.forEach((channel, k) =>
      line(list, wordOf(channel, joint), (values) => valueOf(values[first + k], units[channel] ?? "")));
  };
  const show: Inspector["show"] = (choice) => {
    giveBack();
    [now, written] = [choice, []];
    box.hidden = choice === null;
    box.replaceChildren();
    if (!choice) return;
    const { card, joint } = choice, list = element("dl");
    if (!joint) {
      line(list, phrase("mass"), (v) => `${short(v[0])} kg`);
      line(list, phrase("centre of mass"), (v) => row([...v.subarray(1, 4)], "m"));
      line(list, phrase("inertia xx, yy, zz"), (v) => row([...v.subarray(4, 7)], "kg m²"));
      line(list, phrase("inertia xy, xz, yz"), (v) => row([...v.subarray(7, 10)], "kg m²"));
    }
    let first = OWN;
    for (const each of card.joints) {
      if (!joint || each.name === joint.name) jointLines(list, each, first);
      first += each.channels.length;
    }
    const heading = joint ? phrase("{joint}, a joint of {body}", { joint: joint.name, body: card.name }) : card.name;
    box.append(element("h2", { textContent: heading }), list, ...card.dials.flatMap(borrow));
  };
  const told: Inspector["told"] = (frame, values) => {
    if (now?.card.frame === frame) for (const write of written) write(values);
  };
  return { show, told };
};
