import assert from "node:assert/strict";
import { test } from "node:test";
import type { Triple } from "../src/contract.ts";
import { framed, makeKeeper, spread, type Framing, type Lens, type Moving } from "../src/view/keeper.ts";

const lens: Lens = { away: [0, -1, 0], right: [1, 0, 0], up: [0, 0, 1], slopes: [0.5, 0.25] }; // looks along y
const start: Framing = { target: [0, 0, 0], distance: 10 }; // sees x from −5 to 5, z from −2.5 to 2.5
const body = (x: number, y = 0, half = 0.5): Moving => ({
  origin: [x, y, 0], corners: [-half, half].flatMap((dx) => [-half, half].map((dz): Triple => [x + dx, y, dz])),
});
const corners = (bodies: Moving[]) => bodies.flatMap((one) => one.corners);
/** The largest share of the picture, of half its width or height. */
const share = ({ target, distance }: Framing, bodies: Moving[]) => Math.max(...corners(bodies).flatMap(([x, y, z]) => {
  const depth = distance + y - target[1];
  return [Math.abs(x - target[0]) / (0.5 * depth), Math.abs(z - target[2]) / (0.25 * depth)];
}));
/** Framings at 30 pictures a second. */
const followed = (bodiesAt: (t: number) => Moving[], seconds: number) => {
  const keeper = makeKeeper(), all: Framing[] = [];
  let at = start;
  for (let k = 0; k <= 30 * seconds; k++) {
    at = keeper.keep(at, bodiesAt(k / 30), lens, start.distance, (1000 * k) / 30);
    all.push(at);
  }
  return { all, keeper };
};

test("the edges of points are distances at which they touch the edges of the picture", () => {
  assert.deepEqual(spread([[2, 0, 0]], [0, 0, 0], lens.away, lens.right, 0.5), [4, -4]);
  assert.deepEqual(spread([[2, 3, 0]], [0, 0, 0], lens.away, lens.right, 0.5), [1, -7]); // farther away
});

test("bodies in the picture leave it as it is; the least shift or distance shows others", () => {
  assert.deepEqual(framed(start, lens, 1, corners([body(4.5)])), start);
  assert.deepEqual(framed(start, lens, 1, corners([body(7.5)])), { target: [3, 0, 0], distance: 10 });
  assert.deepEqual(framed(start, lens, 1, corners([body(-7.5), body(7.5)])), { target: [0, 0, 0], distance: 16 });
});

test("what stays in the picture does not move the view", () => {
  const { all, keeper } = followed((t) => [body(3.5 * Math.sin(5 * t))], 4);
  assert.ok(all.every(({ target, distance }) => target[0] === 0 && distance === 10));
  assert.ok(!keeper.late());
});

test("a body that travels away stays in the picture, and the view moves smoothly", () => {
  const { all } = followed((t) => [body(6 * t)], 6);
  all.forEach((at, k) => assert.ok(share(at, [body((6 * k) / 30)]) < 1 + 1e-9));
  const steps = all.slice(1).map(({ target }, k) => target[0] - all[k].target[0]);
  assert.ok(Math.min(...steps) >= 0);
  const jerks = steps.slice(1).map((step, k) => Math.abs(step - steps[k]));
  assert.ok(Math.max(...jerks) < 0.15, `${Math.max(...jerks)}`); // m; the body moves 0.2 m in each picture
});

test("a wide swing widens the view once; then it stands still", () => {
  const { all, keeper } = followed((t) => [body(5.5 * Math.sin(2 * t))], 30);
  const { target, distance } = all.at(-1)!;
  assert.ok(all.slice(-200).every((at) => Math.abs(at.target[0] - target[0]) + Math.abs(at.distance - distance) < 0.02));
  assert.ok(!keeper.late());
});

test("if bodies part, the one that moves is followed", () => {
  const { all } = followed((t) => [body(0), body(-4 * t)], 20);
  assert.ok(share(all.at(-1)!, [body(-80)]) < 1);
  assert.ok(all.at(-1)!.distance < 25);
});

test("a body that goes far away is seen larger again", () => {
  const { all } = followed((t) => [body(0, 20 * Math.min(t, 10))], 30);
  assert.ok(share(all.at(-1)!, [body(0, 200)]) > 0.2);
  assert.ok(share(all.at(-1)!, [body(0, 200)]) < 1);
});
