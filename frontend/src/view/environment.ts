// Light from all sides: a small sky, drawn once for a light and once for a dark page, and filtered for every roughness.
import {
  BackSide, CubeCamera, HalfFloatType, LinearMipmapLinearFilter, LinearSRGBColorSpace, Mesh, PMREMGenerator, Scene,
  ShaderMaterial, SphereGeometry, Vector3, WebGLCubeRenderTarget, type WebGLRenderer,
} from "three";
import { SUNWARD } from "./materials.ts";

const SIZE = 64; // pixels of an edge of its cube: reflections are soft, and a processor may have to draw it
const ROUGHEST = 8; // pixels of an edge of its last level, which light from all sides needs
/** How strong it is, for a light and a dark page. */
const STRENGTH = { light: 0.7, dark: 0.5 };

// Radiances: a sky that is bright at the horizon, a broad sun, a floor, and two lamps that give metal its edges.
const SKY = [
  "varying vec3 way;\nvoid main() { way = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
  `uniform vec3 high, low, below, sunward;
   uniform float lamps;
   varying vec3 way;
   void main() {
     vec3 n = normalize(way);
     vec3 seen = n.z > 0.0 ? mix(low, high, sqrt(n.z)) : mix(low, below, min(-6.0 * n.z, 1.0));
     float sun = max(dot(n, sunward), 0.0), side = max(dot(n, normalize(vec3(-0.8, 0.5, 0.35))), 0.0);
     seen += 2.2 * vec3(1.0, 0.95, 0.86) * smoothstep(0.90, 0.99, sun) + 0.35 * pow(sun, 6.0);
     seen += lamps * vec3(0.85, 0.92, 1.0) * smoothstep(0.86, 0.95, side);
     gl_FragColor = vec4(seen, 1.0);
   }`,
];
const COLOURS = {
  light: { high: [0.42, 0.6, 0.86], low: [0.95, 0.97, 1.0], below: [0.42, 0.41, 0.39], lamps: 0.8 },
  dark: { high: [0.1, 0.14, 0.2], low: [0.36, 0.42, 0.5], below: [0.1, 0.1, 0.11], lamps: 1.6 },
};

const cube = (more: object) => new WebGLCubeRenderTarget(SIZE, { type: HalfFloatType, depthBuffer: false, ...more });
/** What the sky is filtered into, a level for each roughness; three would make it of 256 pixels or more. */
const levels = (): WebGLCubeRenderTarget => {
  const made = cube({ minFilter: LinearMipmapLinearFilter, colorSpace: LinearSRGBColorSpace });
  const sizes = Array.from({ length: Math.log2(SIZE / ROUGHEST) + 1 }, (_, level) => SIZE >> level);
  Object.assign(made.texture, { isPMREMTexture: true, mipmaps: sizes.map((size) => ({ width: size, height: size })) });
  return made;
};

export interface Environment {
  /** Lights the scene as the page is; on: physically based pictures only need it. */
  light(dark: boolean, on: boolean): void;
  forget(): void;
}

export const makeEnvironment = (renderer: WebGLRenderer, scene: Scene): Environment => {
  const made = new Map<"light" | "dark", WebGLCubeRenderTarget>();
  const filtered = (theme: "light" | "dark"): WebGLCubeRenderTarget => {
    const { high, low, below, lamps } = COLOURS[theme], around = new Scene(), filter = new PMREMGenerator(renderer);
    const colour = (rgb: number[]) => ({ value: new Vector3(...rgb) });
    const material = new ShaderMaterial({
      vertexShader: SKY[0], fragmentShader: SKY[1], side: BackSide, depthWrite: false,
      uniforms: { high: colour(high), low: colour(low), below: colour(below), sunward: colour(SUNWARD), lamps: { value: lamps } },
    });
    around.add(new Mesh(new SphereGeometry(5, 32, 24), material));
    const drawn = cube({}), all = levels();
    new CubeCamera(0.1, 10, drawn).update(renderer, around);
    filter.fromCubemap(drawn.texture, all);
    for (const used of [filter, material, drawn]) used.dispose();
    return all;
  };
  const light = (dark: boolean, on: boolean) => {
    const theme = dark ? "dark" : "light";
    if (on && !made.has(theme)) made.set(theme, filtered(theme));
    scene.environment = on ? made.get(theme)!.texture : null;
    scene.environmentIntensity = STRENGTH[theme];
  };
  return { light, forget: () => { for (const one of made.values()) one.dispose(); made.clear(); } };
};
