// Trees of a landscape: cones near the eye, and triangles that face it farther away.
import {
  BufferAttribute, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, ShaderMaterial, Vector3, type Group,
} from "three";
import type { LandscapeData, Triple } from "../contract.ts";
import type { Sight } from "./eye.ts";
import { floatsOf } from "./geometry.ts";
import type { Quality } from "./materials.ts";
import { mean, minus, norm, type Vector } from "./space.ts";

const CELL = 120, NEAR = 160; // m: squares of trees; those nearer are cones
const SEEN = { plain: 1500, full: 4000 }; // m

/** How much of what is `apart` from the eye is haze. */
export const HAZE = "clamp(1.0 - exp(-dot(apart, apart) / (hazy * hazy)), 0.0, 1.0)";

export interface Trees {
  show(sight: Sight, quality: Quality, seen: (ball: { middle: Triple; radius: number }) => boolean): void;
  /** Of what is shown, only what is nearer than a distance (m). */
  keepNearer(from: Vector, far: number): void;
}
const TREES = [
  `attribute vec3 foot;
   uniform float tall, hazy;
   uniform vec3 light, right;
   varying float far, lit;
   void main() {
     float own = tall * (0.75 + 0.5 * fract(0.37 * foot.x + 0.61 * foot.y));
     #ifdef FLAT
       vec3 place = foot + own * (0.32 * position.x * right + vec3(0.0, 0.0, position.z));
       lit = 0.55 + 0.4 * position.z;
     #else
       vec3 place = foot + own * vec3(0.32 * position.xy, position.z);
       lit = 0.45 + 0.35 * position.z + 0.3 * max(dot(normal, light), 0.0);
     #endif
     vec3 apart = place - cameraPosition;
     far = ${HAZE};
     gl_Position = projectionMatrix * (viewMatrix * vec4(place, 1.0));
   }`,
  `uniform vec3 haze;
   uniform float bright;
   varying float far, lit;
   void main() { gl_FragColor = vec4(mix(vec3(0.13, 0.24, 0.15) * lit * bright, haze, far), 1.0); }`,
];

const coneGeometry = () => { // a cone on its foot, of height 1 and radius 1
  const sides = 6, position: number[] = [], normal: number[] = [];
  for (let k = 0; k < sides; k++) {
    const [a, b] = [k, k + 1].map((s) => (2 * Math.PI * s) / sides), middle = (a + b) / 2;
    position.push(Math.cos(a), Math.sin(a), 0.08, Math.cos(b), Math.sin(b), 0.08, 0, 0, 1);
    for (let i = 0; i < 3; i++) normal.push(0.9 * Math.cos(middle), 0.9 * Math.sin(middle), 0.43);
  }
  return { position, normal };
};

export const makeTrees = (
  group: Group, { trees, tree_height }: LandscapeData, shared: Record<string, { value: unknown }>,
): Trees => {
  const feet = floatsOf(trees), cells = new Map<string, number[]>();
  for (let k = 0; k < feet.length; k += 3) {
    const name = `${Math.floor(feet[k] / CELL)} ${Math.floor(feet[k + 1] / CELL)}`;
    cells.set(name, [...(cells.get(name) ?? []), feet[k], feet[k + 1], feet[k + 2]]);
  }
  const right = { value: new Vector3(1, 0, 0) }, uniforms = { ...shared, tall: { value: tree_height }, right };
  const material = (defines: Record<string, string>) =>
    new ShaderMaterial({ vertexShader: TREES[0], fragmentShader: TREES[1], uniforms, defines });
  const materials = [material({}), material({ FLAT: "" })];
  const shapes = [coneGeometry(), { position: [-1, 0, 0.08, 1, 0, 0.08, 0, 0, 1], normal: [0, 0, 1, 0, 0, 1, 0, 0, 1] }];
  const made = [...cells.values()].map((own) => {
    const meshes = shapes.map(({ position, normal }, k) => {
      const geometry = new InstancedBufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(new Float32Array(position), 3));
      geometry.setAttribute("normal", new BufferAttribute(new Float32Array(normal), 3));
      geometry.setAttribute("foot", new InstancedBufferAttribute(new Float32Array(own), 3));
      const still = { frustumCulled: false, matrixAutoUpdate: false, visible: false };
      const mesh = Object.assign(new Mesh(geometry, materials[k]), still);
      group.add(mesh);
      return mesh;
    });
    const places = Array.from({ length: own.length / 3 }, (_, k) => own.slice(3 * k, 3 * k + 3)), middle = mean(places);
    const radius = Math.max(...places.map((p) => norm(minus(p, middle))));
    return { meshes, middle, radius: radius + tree_height };
  });
  const show: Trees["show"] = (sight, quality, seen) => {
    right.value.set(sight.right[0], sight.right[1], 0).normalize();
    for (const { meshes: [cone, flat], middle, radius } of made) {
      const far = norm(minus(middle, sight.from)) - radius, visible = far < SEEN[quality] && seen({ middle, radius });
      [cone.visible, flat.visible] = [visible && far < NEAR, visible && far >= NEAR];
    }
  };
  const keepNearer = (from: Vector, far: number) => {
    for (const { meshes, middle, radius } of made)
      for (const mesh of meshes) mesh.visible &&= norm(minus(middle, from)) - radius < far;
  };
  return { show, keepNearer };
};
