// The camera of three.js, as an eye sees.
import type { PerspectiveCamera } from "three";
import type { Sight } from "./eye.ts";
import { withDepths } from "./space.ts";

/** Aims a camera; near, far: depths that it draws (m). */
export const aim = (lens: PerspectiveCamera, sight: Sight, near = sight.near, far = sight.far): void => {
  lens.matrixWorldInverse.fromArray(sight.turn);
  lens.matrixWorld.copy(lens.matrixWorldInverse).invert();
  lens.projectionMatrix.fromArray(withDepths(sight.lens, near, far));
  lens.projectionMatrixInverse.copy(lens.projectionMatrix).invert();
};
