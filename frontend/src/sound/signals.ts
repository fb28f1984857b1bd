// Small pieces of synthesis: noise, filters and numbers that change smoothly, one sample after the other.

/** White noise from −1 to 1; always the same for a seed. */
export const makeNoise = (seed: number): (() => number) => {
  let state = (seed * 2654435761 + 1) >>> 0 || 1;
  return () => { // xorshift (Marsaglia 2003)
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return ((state >>> 0) / 2147483648) - 1;
  };
};

/** A number that follows its goal with a time constant (s). */
export const makeSmooth = (seconds: number, rate: number, start = 0): { goal: number; next(): number } => {
  const share = 1 - Math.exp(-1 / (seconds * rate));
  let now = start;
  return { goal: start, next() { return (now += share * (this.goal - now)); } };
};

/** A filter with one pole: what is slower than `frequency` (Hz) passes. */
export const makeLowPass = (rate: number): ((x: number, frequency: number) => number) => {
  let y = 0;
  return (x, frequency) => (y += (1 - Math.exp((-2 * Math.PI * Math.min(frequency, 0.45 * rate)) / rate)) * (x - y));
};

/** A state-variable filter (Simper 2013): what is about `frequency` (Hz) passes, more narrowly with a higher `q`. */
export const makeBandPass = (rate: number): ((x: number, frequency: number, q: number) => number) => {
  let [a, b] = [0, 0];
  return (x, frequency, q) => {
    const g = Math.tan((Math.PI * Math.min(frequency, 0.45 * rate)) / rate), k = 1 / q;
    const v1 = (a + g * (x - b)) / (1 + g * (g + k)), v2 = b + g * v1;
    [a, b] = [2 * v1 - a, 2 * v2 - b];
    return k * v1;
  };
};

/** A phase from 0 to 1 that advances by `frequency` (Hz). */
export const makePhase = (rate: number): ((frequency: number) => number) => {
  let phase = 0;
  return (frequency) => (phase = (phase + frequency / rate) % 1);
};
export const sine = (phase: number): number => Math.sin(2 * Math.PI * phase);
