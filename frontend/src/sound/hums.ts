// Sounds that go on: tones, motors, engines, hydraulics, gravel, wind and skis. Loudness is 0 … 1, pitch in Hz.
import type { HumKind } from "../contract.ts";
import { makeBandPass, makeLowPass, makeNoise, makePhase, sine } from "./signals.ts";

/** The next sample at a loudness and a pitch. */
export type Hum = (loud: number, pitch: number) => number;

const tone = (rate: number): Hum => {
  const phase = makePhase(rate), [first, second] = [makeLowPass(rate), makeLowPass(rate)];
  return (loud, pitch) => loud * second(first(2 * phase(pitch) - 1, 900), 900);
};
const hiss = (rate: number): Hum => {
  const noise = makeNoise(11), band = makeBandPass(rate);
  return (loud, pitch) => loud * 2.5 * band(noise(), pitch, 2);
};
const motor = (rate: number): Hum => { // an electric one: the field's frequency, its slots, and a high whine of the gears
  const [field, slots, gears] = [makePhase(rate), makePhase(rate), makePhase(rate)];
  return (loud, pitch) => loud * (0.7 * sine(field(pitch)) + 0.25 * sine(slots(6 * pitch)) + 0.12 * sine(gears(9.3 * pitch)));
};
const engine = (rate: number): Hum => { // a burst at each firing, of which every second is weaker, through an exhaust
  const cycle = makePhase(rate), exhaust = makeBandPass(rate), rest = makeLowPass(rate), noise = makeNoise(13);
  return (loud, pitch) => {
    const at = 2 * cycle(pitch / 2), second = at >= 1, burst = (second ? 0.8 : 1) * Math.exp(-7 * (at % 1));
    const driven = burst * (1 + 0.25 * noise()) - 0.14;
    return loud * (1.1 * rest(driven, 400 + 900 * loud) + 0.8 * exhaust(driven, 110, 1.5));
  };
};
const hydraulics = (rate: number): Hum => { // ripple of a pump's pistons, and oil that flows through an orifice
  const [pistons, twice] = [makePhase(rate), makePhase(rate)], noise = makeNoise(17), flow = makeBandPass(rate);
  return (loud, pitch) =>
    loud * (0.45 * sine(pistons(pitch)) + 0.2 * sine(twice(2 * pitch)) + 1.1 * loud * flow(noise(), 1800 + 4 * pitch, 0.9));
};

const GRAINS = 12, SAMPLES = 0.03; // stones as samples, made once; s of each
/** A stone that hits another: a short ringing noise. */
const stones = (rate: number): Float32Array[] => Array.from({ length: GRAINS }, (_, k) => {
  const noise = makeNoise(19 + k), ring = makeBandPass(rate), pitch = 700 * 1.16 ** k;
  return Float32Array.from({ length: Math.round(SAMPLES * rate) }, (_, i) =>
    Math.exp(-i / (0.004 * rate)) * 3 * ring(i < 0.002 * rate ? noise() : 0, pitch, 3));
});
const gravel = (rate: number): Hum => { // pitch: stones in a second
  const chance = makeNoise(37), samples = stones(rate), rumble = makeLowPass(rate), noise = makeNoise(41);
  let ringing: { sample: Float32Array; at: number; level: number }[] = [];
  return (loud, pitch) => {
    if (loud > 0 && 0.5 + 0.5 * chance() < pitch / rate) {
      const which = Math.floor((0.5 + 0.49 * chance()) * GRAINS);
      ringing.push({ sample: samples[which], at: 0, level: 0.4 + 0.6 * Math.abs(chance()) });
    }
    let sum = 0;
    for (const one of ringing) sum += one.level * one.sample[one.at++];
    ringing = ringing.filter(({ sample, at }) => at < sample.length);
    return loud * (sum + 1.6 * rumble(noise(), 160));
  };
};
const wind = (rate: number): Hum => { // louder wind is higher; gusts come and go
  const noise = makeNoise(43), gust = makeNoise(47), band = makeBandPass(rate);
  const [slow, low] = [makeLowPass(rate), makeLowPass(rate)];
  return (loud) => {
    const swell = 1 + 90 * slow(gust(), 0.7), given = noise();
    return loud * loud * Math.min(Math.max(swell, 0.3), 1.7) * (2.4 * band(given, 250 + 900 * loud, 0.8) + 1.2 * low(given, 180));
  };
};
const skis = (rate: number): Hum => { // edges that carve: a bright scrape, roughened by the snow
  const noise = makeNoise(53), snow = makeNoise(59), bright = makeBandPass(rate);
  const [dull, rough] = [makeLowPass(rate), makeLowPass(rate)];
  return (loud, pitch) => {
    const given = noise(), grip = 1 + 5 * rough(snow(), 45);
    return loud * Math.max(grip, 0.1) * (1.6 * bright(given, pitch, 0.8) + 0.3 * dull(given, 300));
  };
};

const HUMS: Record<HumKind, (rate: number) => Hum> = { tone, hiss, motor, engine, hydraulics, gravel, wind, skis };
export const makeHum = (kind: HumKind, rate: number): Hum => HUMS[kind](rate);
