// What is behind and below all shapes: sky, ground, grid, shadows on the floor. It is drawn after the solid shapes and
// farther away than all of them, so that a pixel which a shape covers is not shaded twice.
import {
  AddEquation, CustomBlending, LessEqualDepth, OneFactor, OneMinusSrcAlphaFactor, SrcAlphaFactor, type Mesh,
} from "three";

export const UNDERFOOT = {
  blending: CustomBlending, blendEquation: AddEquation, blendSrc: SrcAlphaFactor, blendDst: OneMinusSrcAlphaFactor,
  blendSrcAlpha: OneFactor, blendDstAlpha: OneMinusSrcAlphaFactor, transparent: false, depthFunc: LessEqualDepth,
  depthWrite: false,
} as const;

/** Render orders, one over the other; shapes have 0, tiles of a landscape up to 1. */
export const LAYERS = { sky: 2, hills: 3, ground: 4, scenery: 5, shadow: 6, contact: 6.5, grid: 7 } as const;

/** Draws a mesh with such a material where no shape is. */
export const putBelow = (mesh: Mesh, layer: number): void => {
  mesh.renderOrder = layer;
  mesh.onBeforeRender = (renderer) => renderer.getContext().depthRange(1, 1);
  mesh.onAfterRender = (renderer) => renderer.getContext().depthRange(0, 1);
};
