// What separates shapes that are drawn in front from all others.
import { BufferAttribute, BufferGeometry, Mesh, MeshBasicMaterial } from "three";
import { OVER } from "./instanced_shapes.ts";

/** An invisible object that clears the depth: shapes drawn after it are in front, such as frames inside bodies. */
export const makeCurtain = (): Mesh => {
  const unseen = new MeshBasicMaterial({ transparent: true, colorWrite: false, depthWrite: false });
  const made = new Mesh(new BufferGeometry(), unseen);
  made.geometry.setAttribute("position", new BufferAttribute(new Float32Array(9), 3));
  made.frustumCulled = made.matrixAutoUpdate = false;
  made.renderOrder = OVER - 1;
  made.onBeforeRender = (renderer) => renderer.clearDepth();
  return made;
};
