// Which parts of a scene are shown, and how carefully they are drawn.
import type { Level } from "./pace.ts";

/** quick: in time. sharp: with all pixels. best: as good as possible. */
export type Care = "quick" | "sharp" | "best";

/** By role of a shape: whether it is shown; sharpness: pixels along an edge, as a share of those of the screen. */
export type Shown = Record<string, boolean> & { sharpness: number; labels: boolean; level: Level };
