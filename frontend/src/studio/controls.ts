// Controls of a machine: pointer, keys and game controller set targets, which the server follows. A held control is sent
// again and again: if the page is gone, the server releases it.
import type { Aim, ControlData, Message, Triple } from "../contract.ts";
import { translated } from "../language/language.ts";
import { shownIn } from "../language/units.ts";
import { clamp } from "../view/space.ts";
import { element } from "../page/dom.ts";
import { widgetOf } from "./control_widgets.ts";
import { short } from "./numbers.ts";

const AGAIN = 250; // ms
const DEAD = 0.08; // of an axis, about its middle
const NUDGE = 0.05; // of the way, by an arrow key on a control that has the focus
const NAMES: Record<string, string> = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "space" };
const STEPS: Record<string, number> = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 4, PageDown: -4 };

interface Want {
  value: number;
  seconds: number;
}
export interface Control extends ControlData {
  now: number;
  keysDown: string[];
  keysUp: Set<string>;
  pressed: Record<string, number>; // ms, by key
  finger: { id: number; from: number; value: number } | null;
  pad: Want | null;
  last: number | null; // value that was sent last
  told: number; // ms, when
  draw(value: number): void;
}
export interface Grip {
  control: Control;
  slope: Triple;
}
export interface Controls {
  tell(now: number): void;
  press(event: KeyboardEvent): boolean;
  /** Controls that this body moves: two if it is moved in a plane. */
  grips(frame: number): Grip[];
  take(control: Control, id: number): void;
  drag(control: Control, by: number): void;
  drop(control: Control): void;
  moved(values: number[]): void;
}

const aimed = (aim: Aim, c: ControlData): Want => ({ value: aim.value, seconds: aim.seconds ?? c.seconds });
const tilted = (c: ControlData, share: number) => c.rest + share * (share < 0 ? c.rest - c.low : c.high - c.rest); // −1 … 1
const within = (c: ControlData, x: number) => clamp(x, c.low, c.high);

export const makeControls = (list: ControlData[], parent: HTMLElement, send: (message: Message) => void): Controls => {
  const controls: Control[] = list.map((c) => ({
    ...c, now: c.rest, keysDown: [], keysUp: new Set(), pressed: {}, finger: null, last: null, told: 0, pad: null,
    draw: () => undefined,
  }));

  // -- targets ----------------------------------------------------------------------------------------------------

  const wanted = (c: Control): Want | null => { // pointers before keys before a game controller
    if (c.finger) return { value: c.finger.value, seconds: c.seconds };
    const key = c.keysDown.at(-1);
    return key === undefined ? c.pad : aimed(c.keys[key], c);
  };
  const pads = () => {
    const pad = [...(navigator.getGamepads?.() ?? [])].find((p) => p?.connected);
    for (const c of controls) {
      c.pad = null;
      if (!pad) continue;
      const tilt = c.axis === null ? 0 : pad.axes[c.axis] ?? 0;
      if (Math.abs(tilt) > DEAD) c.pad = { value: tilted(c, -tilt), seconds: c.seconds }; // left and up are positive here
      for (const [k, aim] of Object.entries(c.buttons)) {
        const pressed = pad.buttons[Number(k)]?.value ?? 0;
        if (pressed > DEAD) c.pad = { ...aimed(aim, c), value: c.rest + pressed * (aim.value - c.rest) };
      }
    }
  };
  const tell = (now: number) => { // once a picture
    pads();
    for (const c of controls) {
      const want = wanted(c);
      if (want && (c.last !== want.value || now - c.told > AGAIN)) {
        send({ do: "move", name: c.name, value: within(c, want.value), seconds: want.seconds });
        [c.last, c.told] = [want.value, now];
      } else if (!want && c.last !== null) {
        send({ do: "letgo", name: c.name });
        c.last = null;
      }
      for (const key of c.keysUp) { // only now, so that a quick tap is sent, too
        const { seconds, whole } = c.keys[key];
        if (whole && now - c.pressed[key] < 1000 * (seconds ?? c.seconds)) continue;
        c.keysUp.delete(key);
        c.keysDown = c.keysDown.filter((k) => k !== key);
      }
    }
  };
  const letGo = () => { for (const c of controls) [c.keysDown, c.finger] = [[], null]; };

  // -- keys ------------------------------------------------------------------------------------------------------

  const known = (key: string): [Control, string][] => { // letters in lower case
    const low = key.length === 1 ? key.toLowerCase() : key;
    return controls.filter((c) => low in c.keys).map((c) => [c, low]);
  };
  const press = (event: KeyboardEvent) => {
    const found = known(event.key);
    for (const [c, key] of found) {
      c.keysUp.delete(key);
      if (c.keysDown.includes(key)) continue;
      c.keysDown.push(key);
      c.pressed[key] = performance.now();
    }
    return found.length > 0;
  };
  addEventListener("keyup", (event) => { for (const [c, key] of known(event.key)) c.keysUp.add(key); });
  addEventListener("blur", letGo);
  document.addEventListener("visibilitychange", () => { if (document.hidden) { letGo(); tell(performance.now()); } });

  // -- fingers ---------------------------------------------------------------------------------------------------

  const grips = (frame: number) => controls.flatMap((c) =>
    c.grips.filter((g) => g.frame === frame).map((g) => ({ control: c, slope: g.slope })));
  const take = (control: Control, id: number) => { control.finger = { id, from: control.now, value: control.now }; };
  const drag = ({ finger, ...control }: Control, by: number) => { if (finger) finger.value = within(control, finger.from + by); };
  const drop = (control: Control) => { control.finger = null; };

  const KEYBOARD = -1; // id of the pointer for which arrow keys stand; it is released when the control loses the focus
  for (const c of controls) {
    const [unit, per] = shownIn(c.unit), { face, draw, down, move } = widgetOf(c);
    const keys = Object.keys(c.keys).map((k) => NAMES[k] ?? k).join(" ");
    const box = element("div", { className: `control ${c.shape}`, tabIndex: 0 }, face, element("b", { textContent: translated(c.label) }),
      element("kbd", { textContent: keys }));
    box.dataset.name = c.name;
    const told = { role: "slider", "aria-label": translated(c.label), "aria-valuemin": c.low, "aria-valuemax": c.high };
    for (const [key, value] of Object.entries(told)) box.setAttribute(key, String(value));
    if (c.shape !== "wheel") box.setAttribute("aria-orientation", "vertical");
    c.draw = (x) => {
      draw(x);
      box.setAttribute("aria-valuenow", short(x));
      box.setAttribute("aria-valuetext", `${short(per * x)} ${unit}`.trim());
    };
    c.draw(c.now);
    box.onpointerdown = (event) => {
      box.setPointerCapture(event.pointerId);
      take(c, event.pointerId);
      down(event);
      event.preventDefault();
    };
    box.onpointermove = (event) => { if (c.finger?.id === event.pointerId) drag(c, move(event)); };
    box.onpointerup = box.onpointercancel = (event) => { if (c.finger?.id === event.pointerId) drop(c); };
    box.onkeydown = (event) => {
      const ends: Record<string, number> = { Home: c.low, End: c.high }, step = STEPS[event.key];
      if (event.ctrlKey || event.metaKey || event.altKey || (step === undefined && !(event.key in ends))) return;
      if (c.finger?.id !== KEYBOARD) take(c, KEYBOARD);
      c.finger!.value = ends[event.key] ?? within(c, c.finger!.value + NUDGE * step * (c.high - c.low));
      event.preventDefault();
      event.stopPropagation();
    };
    box.onblur = () => { if (c.finger?.id === KEYBOARD) drop(c); };
    parent.append(box);
  }
  const moved = (values: number[]) => values.forEach((x, k) => { controls[k].now = x; controls[k].draw(x); });
  return { tell, press, grips, take, drag, drop, moved };
};
