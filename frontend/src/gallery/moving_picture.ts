// The films of the cards: a film moves while its card is in sight. Elsewhere, and for a person who prefers pictures that
// do not move, its first frame stands still. Films are loaded when their cards come near.
import { element } from "../page/dom.ts";

const FRAME = "frame";
const NEAR = "200px"; // beyond the edges of the page: what is loaded early
const STILL = "(prefers-reduced-motion: reduce)";

/** The picture of a card with a film: its first frame on a canvas, and the film above it while it moves. */
export const makeMoving = (film: string): HTMLElement => {
  const box = element("figure", { className: "film" }, element("canvas", { className: FRAME }));
  box.dataset.film = film;
  return box;
};

const loadFrame = (box: HTMLElement): void => {
  const first = new Image();
  first.onload = () => {
    const still = box.querySelector("canvas")!;
    [still.width, still.height] = [first.naturalWidth, first.naturalHeight];
    still.getContext("2d")!.drawImage(first, 0, 0); // an animated picture is drawn as its first frame
  };
  first.src = box.dataset.film!;
};

/** Starts or stops the film of a card. */
const move = (box: HTMLElement, on: boolean): void => {
  const running = box.querySelector("img");
  if (on === Boolean(running)) return;
  if (on) box.append(element("img", { src: box.dataset.film!, alt: "" })); // a new image begins at its first frame
  else running!.remove();
};

/** Returns a function that watches a card. The switch stops all films; at first it follows the preference of the browser. */
export const watchMoving = (films: HTMLInputElement): ((card: HTMLElement) => void) => {
  const boxes = new Map<Element, HTMLElement>(), seen = new Set<Element>(), preference = matchMedia(STILL);
  const settle = () => {
    for (const [card, box] of boxes) {
      if (card.isConnected) move(box, films.checked && seen.has(card));
      else boxes.delete(card); // the cards were made again
    }
  };
  const follow = () => {
    films.checked = !preference.matches;
    settle();
  };
  films.onchange = settle;
  preference.onchange = follow;
  follow();
  const near = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      loadFrame(boxes.get(target)!);
    }
  }, { rootMargin: NEAR });
  const sight = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      if (isIntersecting) seen.add(target);
      else seen.delete(target);
    }
    settle();
  });
  return (card) => {
    const box = card.querySelector<HTMLElement>("figure.film");
    if (!box) return;
    boxes.set(card, box);
    near.observe(card);
    sight.observe(card);
  };
};
