// Poses between two messages: each frame moves from where it is drawn to where the newest message puts it.
import type { Vector } from "./space.ts";
import { makeTempo } from "./tempo.ts";

const LONGEST = 100; // ms that a movement takes: after a pause there is nothing to move between

export interface Between {
  /** A message: rows of x y z and quaternion w x y z of some frames, which came now (ms). */
  told(frames: ArrayLike<number>, rows: Float32Array, now: number): void;
  /** Puts the frames where they are now (ms); true while they move. */
  settle(now: number): boolean;
}

export const makeBetween = (put: (frame: number, position: Vector, quaternion: Vector) => void): Between => {
  const from: Float32Array[] = [], to: Float32Array[] = [], here: Float32Array[] = [], moving = new Set<number>();
  const tempo = makeTempo(LONGEST);
  const place = (frame: number) => put(frame, here[frame].subarray(0, 3), here[frame].subarray(3, 7));
  const told: Between["told"] = (frames, rows, now) => {
    tempo.told(now);
    for (const frame of moving) from[frame].set(here[frame]);
    for (let k = 0; k < frames.length; k++) {
      const frame = frames[k], row = rows.slice(7 * k, 7 * k + 7);
      if (!here[frame]) { // the first one
        [from[frame], here[frame]] = [row.slice(), row.slice()];
        place(frame);
      }
      from[frame].set(here[frame]);
      if (row[3] * from[frame][3] + row[4] * from[frame][4] + row[5] * from[frame][5] + row[6] * from[frame][6] < 0)
        for (let i = 3; i < 7; i++) from[frame][i] *= -1; // the same rotation, by the shorter way
      to[frame] = row;
      moving.add(frame);
    }
  };
  const settle = (now: number) => {
    if (!moving.size) return false;
    const share = tempo.share(now);
    for (const frame of moving) {
      const [a, b] = [from[frame], to[frame]];
      for (let i = 0; i < 7; i++) here[frame][i] = share === 1 ? b[i] : a[i] + share * (b[i] - a[i]);
      place(frame);
    }
    if (share === 1) moving.clear();
    return true;
  };
  return { told, settle };
};
