import assert from "node:assert/strict";
import { test } from "node:test";
import type { HumKind, SoundKind } from "../src/contract.ts";
import { makeMixer, sides, type Heard } from "../src/sound/mixer.ts";

const RATE = 16000, HUMS: HumKind[] = ["tone", "hiss", "motor", "engine", "hydraulics", "gravel", "wind", "skis"];

/** Both channels of a machine with one sound, in blocks as the audio asks for them. */
const rendered = (kind: SoundKind, told: Heard[], seconds = 1, place: [number, number] = [1, 1]) => {
  const mixer = makeMixer([kind], RATE), [left, right] = [0, 1].map(() => new Float32Array(seconds * RATE));
  mixer.place([[0, ...place]]);
  mixer.hear(told);
  for (let at = 0; at < left.length; at += 128) mixer.render(left.subarray(at, at + 128), right.subarray(at, at + 128));
  return { left, right };
};
const level = (x: Float32Array) => Math.sqrt(x.reduce((sum, a) => sum + a * a, 0) / x.length);

/** The amplitude at a frequency (Hz), by the sum of Fourier with a Hann window. */
const amplitude = (x: Float32Array, hertz: number) => {
  let [a, b] = [0, 0];
  x.forEach((value, k) => {
    const window = 1 - Math.cos((2 * Math.PI * k) / x.length), turn = (2 * Math.PI * hertz * k) / RATE;
    [a, b] = [a + window * value * Math.cos(turn), b + window * value * Math.sin(turn)];
  });
  return (2 * Math.hypot(a, b)) / x.length;
};
const band = (x: Float32Array, low: number, high: number, step = 61) => {
  let sum = 0, count = 0;
  for (let f = low; f < high; f += step, count++) sum += amplitude(x, f) ** 2;
  return Math.sqrt(sum / count);
};
const loudest = (x: Float32Array, low: number, high: number) => {
  let best = low;
  for (let f = low; f <= high; f++) if (amplitude(x, f) > amplitude(x, best)) best = f;
  return best;
};
const settled = ({ left }: { left: Float32Array }) => left.subarray(RATE / 2);

test("every sound is finite, bounded, and silent until it is heard", () => {
  for (const kind of [...HUMS, "struck", "thud", "felt"] as SoundKind[]) {
    assert.equal(level(rendered(kind, []).left), 0, kind);
    const { left, right } = rendered(kind, [[0, 1, 300]], 2);
    for (const x of [...left, ...right]) assert.ok(Number.isFinite(x) && Math.abs(x) <= 1, kind);
    assert.ok(level(left.subarray(0, RATE)) > 0.005, `${kind}: ${level(left)}`);
  }
});

test("what is not a number, and a sound that there is not, change nothing", () => {
  const { left } = rendered("motor", [[0, NaN, 100], [0, 1, Infinity], [7, 1, 100], [-1, 1, 100]]);
  assert.equal(level(left), 0);
});

test("a struck string has its pitch, dies away, and is louder and brighter when struck harder", () => {
  const [soft, loud] = [0.3, 0.9].map((x) => rendered("struck", [[0, x, 440]]).left);
  for (const note of [soft, loud]) {
    assert.ok(Math.abs(loudest(note, 380, 500) - 440) <= 1);
    assert.ok(level(note.subarray(0.75 * RATE)) < 0.85 * level(note.subarray(800, 0.25 * RATE)));
  }
  assert.ok(level(loud) > 1.5 * level(soft));
  const [dull, bright] = [soft, loud].map((note) => amplitude(note, 4 * 441.4) / amplitude(note, 440));
  assert.ok(bright > 1.2 * dull, `${bright} ${dull}`);
});

test("a damper silences a string", () => {
  const { left } = rendered("struck", [[0, 0.9, 440], [0, 0, 440]]);
  assert.ok(level(left.subarray(RATE / 2)) < 0.01 * level(left.subarray(0, RATE / 8)));
});

test("tones, motors, engines and pumps have the pitch that they are given, at any pitch", () => {
  for (const kind of ["tone", "motor", "engine", "hydraulics"] as const)
    for (const pitch of [61, 97, 148]) {
      const sound = settled(rendered(kind, [[0, 1, pitch]]));
      const between = 0.5 * (amplitude(sound, 0.8 * pitch) + amplitude(sound, 1.25 * pitch));
      assert.ok(amplitude(sound, pitch) > 5 * between, `${kind} at ${pitch} Hz`);
    }
  const rough = settled(rendered("engine", [[0, 1, 100]])); // cylinders differ: half the frequency of the firings is there, too
  assert.ok(amplitude(rough, 50) > 3 * amplitude(rough, 75));
});

test("a hiss is about its pitch, wind gets higher and louder, skis are brighter than wind, gravel has its stones", () => {
  const hiss = settled(rendered("hiss", [[0, 1, 1100]]));
  assert.ok(band(hiss, 800, 1500) > 3 * band(hiss, 5000, 6000));
  const [breeze, storm] = [0.4, 1].map((x) => settled(rendered("wind", [[0, x, 40]], 2)));
  assert.ok(level(storm) > 2 * level(breeze));
  const high = (x: Float32Array) => band(x, 900, 2500) / band(x, 100, 500);
  assert.ok(high(storm) > 1.2 * high(breeze), `${high(storm)} ${high(breeze)}`);
  const bright = (x: Float32Array) => band(x, 2000, 4500) / band(x, 100, 500);
  assert.ok(bright(settled(rendered("skis", [[0, 1, 2600]]))) > 1.5 * bright(storm));
  const [few, many] = [20, 800].map((stones) => settled(rendered("gravel", [[0, 1, stones]])));
  assert.ok(band(many, 900, 4000) > 2 * band(few, 900, 4000));
});

test("a new loudness comes without a click", () => {
  const mixer = makeMixer(["motor"], RATE), sound = new Float32Array(RATE);
  mixer.hear([[0, 1, 100]]);
  mixer.render(sound.subarray(0, RATE / 2), new Float32Array(RATE / 2));
  mixer.hear([[0, 0, 100]]);
  mixer.render(sound.subarray(RATE / 2), new Float32Array(RATE / 2));
  const jump = (k: number) => Math.abs(sound[k] - sound[k - 1]);
  let usual = 0;
  for (let k = RATE / 4; k < RATE / 2; k++) usual = Math.max(usual, jump(k));
  for (let k = RATE / 2; k < RATE; k++) assert.ok(jump(k) < 1.5 * usual);
  assert.ok(level(sound.subarray(0.9 * RATE)) < 1e-3);
});

test("a sound comes from its side, keeps its power, and is quieter from far away", () => {
  for (const pan of [-1, -0.3, 0, 0.7, 1]) {
    const [left, right] = sides(pan, 1, 1);
    assert.ok(Math.abs(left ** 2 + right ** 2 - 2) < 1e-9);
    assert.ok(Math.sign(Math.round(1e9 * (right - left))) === Math.sign(pan));
  }
  const [near, far] = [2, 8].map((distance) => sides(0, distance, 2)[0]);
  assert.ok(Math.abs(near - 1) < 1e-9 && Math.abs(far - 0.25) < 1e-9);
  assert.equal(sides(0, 0, 2)[0], sides(0, 2, 2)[0]);
  const { left, right } = rendered("motor", [[0, 1, 100]], 1, [0.2, 1]);
  assert.ok(level(settled({ left: right })) > 4 * level(settled({ left })));
});
