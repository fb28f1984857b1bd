// The mixer in the thread of the audio: bundled as a text of its own, which the page loads (build.mjs, sound.ts).
import type { SoundKind } from "../contract.ts";
import { makeMixer, type Heard, type Placed } from "./mixer.ts";

declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare const registerProcessor: (name: string, kind: unknown) => void;

export interface Told {
  heard?: Heard[];
  placed?: Placed[];
}

registerProcessor("mixer", class extends AudioWorkletProcessor {
  private readonly mixer;

  constructor({ processorOptions }: { processorOptions: { kinds: SoundKind[] } }) {
    super();
    this.mixer = makeMixer(processorOptions.kinds, sampleRate);
    this.port.onmessage = ({ data }: MessageEvent<Told>) => {
      this.mixer.hear(data.heard ?? []);
      this.mixer.place(data.placed ?? []);
    };
  }

  process(_: Float32Array[][], [out]: Float32Array[][]): boolean {
    this.mixer.render(out[0], out[1] ?? out[0]);
    return true;
  }
});
