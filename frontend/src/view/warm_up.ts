// Shaders made ready before there is a scene: without a graphics card that takes longer than all else of a first picture.
import {
  BufferAttribute, BufferGeometry, Color, InstancedMesh, Matrix4, Mesh, PerspectiveCamera, Scene, type Object3D,
} from "three";
import type { CameraData } from "../contract.ts";
import type { Sight } from "./eye.ts";
import { makePalette, type Quality } from "./materials.ts";
import { openRenderer, type Opened } from "./renderer.ts";
import { makeStage } from "./stage.ts";

const CAMERA: CameraData = {
  azimuth: 0, elevation: 0, points: [], middle: [0, 0, 0], size: 1, floor: 0, step: 1, follow: false, field: 30, grid: true,
  sky: true,
};
const LONG = 600; // ms without a scene, after which it is one that takes long, and may have all that there is

/** A triangle, with numbers of the kinds that shapes have (crowd.ts), or scenery (scenery.ts). */
const triangle = (scenic: boolean) => {
  const made = new BufferGeometry(), normals = scenic ? new Float32Array(9) : new Int8Array(9);
  made.setAttribute("position", new BufferAttribute(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]), 3));
  made.setAttribute("normal", new BufferAttribute(normals, 3, !scenic));
  if (scenic) made.setAttribute("color", new BufferAttribute(new Float32Array(12), 4));
  made.setIndex(new BufferAttribute(scenic ? new Uint32Array([0, 1, 2]) : new Uint16Array([0, 1, 2]), 1));
  return made;
};

/** What a first picture may have, each by a shader of its own: what most have, and what few have. */
const pieces = (scene: Scene, quality: Quality, byProcessor: boolean): [Object3D[], Object3D[]] => {
  const palette = makePalette(new Set()), stage = makeStage(scene, CAMERA, byProcessor);
  const shape = triangle(false), scenic = triangle(true), none = new Float32Array(16);
  const sight: Sight = {
    away: [0, -1, 0], right: [1, 0, 0], up: [0, 0, 1], target: [0, 0, 0], from: [0, -1, 1], slope: 1, near: 0.1, far: 10,
    turn: none, lens: none, matrix: none,
  };
  stage.show(sight, [0, 0, 0], { quality, dark: false, mapped: quality === "full", grain: 1e-3, sky: true });
  const about = scene.children.filter((one) => one instanceof Mesh && one.visible).reverse(); // the grid, and the sky at last
  const solid = new InstancedMesh(shape, palette.solid(quality, "body"), 1), fallen = new InstancedMesh(shape, palette.shade, 1);
  solid.setColorAt(0, new Color());
  for (const made of [solid, fallen]) made.setMatrixAt(0, new Matrix4());
  solid.castShadow = solid.receiveShadow = true;
  const glass = new Mesh(shape, palette.glass(quality, new Color(), 0.5));
  const scenery = [true, false].map((flat) => new Mesh(scenic, palette.scenery(quality, flat)));
  for (const made of scenery) made.receiveShadow = true;
  return [[solid, ...(quality === "plain" ? [fallen] : []), about[0], glass], [...about.slice(1), ...scenery]];
};

/** Draws each piece once, unseen, as long as there is nothing else to draw. */
const warmUp = ({ renderer, byProcessor }: Opened, idle: () => boolean): void => {
  const scene = new Scene(), lens = new PerspectiveCamera();
  const [most, few] = pieces(scene, byProcessor ? "plain" : "full", byProcessor);
  const rare = few.length;
  for (const one of [...most, ...few]) [one.visible, one.frustumCulled] = [false, false];
  const next = () => {
    const one = idle() ? most.shift() ?? few.shift() : undefined;
    if (!one) return;
    scene.add(one);
    one.visible = true;
    renderer.render(scene, lens);
    one.visible = false;
    renderer.clear();
    setTimeout(next, most.length || few.length < rare ? 0 : LONG); // what the server says comes between
  };
  next();
};

/** What draws on a canvas, made ready as long as nothing is drawn; null where the browser cannot. */
export const openEarly = (canvas: HTMLCanvasElement, idle: () => boolean): Opened | null => {
  const opened = openRenderer(canvas);
  if (opened) setTimeout(() => warmUp(opened, idle));
  return opened;
};
