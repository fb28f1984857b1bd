// What is about the shapes: sun and shadows, sky, a ground with texture, and a grid that gives the scale.
import {
  BufferAttribute, BufferGeometry, CanvasTexture, CircleGeometry, Color, DirectionalLight, DoubleSide, HemisphereLight, Mesh,
  PlaneGeometry, RepeatWrapping, ShaderMaterial, ShadowMaterial, SphereGeometry, SRGBColorSpace, Vector2, Vector3, type Scene,
} from "three";
import type { CameraData, Triple } from "../contract.ts";
import type { Sight } from "./eye.ts";
import { SUNWARD, UNDERFOOT, type Quality } from "./materials.ts";
import { plus } from "./space.ts";

const LINES = 39; // of the grid, in each direction
const REACH = 3.2; // sizes of the motion that ground and grid go
export const LIFT = 1e-3; // of the size: what lies on the floor, above it
/** How much a shadow on the floor darkens it. */
export const darkening = (dark: boolean): number => (dark ? 0.35 : 0.14);

interface Lighting {
  quality: Quality;
  dark: boolean;
  mapped: boolean; // shadows, by a map of what the sun sees
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
// The ground is textured to scale: one tile of the picture is one square of the grid.
const GROUND = [
  `uniform float reach, spacing;
   uniform vec3 centre;
   varying vec2 tile;
   varying float fade;
   void main() {
     vec3 world = centre + reach * position;
     tile = world.xy / spacing;
     fade = length(position.xy);
     gl_Position = projectionMatrix * (viewMatrix * vec4(world, 1.0));
   }`,
  `uniform sampler2D grain;
   uniform vec4 colour;
   varying vec2 tile;
   varying float fade;
   void main() {
     float speck = texture2D(grain, tile).r + texture2D(grain, 0.17 * tile).r - 1.0;
     gl_FragColor = vec4(colour.rgb * (1.0 + 0.35 * speck), colour.a * (1.0 - smoothstep(0.3, 1.0, fade)));
   }`,
];
const SKY = [
  `uniform vec3 high, low, below;
   varying vec3 shade;
   void main() {
     float h = normal.y;
     shade = h > 0.0 ? mix(low, high, sqrt(h)) : mix(low, below, min(-8.0 * h, 1.0));
     vec4 at = projectionMatrix * vec4(mat3(viewMatrix) * vec3(normal.x, -normal.z, normal.y), 1.0);
     gl_Position = vec4(at.xy, 0.0, at.w); // at no depth
   }`,
  "varying vec3 shade;\nvoid main() { gl_FragColor = vec4(shade, 1.0); }",
];
const SKIES = { // as a screen takes them
  light: { high: 0xa9c4dc, low: 0xe9eef2, below: 0xc3c8c4 }, dark: { high: 0x10161d, low: 0x2a333c, below: 0x1a1f22 },
};

/** The colour of what is far away, as a screen takes it. */
export const hazeOf = (dark: boolean): Color => screen((dark ? SKIES.dark : SKIES.light).low);

const speckled = () => { // a tile that fits itself on all sides
  const size = 128, sheet = document.createElement("canvas"), pen = sheet.getContext("2d")!;
  sheet.width = sheet.height = size;
  const picture = pen.createImageData(size, size);
  let seed = 1;
  for (let k = 0; k < picture.data.length; k += 4) {
    seed = (seed * 48271) % 2147483647; // always the same specks
    picture.data.fill(128 + ((seed / 2147483647) - 0.5) * 90, k, k + 3);
    picture.data[k + 3] = 255;
  }
  pen.putImageData(picture, 0, 0);
  const made = new CanvasTexture(sheet);
  made.wrapS = made.wrapT = RepeatWrapping;
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
  const { size, floor, step } = camera, reach = REACH * size, centre = { value: new Vector3() };
  const sun = new DirectionalLight(0xfff4e6, 2.4), daylight = new HemisphereLight(0xe8f0ff, 0xaaa498, 2.0);
  daylight.position.set(0, 0, 1);
  sun.castShadow = true;
  sun.shadow.mapSize = byProcessor ? new Vector2(1024, 1024) : new Vector2(2048, 2048);
  sun.shadow.normalBias = 0.004 * size;
  sun.shadow.bias = -2e-4;
  const box = sun.shadow.camera;
  [box.left, box.right, box.bottom, box.top, box.near, box.far] = [-1, 1, -1, 1, 0, 2].map((x) => 2 * x * size);
  box.updateProjectionMatrix();
  scene.add(sun, sun.target, daylight);

  const flat = <M extends ShaderMaterial | ShadowMaterial>(geometry: BufferGeometry, material: M, order: number) => {
    const made = new Mesh(geometry, Object.assign(material, UNDERFOOT));
    made.frustumCulled = false;
    made.renderOrder = order;
    scene.add(made);
    return made;
  };
  const dome = flat(new SphereGeometry(1, 16, 24), new ShaderMaterial({
    vertexShader: SKY[0], fragmentShader: SKY[1], side: DoubleSide,
    uniforms: { high: { value: new Color() }, low: { value: new Color() }, below: { value: new Color() } },
  }), -11);
  const texture = camera.grid ? speckled() : null;
  if (texture) texture.colorSpace = SRGBColorSpace;
  const common = { centre, reach: { value: reach }, spacing: { value: step }, colour: { value: [0, 0, 0, 1] } };
  const ground = flat(new CircleGeometry(1, 48), new ShaderMaterial({
    vertexShader: GROUND[0], fragmentShader: GROUND[1],
    uniforms: { ...common, colour: { value: [0, 0, 0, 1] }, grain: { value: texture } },
  }), -10);
  const shade = flat(new PlaneGeometry(8 * size, 8 * size), new ShadowMaterial(), -8);
  shade.receiveShadow = true;
  const count = Math.min(2 * Math.ceil(reach / step) + 1, LINES);
  const grid = flat(gridGeometry(), new ShaderMaterial({
    vertexShader: RULE[0], fragmentShader: RULE[1], side: DoubleSide,
    uniforms: { ...common, colour: { value: [0, 0, 0, 1] }, count: { value: count }, thick: { value: 1 } },
  }), -7);
  grid.geometry.setDrawRange(0, 12 * count);

  let painted: boolean | null = null; // for a dark page
  const paint = (dark: boolean) => {
    if (painted === dark) return;
    painted = dark;
    const colours = dark ? SKIES.dark : SKIES.light;
    for (const name of ["high", "low", "below"] as const) dome.material.uniforms[name].value = screen(colours[name]);
    grid.material.uniforms.colour.value = dark ? [0.75, 0.8, 0.85, 0.4] : [0.25, 0.3, 0.36, 0.42];
    ground.material.uniforms.colour.value = dark ? [0.17, 0.19, 0.22, 0.9] : [0.83, 0.84, 0.84, 0.9];
    shade.material.opacity = darkening(dark);
  };
  const show: Stage["show"] = (sight, middle, { quality, dark, mapped, grain, sky, floor: floored, flat: plane }) => {
    paint(dark);
    const above = sight.from[2] > floor;
    centre.value.set(sight.target[0], sight.target[1], floor);
    grid.material.uniforms.thick.value = 1.1 * grain;
    grid.visible = floored && above;
    ground.visible = floored && above && (quality === "full" || !byProcessor);
    dome.visible = sky;
    dome.material.uniforms.below.value = screen((dark ? SKIES.dark : SKIES.light)[plane ? "below" : "low"]);
    sun.castShadow = mapped;
    shade.visible = mapped && above && plane;
    const about: Triple = [middle[0], middle[1], Math.max(middle[2], floor)];
    shade.position.set(about[0], about[1], floor + LIFT * size);
    sun.target.position.set(...about);
    sun.position.set(...plus(about, SUNWARD, 2 * size));
  };
  const hide = () => { for (const one of [grid, ground, dome, shade]) one.visible = false; };
  return { show, hide };
};
