// How well pictures are drawn, and how many: as well as leaves 36 to 40 pictures in a second, and the processor to others.
// pictures in a second; more are not drawn where the processor draws them. Who opens a page may set it.
const MOST = (globalThis as { mostPictures?: number }).mostPictures ?? 40;
const SHORTEST = 3, LONGEST = 60, TRIAL = -2; // s: of patience, and of a try
const LEAST = 0.35; // of the pixels of the screen, along an edge
const COARSE = 0.6; // sharpness below which a card draws more simply instead

/** full: patterns, light from all sides, soft shadows. simple: without patterns and contact shadows. plain: one formula. */
export const LEVELS = ["full", "simple", "plain"] as const;
export type Level = (typeof LEVELS)[number];

export interface Pace {
  pace(frames: number): void;
  due(now: number): boolean;
}

const REFRESH = 17; // ms between two pictures of a screen
/** How long (ms) a page that draws few pictures does nothing after one: every refresh of the screen takes the processor. */
export const BREAK = Math.max(1000 / MOST - 2 * REFRESH, 0);

export const makePace = (shown: { sharpness: number; level: Level }, byProcessor: boolean, most = MOST): Pace => {
  const enough = Math.min(0.9 * most, most - 1), spare = 0.95 * most; // one of few may fall into the next second
  let calm = 0, patience = SHORTEST; // seconds with pictures to spare; how many of them it takes to try a better one
  const step = (by: number) => LEVELS[LEVELS.indexOf(shown.level) + by] as Level | undefined;
  const worse = (far: boolean) => {
    const simpler = byProcessor ? undefined : step(1), sharpness = shown.sharpness * (far ? 0.7 : 0.85);
    if (simpler && sharpness < COARSE) [shown.level, shown.sharpness] = [simpler, 1];
    else shown.sharpness = Math.max(sharpness, LEAST);
  };
  const better = () => {
    const richer = byProcessor ? undefined : step(-1);
    if (shown.sharpness < 1) shown.sharpness = Math.min(shown.sharpness / 0.85, 1);
    else if (richer) shown.level = richer;
    else return false;
    return true;
  };
  const pace = (frames: number) => { // pictures in the last second: worse ones where too few, better ones where there may be
    if (frames < enough) {
      const tried = calm < 0; // the last try was too much: back to what was enough, and longer until the next
      if (tried) patience = Math.min(2 * patience, LONGEST);
      calm = 0;
      worse(!tried && frames < 0.75 * enough);
    } else if (frames > spare && ++calm === 0) patience = Math.max(patience / 2, SHORTEST); // the last try was right
    else if (frames > spare && calm >= patience && better()) calm = TRIAL;
  };
  let next = 0; // ms
  const due = (now: number) => { // whether a picture should be drawn; what is left of the processor is the loop's
    if (byProcessor && now < next - 4) return false; // about a quarter of what a screen takes for one
    next = Math.max(next + 1000 / most, now);
    return true;
  };
  return { pace, due };
};
