// Pointers on the canvas turn, move and zoom the view on which they began.
import type { Eye } from "./eye.ts";
import { clamp } from "./space.ts";

interface Finger {
  eye: Eye;
  at: [number, number];
}
/** Dragging turns and moves a view, unless `take(event)` says that it takes the pointer itself. */
export const handlePointers = (
  canvas: HTMLCanvasElement, eyeAt: (event: MouseEvent) => Eye, eyes: () => Eye[], refresh: () => void,
  take: (event: PointerEvent) => boolean = () => false,
): void => {
  const fingers = new Map<number, Finger>();
  canvas.onpointerdown = (event) => {
    canvas.setPointerCapture(event.pointerId);
    canvas.focus(); // keys go to the motion again
    if (!take(event)) fingers.set(event.pointerId, { eye: eyeAt(event), at: [event.clientX, event.clientY] });
  };
  for (const kind of ["pointerup", "pointercancel"] as const)
    canvas.addEventListener(kind, (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("pointermove", (event) => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    const { eye, at: was } = finger, here: [number, number] = [event.clientX, event.clientY];
    const dx = here[0] - was[0], dy = here[1] - was[1];
    if (fingers.size === 1) (event.buttons & 6 || event.shiftKey ? eye.pan : eye.turn)(dx, dy);
    else if (fingers.size === 2) {
      const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, { at }]) => at);
      const before = Math.hypot(was[0] - other[0], was[1] - other[1]);
      eye.zoom(before / Math.max(Math.hypot(here[0] - other[0], here[1] - other[1]), 1));
      eye.pan(dx / 2, dy / 2);
    }
    finger.at = here;
    refresh();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    eyeAt(event).zoom(Math.exp(clamp(event.deltaY * (event.deltaMode ? 30 : 1), -200, 200) * 0.0015));
    refresh();
  }, { passive: false });
  canvas.ondblclick = (event) => { eyeAt(event).fit(); refresh(); };
  canvas.oncontextmenu = (event) => event.preventDefault();
  new ResizeObserver(() => { eyes().forEach((eye) => eye.resized()); refresh(); }).observe(canvas);
};
