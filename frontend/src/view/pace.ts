// How sharp pictures are, and how many: as many pixels as leave 30 pictures in a second, and the processor to others.
// pictures in a second; more are not drawn where the processor draws them. A page may set it, for a busy processor.
const MOST = (globalThis as { mostPictures?: number }).mostPictures ?? 40;
const ENOUGH = 0.75 * MOST, SPARE = 0.925 * MOST;
const SHORTEST = 3, LONGEST = 60, TRIAL = -2; // s: of patience, and of a try
const LEAST = 0.35; // of the pixels of the screen, along an edge

export interface Pace {
  pace(frames: number): void;
  due(now: number): boolean;
}

export const makePace = (shown: { sharpness: number }, byProcessor: boolean): Pace => {
  let calm = 0, patience = SHORTEST; // seconds with pictures to spare; how many of them it takes to try a sharper one
  const pace = (frames: number) => { // pictures in the last second: fewer pixels where too few, more where there may be
    if (frames < ENOUGH) {
      if (calm < 0) patience = Math.min(2 * patience, LONGEST); // the last try was too much
      calm = 0;
      shown.sharpness = Math.max(shown.sharpness * (frames < 0.75 * ENOUGH ? 0.7 : 0.85), LEAST);
    } else if (frames > SPARE && ++calm === 0) patience = Math.max(patience / 2, SHORTEST); // the last try was right
    else if (frames > SPARE && shown.sharpness < 1 && calm >= patience) {
      calm = TRIAL;
      shown.sharpness = Math.min(shown.sharpness / 0.85, 1);
    }
  };
  let next = 0; // ms
  const due = (now: number) => { // whether a picture should be drawn; what is left of the processor is the loop's
    if (byProcessor && now < next - 4) return false; // about a quarter of what a screen takes for one
    next = Math.max(next + 1000 / MOST, now);
    return true;
  };
  return { pace, due };
};
