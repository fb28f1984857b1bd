// The data of a model file on the page, and values at places in it.
import type { Key, Order, Path, Value } from "./contract.ts";

export type Data = Record<string, Value>;
export type Send = (order: Order) => void;

/** The value at a path of the data; undefined: there is none. */
export const valueAt = (data: Value | undefined, path: Path): Value | undefined => {
  for (const key of path) {
    if (data === null || typeof data !== "object") return undefined;
    data = (data as Record<Key, Value>)[key];
  }
  return data;
};
