// What an eye in a seat does not see: shapes around it, and marks on its body.
import type { Seat } from "./eye.ts";
import { around, type Shape } from "./shapes.ts";

export const MARKS = new Set(["mass", "inertia", "axes", "point"]);
const NONE: Set<Shape> = new Set();

/** Shapes that are not drawn from a seat; known: those of seats that were used, by number. */
export const veilOf = (seat: Seat | null, shapes: Shape[], known: Map<number, Set<Shape>>): Set<Shape> => {
  if (!seat) return NONE;
  const { k, rig: { frame, eye: at } } = seat, near = (s: Shape) => MARKS.has(s.role) || around(s, at);
  const found = known.get(k) ?? new Set(shapes.filter((s) => !s.span && s.frame === frame && near(s)));
  known.set(k, found);
  return found;
};
