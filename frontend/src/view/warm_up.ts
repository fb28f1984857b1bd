// Shaders made ready before there is a scene: without a graphics card that takes longer than all else of a first picture.
import {
  BufferAttribute, BufferGeometry, Color, InstancedMesh, Matrix4, Mesh, PerspectiveCamera, Scene, type Object3D,
  type WebGLRenderer,
} from "three";
import type { CameraData } from "../contract.ts";
import type { Sight } from "./eye.ts";
import { makePalette, type Quality, type Surface } from "./materials.ts";
import { openRenderer, type Extra, type Opened } from "./renderer.ts";
import { makeStage } from "./stage.ts";

const CAMERA: CameraData = {
  azimuth: 0, elevation: 0, points: [], middle: [0, 0, 0], size: 1, floor: 0, step: 1, follow: false,
  keeps: false, most_turn: null, field: 30, grid: true, sky: true, ground: "",
};
const LOOK = 5; // ms between two looks whether it is drawn
const LONG = 600; // ms without a scene, after which it is one that takes long, and may have all that there is

/** A triangle, with numbers of the kinds that shapes have (instanced_shapes.ts), or scenery (scenery.ts). */
const triangle = (scenic: boolean) => {
  const made = new BufferGeometry(), normals = scenic ? new Float32Array(9) : new Int8Array(9);
  made.setAttribute("position", new BufferAttribute(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]), 3));
  made.setAttribute("normal", new BufferAttribute(normals, 3, !scenic));
  if (scenic) made.setAttribute("color", new BufferAttribute(new Float32Array(12), 4));
  made.setIndex(new BufferAttribute(scenic ? new Uint32Array([0, 1, 2]) : new Uint16Array([0, 1, 2]), 1));
  return made;
};

interface Piece {
  one: Object3D;
  extra?: Extra; // that is ready when it was drawn
}

/** What a first picture may have, each by a shader of its own: what most have, and what few have. */
const pieces = (scene: Scene, quality: Quality, byProcessor: boolean): [Piece[], Piece[]] => {
  const palette = makePalette(new Set()), stage = makeStage(scene, CAMERA, byProcessor);
  const shape = triangle(false), scenic = triangle(true), none = new Float32Array(16);
  const sight: Sight = {
    away: [0, -1, 0], right: [1, 0, 0], up: [0, 0, 1], target: [0, 0, 0], from: [0, -1, 1], slope: 1, near: 0.1, far: 10,
    turn: none, lens: none, matrix: none,
  };
  const all = { sky: true, floor: true, flat: true, rich: quality === "full" };
  const surface: Surface = { role: "body", material: "paint", axis: 0, image: null };
  stage.show(sight, [0, 0, 0], { quality, dark: false, mapped: quality === "full", grain: 1e-3, ...all });
  const [grid, ...about] = scene.children.filter((one) => one instanceof Mesh && one.visible).reverse(); // the sky at last
  const solid = new InstancedMesh(shape, palette.solid(quality, surface), 1), fallen = new InstancedMesh(shape, palette.shade, 1);
  solid.setColorAt(0, new Color());
  for (const made of [solid, fallen]) made.setMatrixAt(0, new Matrix4());
  solid.castShadow = solid.receiveShadow = true;
  const glass = new Mesh(shape, palette.glass(quality, new Color(), 0.5));
  const scenery = [true, false].map((flat) => new Mesh(scenic, palette.scenery(quality, flat, surface)));
  for (const made of scenery) made.receiveShadow = true;
  const most: Piece[] = [
    { one: solid }, { one: grid, extra: "floor" }, { one: fallen, extra: "shadow" }, { one: glass, extra: "glass" },
  ];
  const few: Piece[] = [...about.map((one) => ({ one })), { one: scenery[0] }, { one: scenery[1], extra: "scenery" }];
  few[about.length - 1].extra = "sky";
  return [quality === "plain" ? most : most.filter(({ one }) => one !== fallen), few];
};

/** Calls `then` when the graphics card, or the processor in its place, has finished all commands. */
const whenDone = (renderer: WebGLRenderer, then: () => void): void => {
  const gl = renderer.getContext() as WebGL2RenderingContext, fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl.flush();
  const look = () => {
    if (fence && gl.clientWaitSync(fence, 0, 0) === gl.TIMEOUT_EXPIRED) return void setTimeout(look, LOOK);
    gl.deleteSync(fence);
    then();
  };
  setTimeout(look, LOOK);
};

/** Draws each piece once, unseen, as long as there is nothing else to draw; one after the other, so that it can stop. */
const warmUp = ({ renderer, byProcessor, ready }: Opened, idle: () => boolean): void => {
  const scene = new Scene(), lens = new PerspectiveCamera();
  const [most, few] = pieces(scene, byProcessor ? "plain" : "full", byProcessor);
  const rare = few.length;
  for (const { one } of [...most, ...few]) [one.visible, one.frustumCulled] = [false, false];
  const next = () => {
    const piece = idle() ? most.shift() ?? few.shift() : undefined;
    if (!piece) return;
    const { one, extra } = piece;
    scene.add(one);
    one.visible = true;
    renderer.render(scene, lens);
    one.visible = false;
    renderer.clear();
    whenDone(renderer, () => {
      if (extra) ready.add(extra);
      if (most.length || few.length < rare) next();
      else setTimeout(next, LONG);
    });
  };
  next();
};

/** What draws on a canvas, made ready as long as nothing is drawn; null where the browser cannot.
 *
 * The canvas is hidden until then: what is seen on the screen is waited for, and the page would do nothing meanwhile. */
export const openEarly = (canvas: HTMLCanvasElement, idle: () => boolean): Opened | null => {
  const opened = openRenderer(canvas);
  if (!opened) return null;
  canvas.style.visibility = "hidden";
  setTimeout(() => warmUp(opened, idle));
  return opened;
};
