// A channel over time: bands of least and largest value, so that no peak is lost however few points are drawn.
const WINDOW = 10; // s of a running model that a plot shows
const short = (x) => (Number.isFinite(x) ? String(Number(x.toPrecision(4))) : "–");

const makePlot = (canvas, colour, span) => {
  let rows = []; // [t, least, largest]
  const add = (more) => {
    if (rows.length && more.length && more[0][0] < rows[rows.length - 1][0]) rows = [];
    rows.push(...more);
    if (!span) {
      const oldest = rows[rows.length - 1][0] - WINDOW;
      let k = 0;
      while (rows[k][0] < oldest) k++;
      rows.splice(0, k);
    }
  };
  const value = (t) => { // at the time that is shown
    if (!span) return rows.length ? rows[rows.length - 1][2] : NaN;
    const row = rows.find(([at]) => at >= t) || rows[rows.length - 1];
    return row ? (row[1] + row[2]) / 2 : NaN;
  };
  const ticks = (low, high, count) => { // round numbers between two ends
    const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find((k) => k * power >= 0.999 * raw), found = [];
    for (let x = Math.ceil(low / step) * step; x <= high + 1e-9 * step; x += step) found.push(Math.abs(x) < 1e-9 * step ? 0 : x);
    return found;
  };
  const draw = (now) => {
    const ratio = Math.min(devicePixelRatio || 1, 2), pen = canvas.getContext("2d");
    const [w, h] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    pen.clearRect(0, 0, w, h);
    const good = rows.filter((row) => Number.isFinite(row[1]) && Number.isFinite(row[2]));
    if (!good.length) return;
    const [first, last] = span || [Math.max(good[0][0], now - WINDOW), Math.max(now, good[0][0] + 1)];
    let low = Infinity, high = -Infinity;
    for (const row of good) { low = Math.min(low, row[1]); high = Math.max(high, row[2]); }
    const room = 0.08 * (high - low) || 0.1 * Math.abs(high) || 1;
    low -= room; high += room;
    const style = getComputedStyle(canvas);
    const left = 46 * ratio, bottom = h - 16 * ratio;
    const x = (t) => left + ((t - first) / (last - first || 1)) * (w - left - 4 * ratio);
    const y = (v) => bottom - ((v - low) / (high - low)) * (bottom - 4 * ratio);
    pen.font = `${10.5 * ratio}px system-ui, sans-serif`;
    pen.fillStyle = style.getPropertyValue("--faint");
    pen.strokeStyle = style.getPropertyValue("--line");
    pen.lineWidth = ratio;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    pen.beginPath();
    for (const v of ticks(low, high, 3)) {
      pen.moveTo(left, y(v)); pen.lineTo(w, y(v));
      pen.fillText(short(v), left - 5 * ratio, y(v));
    }
    pen.stroke();
    pen.textAlign = "center";
    for (const t of ticks(first, last, 5)) if (x(t) > left && x(t) < w - 8 * ratio) pen.fillText(short(t), x(t), h - 6 * ratio);
    pen.strokeStyle = colour;
    pen.lineWidth = 1.5 * ratio;
    pen.lineJoin = "round";
    pen.beginPath();
    let before = good[0][1];
    for (const [t, a, b] of good) { // the nearer end of a band first: a falling curve is no saw
      const ends = Math.abs(a - before) < Math.abs(b - before) ? [a, b] : [b, a];
      for (const v of ends) pen.lineTo(x(t), y(v));
      before = ends[1];
    }
    pen.stroke();
    if (!span) return;
    pen.strokeStyle = style.getPropertyValue("--faint");
    pen.beginPath(); pen.moveTo(x(now), 0); pen.lineTo(x(now), bottom); pen.stroke();
  };
  return { add, draw, value, clear: () => { rows = []; } };
};
