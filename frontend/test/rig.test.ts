import assert from "node:assert/strict";
import { test } from "node:test";
import type { RigData } from "../src/contract.ts";
import { gazeOf, makeFollower, roundOf, upAxis } from "../src/view/rig.ts";
import { turning } from "../src/view/space.ts";

const near = (a: readonly number[], b: readonly number[]) => a.forEach((x, k) => assert.ok(Math.abs(x - b[k]) < 1e-6, `${a} ${b}`));
const yawed = (angle: number, at: [number, number, number]) => turning([Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)], at);
const rig = (more: Partial<RigData>): RigData =>
  ({ name: "one", kind: "seat", frame: 1, eye: [0, 0, 0], ahead: [1, 0, 0], field: 50, lag: 0, ...more });
const frames = [yawed(0, [0, 0, 0]), yawed(Math.PI / 2, [10, 20, 3])];

test("a seat turns with its body", () => {
  const { from, ahead, up } = gazeOf(rig({ eye: [1, 0, 2] }), [0, 0, 1], frames, makeFollower(0), 0);
  near(from, [10, 21, 5]);
  near(ahead, [0, 1, 0]);
  near(up, [0, 0, 1]);
});

test("a head follows: after its time constant 1/e is left, and much later nothing", () => {
  const { follow, late } = makeFollower(0.5);
  near(follow([[1, 0, 0]], 0)[0], [1, 0, 0]);
  const [[x, y]] = follow([[0, 1, 0]], 500);
  assert.ok(Math.abs(y / x - (1 - Math.exp(-1)) / Math.exp(-1)) < 1e-9);
  assert.ok(late());
  near(follow([[0, 1, 0]], 60_000)[0], [0, 1, 0]);
  assert.ok(!late());
});

test("a chase camera is behind its body, an orbit keeps its direction", () => {
  const chase = roundOf(rig({ kind: "chase", eye: [-6, 0, 2] }), frames, makeFollower(0), 0);
  near([Math.cos(chase.azimuth), Math.sin(chase.azimuth)], [0, -1]); // its body looks along y
  near([chase.distance * Math.sin(chase.elevation), ...chase.target], [2, 10, 20, 3]);
  const orbit = roundOf(rig({ kind: "orbit", eye: [0, 5, 0] }), frames, makeFollower(0), 0);
  near([orbit.azimuth, orbit.elevation, orbit.distance], [Math.PI / 2, 0, 5]);
});

test("a fixed camera turns to its body, or looks ahead", () => {
  near(gazeOf(rig({ kind: "fixed", eye: [10, 0, 3] }), [0, 0, 1], frames, makeFollower(0), 0).ahead, [0, 1, 0]);
  near(gazeOf(rig({ kind: "fixed", frame: 0, ahead: [0, 0, -2] }), [0, 0, 1], frames, makeFollower(0), 0).ahead, [0, 0, -1]);
});

test("the axis that is up is not the one that looks ahead", () => {
  near(upAxis(frames[1], [1, 0, 0]), [0, 0, 1]);
  near(upAxis(turning([Math.SQRT1_2, Math.SQRT1_2, 0, 0], [0, 0, 0]), [1, 0, 0]), [0, 1, 0]);
});
