// What a machine sounds like, mixed in the thread of the audio. Silent until a finger or a key has touched the page:
// browsers ask for that.
import type { SoundData } from "../contract.ts";
import { sides, type Heard, type Placed } from "../sound/mixer.ts";
import type { Told } from "../sound/worklet.ts";

declare const WORKLET: string; // the bundled text of sound/worklet.ts
const EVERY = 50; // ms between two messages about places

/** Where a point of a frame is heard: −1 left … 1 right, and its distance (m). */
export type Hearing = (frame: number, at: SoundData["at"]) => { pan: number; distance: number };
export interface Sounds {
  /** Starts the audio; true when sounds can be heard. */
  wake(): Promise<boolean>;
  hear(list: Heard[]): void;
  /** Where the sounds are, seen from the main view. */
  listen(now: number, hearing: Hearing): void;
  mute(on: boolean): void;
  /** Silent while one looks back. */
  hush(on: boolean): void;
  readonly quiet: boolean;
}

export const makeSounds = (
  sounds: SoundData[], makeContext: () => BaseAudioContext = () => new AudioContext({ latencyHint: "interactive" }),
  failed: (reason: string) => void = () => undefined,
): Sounds => {
  let context: BaseAudioContext | null = null, out: GainNode | null = null, node: AudioWorkletNode | null = null;
  let opening: Promise<boolean> | null = null, quiet = false, past = false, told = -Infinity, places = "";

  const open = async (): Promise<boolean> => {
    const audio = makeContext(), address = URL.createObjectURL(new Blob([WORKLET], { type: "text/javascript" }));
    context = audio;
    try {
      await audio.audioWorklet.addModule(address);
      const options = { outputChannelCount: [2], processorOptions: { kinds: sounds.map(({ kind }) => kind) } };
      node = new AudioWorkletNode(audio, "mixer", { numberOfInputs: 0, ...options });
    } catch (error) {
      failed(`No sound: this browser cannot mix it (${String(error)})`);
      return false;
    } finally {
      URL.revokeObjectURL(address);
    }
    out = new GainNode(audio, { gain: quiet || past ? 0 : 1 });
    node.connect(out).connect(audio.destination);
    return true;
  };
  const wake = () => {
    if (!sounds.length) return Promise.resolve(false);
    if (context instanceof AudioContext) void context.resume();
    return (opening ??= open());
  };
  const tell = (message: Told) => node?.port.postMessage(message);
  const hear = (list: Heard[]) => {
    const heard = context?.state === "running" || context instanceof OfflineAudioContext; // what is late is not heard at all
    if (heard) tell({ heard: list });
  };
  const listen: Sounds["listen"] = (now, hearing) => {
    if (!node || now - told < EVERY) return;
    told = now;
    const placed = sounds.flatMap(({ frame, at, near }, k): Placed[] => {
      if (frame === null) return [];
      const { pan, distance } = hearing(frame, at);
      return [[k, ...sides(pan, distance, near)]];
    });
    const text = JSON.stringify(placed.map((row) => row.map((x) => Math.round(100 * x))));
    if (text === places) return;
    places = text;
    tell({ placed });
  };
  const settle = () => { if (context) out?.gain.setTargetAtTime(quiet || past ? 0 : 1, context.currentTime, 0.02); };
  const mute = (on: boolean) => { quiet = on; settle(); };
  const hush = (on: boolean) => { past = on; settle(); };
  return { wake, hear, listen, mute, hush, get quiet() { return quiet; } };
};
