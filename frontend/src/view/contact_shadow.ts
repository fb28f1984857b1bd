// Contact shadows: the floor is dark below what is close to it. Seen from below, blurred, and laid on the floor.
import {
  Mesh, MeshBasicMaterial, MeshDepthMaterial, OrthographicCamera, PlaneGeometry, Scene, ShaderMaterial, WebGLRenderTarget,
  type WebGLRenderer,
} from "three";
import { NEAR_FLOOR } from "./instanced_shapes.ts";
import type { Vector } from "./space.ts";
import { LAYERS, putBelow, UNDERFOOT } from "./underfoot.ts";

const PIXELS = 256, WIDE = 3.2, HIGH = 0.22; // sizes of the motion: width of the floor that gets it, height of what gives it
const DARK = { light: 0.5, dark: 0.75 };

const BLUR = [
  "varying vec2 at;\nvoid main() { at = uv; gl_Position = vec4(2.0 * uv - 1.0, 0.0, 1.0); }",
  `uniform sampler2D seen;
   uniform vec2 by;
   varying vec2 at;
   void main() { // a Gaussian of nine samples
     float sum = 0.1964826 * texture2D(seen, at).a;
     sum += 0.2969069 * (texture2D(seen, at + 1.411764 * by).a + texture2D(seen, at - 1.411764 * by).a);
     sum += 0.0944704 * (texture2D(seen, at + 3.294117 * by).a + texture2D(seen, at - 3.294117 * by).a);
     sum += 0.0103814 * (texture2D(seen, at + 5.176470 * by).a + texture2D(seen, at - 5.176470 * by).a);
     gl_FragColor = vec4(0.0, 0.0, 0.0, sum);
   }`,
];

export interface ContactShadow {
  /** Draws it anew about a place on the floor, or hides it. */
  show(middle: Vector, dark: boolean, on: boolean): void;
  hide(): void;
  forget(): void;
}

export const makeContactShadow = (renderer: WebGLRenderer, scene: Scene, size: number, floor: number): ContactShadow => {
  const wide = WIDE * size, [seen, half] = [0, 1].map(() => new WebGLRenderTarget(PIXELS, PIXELS, { depthBuffer: true }));
  const below = new OrthographicCamera(-wide / 2, wide / 2, wide / 2, -wide / 2, 0, HIGH * size);
  below.up.set(0, 1, 0);
  below.layers.set(NEAR_FLOOR);
  const depth = new MeshDepthMaterial();
  depth.onBeforeCompile = (parts) => {
    parts.fragmentShader = parts.fragmentShader.replace("gl_FragColor = vec4( vec3( 1.0 - fragCoordZ ), opacity );",
      "float near = 1.0 - fragCoordZ;\ngl_FragColor = vec4(0.0, 0.0, 0.0, near * near);");
  };
  const blur = new ShaderMaterial({
    vertexShader: BLUR[0], fragmentShader: BLUR[1], depthTest: false, depthWrite: false,
    uniforms: { seen: { value: seen.texture }, by: { value: [0, 0] } },
  });
  const screen = new Scene(), flat = new OrthographicCamera();
  const sheet = new Mesh(new PlaneGeometry(2, 2), blur);
  sheet.frustumCulled = false;
  screen.add(sheet);
  const look = Object.assign(new MeshBasicMaterial({ map: seen.texture, color: 0 }), UNDERFOOT);
  const plane = new Mesh(new PlaneGeometry(wide, wide), look), { uv } = plane.geometry.attributes;
  for (let k = 0; k < uv.count; k++) uv.setX(k, 1 - uv.getX(k)); // seen from below, left is right
  [plane.frustumCulled, plane.visible] = [false, false];
  putBelow(plane, LAYERS.contact);
  scene.add(plane);

  const pass = (from: WebGLRenderTarget, to: WebGLRenderTarget, x: number, y: number) => {
    [blur.uniforms.seen.value, blur.uniforms.by.value] = [from.texture, [x / PIXELS, y / PIXELS]];
    renderer.setRenderTarget(to);
    renderer.render(screen, flat);
  };
  const show = (middle: Vector, dark: boolean, on: boolean) => {
    plane.visible = on;
    if (!on) return;
    plane.position.set(middle[0], middle[1], floor);
    look.opacity = dark ? DARK.dark : DARK.light;
    below.position.set(middle[0], middle[1], floor - 1e-3 * size);
    below.lookAt(middle[0], middle[1], floor + size);
    below.updateMatrixWorld();
    const target = renderer.getRenderTarget(), { autoUpdate } = renderer.shadowMap, { enabled } = renderer.xr;
    const { environment } = scene;
    [renderer.shadowMap.autoUpdate, renderer.xr.enabled, scene.overrideMaterial, scene.environment] = [false, false, depth, null];
    renderer.setRenderTarget(seen);
    renderer.clear();
    renderer.render(scene, below);
    scene.overrideMaterial = null;
    for (const wider of [1, 2]) {
      pass(seen, half, wider, 0);
      pass(half, seen, 0, wider);
    }
    renderer.setRenderTarget(target);
    [renderer.shadowMap.autoUpdate, renderer.xr.enabled, scene.environment] = [autoUpdate, enabled, environment];
  };
  const forget = () => { for (const one of [seen, half, depth, blur, look]) one.dispose(); scene.remove(plane); };
  return { show, hide: () => { plane.visible = false; }, forget };
};
