// A setup: parameters, plots and view, saved under a name, in a file or in a link.
import type { Place } from "../view/eye.ts";
import type { Views } from "../view/eyes.ts";

export interface Setup {
  machine: string;
  dials: Record<string, number>; // dials that differ from the start
  plots: string[]; // names as they are typed: "a", "a, b", "a over b"
  view: Place | null;
  views: Views | null;
}
export const LONGEST = 20_000; // characters of a setup: a link or a file may come from anybody
const MOST = 200; // entries

const isNumber = (x: unknown): x is number => typeof x === "number" && Number.isFinite(x);
const isRecord = (x: unknown): x is Record<string, unknown> => typeof x === "object" && x !== null && !Array.isArray(x);

/** A setup from an untrusted text; null if it is not a setup. */
export const readSetup = (text: string): Setup | null => {
  if (text.length > LONGEST) return null;
  try {
    const told: unknown = JSON.parse(text);
    if (!isRecord(told) || typeof told.machine !== "string" || !isRecord(told.dials) || !Array.isArray(told.plots)) return null;
    const dials = Object.entries(told.dials), { plots, view, views = null } = told;
    if (dials.length > MOST || plots.length > MOST || !dials.every(([, x]) => isNumber(x))) return null;
    if (!plots.every((name) => typeof name === "string") || !(view === null || isPlace(view))) return null;
    if (!(views === null || isViews(views))) return null;
    return { machine: told.machine, dials: Object.fromEntries(dials) as Record<string, number>, plots, view, views };
  } catch {
    return null;
  }
};
const isViews = (x: unknown): x is Views =>
  isRecord(x) && Array.isArray(x.names) && x.names.length <= 2 && x.names.every((name) => typeof name === "string")
  && (x.arrangement === "inset" || x.arrangement === "split");
const isPlace = (x: unknown): x is Place =>
  isRecord(x) && Array.isArray(x.target) && x.target.length === 3 && x.target.every(isNumber) && typeof x.follow === "boolean"
  && [x.distance, x.azimuth, x.elevation].every(isNumber) && (x.seat === null || isNumber(x.seat));

/** A setup as a part of an address, and back. */
export const packed = (setup: Setup): string => {
  const bytes = new TextEncoder().encode(JSON.stringify(setup));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
export const unpacked = (text: string): Setup | null => {
  try {
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return readSetup(new TextDecoder().decode(Uint8Array.from(bytes, (letter) => letter.charCodeAt(0))));
  } catch {
    return null;
  }
};
