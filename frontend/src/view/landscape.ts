// Ground for kilometres: tiles that are fine near the eye, coloured by height and slope, with trees; it can be pointed at.
import {
  BufferAttribute, BufferGeometry, CanvasTexture, Color, Mesh, MeshStandardMaterial, RepeatWrapping, ShaderMaterial, Vector3,
  type Group, type Material,
} from "three";
import type { LandscapeData, Triple } from "../contract.ts";
import type { Sight } from "./eye.ts";
import { SUNWARD, type Quality } from "./materials.ts";
import type { Ray } from "./pointer.ts";
import { norm, plus, type Vector } from "./space.ts";
import { HAZE, makeTrees } from "./trees.ts";
import { chooseTiles, cornersOf, nameOf, readTile, tileTriangles, type Heights, type Key } from "./tiles.ts";

const DETAIL = { plain: 1.0, full: 2.0 }; // edges of a tile: nearer, finer tiles are drawn
const EVERY = { plain: 2, full: 1 }; // quads that a triangle spans
const MOST = 700; // tiles that are kept
const AGAIN = 4000; // ms after which a tile that did not come is asked for again
const AT_ONCE = 16; // tiles asked for at a time

interface Tile extends Heights {
  mesh: Mesh<BufferGeometry, Material>;
  least: number;
  most: number;
  used: number; // picture
}
export interface Landscape {
  some: boolean;
  /** A message with a tile. */
  take(data: ArrayBuffer): void;
  /** Shows the tiles of a picture; `seen` tells whether a ball around a tile is in sight. */
  show(sight: Sight, how: { quality: Quality; dark: boolean; haze: Color; shadow: Vector; size: number },
    seen: (ball: { middle: Triple; radius: number }) => boolean): void;
  /** Of what is shown, only what is nearer than a distance (m). */
  keepNearer(from: Vector, far: number): void;
  /** Tiles to ask for, at most once in a while. */
  wanted(now: number): Key[];
  reach(from: Vector): number;
  /** Height of the ground (m); null: there is none, or it has not come yet. */
  height(x: number, y: number): number | null;
  /** Where a ray meets the ground. */
  met(ray: Ray): Triple | null;
  forget(): void;
}

// Snow above a height and grass below, rock where it is steep; a picture of noise breaks the borders.
const GROUND = `
  uniform sampler2D noise;
  uniform float snow;
  vec3 groundColour(vec3 at, float steep, float fine) {
    float rough = texture2D(noise, 0.004 * at.xy).r - 0.5, grain = texture2D(noise, 0.11 * at.xy).r - 0.5;
    float white = smoothstep(-40.0, 40.0, at.z - snow + 120.0 * rough), bare = smoothstep(0.22, 0.4, steep + 0.12 * rough);
    vec3 grass = mix(vec3(0.30, 0.38, 0.20), vec3(0.42, 0.43, 0.25), 0.5 + rough) * (1.0 + 0.35 * fine * grain);
    vec3 rock = vec3(0.40, 0.38, 0.36) * (1.0 + 0.5 * fine * grain + 0.5 * rough);
    vec3 flakes = vec3(0.90, 0.93, 0.97) * (1.0 + 0.06 * fine * grain + 0.05 * rough);
    return mix(mix(grass, flakes, white), rock, bare * (1.0 - 0.35 * white));
  }`;
const PLAIN = [
  `uniform vec3 light;
   uniform float hazy;
   varying vec3 at;
   varying vec2 lit; // light, and steepness
   varying float far, fine;
   void main() {
     vec4 place = modelMatrix * vec4(position, 1.0);
     vec3 n = normalize(normal), apart = place.xyz - cameraPosition;
     at = place.xyz;
     lit = vec2(0.30 + 0.75 * max(dot(n, light), 0.0), 1.0 - n.z);
     far = ${HAZE};
     fine = clamp(1.0 - length(apart) / 120.0, 0.0, 1.0);
     gl_Position = projectionMatrix * (viewMatrix * place);
   }`,
  `uniform vec3 haze;
   uniform vec4 shadow; // place and radius
   uniform float bright;
   varying vec3 at;
   varying vec2 lit;
   varying float far, fine;
   ${GROUND}
   void main() {
     vec2 off = (at.xy - shadow.xy) / shadow.w;
     float shade = 1.0 - 0.5 * exp(-dot(off, off));
     gl_FragColor = vec4(mix(groundColour(at, lit.y, fine) * lit.x * bright * shade, haze, far), 1.0);
   }`,
];
/** Smooth noise in a square that fits itself on all sides: sums of random waves. */
const makeNoise = () => {
  const size = 128, sheet = document.createElement("canvas"), pen = sheet.getContext("2d")!;
  sheet.width = sheet.height = size;
  const picture = pen.createImageData(size, size), values = new Float32Array(size * size);
  let seed = 7;
  const chance = () => (seed = (seed * 48271) % 2147483647) / 2147483647; // always the same noise
  for (let k = 0; k < 48; k++) {
    const length = 2 ** (1 + 4.5 * chance()), angle = 2 * Math.PI * chance(), phase = 2 * Math.PI * chance();
    const [u, v] = [Math.cos(angle), Math.sin(angle)].map((x) => Math.round(x * length)), strong = 1 / Math.sqrt(length);
    for (let i = 0; i < size; i++)
      for (let j = 0; j < size; j++) values[i * size + j] += strong * Math.sin((2 * Math.PI * (u * j + v * i)) / size + phase);
  }
  const most = values.reduce((m, x) => Math.max(m, Math.abs(x)), 0);
  values.forEach((x, k) => picture.data.set([...Array<number>(3).fill(127.5 + (127 * x) / most), 255], 4 * k));
  pen.putImageData(picture, 0, 0);
  const made = new CanvasTexture(sheet);
  made.wrapS = made.wrapT = RepeatWrapping;
  return made;
};

const nothing = () => undefined;
const NONE: Landscape = {
  some: false, take: nothing, show: nothing, keepNearer: nothing, wanted: () => [], reach: () => 0, height: () => null,
  met: () => null, forget: nothing,
};

export const makeLandscape = (group: Group, about: LandscapeData | null): Landscape => {
  if (!about) return NONE;
  const tiles = new Map<string, Tile>(), asked = new Map<string, number>(), { quads, finest, corner, size, levels } = about;
  const indexOf = (every: number) => new BufferAttribute(tileTriangles(quads, every), 1);
  const indices = { plain: indexOf(EVERY.plain), full: indexOf(EVERY.full) };
  const noise = makeNoise(), haze = { value: new Color() }, bright = { value: 1 }, hazy = { value: 1 };
  const light = { value: new Vector3(...SUNWARD) }, shadow = { value: [0, 0, 0, 1] };
  const shared = { haze, bright, hazy, light };
  const ground = { noise: { value: noise }, snow: { value: about.snow } };
  const [vertexShader, fragmentShader] = PLAIN;
  const plain = new ShaderMaterial({ vertexShader, fragmentShader, uniforms: { ...shared, ...ground, shadow } });
  const full = new MeshStandardMaterial({ roughness: 0.95 });
  full.onBeforeCompile = (parts) => {
    Object.assign(parts.uniforms, shared, ground);
    parts.vertexShader = parts.vertexShader.replace("void main() {", "varying vec3 place, up;\nvoid main() {")
      .replace("#include <project_vertex>", `#include <project_vertex>
        place = (modelMatrix * vec4(transformed, 1.0)).xyz;
        up = normal;`);
    parts.fragmentShader = parts.fragmentShader
      .replace("void main() {", `varying vec3 place, up;\nuniform vec3 haze;\nuniform float hazy, bright;\n${GROUND}\nvoid main() {`)
      .replace("#include <color_fragment>", `vec3 apart = place - cameraPosition;
        vec3 own = groundColour(place, 1.0 - normalize(up).z, clamp(1.0 - length(apart) / 120.0, 0.0, 1.0));
        diffuseColor.rgb = own * own * bright;`)
      .replace("#include <dithering_fragment>", `#include <dithering_fragment>
        gl_FragColor.rgb = mix(gl_FragColor.rgb, haze, ${HAZE});`);
  };
  const materials: Record<Quality, Material> = { plain, full }, trees = makeTrees(group, about, shared);
  const edge = (level: number) => quads * finest * 2 ** level;
  let picture = 0, open: Key[] = [], low = Infinity, high = -Infinity;

  const ballOf = (key: Key) => {
    const [level, row, column] = key, e = edge(level), tile = tiles.get(nameOf(key));
    const [least, most] = tile ? [tile.least, tile.most] : [low, high];
    const middle: Triple = [corner[0] + (column + 0.5) * e, corner[1] + (row + 0.5) * e, (least + most) / 2];
    return { middle, radius: 0.5 * Math.hypot(e, e, most - least) };
  };
  const distance = (from: Vector) => (key: Key) => { // to the box about a tile
    const { middle } = ballOf(key), half = 0.5 * edge(key[0]), tile = tiles.get(nameOf(key));
    const tall = tile ? (tile.most - tile.least) / 2 : (high - low) / 2;
    const beyond = [half, half, tall].map((h, i) => Math.max(Math.abs(from[i] - middle[i]) - h, 0));
    return Math.hypot(...beyond);
  };
  const take = (data: ArrayBuffer) => {
    const came = readTile(data, (key) => tiles.get(nameOf(key)));
    if (!came) return;
    const { position, normal, least, most } = cornersOf(came, about), name = nameOf(came.key), before = tiles.get(name);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(position, 3));
    geometry.setAttribute("normal", new BufferAttribute(normal, 4, true));
    before?.mesh.geometry.dispose();
    const mesh = before?.mesh ?? new Mesh(geometry, materials.plain);
    Object.assign(mesh, { geometry, frustumCulled: false, matrixAutoUpdate: false, receiveShadow: true, visible: false });
    if (!before) group.add(mesh);
    tiles.set(name, { ...came, mesh, least, most, used: picture });
    asked.delete(name);
    [low, high] = [Math.min(low, least), Math.max(high, most)];
  };
  const drop = (name: string) => {
    const { mesh } = tiles.get(name)!;
    group.remove(mesh);
    mesh.geometry.dispose();
    tiles.delete(name);
  };
  const show: Landscape["show"] = (sight, { quality, dark, haze: colour, shadow: under, size: wide }, seen) => {
    picture++;
    haze.value.copy(colour);
    [bright.value, hazy.value] = [dark ? 0.4 : 1, 0.6 * Math.hypot(...size)];
    shadow.value = [under[0], under[1], under[2], wide];
    const has = (key: Key) => tiles.has(nameOf(key));
    const { draw, ask } = chooseTiles(about, has, distance(sight.from), (key) => seen(ballOf(key)), DETAIL[quality]);
    open = ask;
    for (const { mesh } of tiles.values()) mesh.visible = false;
    for (const [k, key] of draw.entries()) {
      const tile = tiles.get(nameOf(key))!;
      [tile.mesh.visible, tile.mesh.material, tile.used] = [true, materials[quality], picture];
      tile.mesh.renderOrder = (0.5 * (k + 1)) / draw.length; // after the shapes, the nearest first
      tile.mesh.geometry.setIndex(indices[quality]);
      for (let [level, row, column] = key; level < levels; level++, row >>= 1, column >>= 1) { // what it may fall back to
        const above = tiles.get(nameOf([level, row, column]));
        if (above) above.used = picture;
      }
    }
    trees.show(sight, quality, seen);
    if (tiles.size > MOST)
      for (const [name, tile] of [...tiles].sort(([, a], [, b]) => a.used - b.used).slice(0, tiles.size - MOST))
        if (tile.used < picture) drop(name);
  };
  const keepNearer = (from: Vector, far: number) => {
    const apart = distance(from);
    for (const tile of tiles.values()) tile.mesh.visible &&= apart(tile.key) < far;
    trees.keepNearer(from, far);
  };
  const wanted = (now: number) => {
    const due = open.filter((key) => now - (asked.get(nameOf(key)) ?? -Infinity) > AGAIN).slice(0, AT_ONCE);
    for (const key of due) asked.set(nameOf(key), now);
    return due;
  };
  const height = (x: number, y: number) => {
    const [u, v] = [x - corner[0], y - corner[1]];
    if (u < 0 || v < 0 || u > size[0] || v > size[1]) return null;
    for (let level = 0; level < levels; level++) {
      const e = edge(level), tile = tiles.get(nameOf([level, Math.floor(v / e), Math.floor(u / e)]));
      if (!tile) continue;
      const [i, j] = [v, u].map((w) => Math.min(((w / e) % 1) * quads, quads - 1e-6)), [a, b] = [Math.floor(i), Math.floor(j)];
      const at = (k: number, l: number) => tile.low + tile.step * tile.steps[(k + 1) * (quads + 3) + l + 1];
      const [s, t] = [i - a, j - b];
      return (1 - s) * ((1 - t) * at(a, b) + t * at(a, b + 1)) + s * ((1 - t) * at(a + 1, b) + t * at(a + 1, b + 1));
    }
    return null;
  };
  const met = ({ from, way }: Ray) => { // steps that grow with the height above ground, then halving
    const unit = 1 / (norm(way) || 1), above = (s: number) => {
      const p = plus(from, way, s * unit), ground = height(p[0], p[1]);
      return ground === null ? null : p[2] - ground;
    };
    for (let s = 0, before = 0; s < reach(from); ) {
      const gap = above(s);
      if (gap !== null && gap < 0) {
        if (!s) return null; // below the ground
        for (let k = 0; k < 20; k++) {
          const half = (before + s) / 2;
          if ((above(half) ?? 1) < 0) s = half;
          else before = half;
        }
        return plus(from, way, s * unit);
      }
      before = s;
      s += Math.max(0.3 * (gap ?? 10), 0.2, 0.002 * s);
    }
    return null;
  };
  const reach = (from: Vector) => {
    const up = Math.max(high - low, 0) + Math.abs(from[2]); // of what is farthest, or more
    const across = [0, 1].map((i) => Math.max(Math.abs(corner[i] - from[i]), Math.abs(corner[i] + size[i] - from[i])));
    return Math.hypot(across[0], across[1], up);
  };
  return { some: true, take, show, keepNearer, wanted, reach, height, met, forget: () => [...tiles.keys()].forEach(drop) };
};
