// Patterns of surfaces, made when the page needs them: heights 0 … 1 in a square that fits itself on all sides.
export const PATTERNS = ["brushed", "rings", "fibres", "grains", "clouds"] as const;
export type Pattern = (typeof PATTERNS)[number];

/** Heights of a row after the other, `size` by `size`; u is along a row. */
export const patternOf = (kind: Pattern, size = 256): Float32Array => {
  const made = new Float32Array(size * size), height = HEIGHTS[kind]();
  for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) made[i * size + j] = height(j / size, i / size);
  return levelled(made);
};

type Height = (u: number, v: number) => number;

/** Smooth random heights 0 … 1 over a grid of so many cells along u and v; always the same for a seed. */
const noise = (seed: number, across: number, down: number): Height => {
  let state = seed * 7919 + 1;
  const chance = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const grid = Float32Array.from({ length: across * down }, chance);
  const smooth = (t: number) => t * t * (3 - 2 * t);
  return (u, v) => {
    const x = u * across, y = v * down, j = Math.floor(x), i = Math.floor(y), s = smooth(x - j), t = smooth(y - i);
    const at = (row: number, column: number) => grid[(row % down) * across + (column % across)];
    return (1 - t) * ((1 - s) * at(i, j) + s * at(i, j + 1)) + t * ((1 - s) * at(i + 1, j) + s * at(i + 1, j + 1));
  };
};
const sum = (...layers: [number, Height][]): Height => (u, v) => layers.reduce((all, [share, one]) => all + share * one(u, v), 0);

const HEIGHTS: Record<Pattern, () => Height> = {
  brushed: () => sum([1, noise(1, 3, 128)], [0.6, noise(2, 12, 256)], [0.3, noise(3, 2, 24)]), // scratches along u
  rings: () => { // year rings that wander along u, and pores
    const wander = noise(4, 2, 5), pores = noise(5, 8, 128), RINGS = 9;
    return (u, v) => {
      const ring = (RINGS * v + 1.6 * wander(u, v)) % 1;
      return 0.75 * (ring < 0.8 ? ring / 0.8 : (1 - ring) / 0.2) + 0.35 * pores(u, v);
    };
  },
  fibres: () => sum([1, noise(6, 128, 64)], [1, noise(7, 64, 128)], [0.5, noise(8, 16, 16)]),
  grains: () => sum([1, noise(9, 128, 128)], [0.7, noise(10, 48, 48)], [0.4, noise(11, 8, 8)]),
  clouds: () => sum([1, noise(12, 4, 4)], [0.6, noise(13, 11, 11)], [0.4, noise(14, 32, 32)], [0.2, noise(15, 96, 96)]),
};

/** The same heights with mean 0.5, of which most are between 0 and 1. */
const levelled = (heights: Float32Array): Float32Array => {
  const mean = heights.reduce((all, x) => all + x, 0) / heights.length;
  const spread = Math.sqrt(heights.reduce((all, x) => all + (x - mean) ** 2, 0) / heights.length);
  return heights.map((x) => Math.min(Math.max(0.5 + (0.22 * (x - mean)) / spread, 0), 1));
};
