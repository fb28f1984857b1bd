// Pulling in the picture: a body is pulled by a spring, or a control is moved by the body that belongs to it.
import type { Hello, Message, Triple } from "../contract.ts";
import type { Hand } from "../view/immersion.ts";
import type { Hit, Ray } from "../view/pointer.ts";
import { minus } from "../view/space.ts";
import type { View } from "../view/view.ts";
import type { Controls, Grip } from "./controls.ts";

const BESIDE: Record<string, number> = { mouse: 14, pen: 14, touch: 28 }; // pixels
const WAYS = 8; // directions

interface Held extends Hit {
  hand: Hand;
  grips: Grip[]; // none: the body itself is pulled
  to: Triple;
}
export interface Hold {
  /** Take the body under the pointer; false: there is none. */
  take(event: PointerEvent): boolean;
  /** Take the body that the ray of a VR controller meets. */
  takeByRay(hand: Hand, ray: Ray): boolean;
  drop(id: number): void;
  /** Whether a body is held. */
  busy(): boolean;
  /** Called once a picture: sends where the pointer is. */
  tell(): void;
  /** Draws the line from the held point to the pointer. */
  draw(): void;
}

export const makeHold = (
  view: HTMLElement, seen: View, about: Hello, controls: Controls | null, send: (message: Message) => void, refresh: () => void,
): Hold => {
  let held: Held | null = null;
  const pulled = new Set(about.pulled), events = new Map<number, PointerEvent>(); // where each pointer is now
  const wanted = (frame: number) => pulled.has(frame) || !!controls?.grips(frame).length;
  const grasp = (hand: Hand, found: Hit | null) => {
    if (!about.touch || held || !found) return false;
    held = { ...found, hand, grips: controls?.grips(found.frame) ?? [], to: found.hit };
    for (const { control } of held.grips) controls!.take(control, hand.id);
    view.classList.add("holding");
    return true;
  };
  /** What is under the pointer, or a little beside it: who misses a thin body wants it all the same. */
  const pickNear = (event: PointerEvent) => {
    const around = BESIDE[event.pointerType] ?? BESIDE.mouse;
    for (const radius of [0, 0.5 * around, around])
      for (let k = 0; k < (radius ? WAYS : 1); k++) {
        const angle = (2 * Math.PI * k) / WAYS;
        const [x, y] = [event.clientX + radius * Math.cos(angle), event.clientY + radius * Math.sin(angle)];
        const found = seen.pick({ clientX: x, clientY: y }, wanted);
        if (found) return found;
      }
    return null;
  };
  const take = (event: PointerEvent) => {
    if (!about.touch || event.button !== 0 || event.ctrlKey || event.shiftKey) return false;
    const now = () => events.get(event.pointerId) ?? event;
    const hand: Hand = { // follows the pointer, however camera and body move
      id: event.pointerId, reach: (at) => seen.beside(now(), at),
      shift: (at) => minus(seen.beside(now(), at), seen.beside(event, at)),
    };
    events.set(event.pointerId, event);
    return grasp(hand, pickNear(event));
  };
  const tell = () => {
    if (!held) return;
    if (held.grips.length) {
      const went = held.hand.shift({ hit: seen.onFrame(held.frame, held.local) });
      for (const { control, slope } of held.grips) controls!.drag(control, slope.reduce((sum, s, k) => sum + s * went[k], 0));
    } else {
      held.to = held.hand.reach(held);
      send({ do: "pull", frame: held.frame, at: held.local, to: held.to });
    }
  };
  const draw = () => {
    if (!held || held.grips.length) return;
    const [a, b] = [seen.onCanvas(seen.onFrame(held.frame, held.local)), seen.onCanvas(held.to)];
    if (!a || !b) return;
    const { pen } = seen;
    pen.strokeStyle = pen.fillStyle = "#c8553d";
    pen.lineWidth = 3;
    pen.beginPath();
    pen.moveTo(...a);
    pen.lineTo(...b);
    pen.stroke();
    for (const p of [a, b]) {
      pen.beginPath();
      pen.arc(...p, 5, 0, 7);
      pen.fill();
    }
  };
  const drop = (id: number) => {
    events.delete(id);
    if (held?.hand.id !== id) return;
    for (const { control } of held.grips) controls!.drop(control);
    if (!held.grips.length) send({ do: "release" });
    held = null;
    view.classList.remove("holding");
    refresh();
  };
  view.addEventListener("pointermove", (event) => {
    if (held?.hand.id !== event.pointerId) return;
    events.set(event.pointerId, event);
    refresh();
  });
  for (const kind of ["pointerup", "pointercancel"] as const) view.addEventListener(kind, (event) => drop(event.pointerId));
  return {
    take, drop, tell, draw, takeByRay: (hand, ray) => grasp(hand, seen.met(ray, wanted)), busy: () => held !== null,
  };
};
