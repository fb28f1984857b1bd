// Shapes drawn by instancing: one draw call for each mesh, with a list of places and colours.
import {
  BufferAttribute, BufferGeometry, InstancedMesh, Matrix4, Mesh as ThreeMesh, type Color, type Group,
} from "three";
import type { Mesh } from "./geometry.ts";
import { linear, SUNWARD, type Palette, type Quality } from "./materials.ts";
import { coarse, type Shape } from "./shapes.ts";
import { LAYERS, putBelow } from "./underfoot.ts";

const SHADY = new Set(["body", "link", "ground"]); // small shapes on these cast no shadow of their own

export const NEAR_FLOOR = 1; // layer of what darkens the floor below it
export const OVER = 10; // render order after which shapes are drawn in front of bodies
const LIT = linear("#ffd34d"); // mixed into the colour of a highlighted shape

export const geometryOf = (mesh: Mesh): BufferGeometry => {
  const made = new BufferGeometry();
  made.setAttribute("position", new BufferAttribute(mesh.vertices, 3));
  const normals = new Int8Array(mesh.normals.length / 4 * 3);
  for (let k = 0, j = 0; k < normals.length; k += 3, j += 4) normals.set(mesh.normals.subarray(j, j + 3), k);
  made.setAttribute("normal", new BufferAttribute(normals, 3, true));
  const few = mesh.vertices.length / 3 < 65536;
  if (mesh.uv) made.setAttribute("uv", new BufferAttribute(mesh.uv, 2));
  made.setIndex(new BufferAttribute(few ? Uint16Array.from(mesh.triangles) : mesh.triangles, 1));
  return made;
};

export interface InstancedShapes {
  /** Draw these shapes; tolerance: pixels between a round shape and its triangles. */
  show(shapes: Shape[], quality: Quality, tolerance: number): void;
  /** Whether solid shapes are projected onto the floor as shadows, instead of by a shadow map. */
  fall(on: boolean): void;
  forget(): void;
}

/** The projection onto the floor along the light. */
const fallen = (floor: number): Matrix4 => {
  const [x, y, z] = SUNWARD, [a, b] = [x / z, y / z];
  return new Matrix4().set(1, 0, -a, a * floor, 0, 1, -b, b * floor, 0, 0, 0, floor, 0, 0, 0, 1);
};

interface Batch {
  solid: InstancedMesh;
  first: Shape; // all are of its material
  shadow: InstancedMesh | null; // the same places, on the floor
  shapes: Shape[]; // whose colours are set
  lit: boolean[]; // whether each was highlighted then
}

export const makeInstancedShapes = (group: Group, palette: Palette, floor: number, all: Shape[]): InstancedShapes => {
  const geometries = new Map<Mesh, BufferGeometry>(), batches = new Map<string, Batch>(), panes = new Map<Shape, ThreeMesh>();
  const colours = new Map(all.map(({ colour }) => [colour, linear(colour)]));
  const paint = (shape: Shape) => {
    const own = colours.get(shape.colour)!;
    return shape.lit ? own.clone().lerp(LIT, 0.35) : own;
  };
  const geometry = (mesh: Mesh) => {
    const found = geometries.get(mesh) ?? geometryOf(mesh);
    geometries.set(mesh, found);
    return found;
  };
  const key = (mesh: Mesh, shape: Shape) => `${mesh.number} ${SHADY.has(shape.role)} ${palette.name(shape)}`;
  const room = new Map<string, number>(); // largest number of shapes with a mesh
  for (const s of all)
    for (let mesh: Mesh | null = s.mesh; mesh; mesh = mesh.coarser) room.set(key(mesh, s), (room.get(key(mesh, s)) ?? 0) + 1);

  const still = (made: ThreeMesh) => { // instances have the places, and hidden shapes are sorted out before
    made.frustumCulled = made.matrixAutoUpdate = made.matrixWorldAutoUpdate = false;
    group.add(made);
  };
  const shadowOf = (solid: InstancedMesh) => {
    const made = new InstancedMesh(solid.geometry, palette.shade, 0);
    made.instanceMatrix = solid.instanceMatrix;
    made.matrixWorld.copy(fallen(floor));
    putBelow(made, LAYERS.shadow);
    still(made);
    return made;
  };
  const batchOf = (mesh: Mesh, shape: Shape): Batch => {
    const name = key(mesh, shape), found = batches.get(name);
    if (found) return found;
    const solid = new InstancedMesh(geometry(mesh), palette.solid("plain", shape), room.get(name)!);
    solid.setColorAt(0, colours.get(shape.colour)!);
    solid.count = 0;
    solid.castShadow = SHADY.has(shape.role);
    solid.receiveShadow = true;
    if (solid.castShadow) solid.layers.enable(NEAR_FLOOR);
    if (solid.material.transparent) solid.renderOrder = OVER;
    still(solid);
    const made = { solid, first: shape, shadow: solid.castShadow ? shadowOf(solid) : null, shapes: [], lit: [] };
    batches.set(name, made);
    return made;
  };
  const pane = (shape: Shape, colour: Color, quality: Quality, mesh: Mesh) => { // transparent: three.js sorts them by depth
    const made = panes.get(shape) ?? new ThreeMesh();
    if (!panes.has(shape)) still(made);
    if (SHADY.has(shape.role)) made.layers.enable(NEAR_FLOOR);
    panes.set(shape, made);
    made.geometry = geometry(mesh);
    made.material = palette.glass(quality, colour, shape.opacity);
    made.castShadow = SHADY.has(shape.role);
    made.matrixWorld.fromArray(shape.place);
    made.visible = true;
  };
  const show = (shapes: Shape[], quality: Quality, tolerance: number) => {
    for (const { solid } of batches.values()) solid.count = 0;
    for (const made of panes.values()) made.visible = false;
    for (const shape of shapes) {
      const mesh = coarse(shape, tolerance), colour = paint(shape);
      if (shape.opacity < 1) {
        pane(shape, colour, quality, mesh);
        continue;
      }
      const made = batchOf(mesh, shape), at = made.solid.count++;
      made.solid.instanceMatrix.array.set(shape.place, 16 * at);
      if (made.shapes[at] === shape && made.lit[at] === shape.lit) continue;
      [made.shapes[at], made.lit[at]] = [shape, shape.lit];
      colour.toArray(made.solid.instanceColor!.array, 3 * at);
      made.solid.instanceColor!.needsUpdate = true;
    }
    for (const { solid, first } of batches.values()) {
      solid.visible = solid.count > 0;
      if (!solid.visible) continue;
      solid.material = palette.solid(quality, first);
      solid.instanceMatrix.needsUpdate = true;
    }
  };
  const fall = (on: boolean) => {
    for (const { solid, shadow } of batches.values()) {
      if (!shadow) continue;
      shadow.count = solid.count;
      shadow.visible = on && solid.visible;
    }
  };
  const forget = () => {
    for (const { solid, shadow } of batches.values()) {
      group.remove(solid, ...(shadow ? [shadow] : []));
      solid.dispose();
    }
    for (const made of panes.values()) group.remove(made);
    for (const made of geometries.values()) made.dispose();
  };
  return { show, fall, forget };
};
