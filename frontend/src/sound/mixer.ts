// All sounds of a machine as two channels of samples: each from its side, quieter from far away.
import type { HumKind, SoundKind } from "../contract.ts";
import { makeBlow, type Blow } from "./blows.ts";
import { makeHum, type Hum } from "./hums.ts";
import { makeSmooth } from "./signals.ts";

const SMOOTH = 0.05; // s in which a sound takes over a new loudness, pitch or place
const LOUDEST = 0.25; // of a sound that goes on
const MANY = 12; // blows of one sound that ring at a time

export type Heard = [sound: number, loudness: number, pitch: number];
export type Placed = [sound: number, left: number, right: number];
export interface Mixer {
  hear(list: Heard[]): void;
  place(list: Placed[]): void;
  /** The next samples. */
  render(left: Float32Array, right: Float32Array): void;
}

/** How loud a sound is on both sides; pan: −1 left … 1 right. near: m up to which it is as loud as it can be. */
export const sides = (pan: number, distance: number, near: number): [number, number] => {
  const angle = (Math.PI / 4) * (1 + Math.min(Math.max(pan, -1), 1)), far = near / Math.max(distance, near);
  return [Math.SQRT2 * far * Math.cos(angle), Math.SQRT2 * far * Math.sin(angle)]; // in front it is 1 on both
};

const isBlow = (kind: SoundKind): kind is "struck" | "thud" | "felt" => kind === "struck" || kind === "thud" || kind === "felt";

export const makeMixer = (kinds: SoundKind[], rate: number): Mixer => {
  const sources = kinds.map((kind) => {
    const [left, right, loud, pitch] = [1, 1, 0, 0].map((start) => makeSmooth(SMOOTH, rate, start));
    return { kind, left, right, loud, pitch, hum: null as Hum | null, blows: [] as Blow[] };
  });
  const hear = (list: Heard[]) => {
    for (const [k, loud, pitch] of list) {
      const source = sources[k];
      if (!source || !Number.isFinite(loud) || !Number.isFinite(pitch)) continue;
      if (isBlow(source.kind)) {
        for (const blow of source.blows) blow.damp(); // by a damper, or by the next blow
        if (loud > 0) source.blows = [...source.blows.slice(1 - MANY), makeBlow(source.kind, rate, Math.min(loud, 1), pitch)];
      } else {
        source.hum ??= makeHum(source.kind as HumKind, rate);
        source.loud.goal = LOUDEST * Math.min(Math.max(loud, 0), 1);
        source.pitch.goal = pitch;
      }
    }
  };
  const place = (list: Placed[]) => {
    for (const [k, left, right] of list) if (sources[k]) [sources[k].left.goal, sources[k].right.goal] = [left, right];
  };
  const render = (left: Float32Array, right: Float32Array) => {
    left.fill(0);
    right.fill(0);
    for (const { hum, blows, loud, pitch, left: toLeft, right: toRight } of sources) {
      if (!hum && !blows.length) continue;
      for (let i = 0; i < left.length; i++) {
        let sample = 0;
        if (hum) {
          const share = loud.next() / LOUDEST, hertz = pitch.next();
          sample += share > 1e-4 ? LOUDEST * hum(share, hertz) : 0;
        }
        for (const blow of blows) sample += blow.next();
        left[i] += toLeft.next() * sample;
        if (right !== left) right[i] += toRight.next() * sample;
      }
    }
    for (const source of sources) source.blows = source.blows.filter((blow) => !blow.over());
    for (const channel of right === left ? [left] : [left, right])
      for (let i = 0; i < channel.length; i++) channel[i] = Math.tanh(channel[i]); // many sounds at once do not clip
  };
  return { hear, place, render };
};
