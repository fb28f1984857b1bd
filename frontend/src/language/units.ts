// Units in which numbers are shown: a person may prefer others than those of the machine.
import { preferences, type Preferences } from "./preferences.ts";

type Family = Exclude<keyof Preferences, "language">;

/** Units that can be exchanged, in units of SI. */
const FAMILIES: Record<Family, Record<string, number>> = {
  angle: { rad: 1, "°": Math.PI / 180, deg: Math.PI / 180 },
  speed: { "m/s": 1, "km/h": 1 / 3.6 },
  pressure: { Pa: 1, kPa: 1e3, bar: 1e5, MPa: 1e6 },
};
/** Units that a person can choose. */
export const OFFERED: Record<Family, string[]> = { angle: ["rad", "°"], speed: ["m/s", "km/h"], pressure: ["Pa", "bar"] };

/** The unit in which a quantity is shown, and how many of them one of its own units is; also of rates such as rad/s. */
export const shownIn = (unit: string, preferred: Preferences = preferences): [string, number] => {
  for (const [family, units] of Object.entries(FAMILIES) as [Family, Record<string, number>][]) {
    const wanted = preferred[family], slash = family === "angle" ? unit.indexOf("/") : -1;
    const [head, rest] = slash < 0 ? [unit, ""] : [unit.slice(0, slash), unit.slice(slash)];
    if (head in units && wanted in units && wanted !== head) return [`${wanted}${rest}`, units[head] / units[wanted]];
  }
  return [unit, 1];
};

const WRITTEN = /([-+−]?\d+(?:\.\d+)?) ?(rad|°|m\/s|km\/h|Pa|kPa|bar|MPa)(?![\w/²])/g;

/** A text with its numbers in the preferred units, with as many digits as they had. */
export const inPreferredUnits = (text: string, preferred: Preferences = preferences): string =>
  text.replace(WRITTEN, (whole, number: string, unit: string) => {
    const [shown, per] = shownIn(unit, preferred);
    if (per === 1) return whole;
    const digits = Math.max((number.split(".")[1]?.length ?? 0) - Math.round(Math.log10(per)), 0);
    return `${number.startsWith("+") ? "+" : ""}${(per * Number(number.replace("−", "-"))).toFixed(digits)} ${shown}`;
  });
