// A channel over time as bands of least and largest value, so that no peak is lost however few points are drawn; or one
// channel over another.
const WINDOW = 10; // s of a running model that a plot shows
const short = (x) => { // four digits
  if (!Number.isFinite(x)) return "–";
  return Math.abs(x) < 1e6 ? String(Number(x.toPrecision(4))) : x.toExponential(3).replace(/\.?0*e\+/, "e");
};

const ticks = (low, high, count) => { // round numbers between two ends
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((k) => k * power >= 0.999 * raw), found = [];
  for (let x = Math.ceil(low / step) * step; x <= high + 1e-9 * step; x += step) found.push(Math.abs(x) < 1e-9 * step ? 0 : x);
  return found;
};
const margins = (low, high) => { // room above and below; a constant is in the middle
  const room = 0.08 * (high - low) || 0.1 * Math.abs(high) || 1;
  return [low - room, high + room];
};

const paper = (canvas) => { // cleared, in pixels of the screen
  const ratio = Math.min(devicePixelRatio || 1, 2), pen = canvas.getContext("2d");
  const [w, h] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  pen.clearRect(0, 0, w, h);
  return { pen, w, h, ratio };
};
const axes = (canvas, { pen, w, h, ratio }, [first, last], [low, high]) => { // lines and numbers; where x and y are
  const style = getComputedStyle(canvas), left = 46 * ratio, bottom = h - 16 * ratio;
  const x = (t) => left + ((t - first) / (last - first || 1)) * (w - left - 4 * ratio);
  const y = (v) => bottom - ((v - low) / (high - low)) * (bottom - 4 * ratio);
  pen.font = `${10.5 * ratio}px system-ui, sans-serif`;
  pen.fillStyle = style.getPropertyValue("--faint");
  pen.strokeStyle = style.getPropertyValue("--line");
  pen.lineWidth = ratio;
  pen.lineJoin = "round";
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
  return { x, y, bottom, faint: style.getPropertyValue("--faint") };
};

const makePlot = (canvas, colour, span) => {
  let rows = []; // [t, least, largest]
  const add = (more) => {
    if (rows.length && more.length && more[0][0] < rows[rows.length - 1][0]) rows = [];
    rows.push(...more);
    if (!span) rows = recent(rows);
  };
  const value = (t) => { // at the time that is shown
    if (!span) return rows.length ? rows[rows.length - 1][2] : NaN;
    const row = rows.find(([at]) => at >= t) || rows[rows.length - 1];
    return row ? (row[1] + row[2]) / 2 : NaN;
  };
  const draw = (now) => {
    const sheet = paper(canvas), { pen, ratio } = sheet, good = rows.filter((row) => row.every(Number.isFinite));
    if (!good.length) return;
    const ends = span || [Math.max(good[0][0], now - WINDOW), Math.max(now, good[0][0] + 1)];
    const [low, high] = [Math.min(...good.map((row) => row[1])), Math.max(...good.map((row) => row[2]))];
    const { x, y, bottom, faint } = axes(canvas, sheet, ends, margins(low, high));
    pen.strokeStyle = colour;
    pen.lineWidth = 1.5 * ratio;
    pen.beginPath();
    let before = good[0][1];
    for (const [t, a, b] of good) { // the nearer end of a band first: a falling curve is no saw
      const pair = Math.abs(a - before) < Math.abs(b - before) ? [a, b] : [b, a];
      for (const v of pair) pen.lineTo(x(t), y(v));
      before = pair[1];
    }
    pen.stroke();
    if (!span) return;
    pen.strokeStyle = faint;
    pen.beginPath(); pen.moveTo(x(now), 0); pen.lineTo(x(now), bottom); pen.stroke();
  };
  return { add, draw, value, clear: () => { rows = []; }, rows: () => rows };
};

const recent = (rows) => { // what is not older than the window
  const oldest = rows.length ? rows[rows.length - 1][0] - WINDOW : 0;
  let k = 0;
  while (k < rows.length && rows[k][0] < oldest) k++;
  return rows.slice(k);
};

const makeTrace = (canvas, colour, span) => { // the second channel over the first; what is older is fainter
  let rows = []; // [t, x, y], the middles of bands
  const add = (more) => {
    if (rows.length && more.length && more[0][0] < rows[rows.length - 1][0]) rows = [];
    rows.push(...more.map(([t, a, b, c, d]) => [t, (a + b) / 2, (c + d) / 2]));
    if (!span) rows = recent(rows);
  };
  const value = () => (rows.length ? rows[rows.length - 1][2] : NaN);
  const draw = () => {
    const sheet = paper(canvas), { pen, ratio } = sheet, good = rows.filter((row) => row.every(Number.isFinite));
    if (!good.length) return;
    const of = (k) => margins(Math.min(...good.map((row) => row[k])), Math.max(...good.map((row) => row[k])));
    const { x, y } = axes(canvas, sheet, of(1), of(2));
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = 1.5 * ratio;
    const PIECES = 6, size = Math.ceil(good.length / PIECES);
    for (let k = 0; k < PIECES; k++) {
      pen.globalAlpha = 0.25 + (0.75 * (k + 1)) / PIECES;
      pen.beginPath();
      for (const [, a, b] of good.slice(Math.max(k * size - 1, 0), (k + 1) * size)) pen.lineTo(x(a), y(b));
      pen.stroke();
    }
    pen.globalAlpha = 1;
    const [, a, b] = good[good.length - 1];
    pen.beginPath(); pen.arc(x(a), y(b), 3.5 * ratio, 0, 7); pen.fill();
  };
  return { add, draw, value, clear: () => { rows = []; }, rows: () => rows };
};
