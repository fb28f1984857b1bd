// Ground for kilometres: tiles that are fine near the eye, coloured by height and slope, with trees; it can be pointed at.
import {
  BufferAttribute, BufferGeometry, Color, DataTexture, Group, LinearFilter, LinearMipmapLinearFilter, Mesh,
  MeshStandardMaterial, RedFormat, RepeatWrapping, ShaderMaterial, Vector3, type Material,
} from "three";
import type { LandscapeData, Triple } from "../contract.ts";
import type { Sight } from "./eye.ts";
import { SUNWARD, type Quality } from "./materials.ts";
import type { Ray } from "./pointer.ts";
import { clamp, norm, plus, type Vector } from "./space.ts";
import { HAZE, makeTrees } from "./trees.ts";
import { makeTilePool, type Corners } from "./tile_pool.ts";
import {
  chooseTiles, cornersOf, flatnessOf, nameOf, readTile, SMALL, spanOf, SPANS, tileTriangles,
  type Flatness, type Heights, type Key,
} from "./tiles.ts";

const DETAIL = { least: 0.6, plain: 1.0, full: 2.0 }; // edges of a tile: nearer, finer tiles are drawn
const NEAREST = 0.1; // edges of a tile: an eye in it sees its triangles as if they were so far away
const GRAINY = 120; // m: nearer ground has a grain
const MOST = 700; // tiles that are kept
const AGAIN = 4000; // ms after which a tile that did not come is asked for again
const VIEWS = 3; // pictures of which one is of the second view
const AT_ONCE = 16; // tiles asked for at a time

interface Tile extends Heights, Corners {
  flatness: Flatness[];
  room: number; // in the pool
  mesh: Mesh<BufferGeometry, Material> | null; // with a graphics card: shadows fall on it
  least: number;
  most: number;
  used: number; // picture
}
export interface Landscape {
  some: boolean;
  /** A message with a tile. */
  take(data: ArrayBuffer): void;
  /** Shows the tiles of a picture; `seen` tells whether a ball around a tile is in sight. */
  show(sight: Sight, how: { quality: Quality; dark: boolean; haze: Color; shadow: Vector; size: number; grain: number },
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

// Snow above a height and grass below, rock where it is steep; noise breaks the borders, and is a grain near the eye.
const GROUND = `
  uniform float snow;
  const float LONG = 0.004, SHORT = 0.11; // squares of noise in a metre
  vec3 groundColour(float height, float steep, float rough, float grain) {
    float white = smoothstep(-40.0, 40.0, height - snow + 120.0 * rough), bare = smoothstep(0.22, 0.4, steep + 0.12 * rough);
    vec3 grass = mix(vec3(0.30, 0.38, 0.20), vec3(0.42, 0.43, 0.25), 0.5 + rough) * (1.0 + 0.35 * grain);
    vec3 rock = vec3(0.40, 0.38, 0.36) * (1.0 + 0.5 * grain + 0.5 * rough);
    vec3 flakes = vec3(0.90, 0.93, 0.97) * (1.0 + 0.06 * grain + 0.05 * rough);
    return mix(mix(grass, flakes, white), rock, bare * (1.0 - 0.35 * white));
  }
  float fineness(vec3 apart) { return clamp(1.0 - length(apart) / ${GRAINY.toFixed(1)}, 0.0, 1.0); }`;
// A processor takes longer for pixels than for corners, so corners have the colours. A colour is linear in its grain.
const PLAIN = [
  `uniform sampler2D noise;
   uniform vec3 light, haze;
   uniform float hazy, bright;
   varying vec3 own;
   #ifdef NEAR
     uniform vec4 shadow; // place and radius
     varying vec3 grained;
     varying vec2 spot, off;
   #endif
   ${GROUND}
   void main() {
     vec4 place = modelMatrix * vec4(position, 1.0);
     vec3 n = normalize(normal), apart = place.xyz - cameraPosition;
     float lit = bright * (0.30 + 0.75 * max(dot(n, light), 0.0)), steep = 1.0 - n.z, far = ${HAZE};
     float rough = textureLod(noise, LONG * place.xy, 2.0).r - 0.5; // of 8 m and more, as corners lie
     own = groundColour(place.z, steep, rough, 0.0);
     #ifdef NEAR
       grained = (groundColour(place.z, steep, rough, fineness(apart)) - own) * lit * (1.0 - far);
       spot = SHORT * place.xy;
       off = (place.xy - shadow.xy) / shadow.w;
     #endif
     own = mix(own * lit, haze, far);
     gl_Position = projectionMatrix * (viewMatrix * place);
   }`,
  `varying vec3 own;
   #ifdef NEAR
     uniform sampler2D noise;
     varying vec3 grained;
     varying vec2 spot, off;
     void main() {
       float bell = max(1.0 - 0.25 * dot(off, off), 0.0);
       bell *= bell; bell *= bell; // to the power of 4: about exp(-dot(off, off))
       gl_FragColor = vec4((own + (texture2D(noise, spot).r - 0.5) * grained) * (1.0 - 0.5 * bell), 1.0);
     }
   #else
     void main() { gl_FragColor = vec4(own, 1.0); }
   #endif`,
];
/** Smooth noise in a square that fits itself on all sides: sums of random waves. */
const makeNoise = () => {
  const size = 128, values = new Float32Array(size * size);
  let seed = 7;
  const chance = () => (seed = (seed * 48271) % 2147483647) / 2147483647; // always the same noise
  for (let k = 0; k < 48; k++) {
    const length = 2 ** (1 + 4.5 * chance()), angle = 2 * Math.PI * chance(), phase = 2 * Math.PI * chance();
    const [u, v] = [Math.cos(angle), Math.sin(angle)].map((x) => Math.round(x * length)), strong = 1 / Math.sqrt(length);
    for (let i = 0; i < size; i++)
      for (let j = 0; j < size; j++) values[i * size + j] += strong * Math.sin((2 * Math.PI * (u * j + v * i)) / size + phase);
  }
  const most = values.reduce((m, x) => Math.max(m, Math.abs(x)), 0);
  const made = new DataTexture(Uint8Array.from(values, (x) => Math.round(127.5 + (127 * x) / most)), size, size, RedFormat);
  made.wrapS = made.wrapT = RepeatWrapping;
  [made.minFilter, made.magFilter, made.generateMipmaps, made.needsUpdate] = [LinearMipmapLinearFilter, LinearFilter, true, true];
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
  const every = new BufferAttribute(tileTriangles(quads, 1), 1);
  const triangles = new Map(SPANS.map((span) => [span, tileTriangles(quads, span)]));
  const noise = makeNoise(), haze = { value: new Color() }, bright = { value: 1 }, hazy = { value: 1 };
  const light = { value: new Vector3(...SUNWARD) }, shadow = { value: [0, 0, 0, 1] };
  const shared = { haze, bright, hazy, light };
  const ground = { noise: { value: noise }, snow: { value: about.snow } };
  const [vertexShader, fragmentShader] = PLAIN;
  const simple = (defines: Record<string, string>) =>
    new ShaderMaterial({ vertexShader, fragmentShader, uniforms: { ...shared, ...ground, shadow }, defines });
  const near = simple({ NEAR: "" }), plain = simple({});
  const full = new MeshStandardMaterial({ roughness: 0.95 });
  full.onBeforeCompile = (parts) => {
    Object.assign(parts.uniforms, shared, ground);
    parts.vertexShader = parts.vertexShader.replace("void main() {", "varying vec3 place, up;\nvoid main() {")
      .replace("#include <project_vertex>", `#include <project_vertex>
        place = (modelMatrix * vec4(transformed, 1.0)).xyz;
        up = normal;`);
    parts.fragmentShader = parts.fragmentShader
      .replace("void main() {", `varying vec3 place, up;
        uniform sampler2D noise;
        uniform vec3 haze;
        uniform float hazy, bright;
        ${GROUND}
        void main() {`)
      .replace("#include <color_fragment>", `vec3 apart = place - cameraPosition;
        float rough = texture2D(noise, LONG * place.xy).r - 0.5, grain = texture2D(noise, SHORT * place.xy).r - 0.5;
        vec3 own = groundColour(place.z, 1.0 - normalize(up).z, rough, fineness(apart) * grain);
        diffuseColor.rgb = own * own * bright;`)
      .replace("#include <dithering_fragment>", `#include <dithering_fragment>
        gl_FragColor.rgb = mix(gl_FragColor.rgb, haze, ${HAZE});`);
  };
  const trees = makeTrees(group, about, shared), land = new Group();
  land.matrixAutoUpdate = false;
  group.add(land);
  const edge = (level: number) => quads * finest * 2 ** level;
  const open = new Map<string, { key: Key; since: number }>(); // to ask for, and in which picture it was wanted
  const across = quads + 1, pool = makeTilePool(across * across + 4 * across);
  const still = { frustumCulled: false, matrixAutoUpdate: false, matrixWorldAutoUpdate: false, receiveShadow: true };
  const merged = [near, plain].map((material, k) =>
    Object.assign(new Mesh(pool.geometry(), material), still, { renderOrder: 0.5 * (k + 1) })); // after the shapes
  let shown: { tile: Tile; span: number; material: Material }[] = [], drawn: Quality = "plain";
  let picture = 0, low = Infinity, high = -Infinity;

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
    before?.mesh?.geometry.dispose();
    const room = pool.put({ position, normal }, before?.room), flatness = flatnessOf(came, normal, quads);
    tiles.set(name, { ...came, position, normal, room, mesh: null, least, most, used: picture, flatness });
    asked.delete(name);
    open.delete(name);
    [low, high] = [Math.min(low, least), Math.max(high, most)];
  };
  const drop = (name: string) => {
    const { mesh, room } = tiles.get(name)!;
    mesh?.geometry.dispose();
    pool.free(room);
    tiles.delete(name);
  };
  const meshOf = (tile: Tile) => {
    if (tile.mesh) return tile.mesh;
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(tile.position, 3));
    geometry.setAttribute("normal", new BufferAttribute(tile.normal, 4, true));
    geometry.setIndex(every);
    return (tile.mesh = Object.assign(new Mesh<BufferGeometry, Material>(geometry, full), still));
  };
  const draw = (chosen: typeof shown, quality: Quality) => {
    land.clear();
    if (quality === "full") {
      chosen.forEach(({ tile }, k) =>
        land.add(Object.assign(meshOf(tile), { renderOrder: (0.5 * (k + 1)) / chosen.length }))); // the nearest first
    } else {
      for (const mesh of merged) {
        const mine = chosen.filter(({ material }) => material === mesh.material);
        pool.fill(mesh.geometry, mine.map(({ tile, span }) => [tile.room, triangles.get(span)!]));
        if (mine.length) land.add(mesh);
      }
    }
  };
  const show: Landscape["show"] = (sight, { quality, dark, haze: colour, shadow: under, size: wide, grain }, seen) => {
    picture++;
    haze.value.copy(colour);
    [bright.value, hazy.value] = [dark ? 0.4 : 1, 0.6 * Math.hypot(...size)];
    shadow.value = [under[0], under[1], under[2], wide];
    const has = (key: Key) => tiles.has(nameOf(key));
    const apart = distance(sight.from), shaded = distance([under[0], under[1], under[2]]);
    const enough = SPANS[0] / (quads * SMALL * grain); // a quad of the tile at that distance is small in the picture
    const detail = quality === "full" ? DETAIL.full : clamp(enough, DETAIL.least, DETAIL.plain);
    const { draw: chosen, ask } = chooseTiles(about, has, apart, (key) => seen(ballOf(key)), detail);
    for (const key of ask) open.set(nameOf(key), { key, since: picture });
    for (const [name, { since }] of open) if (since <= picture - VIEWS) open.delete(name);
    shown = chosen.map((key) => {
      const tile = tiles.get(nameOf(key))!, far = apart(key);
      const space = finest * 2 ** key[0], pixel = grain * Math.max(far, NEAREST * edge(key[0]));
      tile.used = picture;
      for (let [level, row, column] = key; level < levels; level++, row >>= 1, column >>= 1) { // what it may fall back to
        const above = tiles.get(nameOf([level, row, column]));
        if (above) above.used = picture;
      }
      const material = far < GRAINY || shaded(key) < 2 * wide ? near : plain;
      return { tile, span: spanOf(tile.flatness, space, pixel), material };
    });
    drawn = quality;
    draw(shown, drawn);
    trees.show(sight, quality, grain, seen);
    if (tiles.size > MOST)
      for (const [name, tile] of [...tiles].sort(([, a], [, b]) => a.used - b.used).slice(0, tiles.size - MOST))
        if (tile.used < picture) drop(name);
  };
  const keepNearer = (from: Vector, far: number) => {
    const apart = distance(from);
    draw(shown.filter(({ tile }) => apart(tile.key) < far), drawn);
    trees.keepNearer(far);
  };
  const wanted = (now: number) => {
    const due = [...open].filter(([name]) => now - (asked.get(name) ?? -Infinity) > AGAIN).slice(0, AT_ONCE);
    for (const [name] of due) asked.set(name, now);
    return due.map(([, { key }]) => key);
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
