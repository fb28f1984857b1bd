// Shapes in as few calls as there are meshes: each mesh once, with a list of places and colours.
import {
  BufferAttribute, BufferGeometry, InstancedMesh, Matrix4, Mesh as ThreeMesh, type Color, type Group,
} from "three";
import type { Mesh } from "./geometry.ts";
import { linear, SUNWARD, type Palette, type Quality } from "./materials.ts";
import { coarse, type Shape } from "./shapes.ts";

const SHADY = new Set(["body", "link"]); // what is small and sits on these need not darken the floor itself

export const OVER = 10; // where, among what is drawn, bodies are forgotten: what comes after is in front of them
const LIT = linear("#ffd34d"); // what is pointed at has some of it

export const geometryOf = (mesh: Mesh): BufferGeometry => {
  const made = new BufferGeometry();
  made.setAttribute("position", new BufferAttribute(mesh.vertices, 3));
  const normals = new Int8Array(mesh.normals.length / 4 * 3);
  for (let k = 0, j = 0; k < normals.length; k += 3, j += 4) normals.set(mesh.normals.subarray(j, j + 3), k);
  made.setAttribute("normal", new BufferAttribute(normals, 3, true));
  const few = mesh.vertices.length / 3 < 65536;
  made.setIndex(new BufferAttribute(few ? Uint16Array.from(mesh.triangles) : mesh.triangles, 1));
  return made;
};

export interface Crowd {
  /** Draw these shapes; tolerance: pixels between a round shape and its triangles. */
  show(shapes: Shape[], quality: Quality, tolerance: number): void;
  /** Whether what is solid falls onto the floor as a shadow there, instead of by a map of what the sun sees. */
  fall(on: boolean): void;
  forget(): void;
}

/** Onto the floor, along the light. */
const fallen = (floor: number): Matrix4 => {
  const [x, y, z] = SUNWARD, [a, b] = [x / z, y / z];
  return new Matrix4().set(1, 0, -a, a * floor, 0, 1, -b, b * floor, 0, 0, 0, floor, 0, 0, 0, 1);
};

interface Member {
  solid: InstancedMesh;
  shadow: InstancedMesh | null; // the same places, on the floor
  shapes: Shape[]; // whose colours it has
  lit: boolean[]; // and whether they were lit
}

export const makeCrowd = (group: Group, palette: Palette, floor: number, all: Shape[]): Crowd => {
  const geometries = new Map<Mesh, BufferGeometry>(), crowds = new Map<string, Member>(), panes = new Map<Shape, ThreeMesh>();
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
  const key = (mesh: Mesh, shape: Shape) => `${mesh.number} ${SHADY.has(shape.role)} ${palette.solid("full", shape.role).id}`;
  const room = new Map<string, number>(); // how many shapes may want a mesh
  for (const s of all)
    for (let mesh: Mesh | null = s.mesh; mesh; mesh = mesh.coarser) room.set(key(mesh, s), (room.get(key(mesh, s)) ?? 0) + 1);

  const still = (made: ThreeMesh) => { // it has no place of its own, and what is out of sight was seen to before
    made.frustumCulled = made.matrixAutoUpdate = made.matrixWorldAutoUpdate = false;
    group.add(made);
  };
  const shadowOf = (solid: InstancedMesh) => {
    const made = new InstancedMesh(solid.geometry, palette.shade, 0);
    made.instanceMatrix = solid.instanceMatrix;
    made.matrixWorld.copy(fallen(floor));
    made.renderOrder = -8;
    still(made);
    return made;
  };
  const crowd = (mesh: Mesh, shape: Shape): Member => {
    const name = key(mesh, shape), found = crowds.get(name);
    if (found) return found;
    const solid = new InstancedMesh(geometry(mesh), palette.solid("plain", shape.role), room.get(name)!);
    solid.setColorAt(0, colours.get(shape.colour)!);
    solid.count = 0;
    solid.castShadow = SHADY.has(shape.role);
    solid.receiveShadow = true;
    solid.userData.role = shape.role;
    if (solid.material.transparent) solid.renderOrder = OVER;
    still(solid);
    const made = { solid, shadow: solid.castShadow ? shadowOf(solid) : null, shapes: [], lit: [] };
    crowds.set(name, made);
    return made;
  };
  const pane = (shape: Shape, colour: Color, quality: Quality, mesh: Mesh) => { // of glass: sorted by their depth
    const made = panes.get(shape) ?? new ThreeMesh();
    if (!panes.has(shape)) still(made);
    panes.set(shape, made);
    made.geometry = geometry(mesh);
    made.material = palette.glass(quality, colour, shape.opacity);
    made.castShadow = SHADY.has(shape.role);
    made.matrixWorld.fromArray(shape.place);
    made.visible = true;
  };
  const show = (shapes: Shape[], quality: Quality, tolerance: number) => {
    for (const { solid } of crowds.values()) solid.count = 0;
    for (const made of panes.values()) made.visible = false;
    for (const shape of shapes) {
      const mesh = coarse(shape, tolerance), colour = paint(shape);
      if (shape.opacity < 1) {
        pane(shape, colour, quality, mesh);
        continue;
      }
      const made = crowd(mesh, shape), at = made.solid.count++;
      made.solid.instanceMatrix.array.set(shape.place, 16 * at);
      if (made.shapes[at] === shape && made.lit[at] === shape.lit) continue;
      [made.shapes[at], made.lit[at]] = [shape, shape.lit];
      colour.toArray(made.solid.instanceColor!.array, 3 * at);
      made.solid.instanceColor!.needsUpdate = true;
    }
    for (const { solid } of crowds.values()) {
      solid.visible = solid.count > 0;
      if (!solid.visible) continue;
      solid.material = palette.solid(quality, solid.userData.role as string);
      solid.instanceMatrix.needsUpdate = true;
    }
  };
  const fall = (on: boolean) => {
    for (const { solid, shadow } of crowds.values()) {
      if (!shadow) continue;
      shadow.count = solid.count;
      shadow.visible = on && solid.visible;
    }
  };
  const forget = () => {
    for (const { solid, shadow } of crowds.values()) {
      group.remove(solid, ...(shadow ? [shadow] : []));
      solid.dispose();
    }
    for (const made of panes.values()) group.remove(made);
    for (const made of geometries.values()) made.dispose();
  };
  return { show, fall, forget };
};
