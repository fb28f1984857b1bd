// Forces as arrows: from the numbers of their channels and where the frames are, to tails and heads in space.
import type { ArrowForm, ArrowKind, ArrowRow, Triple } from "../contract.ts";
import { cross, dot, minus, moved, norm, plus, times, turned, type Matrix, type Vector } from "./space.ts";

export interface Force {
  name: string;
  kind: ArrowKind;
  tail: Triple; // where it acts
  force: Triple; // N
  size: number;
}

const FAR = 1e3; // m: a torque without a force to speak of has no line

/** How many numbers each form has. */
export const WIDTH: Record<ArrowForm, number> = { along: 1, ground: 3, line: 6, own: 3, place: 6, held: 6 };

/** The force of an arrow and where it acts; null where its numbers are none. */
export const forceOf = (row: ArrowRow, values: Vector, frames: Matrix[]): Force | null => {
  const [name, kind, form, number, at, other, to] = row, frame = frames[number], ground = frames[0];
  const given = Array.from(values as ArrayLike<number>), first = given.slice(0, 3) as Triple, rest = given.slice(3, 6) as Triple;
  if (!frame || given.length < WIDTH[form] || !given.every(Number.isFinite)) return null;
  let tail = moved(frame, at), force: Triple;
  if (form === "along") {
    const line = minus(moved(frames[other], to), tail);
    force = times(given[0] / (norm(line) || 1), line);
  } else force = turned(form === "own" ? frame : ground, first);
  if (form === "place") tail = moved(ground, rest);
  if (form === "held") tail = moved(frame, rest);
  if (form === "line") { // the nearest place of the line along which a force with that torque acts: F × T / F²
    const aside = times(1 / (dot(first, first) || 1), cross(first, rest));
    if (norm(aside) < FAR) tail = plus(tail, turned(ground, aside));
  }
  return { name, kind, tail, force, size: norm(force) };
};
/** All arrows, from the numbers of all one after the other. */
export const forcesOf = (rows: ArrowRow[], values: Float32Array, frames: Matrix[]): Force[] => {
  let at = 0;
  return rows.flatMap((row) => {
    const own = values.subarray(at, (at += WIDTH[row[2]]));
    return forceOf(row, own, frames) ?? [];
  });
};

const LONGEST = 0.5, SHORTEST = 0.12; // of the size of the motion: what the largest arrow should be

/** The next larger of 1, 2, 5 · 10ⁿ. */
const round = (x: number): number => {
  const power = 10 ** Math.floor(Math.log10(x) + 1e-9);
  return [1, 2, 5, 10].map((k) => k * power).find((k) => k >= 0.999 * x)!;
};

/** N for a metre of arrow: stays as it is while the largest arrow is neither very long nor very short. */
export const scaled = (now: number, largest: number, size: number): number => {
  if (!(largest > 0) || (now > 0 && largest <= now * LONGEST * size * 1.3 && largest >= now * SHORTEST * size)) return now;
  return round(largest / (LONGEST * size));
};

/** A force in words: 12.3 N, 4.57 kN. */
export const newtons = (x: number): string => {
  const [unit, by] = x >= 1e6 ? ["MN", 1e6] : x >= 1e3 ? ["kN", 1e3] : x >= 1 || x === 0 ? ["N", 1] : ["mN", 1e-3];
  return `${Number((x / by).toPrecision(3))} ${unit}`;
};

const LENGTHS: [string, number][] = [["1 mm", 1e-3], ["1 cm", 1e-2], ["10 cm", 0.1], ["1 m", 1], ["10 m", 10], ["100 m", 100]];

/** What an arrow of a round length stands for: "1 cm = 100 N". */
export const legend = (scale: number, size: number): string => {
  const [words, length] = LENGTHS.findLast(([, m]) => m <= size / 2) ?? LENGTHS[0];
  return `${words} = ${newtons(scale * length)}`;
};
