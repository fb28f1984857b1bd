// What a machine sounds like: strings that are struck and die away, tones and hisses that go on. Silent until a finger or
// a key has touched the page: browsers ask for that.
const makeSounds = (kinds, makeContext = () => new AudioContext({ latencyHint: "interactive" })) => {
  let context = null, out = null, quiet = false;
  const voices = kinds.map(() => null);
  const STIFF = 4e-4; // inharmonicity of a piano's string in the middle: partial n at n f √(1 + STIFF n²)
  const PARTIALS = 9, LONG = 2.4, DAMPED = 0.06; // s in which the first partial falls by 1/e; all of them under a damper
  const ATTACK = 0.004, SMOOTH = 0.05; // s

  const wake = () => {
    if (!kinds.length || context) return void context?.resume();
    context = makeContext();
    out = new GainNode(context, { gain: quiet ? 0 : 1 });
    out.connect(context.destination);
  };
  const strike = (k, loud, pitch) => {
    const now = context.currentTime, note = new GainNode(context, { gain: 0.4 * loud });
    note.connect(out);
    for (let n = 1; n <= PARTIALS; n++) { // a hammer that is faster is harder: more of the high ones
      const tone = new OscillatorNode(context, { frequency: n * pitch * Math.sqrt(1 + STIFF * n * n) });
      const level = new GainNode(context, { gain: 0 }), brightness = 0.55 + 0.3 * loud;
      level.gain.setValueAtTime(0, now);
      level.gain.linearRampToValueAtTime(brightness ** (n - 1) / n, now + ATTACK);
      level.gain.setTargetAtTime(0, now + ATTACK, LONG / n ** 0.8);
      tone.connect(level).connect(note);
      tone.start(now);
      tone.stop(now + (6 * LONG) / n ** 0.8);
    }
    damp(k);
    voices[k] = note;
  };
  const damp = (k) => {
    voices[k]?.gain.setTargetAtTime(0, context.currentTime, DAMPED);
    voices[k] = null;
  };
  const hum = (k, loud, pitch, kind) => {
    if (!voices[k]) {
      const level = new GainNode(context, { gain: 0 }), filter = new BiquadFilterNode(context, kind === "hiss" ? { type: "bandpass", Q: 2 } : { type: "lowpass", frequency: 900 });
      let source;
      if (kind === "hiss") {
        const buffer = new AudioBuffer({ length: 2 * context.sampleRate, sampleRate: context.sampleRate }), data = buffer.getChannelData(0);
        for (let i = 0; i < data.length; i++) data[i] = 2 * Math.random() - 1;
        source = new AudioBufferSourceNode(context, { buffer, loop: true });
      } else source = new OscillatorNode(context, { type: "sawtooth" });
      source.connect(filter).connect(level).connect(out);
      source.start();
      voices[k] = { level, tune: kind === "hiss" ? filter.frequency : source.frequency };
    }
    voices[k].level.gain.setTargetAtTime(0.25 * loud, context.currentTime, SMOOTH);
    voices[k].tune.setTargetAtTime(pitch, context.currentTime, SMOOTH);
  };
  const hear = (list) => {
    if (context?.state !== "running" && !(context instanceof OfflineAudioContext)) return; // what is late is not heard at all
    for (const [k, loud, pitch] of list) {
      if (kinds[k] === "struck") loud > 0 ? strike(k, loud, pitch) : damp(k);
      else hum(k, loud, pitch, kinds[k]);
    }
  };
  const mute = (on) => { quiet = on; out?.gain.setTargetAtTime(quiet ? 0 : 1, context.currentTime, 0.02); };
  return { wake, hear, mute, get quiet() { return quiet; } };
};
