// Balls between two messages: each moves from where it is drawn to where the newest message puts it.
import { makeTempo } from "./tempo.ts";

const LONGEST = 400, FIRST = 100; // ms between two messages of a cloud: the longest interval, and the usual one
const JUMP = 20; // radii: a ball that is farther away in the next message appears there

export interface Glide {
  /** Of each ball x y z before, then x y z of the newest message; the graphics card mixes them. */
  places: Float32Array;
  count(): number;
  /** The numbers of the balls in the next messages; without them a ball is known by its row. */
  name(numbers: Uint32Array): void;
  /** A message: x y z of each ball, which came now (ms). */
  told(points: Float32Array, now: number): void;
  share(now: number): number;
}

export const makeGlide = (most: number, radius: number): Glide => {
  const places = new Float32Array(6 * most), here = new Float32Array(3 * most), tempo = makeTempo(LONGEST, FIRST);
  let count = 0, drawn: Uint32Array | null = null, names: Uint32Array | null = null; // drawn: names of the rows of `places`
  const rowsBefore = (): ((k: number) => number) => {
    if (drawn === names || !drawn || !names) return (k) => (k < count ? k : -1);
    const known = new Map<number, number>(), now = names;
    for (let k = 0; k < Math.min(count, drawn.length); k++) known.set(drawn[k], k);
    return (k) => known.get(now[k]) ?? -1;
  };
  const told: Glide["told"] = (points, now) => {
    const share = tempo.share(now), before = rowsBefore(), coming = Math.min(points.length / 3, most);
    for (let k = 0; k < count; k++)
      for (let i = 0; i < 3; i++) here[3 * k + i] = places[6 * k + i] + share * (places[6 * k + 3 + i] - places[6 * k + i]);
    for (let k = 0; k < coming; k++) {
      const to = 3 * k, row = before(k), from = 3 * row;
      const near = row >= 0 && JUMP * radius >
        Math.hypot(here[from] - points[to], here[from + 1] - points[to + 1], here[from + 2] - points[to + 2]);
      for (let i = 0; i < 3; i++) {
        places[6 * k + i] = near ? here[from + i] : points[to + i];
        places[6 * k + 3 + i] = points[to + i];
      }
    }
    [count, drawn] = [coming, names];
    tempo.told(now);
  };
  return { places, count: () => count, name: (numbers) => { names = numbers; }, told, share: tempo.share };
};
