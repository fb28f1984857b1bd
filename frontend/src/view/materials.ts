// How surfaces look: physically based with shadows, or, where a processor draws, by one short formula of the normal.
import {
  AddEquation, Color, CustomBlending, DoubleSide, EqualStencilFunc, FrontSide, IncrementStencilOp, MeshStandardMaterial,
  OneFactor, OneMinusSrcAlphaFactor, ShaderMaterial, SrcAlphaFactor, Vector3, type Material, type Side,
} from "three";
import type { Sight } from "./eye.ts";
import { plus, unit } from "./space.ts";

/** full: physically based, shadows on everything. plain: what a processor draws in time. */
export type Quality = "plain" | "full";

export const SUNWARD = unit([0.45, -0.5, 0.9]);

interface Finish {
  roughness: number;
  metalness: number;
}
const STEEL: Finish = { roughness: 0.35, metalness: 0.6 }, PAINT: Finish = { roughness: 0.55, metalness: 0.05 };
const METAL = new Set(["joint", "cut", "link", "mass", "point"]); // roles that are made of steel
export const isSteel = (role: string): boolean => METAL.has(role);

// The eye is far away for the light: what shines and what is seen from the side depends on the normal alone.
const LIT = `
  uniform vec3 light, away, halfway;
  vec4 lit(vec3 n, vec4 colour) {
    vec3 normal = normalize(n);
    float sun = 0.5 + 0.5 * dot(normal, light), sky = 0.5 + 0.5 * normal.z, lamp = max(dot(normal, away), 0.0);
    float gloss = max(dot(normal, halfway), 0.0), rim = 1.0 - lamp;
    gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss * gloss; // to the power of 48
    vec3 seen = colour.rgb * (0.22 + 0.52 * sun * sun + 0.16 * sky + 0.24 * lamp) + 0.16 * gloss;
    return vec4(seen, colour.a < 1.0 ? mix(colour.a, 0.8, rim * rim * rim) : 1.0); // glass is denser at its rim
  }`;
// Colours are linear numbers, as three wants them; LIT is a formula of those that a screen takes, which roots give to 2/255:
// a processor that draws has to translate every shader, and powers and products of matrices take it longest.
const CORNER = `
  uniform vec4 tint;
  vec4 tinted() {
    #if defined(USE_INSTANCING_COLOR)
      vec4 own = vec4(instanceColor, tint.a);
    #elif defined(USE_COLOR_ALPHA)
      vec4 own = color;
    #else
      vec4 own = tint;
    #endif
    vec3 root = sqrt(own.rgb);
    return vec4(1.4213 * root - 0.1348 * sqrt(root) - 0.2953 * own.rgb, own.a);
  }
  vec3 upright(mat4 m) { // a normal of a stretched mesh
    return mat3(m) * (normal / vec3(dot(m[0], m[0]), dot(m[1], m[1]), dot(m[2], m[2])));
  }
  #ifdef USE_INSTANCING // stretched by its own matrix, on a frame that is not
    vec4 placed() { return modelMatrix * (instanceMatrix * vec4(position, 1.0)); }
    vec3 turned() { return mat3(modelMatrix) * upright(instanceMatrix); }
  #else
    vec4 placed() { return modelMatrix * vec4(position, 1.0); }
    vec3 turned() { return upright(modelMatrix); }
  #endif`;
const SOLID = [
  `varying vec3 n;
   flat varying vec4 colour;
   ${CORNER}
   void main() {
     colour = tinted();
     n = turned();
     gl_Position = projectionMatrix * (viewMatrix * placed());
   }`,
  `varying vec3 n;
   flat varying vec4 colour;
   ${LIT}
   void main() { gl_FragColor = lit(n, colour); }`,
];
const FADE = "(1.0 - clamp((dot(far, far) - 0.25) / 0.75, 0.0, 1.0))"; // into the background, towards the horizon
const FADING = [
  `uniform float reach;
   varying vec3 far;
   varying vec4 colour;
   ${LIT}
   ${CORNER}
   void main() {
     vec4 at = modelMatrix * vec4(position, 1.0);
     colour = lit(normal, tinted());
     far = (at.xyz - cameraPosition) / reach;
     gl_Position = projectionMatrix * (viewMatrix * at);
   }`,
  `varying vec3 far;
   varying vec4 colour;
   void main() { gl_FragColor = vec4(colour.rgb, colour.a * ${FADE}); }`,
];

/** What lies on the floor is drawn first and needs no depth: all else is above it. */
export const UNDERFOOT = {
  blending: CustomBlending, blendEquation: AddEquation, blendSrc: SrcAlphaFactor, blendDst: OneMinusSrcAlphaFactor,
  blendSrcAlpha: OneFactor, blendDstAlpha: OneMinusSrcAlphaFactor, transparent: false, depthTest: false, depthWrite: false,
} as const;

const SHADE = [ // what falls onto the floor: each place of it darkens once
  `void main() { gl_Position = projectionMatrix * (viewMatrix * (modelMatrix * (instanceMatrix * vec4(position, 1.0)))); }`,
  "uniform float dark;\nvoid main() { gl_FragColor = vec4(0.0, 0.0, 0.0, dark); }",
];

export interface Palette {
  shade: ShaderMaterial;
  solid(quality: Quality, role: string): Material;
  matt(quality: Quality, colour: Color): Material;
  glass(quality: Quality, colour: Color, opacity: number): Material;
  scenery(quality: Quality, flat: boolean): Material;
  /** For this picture: where it is taken from, how far what lies and what stands is seen. */
  aim(sight: Sight, far: number, haze: number): void;
}

/** over: roles that are drawn in front of all bodies. */
export const makePalette = (over: Set<string>): Palette => {
  const light = { value: new Vector3(...SUNWARD) }, away = { value: new Vector3() }, halfway = { value: new Vector3() };
  const reach = { flat: { value: 1 }, tall: { value: 1 } };
  const made = new Map<string, Material>();
  const kept = (key: string, make: () => Material) => {
    const found = made.get(key) ?? make();
    made.set(key, found);
    return found;
  };
  const shader = ([vertexShader, fragmentShader]: string[], more: object, tint = [1, 1, 1, 1], side: Side = FrontSide) =>
    new ShaderMaterial({
      vertexShader, fragmentShader, side, uniforms: { light, away, halfway, tint: { value: tint }, ...more },
    });
  const fading = (material: MeshStandardMaterial, how: { value: number }) => {
    material.onBeforeCompile = (parts) => {
      parts.uniforms.reach = how;
      parts.vertexShader = parts.vertexShader.replace("void main() {", "uniform float reach;\nvarying vec3 far;\nvoid main() {")
        .replace("#include <project_vertex>", "#include <project_vertex>\nfar = mvPosition.xyz / reach;");
      parts.fragmentShader = parts.fragmentShader.replace("void main() {", "varying vec3 far;\nvoid main() {")
        .replace("#include <dithering_fragment>", `#include <dithering_fragment>\ngl_FragColor.a *= ${FADE};`);
    };
    return material;
  };
  const shade = new ShaderMaterial({
    vertexShader: SHADE[0], fragmentShader: SHADE[1], uniforms: { dark: { value: 0 } }, ...UNDERFOOT,
    stencilWrite: true, stencilFunc: EqualStencilFunc, stencilRef: 0, stencilZPass: IncrementStencilOp,
  });
  const solid = (quality: Quality, role: string) => {
    const finish = isSteel(role) ? "steel" : "paint", last = { transparent: over.has(role) }; // such are drawn after all others
    return quality === "plain"
      ? kept(`solid plain ${last.transparent}`, () => Object.assign(shader(SOLID, {}), last))
      : kept(`solid ${finish} ${last.transparent}`, () => new MeshStandardMaterial({ ...(finish === "steel" ? STEEL : PAINT), ...last }));
  };
  const matt = (quality: Quality, colour: Color) =>
    kept(`${quality} ${colour.getHex()} matt`, () => (quality === "plain"
      ? shader(SOLID, {}, [colour.r, colour.g, colour.b, 1])
      : new MeshStandardMaterial({ color: colour, roughness: 0.95 })));
  const glass = (quality: Quality, colour: Color, opacity: number) =>
    kept(`${quality} ${colour.getHex()} ${opacity}`, () => {
      const common = { transparent: true, depthWrite: false };
      if (quality === "full") return new MeshStandardMaterial({ color: colour, opacity, roughness: 0.15, ...common });
      return Object.assign(shader(SOLID, {}, [colour.r, colour.g, colour.b, opacity]), common);
    });
  const scenery = (quality: Quality, flat: boolean) =>
    kept(`${quality} ${flat}`, () => {
      const how = flat ? reach.flat : reach.tall;
      const material = quality === "plain"
        ? shader(FADING, { reach: how }, undefined, DoubleSide)
        : fading(new MeshStandardMaterial({ roughness: 0.9, side: DoubleSide, vertexColors: true }), how);
      material.vertexColors = true;
      return Object.assign(material, flat ? UNDERFOOT : { transparent: true });
    });
  const aim = (sight: Sight, far: number, haze: number) => {
    away.value.set(...sight.away);
    halfway.value.set(...unit(plus(SUNWARD, sight.away)));
    [reach.flat.value, reach.tall.value] = [far, haze];
  };
  return { shade, solid, matt, glass, scenery, aim };
};

export const linear = (hex: string): Color => new Color(hex);
