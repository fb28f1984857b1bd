import assert from "node:assert/strict";
import { test } from "node:test";
import type { CameraData } from "../src/contract.ts";
import { makeEye } from "../src/view/eye.ts";
import type { Matrix } from "../src/view/space.ts";

const CAMERA: CameraData = {
  azimuth: 10, elevation: 8, points: [[0, -1, 0], [0, 1, 0], [0, 0, 1]], middle: [0, 0, 0], size: 1, floor: 0, step: 1,
  follow: false, keeps: false, most_turn: 40, field: 30, grid: true, sky: false, ground: "",
};
const AT_REST: Matrix = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
const eyeOf = (camera: CameraData) => {
  const made = makeEye(camera, [], () => ({ left: 0, top: 0, width: 400, height: 300 }), [AT_REST, AT_REST], () => null);
  made.fit();
  return made;
};
const degrees = ({ azimuth, elevation }: { azimuth: number; elevation: number }) =>
  [azimuth, elevation].map((angle) => Math.round((angle * 180) / Math.PI));

test("a person turns the view as far as its camera allows, from its start or from a named direction", () => {
  const eye = eyeOf(CAMERA);
  eye.turn(250, 0);
  assert.deepEqual(degrees(eye.place()), [-30, 8]);
  eye.turn(-1000, 1000);
  assert.deepEqual(degrees(eye.place()), [50, 48]);
  eye.look("Left");
  eye.turn(-1000, 0);
  assert.deepEqual(degrees(eye.place()), [130, 0]);
  eye.fit();
  assert.deepEqual(degrees(eye.place()), [10, 8]);
});

test("a kept view is limited about its own direction", () => {
  const eye = eyeOf(CAMERA);
  eye.move({ ...eye.place(), azimuth: 0, elevation: 0 });
  eye.turn(-1000, 0);
  assert.deepEqual(degrees(eye.place()), [40, 0]);
});

test("without a limit the view turns all around", () => {
  const eye = eyeOf({ ...CAMERA, most_turn: null });
  eye.turn(250, 1000);
  assert.deepEqual(degrees(eye.place()), [-105, 89]);
});
