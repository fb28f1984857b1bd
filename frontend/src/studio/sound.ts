// What a machine sounds like: strings that are struck and die away, tones and hisses that go on. Silent until a finger
// or a key has touched the page: browsers ask for that.
import type { SoundKind } from "../contract.ts";

const STIFF = 4e-4; // inharmonicity of a piano's string in the middle: partial n at n f √(1 + STIFF n²)
const PARTIALS = 9, LONG = 2.4, DAMPED = 0.06; // s in which the first partial falls by 1/e; all of them under a damper
const ATTACK = 0.004, SMOOTH = 0.05, CRUNCH = 0.18; // s

interface Hum {
  level: GainNode;
  tune: AudioParam;
}
export interface Sounds {
  wake(): void;
  hear(list: [number, number, number][]): void;
  mute(on: boolean): void;
  /** Silent while one looks back. */
  hush(on: boolean): void;
  readonly quiet: boolean;
}

export const makeSounds = (
  kinds: SoundKind[], makeContext: () => BaseAudioContext = () => new AudioContext({ latencyHint: "interactive" }),
): Sounds => {
  let context: BaseAudioContext | null = null, out: GainNode | null = null, quiet = false, past = false;
  const notes = new Map<number, GainNode>(), hums = new Map<number, Hum>();

  const wake = () => {
    if (!kinds.length) return;
    if (context) return void (context instanceof AudioContext && context.resume());
    context = makeContext();
    out = new GainNode(context, { gain: quiet || past ? 0 : 1 });
    out.connect(context.destination);
  };
  const damp = (k: number, now: number) => {
    notes.get(k)?.gain.setTargetAtTime(0, now, DAMPED);
    notes.delete(k);
  };
  const strike = (audio: BaseAudioContext, k: number, loud: number, pitch: number) => {
    const now = audio.currentTime, note = new GainNode(audio, { gain: 0.4 * loud });
    note.connect(out!);
    for (let n = 1; n <= PARTIALS; n++) { // a hammer that is faster is harder: more of the high ones
      const tone = new OscillatorNode(audio, { frequency: n * pitch * Math.sqrt(1 + STIFF * n * n) });
      const level = new GainNode(audio, { gain: 0 }), brightness = 0.55 + 0.3 * loud;
      level.gain.setValueAtTime(0, now);
      level.gain.linearRampToValueAtTime(brightness ** (n - 1) / n, now + ATTACK);
      level.gain.setTargetAtTime(0, now + ATTACK, LONG / n ** 0.8);
      tone.connect(level).connect(note);
      tone.start(now);
      tone.stop(now + (6 * LONG) / n ** 0.8);
    }
    damp(k, now);
    notes.set(k, note);
  };
  const noise = (audio: BaseAudioContext, seconds: number) => {
    const buffer = new AudioBuffer({ length: Math.ceil(seconds * audio.sampleRate), sampleRate: audio.sampleRate });
    buffer.getChannelData(0).forEach((_, i, data) => { data[i] = 2 * Math.random() - 1; });
    return buffer;
  };
  const thud = (audio: BaseAudioContext, loud: number) => { // sheet metal: a dull noise over a falling tone
    const now = audio.currentTime, level = new GainNode(audio, { gain: 0 });
    level.gain.setValueAtTime(0.9 * loud, now);
    level.gain.setTargetAtTime(0, now + ATTACK, CRUNCH);
    const filter = new BiquadFilterNode(audio, { type: "lowpass", frequency: 700 + 2500 * loud });
    const crunch = new AudioBufferSourceNode(audio, { buffer: noise(audio, 6 * CRUNCH) });
    const boom = new OscillatorNode(audio, { frequency: 90 });
    boom.frequency.setTargetAtTime(35, now, CRUNCH);
    crunch.connect(filter).connect(level).connect(out!);
    boom.connect(level);
    for (const source of [crunch, boom]) { source.start(now); source.stop(now + 6 * CRUNCH); }
  };
  const hummed = (audio: BaseAudioContext, kind: SoundKind): Hum => {
    const level = new GainNode(audio, { gain: 0 });
    if (kind === "hiss") {
      const filter = new BiquadFilterNode(audio, { type: "bandpass", Q: 2 });
      const source = new AudioBufferSourceNode(audio, { buffer: noise(audio, 2), loop: true });
      source.connect(filter).connect(level).connect(out!);
      source.start();
      return { level, tune: filter.frequency };
    }
    const source = new OscillatorNode(audio, { type: "sawtooth" });
    source.connect(new BiquadFilterNode(audio, { type: "lowpass", frequency: 900 })).connect(level).connect(out!);
    source.start();
    return { level, tune: source.frequency };
  };
  const hum = (audio: BaseAudioContext, k: number, loud: number, pitch: number) => {
    const voice = hums.get(k) ?? hummed(audio, kinds[k]);
    hums.set(k, voice);
    voice.level.gain.setTargetAtTime(0.25 * loud, audio.currentTime, SMOOTH);
    voice.tune.setTargetAtTime(pitch, audio.currentTime, SMOOTH);
  };
  const hear = (list: [number, number, number][]) => {
    const audio = context; // what is late is not heard at all
    if (!audio || (audio.state !== "running" && !(audio instanceof OfflineAudioContext))) return;
    for (const [k, loud, pitch] of list) {
      if (kinds[k] === "thud") thud(audio, loud);
      else if (kinds[k] !== "struck") hum(audio, k, loud, pitch);
      else if (loud > 0) strike(audio, k, loud, pitch);
      else damp(k, audio.currentTime);
    }
  };
  const settle = () => { if (context) out?.gain.setTargetAtTime(quiet || past ? 0 : 1, context.currentTime, 0.02); };
  const mute = (on: boolean) => { quiet = on; settle(); };
  const hush = (on: boolean) => { past = on; settle(); };
  return { wake, hear, mute, hush, get quiet() { return quiet; } };
};
