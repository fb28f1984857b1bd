// What is about the shapes: sun and shadows, sky, a ground with texture, and a grid that gives the scale.
import {
  BufferAttribute, BufferGeometry, Color, DirectionalLight, DoubleSide, HemisphereLight, Mesh, PlaneGeometry, ShaderMaterial,
  ShadowMaterial, SphereGeometry, Vector2, Vector3, type Scene, type Texture,
} from "three";
import type { CameraData, Triple } from "../contract.ts";
import type { Sight } from "./eye.ts";
import { patternTexture } from "./grain.ts";
import { GROUND_LOOKS, type GroundLook } from "./grounds.ts";
import { SUNWARD, type Quality } from "./materials.ts";
import { plus } from "./space.ts";
import { LAYERS, putBelow, UNDERFOOT } from "./underfoot.ts";

const LINES = 39; // of the grid, in each direction
const REACH = 3.2; // sizes of the motion that ground and grid go
export const LIFT = 1e-3; // of the size: what lies on the floor, above it
/** How much a shadow on the floor darkens it. */
export const darkening = (dark: boolean): number => (dark ? 0.35 : 0.14);

interface Lighting {
  quality: Quality;
  dark: boolean;
  mapped: boolean; // shadows, by a map of what the sun sees
  rich: boolean; // light comes from an environment, too
  grain: number; // m of a pixel at a distance of 1 m
  sky: boolean;
  floor: boolean;
  flat: boolean; // the ground is a plane, on which shadows fall
}
export interface Stage {
  show(sight: Sight, middle: Triple, how: Lighting): void;
  /** Draw none of it in the next picture. */
  hide(): void;
}

// A line is a strip that faces the eye, so many pixels wide at both ends; its width is linear between, as depth is.
const RULE = [
  `uniform vec3 centre;
   uniform float reach, spacing, count, thick; // thick: half a width at the distance 1
   varying vec2 p;
   varying float across, strength;
   void main() {
     bool other = position.z >= count;
     float k = (other ? position.z - count : position.z) - 0.5 * (count - 1.0);
     float c = spacing * (floor((other ? centre.x : centre.y) / spacing + 0.5) + k), s = reach * position.x;
     vec3 world = other ? vec3(c, centre.y + s, centre.z) : vec3(centre.x + s, c, centre.z);
     vec3 side = normalize(cross(other ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0), world - cameraPosition));
     float depth = -(viewMatrix * vec4(world, 1.0)).z;
     p = (world.xy - centre.xy) / reach;
     across = position.y;
     strength = mod(c / spacing + 0.5, 5.0) < 1.0 ? 1.0 : 0.45; // every fifth is stronger
     gl_Position = projectionMatrix * (viewMatrix * vec4(world + thick * depth * position.y * side, 1.0));
   }`,
  `uniform vec4 colour;
   varying vec2 p;
   varying float across, strength;
   void main() {
     float fade = 1.0 - smoothstep(0.35, 1.0, length(p)), edge = 1.0 - across * across;
     gl_FragColor = vec4(colour.rgb, colour.a * strength * fade * edge);
   }`,
];
// The ground is textured to scale. Without a sky it is a disc about the target that fades out; under a sky it goes on
// to the horizon, where it has the colour of the haze.
const GROUND = [
  `uniform float reach, spacing;
   uniform vec3 centre;
   varying vec2 tile;
   varying float far;
   void main() {
     vec3 world = centre + reach * position;
     tile = world.xy / spacing;
     far = length(position.xy);
     gl_Position = projectionMatrix * (viewMatrix * vec4(world, 1.0));
   }`,
  `uniform sampler2D grain;
   uniform vec4 colour;
   uniform vec3 haze;
   uniform float tone;
   varying vec2 tile;
   varying float far;
   void main() {
     vec3 own = colour.rgb;
     #ifdef GRAINED
       own *= 1.0 + tone * (texture2D(grain, tile).r + texture2D(grain, 0.17 * tile.yx).r - 1.0);
     #endif
     #ifdef ENDLESS
       float hazy = clamp(1.25 * far, 0.0, 1.0);
       gl_FragColor = vec4(mix(own, haze, hazy * (2.0 - hazy)), 1.0);
     #else
       gl_FragColor = vec4(own, colour.a * (1.0 - smoothstep(0.3, 1.0, far)));
     #endif
   }`,
];
const SKY = [
  `uniform vec3 high, low, below, sunward;
   uniform float glow;
   varying vec3 shade;
   void main() {
     vec3 way = vec3(normal.x, -normal.z, normal.y);
     float h = way.z, sun = max(dot(way, sunward), 0.0);
     shade = h > 0.0 ? mix(low, high, sqrt(h)) : mix(low, below, min(-8.0 * h, 1.0));
     sun *= sun; sun *= sun; sun *= sun;
     shade += glow * vec3(1.0, 0.93, 0.8) * (0.35 * sun + sun * sun * sun);
     vec4 at = projectionMatrix * vec4(mat3(viewMatrix) * way, 1.0);
     gl_Position = vec4(at.xy, 0.0, at.w); // at no depth
   }`,
  "varying vec3 shade;\nvoid main() { gl_FragColor = vec4(shade, 1.0); }",
];
const HILLS = [ // a ring of far hills, at no depth
  `uniform vec3 low, hill;
   attribute float tall;
   varying vec3 shade;
   void main() {
     shade = mix(low, hill, 0.35 + 0.65 * tall);
     vec4 at = projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0);
     gl_Position = vec4(at.xy, 0.0, at.w);
   }`,
  "varying vec3 shade;\nvoid main() { gl_FragColor = vec4(shade, 1.0); }",
];
const SKIES = { // as a screen takes them
  light: { high: 0x8fb6dc, low: 0xe9eef2, below: 0xc3c8c4, hill: 0xb4c3c6, glow: 0.35 },
  dark: { high: 0x0c131c, low: 0x2c3742, below: 0x1a1f22, hill: 0x212b33, glow: 0.05 },
};
const PLAIN_GROUND: GroundLook = {
  light: [0.83, 0.84, 0.84], dark: [0.17, 0.19, 0.22], pattern: "clouds", length: 1, tone: 0.12,
};

/** The colour of what is far away, as a screen takes it. */
export const hazeOf = (dark: boolean): Color => screen((dark ? SKIES.dark : SKIES.light).low);

const RINGS = 12; // of the ground to the horizon: triangles of kilometres are drawn badly without a card
/** A disc of rings that are narrow in its middle. */
const discGeometry = (rings: number) => {
  const SIDES = 40, position: number[] = [0, 0, 0], triangles: number[] = [];
  for (let k = 1; k <= rings; k++)
    for (let j = 0; j < SIDES; j++) {
      const r = (k / rings) ** 3, a = (2 * Math.PI * j) / SIDES, first = 1 + (k - 1) * SIDES;
      const [here, next] = [first + j, first + ((j + 1) % SIDES)];
      position.push(r * Math.cos(a), r * Math.sin(a), 0);
      if (k === 1) triangles.push(0, here, next);
      else triangles.push(here - SIDES, here, next, here - SIDES, next, next - SIDES);
    }
  const made = new BufferGeometry();
  made.setAttribute("position", new BufferAttribute(new Float32Array(position), 3));
  made.setIndex(triangles);
  return made;
};
const hillGeometry = () => {
  const SIDES = 160, position: number[] = [], tall: number[] = [], triangles: number[] = [];
  for (let j = 0; j <= SIDES; j++) {
    const a = (2 * Math.PI * j) / SIDES, wave = (n: number, by: number) => Math.sin(n * a + by);
    const height = 0.5 + 0.22 * wave(3, 1) + 0.16 * wave(7, 2) + 0.1 * wave(17, 5) + 0.05 * wave(41, 3); // whole turns
    position.push(Math.cos(a), Math.sin(a), -0.004, Math.cos(a), Math.sin(a), 0.028 * Math.max(height, 0));
    tall.push(0, 1);
    if (j < SIDES) triangles.push(2 * j, 2 * j + 2, 2 * j + 1, 2 * j + 1, 2 * j + 2, 2 * j + 3);
  }
  const made = new BufferGeometry();
  made.setAttribute("position", new BufferAttribute(new Float32Array(position), 3));
  made.setAttribute("tall", new BufferAttribute(new Float32Array(tall), 1));
  made.setIndex(triangles);
  return made;
};
const gridGeometry = () => {
  const strip = [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]], made = new BufferGeometry();
  const numbered = Array.from({ length: 2 * LINES }, (_, k) => strip.flatMap((at) => [...at, k]));
  made.setAttribute("position", new BufferAttribute(new Float32Array(numbered.flat()), 3));
  return made;
};
const screen = (hex: number) => new Color().setHex(hex, "srgb-linear"); // numbers as a screen takes them

export const makeStage = (scene: Scene, camera: CameraData, byProcessor: boolean): Stage => {
  const { size, floor, step } = camera, centre = { value: new Vector3() }, reach = { value: REACH * size };
  const endless = camera.sky && camera.ground !== "";
  const sun = new DirectionalLight(0xfff4e6, 2.4), daylight = new HemisphereLight(0xe8f0ff, 0xaaa498, 2.0);
  daylight.position.set(0, 0, 1);
  sun.castShadow = true;
  sun.shadow.mapSize = byProcessor ? new Vector2(1024, 1024) : new Vector2(2048, 2048);
  sun.shadow.normalBias = 0.004 * size;
  sun.shadow.bias = -2e-4;
  sun.shadow.radius = 2.5; // pixels of its map: soft edges
  const box = sun.shadow.camera;
  [box.left, box.right, box.bottom, box.top, box.near, box.far] = [-1, 1, -1, 1, 0, 2].map((x) => 2 * x * size);
  box.updateProjectionMatrix();
  scene.add(sun, sun.target, daylight);

  const flat = <M extends ShaderMaterial | ShadowMaterial>(geometry: BufferGeometry, material: M, layer: number) => {
    const made = new Mesh<BufferGeometry, M>(geometry, Object.assign(material, UNDERFOOT));
    made.frustumCulled = false;
    putBelow(made, layer);
    scene.add(made);
    return made;
  };
  const colours = Object.fromEntries(["high", "low", "below", "hill"].map((name) => [name, { value: new Color() }]));
  const glow = { value: 0 }, sunward = { value: new Vector3(...SUNWARD) };
  const dome = flat(new SphereGeometry(1, byProcessor ? 16 : 32, 24), new ShaderMaterial({
    vertexShader: SKY[0], fragmentShader: SKY[1], side: DoubleSide, uniforms: { ...colours, glow, sunward },
  }), LAYERS.sky);
  const hills = flat(hillGeometry(), new ShaderMaterial({
    vertexShader: HILLS[0], fragmentShader: HILLS[1], side: DoubleSide, uniforms: colours,
  }), LAYERS.hills);
  const soil = camera.ground === "" ? { ...PLAIN_GROUND, length: step } : GROUND_LOOKS[camera.ground];
  const earth = {
    reach, centre, spacing: { value: soil.length }, colour: { value: [0, 0, 0, 1] }, haze: colours.low,
    tone: { value: soil.tone }, grain: { value: null as Texture | null },
  };
  const [grained, bare] = [true, false].map((has) => new ShaderMaterial({
    vertexShader: GROUND[0], fragmentShader: GROUND[1], uniforms: earth,
    defines: { ...(has ? { GRAINED: 1 } : {}), ...(endless ? { ENDLESS: 1 } : {}) }, ...UNDERFOOT,
  }));
  const ground = flat(discGeometry(endless ? RINGS : 1), bare, LAYERS.ground);
  const shade = flat(new PlaneGeometry(8 * size, 8 * size), new ShadowMaterial(), LAYERS.shadow);
  shade.receiveShadow = true;
  const ruled = { value: REACH * size }, count = Math.min(2 * Math.ceil(ruled.value / step) + 1, LINES);
  const grid = flat(gridGeometry(), new ShaderMaterial({
    vertexShader: RULE[0], fragmentShader: RULE[1], side: DoubleSide,
    uniforms: {
      reach: ruled, centre, spacing: { value: step }, colour: { value: [0, 0, 0, 1] }, count: { value: count },
      thick: { value: 1 },
    },
  }), LAYERS.grid);
  grid.geometry.setDrawRange(0, 12 * count);

  let painted: boolean | null = null; // for a dark page
  const paint = (dark: boolean) => {
    if (painted === dark) return;
    painted = dark;
    const sky = dark ? SKIES.dark : SKIES.light;
    for (const name of ["high", "low", "below", "hill"] as const) colours[name].value = screen(sky[name]);
    glow.value = sky.glow;
    grid.material.uniforms.colour.value = dark ? [0.75, 0.8, 0.85, 0.4] : [0.25, 0.3, 0.36, 0.42];
    earth.colour.value = [...(dark ? soil.dark : soil.light), 0.9];
    shade.material.opacity = darkening(dark);
  };
  const show: Stage["show"] = (sight, middle, { quality, dark, mapped, grain, rich, sky, floor: floored, flat: plane }) => {
    paint(dark);
    const above = sight.from[2] > floor, patterned = quality === "full" || !byProcessor;
    centre.value.set(...(endless ? [sight.from[0], sight.from[1], floor] : [sight.target[0], sight.target[1], floor]) as Triple);
    reach.value = endless ? 0.98 * sight.far : REACH * size;
    grid.material.uniforms.thick.value = 1.1 * grain;
    grid.visible = floored && camera.grid && above;
    ground.visible = floored && above;
    if (ground.visible && patterned) earth.grain.value ??= patternTexture(soil.pattern);
    ground.material = patterned ? grained : bare;
    dome.visible = sky;
    hills.visible = sky && endless;
    if (!plane || endless) dome.material.uniforms.below.value = colours.low.value;
    sun.castShadow = mapped;
    [sun.intensity, daylight.intensity] = rich ? [dark ? 1.2 : 2.0, 0.25] : [2.4, 2.0];
    shade.visible = mapped && above && plane;
    const about: Triple = [middle[0], middle[1], Math.max(middle[2], floor)];
    shade.position.set(about[0], about[1], floor + LIFT * size);
    sun.target.position.set(...about);
    sun.position.set(...plus(about, SUNWARD, 2 * size));
  };
  const hide = () => { for (const one of [grid, ground, dome, hills, shade]) one.visible = false; };
  return { show, hide };
};
