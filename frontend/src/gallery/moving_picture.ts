// The moving picture of a card: its first frame stands still until the pointer or the focus is on the card. A screen
// without a pointer moves the pictures that are in sight.
import { element } from "../page/dom.ts";

const FRAME = "frame", MOVES = "moves";
const SEEN = 0.6; // of a card that is in sight

/** A picture that can move: the first frame on a canvas, and the film above it while it moves. */
export const makeMoving = (film: string): HTMLElement => {
  const still = element("canvas", { className: FRAME }), box = element("figure", { className: "film" }, still);
  box.dataset.film = film;
  const first = new Image();
  first.onload = () => {
    [still.width, still.height] = [first.naturalWidth, first.naturalHeight];
    still.getContext("2d")!.drawImage(first, 0, 0); // an animated picture is drawn as its first frame
  };
  first.src = film;
  return box;
};

/** Starts or stops the film of a card. */
const move = (card: HTMLElement, on: boolean): void => {
  const box = card.querySelector<HTMLElement>("figure.film"), running = box?.querySelector("img");
  if (!box || on === Boolean(running)) return;
  card.classList.toggle(MOVES, on);
  if (on) box.append(element("img", { src: box.dataset.film!, alt: "" })); // a new image begins at its first frame
  else running!.remove();
};

/** Moves the picture of a card while somebody points at it; nothing moves for who prefers that. */
export const watchMoving = (card: HTMLElement): void => {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  if (matchMedia("(hover: none)").matches) {
    const sight = new IntersectionObserver(([seen]) => move(card, seen.intersectionRatio > SEEN), { threshold: [0, SEEN] });
    return sight.observe(card);
  }
  for (const kind of ["pointerenter", "focusin"]) card.addEventListener(kind, () => move(card, true));
  for (const kind of ["pointerleave", "focusout"]) card.addEventListener(kind, () => move(card, false));
};
