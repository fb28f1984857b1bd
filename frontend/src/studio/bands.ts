// Curves as bands of least and largest value in a stretch of time.
export const WINDOW = 10; // s of a running model that a plot shows
export type Row = number[]; // time, then numbers

/** What is not older than the window. */
export const recent = (rows: Row[]): Row[] => {
  const oldest = rows.length ? rows[rows.length - 1][0] - WINDOW : 0, k = rows.findIndex(([t]) => t >= oldest);
  return k > 0 ? rows.slice(k) : rows;
};

/** Bands as one line: the nearer end of each first, so that a falling curve is no saw. */
export const lined = (rows: Row[]): [number[], number[]] => {
  const x: number[] = [], y: number[] = [];
  let before = rows.length ? rows[0][1] : 0;
  for (const [t, a, b] of rows) {
    const pair = Math.abs(a - before) < Math.abs(b - before) ? [a, b] : [b, a];
    for (const v of a === b ? [a] : pair) { x.push(t); y.push(v); }
    before = pair[1];
  }
  return [x, y];
};
