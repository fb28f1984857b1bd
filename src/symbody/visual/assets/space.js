"use strict";
// Vectors of three, and matrices of four columns of four, as WebGL wants them.
const decoded = (text, Kind) => { // numbers that came as base64
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Kind(bytes.buffer);
};
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

const space = (() => {
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const plus = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
  const times = (s, a) => [s * a[0], s * a[1], s * a[2]];
  const unit = (a) => times(1 / (Math.hypot(...a) || 1), a);

  const product = (a, b, out = new Float32Array(16)) => {
    for (let j = 0; j < 4; j++)
      for (let i = 0; i < 4; i++)
        out[4 * j + i] = a[i] * b[4 * j] + a[4 + i] * b[4 * j + 1] + a[8 + i] * b[4 * j + 2] + a[12 + i] * b[4 * j + 3];
    return out;
  };
  const columns = (x, y, z, p, out = new Float32Array(16)) => {
    out.set(x, 0); out.set(y, 4); out.set(z, 8); out.set(p, 12);
    out[3] = out[7] = out[11] = 0; out[15] = 1;
    return out;
  };
  const column = (m, k) => m.subarray(4 * k, 4 * k + 3); // 3: where it is
  const turned = (m, v) => [0, 1, 2].map((i) => m[i] * v[0] + m[4 + i] * v[1] + m[8 + i] * v[2]);
  const turnedBack = (m, v) => [0, 1, 2].map((k) => dot(column(m, k), v));
  const moved = (m, p) => plus(turned(m, p), column(m, 3));
  const inverse = (m) => { // rows of the inverse of the linear part: cofactors by the determinant
    const [a, b, c] = [0, 1, 2].map((k) => column(m, k));
    const volume = dot(a, cross(b, c)) || 1e-30;
    return [cross(b, c), cross(c, a), cross(a, b)].map((row) => times(1 / volume, row));
  };
  const turning = ([w, x, y, z], position, out) => { // a frame at a position, turned by a quaternion of any length
    const n = Math.hypot(w, x, y, z) || 1;
    w /= n; x /= n; y /= n; z /= n;
    return columns(
      [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
      [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
      [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
      position, out,
    );
  };
  return { dot, cross, minus, plus, times, unit, product, columns, column, turned, turnedBack, moved, inverse, turning };
})();
