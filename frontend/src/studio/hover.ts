// The body under the pointer is highlighted, and its name is shown beside the pointer.
import type { BodyCard } from "../contract.ts";
import type { View } from "../view/view.ts";

const AGAIN = 80; // ms between two rays, which take time with many triangles
const STILL = 4, BRIEF = 400; // pixels, ms: within both, it is a click and not a pull

export interface Hover {
  /** Called once a picture. */
  tell(now: number): void;
  /** The body that is highlighted while the pointer is on none. */
  keep(frame: number | null): void;
}

export const makeHover = (
  view: HTMLElement, note: HTMLElement, seen: View, parts: BodyCard[], busy: () => boolean,
  clicked: (frame: number) => void, refresh: () => void,
): Hover => {
  const names = new Map(parts.map(({ frame, name }) => [frame, name]));
  let event: PointerEvent | null = null, looked = 0, on: number | null = null, kept: number | null = null;
  const shine = (frame: number | null) => {
    note.hidden = frame === null;
    if (frame === on) return;
    on = frame;
    seen.highlight(on ?? kept);
    note.textContent = frame === null ? "" : names.get(frame)!;
    refresh();
  };
  const tell = (now: number) => {
    if (busy()) return shine(null);
    if (!event || now - looked < AGAIN) return;
    looked = now;
    shine(seen.pick(event, (frame) => names.has(frame))?.frame ?? null);
    const ground = on === null ? seen.ground(event) : null;
    if (ground) [note.hidden, note.textContent] = [false, `${ground.map((x) => x.toFixed(0)).join(", ")} m`];
    const box = view.getBoundingClientRect();
    note.style.left = `${Math.min(event.clientX - box.left + 14, box.width - 90)}px`;
    note.style.top = `${Math.max(event.clientY - box.top - 30, 4)}px`;
    event = null;
  };
  const away = () => { event = null; shine(null); };
  view.addEventListener("pointermove", (moved) => { if (moved.pointerType === "mouse" && !moved.buttons) event = moved; });
  view.addEventListener("pointerleave", away);
  let down: PointerEvent | null = null;
  view.addEventListener("pointerdown", (pressed) => { down = pressed; });
  view.addEventListener("pointerup", (raised) => {
    const still = down && Math.hypot(raised.clientX - down.clientX, raised.clientY - down.clientY) < STILL;
    if (!still || raised.button !== 0 || raised.timeStamp - down!.timeStamp > BRIEF) return;
    const found = seen.pick(raised, (frame) => names.has(frame));
    if (found) clicked(found.frame);
  });
  return { tell, keep: (frame) => { kept = frame; seen.highlight(on ?? kept); refresh(); } };
};
