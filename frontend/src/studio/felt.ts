// A crash that is felt: the picture, the phone and the game controller shake.
const LONG = 400; // ms

/** Shakes what can be shaken; gives 1, so that shakes can be counted. */
export const shake = (stage: HTMLElement, strength: number): number => {
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
    const by = 14 * strength, places = [[0, 0], [-by, by / 3], [by, 0], [0, -by / 2], [0, 0]];
    stage.animate({ transform: places.map(([x, y]) => `translate(${x}px, ${y}px)`) }, { duration: LONG, easing: "ease-out" });
  }
  navigator.vibrate?.(LONG * strength);
  for (const pad of navigator.getGamepads?.() ?? [])
    void pad?.vibrationActuator?.playEffect?.(
      "dual-rumble", { duration: LONG, strongMagnitude: strength, weakMagnitude: strength });
  return 1;
};
