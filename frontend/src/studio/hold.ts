// A hand on the picture: it pulls a body by a spring, or takes a control by the body that it moves.
import type { Hello, Message, Triple } from "../contract.ts";
import type { Hit } from "../view/pointer.ts";
import type { View } from "../view/view.ts";
import type { Control, Controls } from "./controls.ts";

interface Held extends Hit {
  id: number;
  event: PointerEvent;
  first: PointerEvent;
  control: Control | null;
  slope: Triple;
  to: Triple;
}
export interface Hold {
  take(event: PointerEvent): boolean;
  /** Once a picture: where the pointer is now. */
  tell(): void;
  /** The thread from the place that is held to the pointer, over the picture. */
  draw(): void;
}

export const makeHold = (
  view: HTMLElement, seen: View, about: Hello, controls: Controls | null, send: (message: Message) => void, refresh: () => void,
): Hold => {
  let held: Held | null = null;
  const pulled = new Set(about.pulled);
  const take = (event: PointerEvent) => { // a body under the pointer is held
    if (!about.touch || event.button !== 0 || event.ctrlKey || event.shiftKey) return false;
    const found = seen.pick(event, (frame) => pulled.has(frame) || controls?.grip(frame));
    if (!found) return false;
    const grip = controls?.grip(found.frame);
    held = {
      ...found, id: event.pointerId, event, first: event, control: grip?.control ?? null, slope: grip?.slope ?? [0, 0, 0],
      to: found.hit,
    };
    if (grip) controls!.take(grip.control, event.pointerId);
    view.classList.add("holding");
    return true;
  };
  const tell = () => {
    if (!held) return;
    if (held.control) { // as far as the pointer went, however eye and body move
      const at = { hit: seen.onFrame(held.frame, held.local) };
      const [from, to] = [held.first, held.event].map((event) => seen.beside(event, at));
      controls!.drag(held.control, held.slope.reduce((sum, s, k) => sum + s * (to[k] - from[k]), 0));
    } else {
      held.to = seen.beside(held.event, held);
      send({ do: "pull", frame: held.frame, at: held.local, to: held.to });
    }
  };
  const draw = () => {
    if (!held || held.control) return;
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
  const release = (event: PointerEvent) => {
    if (held?.id !== event.pointerId) return;
    if (held.control) controls!.drop(held.control);
    else send({ do: "release" });
    held = null;
    view.classList.remove("holding");
    refresh();
  };
  view.addEventListener("pointermove", (event) => { if (held?.id === event.pointerId) { held.event = event; refresh(); } });
  view.addEventListener("pointerup", release);
  view.addEventListener("pointercancel", release);
  return { take, tell, draw };
};
