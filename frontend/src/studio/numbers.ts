// Numbers as people read them.

/** Four digits. */
export const short = (x: number): string => {
  if (!Number.isFinite(x)) return "–";
  return Math.abs(x) < 1e6 ? String(Number(x.toPrecision(4))) : x.toExponential(3).replace(/\.?0*e\+/, "e");
};

const QUIET = 1e-4; // of the largest number: an axis shows no less, so that noise does not fill it
const SILENT = 1e-9; // in a unit without a floor of its own
const FLOORS: Record<string, number> = { // what is smaller is rounding, not data
  N: 1e-6, "N m": 1e-6, W: 1e-6, Pa: 1e-2, bar: 1e-7, "m/s2": 1e-6, "m/s²": 1e-6, "rad/s2": 1e-6, "rad/s²": 1e-6, K: 1e-6,
};

/** The least magnitude that counts in a unit. */
export const floorOf = (unit: string): number => FLOORS[unit] ?? SILENT;

/** A number, or zero if it is only rounding. */
export const audible = (x: number, floor: number): number => (Math.abs(x) < floor ? 0 : x);

/** Ends of an axis: room above and below; what hardly changes is a line in the middle, not noise from top to bottom.
 * floor: if all is smaller, it is drawn as zero. */
export const margins = (low: number, high: number, floor = SILENT): [number, number] => {
  const largest = Math.max(Math.abs(low), Math.abs(high)), middle = (low + high) / 2;
  const half = 0.58 * Math.max(high - low, QUIET * largest, floor);
  return largest < floor ? [-1, 1] : [middle - half, middle + half];
};

/** Round numbers between two ends, at least two of them. */
export const ticks = (low: number, high: number, count: number): number[] => {
  const power = 10 ** Math.floor(Math.log10((high - low) / count)), steps = [10, 5, 2, 1, 0.5, 0.2, 0.1].map((k) => k * power);
  const among = (step: number) => {
    const found: number[] = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k === 0 ? 0 : k * step);
    return found;
  };
  const first = steps.findIndex((step) => among(step).length >= Math.max(count, 2));
  return among(steps[first < 0 ? steps.length - 1 : first]);
};

/** Tick labels that differ from each other: as many digits as the step between them needs. */
export const tickLabels = (values: number[]): string[] => {
  if (values.length < 2) return values.map(short);
  const step = Math.abs(values[1] - values[0]), largest = Math.max(...values.map(Math.abs));
  if (largest >= 1e5 || (largest > 0 && largest < 1e-3)) {
    const digits = Math.max(Math.floor(Math.log10(largest / step) + 1e-9), 0) + 1;
    return values.map((x) => (x === 0 ? "0" : x.toExponential(digits).replace(/\.?0+e/, "e").replace("e+", "e")));
  }
  return values.map((x) => String(Number(x.toFixed(Math.max(0, 1 - Math.floor(Math.log10(step) + 1e-9))))));
};
