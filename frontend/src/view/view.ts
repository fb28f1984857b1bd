// Rigid bodies in 3-D, drawn by three.js: shapes on frames and between them, a floor with shadows, scenery, names.
import { Group, PerspectiveCamera, Scene, type WebGLRenderer } from "three";
import type { ArrowRow, SceneData, SceneDifference, ShapesData, Triple } from "../contract.ts";
import { makeArrows, type Arrows } from "./arrows.ts";
import { makeClouds, type Clouds } from "./clouds.ts";
import { makeContactShadow } from "./contact_shadow.ts";
import { makeCurtain } from "./curtain.ts";
import { changedShapes } from "./difference.ts";
import type { Eye, Sight } from "./eye.ts";
import { makeEnvironment } from "./environment.ts";
import { makeEyes, type Eyes, type Views } from "./eyes.ts";
import { floatsOf, meshesOf, unpacked, type Mesh } from "./geometry.ts";
import { makeImages } from "./images.ts";
import { makeInstancedShapes } from "./instanced_shapes.ts";
import { makeImmersion, type Immersion } from "./immersion.ts";
import { makePalette, type Quality } from "./materials.ts";
import { makeLandscape } from "./landscape.ts";
import { makePace, type Level, type Pace } from "./pace.ts";
import { scaledPane, type Pane } from "./panes.ts";
import { makePointer, type Pointer } from "./pointer.ts";
import { EXTRAS, openRenderer, type Extra } from "./renderer.ts";
import { makeScenery } from "./scenery.ts";
import { inSight, reachesInto, SCENERY, settle, shapesOf, type Shape } from "./shapes.ts";
import type { Care, Shown } from "./shown.ts";
import { column, dot, mean, minus, moved, norm, turning, type Matrix, type Vector } from "./space.ts";
import { darkening, hazeOf, LIFT, makeStage } from "./stage.ts";
import { handlePointers } from "./steering.ts";
import { makeSurfaces, type Surfaces } from "./surfaces.ts";
import { makeSwitches, type Switches } from "./switches.ts";
import type { Key } from "./tiles.ts";
import { makeTrails } from "./trails.ts";
import { aim } from "./lens.ts";
import { MARKS, veilOf } from "./veil.ts";
import { makeWords, type Word } from "./words.ts";

const HAZE = 120; // sizes of the motion: how far scenery is seen
const SHADOWS = 0.75; // sharpness above which shadows are drawn
const DEEP = 2e4; // far by near: depths of more are drawn in two parts, since a depth has 24 bits
const OVERLAP = 0.98; // of the nearer part, where the farther one begins
const SMALLEST = 2; // pixels of a mark that is drawn
const SHARED = 0.5; // sharpness below which the second of two halves is drawn in every other picture
type Rectangle = [number, number, number, number];

export interface View extends Pointer, Pace, Omit<Clouds, "settle">, Pick<Surfaces, "patch">, Pick<Eyes, "restart"> {
  put(frame: number, position: Vector, quaternion: Vector): void;
  /** Draw one picture; true if the next one has more: without a graphics card, the first pictures are drawn part by part. */
  draw(): boolean;
  /** How well the last picture was drawn, in a word. */
  level(): Level;
  /** How carefully the next pictures are drawn. */
  refine(how: Care): void;
  fit(): void;
  look: Eye["look"];
  place: Eye["place"];
  move: Eye["move"];
  steer: Eye["steer"];
  /** The k-th camera of the machine, or the view from outside (null), in the main view. */
  ride(k: number | null): void;
  /** One or two views, by the names of their cameras. */
  showViews(views: Views): void;
  views(): Views;
  panes(): Pane[];
  handle(refresh: () => void, take?: (event: PointerEvent) => boolean): void;
  switches(parent: HTMLElement, refresh: () => void): Switches;
  renew(shapes: ShapesData): void;
  change(difference: SceneDifference): void;
  forget(): void;
  /** Highlight the shapes of a frame; null: none. */
  highlight(frame: number | null): void;
  /** A message with a tile of the landscape. */
  tile(data: ArrayBuffer): void;
  /** Tiles of the landscape to ask for. */
  wantedTiles(now: number): Key[];
  arrows: Arrows;
  immersion: Immersion;
  onFrame(frame: number, local: Vector): Triple;
  /** Where a point of a frame is heard in the main view: −1 left … 1 right, and its distance (m). */
  heardFrom(frame: number, local: Vector): { pan: number; distance: number };
  onCanvas(p: Vector): [number, number] | null;
  shown: Shown;
  pen: CanvasRenderingContext2D;
  scene: Scene;
  renderer: WebGLRenderer;
  byProcessor: boolean;
}

/** A view of a scene on a canvas, with another canvas for text; null if the browser has no WebGL 2. */
export const makeView = (
  data: SceneData, canvas: HTMLCanvasElement, words: HTMLCanvasElement, forces: ArrowRow[] = [], opened = openRenderer(canvas),
): View | null => {
  if (!opened) return null;
  canvas.style.visibility = "";
  const { renderer, byProcessor, ready } = opened;
  const { camera, cameras } = data, scene = new Scene(), bodies = new Group(), lens = new PerspectiveCamera();
  scene.add(bodies);
  scene.matrixWorldAutoUpdate = true;
  lens.matrixAutoUpdate = lens.matrixWorldAutoUpdate = false;
  const frames: Matrix[] = Array.from({ length: data.bodies }, () => turning([1, 0, 0, 0], [0, 0, 0]));
  const put = (b: number, position: Vector, quaternion: Vector) => { if (frames[b]) turning(quaternion, position, frames[b]); };
  const first = floatsOf(data.poses.slice(0, 16 * Math.ceil((7 * data.bodies) / 3)));
  frames.forEach((_, b) => put(b, first.subarray(7 * b, 7 * b + 3), first.subarray(7 * b + 3, 7 * b + 7)));
  const landscape = makeLandscape(bodies, data.landscape), trails = makeTrails(bodies, data.trails);
  const eyes = makeEyes(camera, cameras, canvas, frames, landscape.height), eye = eyes.main;
  const over = new Set(["axes", ...data.hidden.filter((role) => role === "mass")]);
  const palette = makePalette(over, !byProcessor), stage = makeStage(scene, camera, byProcessor);
  const environment = makeEnvironment(renderer, scene), contact = makeContactShadow(renderer, scene, camera.size, camera.floor);
  const shown = { labels: false, axes: false, mass: true, inertia: false, sharpness: 1, level: "full" } as unknown as Shown;
  const arrows = makeArrows(scene, forces, camera.size);
  const surfaces = makeSurfaces(bodies, palette, data.fields), clouds = makeClouds(bodies, data.clouds);
  for (const role of data.hidden) shown[role] = false;
  const curtain = makeCurtain();
  scene.add(curtain);
  const dark = matchMedia("(prefers-color-scheme: dark)"), ink = makeWords(words, dark);

  // -- shapes ----------------------------------------------------------------------------------------------------

  let told: ShapesData = { ...data, geometry: "" }, meshes: Mesh[] = [], shapes: Shape[] = [];
  const veiled = new Map<number, Set<Shape>>(); // by seat
  let instanced = makeInstancedShapes(bodies, palette, 0, []), scenery = makeScenery(bodies, palette, [], camera, frames[0]);
  const load = (given: ShapesData, came: Map<number, Mesh>) => {
    told = given;
    meshes = meshesOf(given.meshes, came, meshes);
    instanced.forget();
    scenery.forget();
    const all = shapesOf(given, meshes, given.textures.map(imageAt));
    scenery = makeScenery(bodies, palette, all.filter(({ role }) => role === SCENERY), camera, frames[0]);
    shapes = all.filter(({ role }) => role !== SCENERY);
    instanced = makeInstancedShapes(bodies, palette, camera.floor + LIFT * camera.size, shapes);
    veiled.clear();
    highlight(lit);
  };
  let loaded = () => {}; // an image
  const imageAt = makeImages(() => loaded());
  let lit: number | null = null;
  const highlight = (frame: number | null) => {
    lit = frame;
    for (const s of shapes) s.lit = frame !== null && s.frame === frame && !MARKS.has(s.role) && !s.span;
  };
  const renew = (given: ShapesData) =>
    load({ ...given, geometry: "" }, unpacked(given.meshes.map((row, k) => [k, row]), given.geometry));
  const change = (difference: SceneDifference) =>
    load(changedShapes(told, difference), unpacked(difference.meshes, difference.geometry));

  // -- seats -----------------------------------------------------------------------------------------------------

  const aroundEye = (from: Eye) => veilOf(from.seat(), shapes, veiled);
  let buttons: Switches | null = null;
  const showViews = (views: Views) => {
    eyes.show(views);
    buttons?.shown(eyes.views());
  };
  const ride = (k: number | null) => {
    eye.ride(k);
    buttons?.shown(eyes.views());
  };
  const move: Eye["move"] = (place) => { ride(place.seat); eye.move(place); };
  const look = (preset: string) => { ride(null); eye.look(preset); };

  // -- one picture -----------------------------------------------------------------------------------------------

  const TOLERANCE = byProcessor ? 0.5 : 0.3; // pixels between a round shape and its triangles
  let care: Care = "quick";
  const resize = (ratio: number) => {
    const [w, h] = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(Math.round(x * ratio), 1));
    if (canvas.width === w && canvas.height === h) return false;
    renderer.setSize(w, h, false);
    return true;
  };
  let second: { key: string; odd: boolean; words: [Matrix, Word[]] } | null = null; // what the second half shows
  const aimed = (sight: Sight, near?: number, far?: number) => aim(lens, sight, near, far);
  const reach = (from: Vector) => Math.max(scenery.reach(from), landscape.reach(from), surfaces.reach(from));
  let clear: Shape[] = [], quality: Quality = "plain", tolerance = TOLERANCE; // of this picture
  const showBetween = (sight: Sight, near: number, far: number) =>
    instanced.show(clear.filter(reachesInto(sight, near, far)), quality, tolerance);
  const render = (sight: Sight) => {
    if (!(landscape.some || data.fields.length) || sight.far < DEEP * sight.near) {
      aimed(sight);
      return renderer.render(scene, lens);
    }
    const middle = Math.sqrt(sight.near * sight.far);
    if (landscape.some) showBetween(sight, OVERLAP * middle, sight.far);
    aimed(sight, OVERLAP * middle, sight.far);
    renderer.render(scene, lens);
    stage.hide();
    contact.hide();
    scenery.hideFlat();
    landscape.keepNearer(sight.from, middle);
    trails.keepNearer(middle);
    if (landscape.some) showBetween(sight, sight.near, middle);
    [renderer.autoClear, renderer.shadowMap.autoUpdate] = [false, false];
    renderer.clearDepth();
    aimed(sight, sight.near, middle);
    renderer.render(scene, lens);
    [renderer.autoClear, renderer.shadowMap.autoUpdate] = [true, true];
  };
  const draw = () => {
    const full = Math.min(devicePixelRatio || 1, 2), sharpness = care === "quick" ? shown.sharpness : 1;
    if (resize(full * sharpness)) second = null;
    ink.clear(full, canvas);
    settle(shapes, frames);
    if (camera.keeps) eyes.keep(shapes);
    trails.settle(frames, (x, y) => landscape.height(x, y) ?? camera.floor);
    const named = shown.labels ? told.labels : [], panes = eyes.panes();
    const names = named.map(([text, frame, position]) => ({ text, at: moved(frames[frame], position) }));
    const { names: seats, arrangement } = eyes.views(), key = seats.join(), halves = panes.length > 1 && arrangement === "split";
    if (!halves || second?.key !== key) second = null;
    eyes.shown().forEach((one, k) => {
      if (k && second && !second.odd && byProcessor && care === "quick" && sharpness < SHARED) {
        second.odd = true;
        return ink.write(second.words[0], panes[k], second.words[1]);
      }
      const sight = one.now(reach), { left, top, width, height } = scaledPane(panes[k], canvas.width, canvas.height);
      const rectangle = [left, canvas.height - top - height, width, height].map(Math.round) as Rectangle;
      renderer.setScissorTest(panes.length > 1);
      renderer.setViewport(...rectangle);
      renderer.setScissor(...rectangle);
      const numbers = compose(sight, one, sharpness, camera.sky);
      render(sight);
      ink.write(sight.matrix, panes[k], [...names, ...numbers]);
      if (k) second = { key, odd: false, words: [sight.matrix, [...names, ...numbers]] };
    });
    return addExtra() || eyes.shown().some((one) => one.late());
  };
  const levelNow = (): Level => (care === "best" ? "full" : byProcessor ? "plain" : shown.level);
  const may = (extra: Extra) => ready.has(extra) || care !== "quick";
  const addExtra = () => { // one more kind of shader in the next picture
    if (care !== "quick") EXTRAS.forEach((extra) => ready.add(extra));
    const has: Record<Extra, boolean> = {
      floor: camera.grid || camera.ground !== "",
      scenery: scenery.some, sky: camera.sky, shadow: true, glass: shapes.some(({ opacity }) => opacity < 1),
    };
    const missing = EXTRAS.find((extra) => has[extra] && !ready.has(extra));
    if (missing) ready.add(missing);
    return missing !== undefined;
  };
  const drawImmersed = (sight: Sight, head: PerspectiveCamera) => {
    renderer.setScissorTest(false);
    settle(shapes, frames);
    compose(sight, eye, 1, true, 1);
    renderer.render(scene, head);
  };
  /** Places everything for the next picture; returns the numbers to write over it. */
  const compose = (sight: Sight, one: Eye, sharpness: number, sky: boolean, aspect = one.aspect()) => {
    const level = levelNow(), rich = level === "full";
    [quality, tolerance] = [level === "plain" ? "plain" : "full", TOLERANCE / sharpness];
    const shadows = sharpness > SHADOWS, above = (from: Vector) => from[2] > camera.floor;
    const visibly = inSight(sight, aspect), veil = aroundEye(one);
    const tall = (canvas.height * one.pane().height) / Math.max(canvas.clientHeight, 1); // pixels
    const grain = (2 * sight.slope) / tall; // m of a pixel at a distance of 1 m
    const haze = Math.min(sight.far, HAZE * camera.size);
    const visible = shapes.filter((s) => shown[s.role] !== false && !veil.has(s) && visibly(s));
    for (const s of visible) {
      const depth = dot(minus(sight.from, s.middle), sight.away);
      s.pixels = s.size / (grain * Math.max(depth - s.radius, sight.near));
    }
    clear = visible.filter((s) =>
      (s.pixels > SMALLEST || (s.role !== "point" && s.role !== "mass")) && (s.opacity === 1 || may("glass")));
    palette.aim(sight, sight.far, haze, rich);
    environment.light(dark.matches, quality === "full");
    instanced.show(clear, quality, tolerance);
    curtain.visible = [...over].some((role) => shown[role]);
    instanced.fall(shadows && quality === "plain" && above(sight.from) && may("shadow") && !landscape.some);
    palette.shade.uniforms.dark.value = darkening(dark.matches);
    scenery.show(quality, above(sight.from) && may("scenery"),
      (cell) => may("scenery") && norm(minus(cell.middle, sight.from)) < haze + cell.radius && visibly(cell));
    surfaces.settle(frames, quality);
    clouds.settle(frames, tall, performance.now());
    trails.show(sight.from, quality, grain, visibly);
    const middle = mean(frames.slice(1).map((m) => column(m, 3)));
    landscape.show(sight, {
      quality, dark: dark.matches, haze: hazeOf(dark.matches), shadow: middle, size: 0.7 * camera.size, grain,
    }, visibly);
    stage.show(sight, middle, {
      quality, dark: dark.matches, mapped: shadows && quality === "full", grain, rich: quality === "full",
      sky: (sky && may("sky")) || landscape.some, floor: (camera.grid || camera.ground !== "") && may("floor") && !landscape.some,
      flat: !landscape.some,
    });
    contact.show(middle, dark.matches, rich && above(sight.from) && !landscape.some);
    return arrows.settle(frames, sight, grain);
  };

  // -- for the pages ------------------------------------------------------------------------------------------------

  const switches = (parent: HTMLElement, refresh: () => void) => {
    const roles = new Set(shapes.map((s) => s.role));
    return (buttons = makeSwitches(parent, { roles, rigs: cameras, shown, eye, views: eyes.views, showViews }, refresh));
  };
  const handle: View["handle"] = (refresh, take) => {
    handlePointers(canvas, eyes.at, eyes.shown, refresh, take);
    loaded = refresh;
    dark.addEventListener("change", refresh);
    canvas.addEventListener("webglcontextrestored", refresh);
  };
  const forget = () => { // before the canvas gets another view
    for (const part of [instanced, scenery, landscape, environment, contact]) part.forget();
  };
  const reachable = (from = eye) => { // shapes for a pointer, at their newest poses: the last picture may be older
    const veil = aroundEye(from);
    settle(shapes, frames);
    return shapes.filter((s) => !s.span && shown[s.role] !== false && !veil.has(s));
  };
  const heardFrom: View["heardFrom"] = (frame, local) => {
    const { from, right } = eye.now(), away = minus(moved(frames[frame], local), from), distance = norm(away);
    return { pan: dot(away, right) / Math.max(distance, 1e-9), distance };
  };
  const immersion = makeImmersion(renderer, scene, eye, camera, () => eye.now(reach), drawImmersed);
  renew(data);
  return {
    put, draw, balls: clouds.balls, cloud: clouds.cloud, gliding: clouds.gliding, patch: surfaces.patch,
    fit: () => eyes.shown().forEach((one) => one.fit()), restart: eyes.restart, place: eye.place, move, look, ride,
    steer: eye.steer, showViews, views: eyes.views, panes: eyes.panes, handle, switches, renew, change, forget, shown,
    scene, renderer, byProcessor, highlight, arrows, immersion,
    refine: (how) => { care = how; }, level: levelNow, heardFrom, onFrame: (frame, local) => moved(frames[frame], local),
    onCanvas: (p) => ink.onCanvas(p, eye.now(reach).matrix, eyes.panes()[0]), get pen() { return ink.pen(); },
    ...makePointer(canvas, eyes.at, frames, reachable, landscape.met),
    tile: landscape.take, wantedTiles: landscape.wanted, ...makePace(shown, byProcessor),
  };
};
