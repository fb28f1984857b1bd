// Vectors of three, and matrices of four columns of four, as WebGL wants them.
import type { Triple } from "../contract.ts";

export type Vector = Triple | Float32Array | readonly number[];
export type Matrix = Float32Array;

export const clamp = (x: number, low: number, high: number): number => Math.min(Math.max(x, low), high);
export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vector, b: Vector): Triple =>
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const minus = (a: Vector, b: Vector): Triple => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const plus = (a: Vector, b: Vector, s = 1): Triple => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
export const times = (s: number, a: Vector): Triple => [s * a[0], s * a[1], s * a[2]];
export const norm = (a: Vector): number => Math.hypot(a[0], a[1], a[2]);
export const unit = (a: Vector): Triple => times(1 / (norm(a) || 1), a);
export const mean = (points: Vector[]): Triple =>
  points.reduce<Triple>((sum, p) => plus(sum, p, 1 / points.length), [0, 0, 0]);

export const product = (a: Matrix, b: Matrix, out: Matrix = new Float32Array(16)): Matrix => {
  for (let j = 0; j < 16; j += 4)
    for (let i = 0; i < 4; i++)
      out[j + i] = a[i] * b[j] + a[4 + i] * b[j + 1] + a[8 + i] * b[j + 2] + a[12 + i] * b[j + 3];
  return out;
};
/** A projection with other depths of what is nearest and farthest. */
export const withDepths = (lens: Matrix, near: number, far: number): Matrix => {
  const made = lens.slice();
  made[10] = (far + near) / (near - far);
  made[14] = (2 * far * near) / (near - far);
  return made;
};
export const columns = (x: Vector, y: Vector, z: Vector, p: Vector, out: Matrix = new Float32Array(16)): Matrix => {
  out.set(x as Triple, 0);
  out.set(y as Triple, 4);
  out.set(z as Triple, 8);
  out.set(p as Triple, 12);
  out[3] = out[7] = out[11] = 0;
  out[15] = 1;
  return out;
};
export const column = (m: Matrix, k: number): Float32Array => m.subarray(4 * k, 4 * k + 3); // 3: where it is
export const turned = (m: Matrix, v: Vector): Triple => [
  m[0] * v[0] + m[4] * v[1] + m[8] * v[2],
  m[1] * v[0] + m[5] * v[1] + m[9] * v[2],
  m[2] * v[0] + m[6] * v[1] + m[10] * v[2],
];
export const turnedBack = (m: Matrix, v: Vector): Triple => [dot(column(m, 0), v), dot(column(m, 1), v), dot(column(m, 2), v)];
export const moved = (m: Matrix, p: Vector): Triple => plus(turned(m, p), column(m, 3));
export const inverse = (m: Matrix): Triple[] => { // rows of the inverse of the linear part: cofactors by the determinant
  const [a, b, c] = [column(m, 0), column(m, 1), column(m, 2)];
  const volume = dot(a, cross(b, c)) || 1e-30;
  return [cross(b, c), cross(c, a), cross(a, b)].map((row) => times(1 / volume, row));
};
/** A frame at a position, turned by a quaternion (w x y z) of any length. */
export const turning = (quaternion: Vector, position: Vector, out?: Matrix): Matrix => {
  const n = Math.hypot(quaternion[0], quaternion[1], quaternion[2], quaternion[3]) || 1;
  const [w, x, y, z] = [quaternion[0] / n, quaternion[1] / n, quaternion[2] / n, quaternion[3] / n];
  return columns(
    [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
    [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
    [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
    position, out,
  );
};
