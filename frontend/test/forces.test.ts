import assert from "node:assert/strict";
import { test } from "node:test";
import type { ArrowRow, Triple } from "../src/contract.ts";
import { forceOf, forcesOf, legend, newtons, scaled } from "../src/view/forces.ts";
import { cross, minus, turning } from "../src/view/space.ts";

const near = (a: readonly number[], b: readonly number[], e = 1e-5) =>
  a.forEach((x, k) => assert.ok(Math.abs(x - b[k]) < e, `${a} is not ${b}`));
const still = turning([1, 0, 0, 0], [0, 0, 0]);
const quarter = turning([Math.SQRT1_2, 0, 0, Math.SQRT1_2], [1, 0, 0]); // about z, and 1 m along x
const o: Triple = [0, 0, 0];

test("a link in tension pulls its ends together", () => {
  const rows: ArrowRow[] = [["k", "link", "along", 0, o, 1, [0, 0, 2]], ["k", "link", "along", 1, [0, 0, 2], 0, o]];
  const frames = [still, turning([1, 0, 0, 0], [0, 0, 1])], [a, b] = forcesOf(rows, new Float32Array([6, 6]), frames);
  near(a.force, [0, 0, 6]);
  near(b.force, [0, 0, -6]);
  near(b.tail, [0, 0, 3]);
});

test("forces of the ground frame turn with it, those of a joint with its body", () => {
  const ground = turning([Math.SQRT1_2, Math.SQRT1_2, 0, 0], o); // a model with y upwards: y of it is z of the view
  near(forceOf(["f", "force", "ground", 1, o, 0, o], [0, 5, 0], [ground, still])!.force, [0, 0, 5]);
  const own = forceOf(["j", "reaction", "own", 1, o, 0, o], [3, 0, 0], [still, quarter])!;
  near(own.force, [0, 3, 0]);
  near(own.tail, [1, 0, 0]);
  assert.equal(own.size, 3);
});

test("a force with a torque is drawn where it acts without one", () => {
  const at: Triple = [0.2, -0.3, 0.5], force: Triple = [1, 2, -3], arm: Triple = [0.4, 0.1, 0.2], torque = cross(arm, force);
  const found = forceOf(["c", "contact", "line", 1, at, 0, o], [...force, ...torque], [still, still])!;
  near(cross(minus(found.tail, at), force), torque, 1e-4);
  const pure = forceOf(["c", "contact", "line", 1, at, 0, o], [0, 0, 0, 1, 1, 1], [still, still])!;
  near(pure.tail, at);
});

test("places come along where they move", () => {
  near(forceOf(["w", "contact", "place", 0, o, 0, o], [0, 0, 9, 4, 5, 6], [quarter])!.tail, [-4, 4, 6]);
  near(forceOf(["p", "pull", "held", 1, o, 0, o], [0, 0, 9, 1, 0, 0], [still, quarter])!.tail, [1, 1, 0]);
});

test("what is no number is not drawn, and those after it keep theirs", () => {
  const rows: ArrowRow[] = [["a", "force", "ground", 0, o, 0, o], ["b", "force", "ground", 0, o, 0, o]];
  const found = forcesOf(rows, new Float32Array([NaN, 0, 0, 0, 0, 7]), [still]);
  assert.deepEqual(found.map(({ name, size }) => [name, size]), [["b", 7]]);
});

test("the scale is round, suits the largest force, and does not flicker", () => {
  for (const [largest, size] of [[3, 0.1], [9810, 2.5], [1e-3, 40], [7e5, 1]]) {
    const scale = scaled(0, largest, size), length = largest / scale;
    assert.ok(length <= 0.51 * size && length >= 0.19 * size, `${length} of ${size}`);
    const lead = scale / 10 ** Math.floor(Math.log10(scale) + 1e-9);
    assert.ok([1, 2, 5].some((k) => Math.abs(lead - k) < 1e-6), `${scale}`);
    assert.equal(scaled(scale, 1.2 * largest, size), scale);
    assert.equal(scaled(scale, 0.7 * largest, size), scale);
    assert.equal(scaled(scale, 0, size), scale);
    assert.ok(scaled(scale, 10 * largest, size) > scale);
    assert.ok(scaled(scale, largest / 100, size) < scale);
  }
});

test("the legend says what a round length stands for", () => {
  assert.equal(legend(1e4, 0.05), "1 cm = 100 N");
  assert.equal(legend(5000, 2.5), "1 m = 5 kN");
  assert.equal(legend(2, 0.3), "10 cm = 200 mN");
  assert.deepEqual([0, 0.25, 12.345, 9810, 2.5e6].map(newtons), ["0 N", "250 mN", "12.3 N", "9.81 kN", "2.5 MN"]);
});
