// Shakes the picture, the phone and the game controller after a heavy blow.
const LONG = 400; // ms

/** strength: 0 … 1. */
export const shake = (stage: HTMLElement, strength: number): void => {
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
    const by = 14 * strength, places = [[0, 0], [-by, by / 3], [by, 0], [0, -by / 2], [0, 0]];
    stage.animate({ transform: places.map(([x, y]) => `translate(${x}px, ${y}px)`) }, { duration: LONG, easing: "ease-out" });
  }
  navigator.vibrate?.(LONG * strength);
  for (const pad of navigator.getGamepads?.() ?? [])
    void pad?.vibrationActuator?.playEffect?.(
      "dual-rumble", { duration: LONG, strongMagnitude: strength, weakMagnitude: strength });
};
