// Clouds of balls, each with its own size and colour.
import {
  BufferAttribute, BufferGeometry, DynamicDrawUsage, InterleavedBuffer, InterleavedBufferAttribute, Points, ShaderMaterial,
  type Group,
} from "three";
import type { CloudRow } from "../contract.ts";
import { makeGlide } from "./glide.ts";
import { linear } from "./materials.ts";
import type { Matrix } from "./space.ts";

// A ball is a square of pixels with the normal of a ball: one corner each, however many there are.
const BALLS = [
  `uniform float radius, tall, share; // tall: pixels of the picture from top to bottom
   attribute vec3 before;
   attribute vec4 look; // red, green, blue, size
   flat varying vec3 colour;
   void main() {
     vec4 at = modelViewMatrix * vec4(mix(before, position, share), 1.0);
     gl_Position = projectionMatrix * at;
     gl_PointSize = max(tall * projectionMatrix[1][1] * radius * look.a / gl_Position.w, 1.0);
     colour = look.rgb;
   }`,
  `flat varying vec3 colour;
   void main() {
     vec2 p = 2.0 * gl_PointCoord - 1.0;
     float r = dot(p, p);
     if (r > 1.0) discard;
     float lamp = sqrt(1.0 - r);
     gl_FragColor = vec4(colour * (0.45 + 0.4 * lamp + 0.15 * (1.0 - p.y)), 1.0);
   }`,
];
const SIZES = 1, COLOURS = 2; // flags of a message with looks
const FULL = 255;

export interface Clouds {
  /** Numbers and looks of the balls of a cloud, for the positions that follow: red, green, blue and size of each. */
  balls(number: number, flags: number, numbers: Uint32Array, looks: Uint8Array): void;
  /** Balls of a cloud: x y z of each. */
  cloud(number: number, points: Float32Array, now?: number): void;
  /** Whether balls are still moving to where the newest message puts them. */
  gliding(): boolean;
  /** For this picture: frames where they are, how many pixels high it is, and when it is drawn (ms). */
  settle(frames: Matrix[], tall: number, now: number): void;
}

const makeCloud = ([frame, most, radius, colour]: CloudRow) => {
  const geometry = new BufferGeometry(), glide = makeGlide(most, radius);
  const places = new InterleavedBuffer(glide.places, 6).setUsage(DynamicDrawUsage);
  const { r, g, b } = linear(colour).convertLinearToSRGB(), plain = [r, g, b, 1].map((x) => Math.round(FULL * x));
  const shown = new Uint8Array(4 * most), look = new BufferAttribute(shown, 4, true).setUsage(DynamicDrawUsage);
  for (let k = 0; k < shown.length; k++) shown[k] = plain[k % 4];
  geometry.setAttribute("before", new InterleavedBufferAttribute(places, 3, 0));
  geometry.setAttribute("position", new InterleavedBufferAttribute(places, 3, 3));
  geometry.setAttribute("look", look);
  geometry.setDrawRange(0, 0);
  const uniforms = { radius: { value: radius }, tall: { value: 1 }, share: { value: 1 } };
  const material = new ShaderMaterial({ vertexShader: BALLS[0], fragmentShader: BALLS[1], uniforms });
  const points = Object.assign(new Points(geometry, material), { frustumCulled: false, matrixAutoUpdate: false });
  const dress = (flags: number, numbers: Uint32Array, looks: Uint8Array) => {
    const count = 4 * Math.min(numbers.length, most);
    for (let k = 0; k < count; k++) shown[k] = flags & (k % 4 === 3 ? SIZES : COLOURS) ? looks[k] : plain[k % 4];
    glide.name(numbers);
    look.clearUpdateRanges();
    look.addUpdateRange(0, count);
    look.needsUpdate = true;
  };
  const told = (given: Float32Array, now: number) => {
    glide.told(given, now);
    places.clearUpdateRanges();
    places.addUpdateRange(0, 6 * glide.count());
    places.needsUpdate = true;
    uniforms.share.value = 0; // until the next picture
    geometry.setDrawRange(0, glide.count());
  };
  const settle: Clouds["settle"] = (frames, tall, now) => {
    points.matrix.fromArray(frames[frame]);
    [uniforms.tall.value, uniforms.share.value] = [tall, glide.share(now)];
  };
  return { points, dress, told, settle, gliding: () => glide.count() > 0 && uniforms.share.value < 1 };
};

export const makeClouds = (group: Group, rows: CloudRow[]): Clouds => {
  const all = rows.map(makeCloud);
  for (const { points } of all) group.add(points);
  return {
    balls: (number, ...looks) => all[number].dress(...looks),
    cloud: (number, points, now = performance.now()) => all[number].told(points, now),
    gliding: () => all.some((one) => one.gliding()),
    settle: (...how) => all.forEach((one) => one.settle(...how)),
  };
};
