// Sounds of one blow: a string that is struck by a felt hammer, a blow on felt alone, a heavy blow on sheet metal.
import type { StruckKind } from "../contract.ts";
import { makeLowPass, makeNoise, sine } from "./signals.ts";

/** Samples of a sound that ends. */
export interface Blow {
  next(): number;
  /** A damper comes down on it. */
  damp(): void;
  over(): boolean;
}
const STIFF = 4e-4; // inharmonicity of a piano's string in the middle: partial n at n f √(1 + STIFF n²)
const PARTIALS = 9, LONG = 2.4, DAMPED = 0.06; // s in which the first partial falls by 1/e; all of them under a damper
const ATTACK = 0.004, CRUNCH = 0.18, KNOCK = 0.018; // s
const SILENT = 1e-4;

/** What felt alone sounds like: a short dull noise. */
const knock = (rate: number, loud: number, seed: number) => {
  const noise = makeNoise(seed), dull = makeLowPass(rate), fall = Math.exp(-1 / (KNOCK * rate));
  let level = 1.2 * loud;
  return () => (level *= fall) * dull(noise(), 250 + 900 * loud);
};

const string = (rate: number, loud: number, pitch: number): Blow => {
  const felt = knock(rate, 0.25 * loud, 3), dampening = Math.exp(-1 / (DAMPED * rate));
  const fades = Array.from({ length: PARTIALS }, (_, k) => Math.exp(-((k + 1) ** 0.8) / (LONG * rate)));
  const levels = fades.map((_, k) => (0.4 * loud * (0.55 + 0.3 * loud) ** k) / (k + 1)); // a faster hammer is harder: brighter
  const turns = fades.map((_, k) => (k + 1) * pitch * Math.sqrt(1 + STIFF * (k + 1) ** 2) / rate);
  turns.forEach((turn, k) => { if (turn > 0.45) levels[k] = 0; }); // beyond what the rate can hold
  let damped = 1, t = 0;
  return {
    next: () => {
      let sum = 0;
      for (let k = 0; k < PARTIALS; k++) sum += (levels[k] *= fades[k] * damped) * sine((turns[k] * t) % 1);
      return Math.min(++t / (ATTACK * rate), 1) * sum + felt();
    },
    damp: () => { damped = dampening; },
    over: () => Math.max(...levels) < SILENT,
  };
};
const felt = (rate: number, loud: number): Blow => {
  const sample = knock(rate, loud, 5);
  let left = 8 * KNOCK * rate;
  return { next: () => { left--; return sample(); }, damp: () => undefined, over: () => left <= 0 };
};
const thud = (rate: number, loud: number): Blow => { // sheet metal: a dull noise over a falling tone
  const noise = makeNoise(7), dull = makeLowPass(rate), fall = Math.exp(-1 / (CRUNCH * rate));
  let level = 0.9 * loud, tone = 90, phase = 0;
  return {
    next: () => {
      level *= fall;
      tone = 35 + (tone - 35) * fall;
      phase = (phase + tone / rate) % 1;
      return level * (dull(noise(), 700 + 2500 * loud) + sine(phase));
    },
    damp: () => undefined, over: () => level < SILENT,
  };
};

/** One blow, of loudness 0 … 1 and pitch (Hz). */
export const makeBlow = (kind: StruckKind, rate: number, loud: number, pitch: number): Blow =>
  (kind === "thud" ? thud(rate, loud) : kind === "felt" ? felt(rate, loud) : string(rate, loud, pitch));
