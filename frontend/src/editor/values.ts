// Numbers as they are typed: with units, or formulas over the parameters.
import type { Value } from "./contract.ts";

const DEGREE = Math.PI / 180;
/** Units that can be typed behind a number, in units of SI. */
const FACTORS: Record<string, number> = {
  mm: 1e-3, cm: 1e-2, m: 1, km: 1e3, in: 0.0254, g: 1e-3, kg: 1, t: 1e3, deg: DEGREE, "°": DEGREE, rad: 1, s: 1, ms: 1e-3,
  N: 1, kN: 1e3, "N/m": 1, "N/mm": 1e3, "kN/m": 1e3, Pa: 1, kPa: 1e3, bar: 1e5, MPa: 1e6,
    "km/h": 1 / 3.6, "m/s": 1, rpm: Math.PI / 30,
};
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/,
  WITH_UNIT = /^([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([^\d\s].*)$/;

/** A number, converted to SI if a unit follows it; a formula as text; null: nothing was typed. */
export const numberOf = (typed: string): number | string | null => {
  const text = typed.trim().replace("−", "-");
  if (!text) return null;
  if (NUMBER.test(text)) return Number(text);
  const [, digits, unit] = WITH_UNIT.exec(text) ?? [];
  if (unit && Object.hasOwn(FACTORS, unit.trim())) {
    const factor = FACTORS[unit.trim()], product = Number(digits) * factor;
    return Number.isInteger(Math.log10(factor)) ? Number(product.toPrecision(15)) : product; // 1.1 mm is 0.0011 m
  }
  return text;
};
/** Parts of a text between commas that are outside of brackets. */
export const commaParts = (text: string): string[] => {
  const parts = [""];
  let depth = 0;
  for (const letter of text.trim().replace(/^\[(.*)\]$/s, "$1")) {
    depth += letter === "(" || letter === "[" ? 1 : letter === ")" || letter === "]" ? -1 : 0;
    if (letter === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += letter;
  }
  return parts;
};
/** Several numbers, separated by commas. */
export const numbersOf = (typed: string): (number | string)[] => commaParts(typed).flatMap((part) => numberOf(part) ?? []);

/** A value as a person reads and types it. */
export const typed = (value: Value | undefined): string =>
  value === undefined || value === null ? "" : Array.isArray(value) ? value.map(typed).join(", ") : typeof value === "object"
    ? JSON.stringify(value) : String(value);
