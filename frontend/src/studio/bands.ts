// Curves as bands of least and largest value in a stretch of time.
export const WINDOW = 10; // s of a running model that a plot shows
export type Row = number[]; // time, then numbers

/** The first row at or after a time, by halving. */
const from = (rows: Row[], t: number): number => {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle][0] < t) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** What is not older than some seconds. */
export const recent = (rows: Row[], span = WINDOW): Row[] => {
  const k = rows.length ? from(rows, rows[rows.length - 1][0] - span) : 0;
  return k > 0 ? rows.slice(k) : rows;
};

/** The rows between two times. */
export const within = (rows: Row[], first: number, last: number): Row[] => rows.slice(from(rows, first), from(rows, last + 1e-9));

/** The rows between two times and one beyond either, with records in place of the bands of their stretch. */
export const joined = (rows: Row[], records: Row[], first: number, last: number): Row[] => {
  const part = (all: Row[], a: number, b: number) => all.slice(Math.max(from(all, a) - 1, 0), from(all, b + 1e-9) + 1);
  if (!records.length) return part(rows, first, last);
  const [begin, end] = [records[0][0], records[records.length - 1][0]];
  const before = begin > first ? rows.slice(Math.max(from(rows, first) - 1, 0), from(rows, begin)) : [];
  const after = end < last ? rows.slice(from(rows, end + 1e-9), from(rows, last + 1e-9) + 1) : [];
  return [...before, ...part(records, first, last), ...after];
};

/** The row at a time, or the last one before the end of all. */
export const rowAt = (rows: Row[], t: number): Row | undefined => rows[Math.min(from(rows, t), rows.length - 1)];

/** Bands of several curves as lines over one list of times: the nearer end of each first, so that a falling curve is no saw. */
export const lined = (rows: Row[]): number[][] => {
  const count = rows.length ? (rows[0].length - 1) / 2 : 1, lines: number[][] = Array.from({ length: count + 1 }, () => []);
  const before = Array.from({ length: count }, (_, k) => rows[0]?.[2 * k + 1] ?? 0);
  for (const row of rows) {
    const pairs = before.map((last, k) => {
      const [a, b] = [row[2 * k + 1], row[2 * k + 2]];
      return Math.abs(a - last) < Math.abs(b - last) ? [a, b] : [b, a];
    });
    const ends = pairs.every(([a, b]) => a === b) ? [0] : [0, 1]; // a value is one point
    for (const end of ends) {
      lines[0].push(row[0]);
      pairs.forEach((pair, k) => lines[k + 1].push(pair[end]));
    }
    pairs.forEach((pair, k) => { before[k] = pair[1]; });
  }
  return lines;
};

/** What ends the name of a channel's standard deviation, and how many of them a band is wide to either side. */
export const SIGMA = ".sigma", WIDE = 2;

/** Lines of `count` curves, then of standard deviations of those in `of`, as the curves and each band's upper and lower end.
 * Of two points at one time, which are the ends of a stretch, the band holds both. */
export const withBands = (lines: number[][], count: number, of: number[]): number[][] => {
  const t = lines[0], other = t.map((_, i) => (t[i + 1] === t[i] ? i + 1 : t[i - 1] === t[i] ? i - 1 : i));
  const ends = of.flatMap((curve, k) => {
    const mean = lines[curve + 1], sigma = lines[count + 1 + k];
    const wide = other.map((j, i) => WIDE * Math.max(sigma[i], sigma[j]));
    const upper = other.map((j, i) => Math.max(mean[i], mean[j]) + wide[i]);
    return [upper, other.map((j, i) => Math.min(mean[i], mean[j]) - wide[i])];
  });
  return [...lines.slice(0, count + 1), ...ends];
};

/** A table of curves that share their times: time, then least and largest of each channel. */
export const csvOf = (columns: { name: string; unit: string; rows: Row[] }[]): string => {
  const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const heads = columns.flatMap(({ name, unit }) => ["least", "largest"].map((end) => quoted(`${name} ${end} [${unit || "1"}]`)));
  const table = new Map<number, (number | "")[]>();
  columns.forEach(({ rows }, k) => {
    for (const [t, low, high] of rows) {
      const line = table.get(t) ?? Array.from({ length: 2 * columns.length }, () => "" as const);
      [line[2 * k], line[2 * k + 1]] = [low, high];
      table.set(t, line);
    }
  });
  const lines = [...table].sort(([a], [b]) => a - b).map(([t, line]) => [t, ...line].join(","));
  return [["time [s]", ...heads].join(","), ...lines, ""].join("\n");
};
