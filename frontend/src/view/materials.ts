// How surfaces look: physically based with shadows, or, where a processor draws, by one short formula of the normal.
import {
  Color, DoubleSide, EqualStencilFunc, FrontSide, IncrementStencilOp, MeshPhysicalMaterial, MeshStandardMaterial,
  ShaderMaterial, Vector3, type Material, type Side, type Texture,
} from "three";
import type { Material as Substance } from "../contract.ts";
import type { Sight } from "./eye.ts";
import { FINISHES } from "./finishes.ts";
import { addGrain, insert } from "./grain.ts";
import { plus, unit } from "./space.ts";
import { UNDERFOOT } from "./underfoot.ts";

/** full: physically based, shadows on everything. plain: what a processor draws in time. */
export type Quality = "plain" | "full";

export const SUNWARD = unit([0.45, -0.5, 0.9]);

/** What a surface is made of. */
export interface Surface {
  role: string;
  material: Substance;
  axis: number; // along which its grain goes
  image: Texture | null; // on its texture coordinates
}
/** A name that surfaces with the same material share. */
const nameOf = ({ material, axis, image }: Surface): string =>
  `${material} ${FINISHES[material].grain?.directed ? axis : ""} ${image?.uuid ?? ""}`;

// The eye is far away for the light: what shines and what is seen from the side depends on the normal alone.
const LIT = `
  uniform vec3 light, away, halfway;
  uniform vec3 finish; // share of mirrored sky, gloss, brightness of the rim
  vec4 lit(vec3 n, vec4 colour) {
    vec3 normal = normalize(n);
    float facing = dot(normal, away), lamp = max(facing, 0.0), rim = 1.0 - lamp;
    float sun = 0.5 + 0.5 * dot(normal, light), sky = 0.5 + 0.5 * normal.z;
    float gloss = max(dot(normal, halfway), 0.0);
    gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss * gloss; // to the power of 48
    float mirrored = clamp(0.55 + 1.3 * (2.0 * facing * normal.z - away.z), 0.28, 1.15); // dark below the horizon
    float matt = 0.22 + 0.52 * sun * sun + 0.16 * sky + 0.24 * lamp + finish.z * rim * rim;
    vec3 seen = colour.rgb * mix(matt, 0.35 * matt + 0.85 * mirrored, finish.x) + finish.y * gloss;
    return vec4(seen, colour.a < 1.0 ? mix(colour.a, 0.8, rim * rim * rim) : 1.0); // glass is denser at its rim
  }`;
// Colours are linear, as three.js expects; LIT needs the colours of a screen. Square roots approximate them to 2/255:
// a processor that draws translates every shader, and powers and products of matrices take it longest.
const SCREEN = "(1.4213 * root - 0.1348 * sqrt(root) - 0.2953 * own)";
const PICTURE = `
  #ifdef IMAGE
    uniform sampler2D image;
    varying vec2 spot;
    vec3 pictured() { vec3 own = texture2D(image, spot).rgb, root = sqrt(own); return ${SCREEN}; }
  #else
    vec3 pictured() { return vec3(1.0); }
  #endif`;
const CORNER = `
  uniform vec4 tint;
  #ifdef IMAGE
    varying vec2 spot;
    #define SPOTTED spot = uv;
  #else
    #define SPOTTED
  #endif
  vec4 tinted() {
    #if defined(USE_INSTANCING_COLOR)
      vec4 given = vec4(instanceColor, tint.a);
    #elif defined(USE_COLOR_ALPHA)
      vec4 given = color;
    #else
      vec4 given = tint;
    #endif
    vec3 own = given.rgb, root = sqrt(own);
    return vec4(${SCREEN}, given.a);
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
     SPOTTED
     colour = tinted();
     n = turned();
     gl_Position = projectionMatrix * (viewMatrix * placed());
   }`,
  `varying vec3 n;
   flat varying vec4 colour;
   ${LIT}
   ${PICTURE}
   void main() { gl_FragColor = lit(n, vec4(colour.rgb * pictured(), colour.a)); }`,
];
const HEIGHTS = [ // many small triangles: their corners have the light, which takes a processor half as long
  `varying vec3 shade;
   ${LIT}
   ${CORNER}
   void main() {
     shade = lit(turned(), tinted()).rgb;
     gl_Position = projectionMatrix * (viewMatrix * placed());
   }`,
  "varying vec3 shade;\nvoid main() { gl_FragColor = vec4(shade, 1.0); }",
];
const FADE = "(1.0 - clamp((dot(far, far) - 0.25) / 0.75, 0.0, 1.0))"; // into the background, towards the horizon
const FADING = [
  `uniform float reach;
   varying vec3 far;
   varying vec4 colour;
   ${LIT}
   ${CORNER}
   void main() {
     SPOTTED
     vec4 at = modelMatrix * vec4(position, 1.0);
     colour = lit(normal, tinted());
     far = (at.xyz - cameraPosition) / reach;
     gl_Position = projectionMatrix * (viewMatrix * at);
   }`,
  `varying vec3 far;
   varying vec4 colour;
   ${PICTURE}
   void main() { gl_FragColor = vec4(colour.rgb * pictured(), colour.a * ${FADE}); }`,
];

const SHADE = [ // what falls onto the floor: each place of it darkens once
  `void main() { gl_Position = projectionMatrix * (viewMatrix * (modelMatrix * (instanceMatrix * vec4(position, 1.0)))); }`,
  "uniform float dark;\nvoid main() { gl_FragColor = vec4(0.0, 0.0, 0.0, dark); }",
];

export interface Palette {
  shade: ShaderMaterial;
  solid(quality: Quality, surface: Surface): Material;
  /** A surface of heights. */
  matt(quality: Quality, colour: Color): Material;
  glass(quality: Quality, colour: Color, opacity: number): Material;
  scenery(quality: Quality, flat: boolean, surface: Surface): Material;
  /** Changes whenever two surfaces may not be drawn together. */
  name(surface: Surface): string;
  /** For this picture: where it is taken from, how far what lies and what stands is seen, and whether with patterns. */
  aim(sight: Sight, far: number, haze: number, rich: boolean): void;
}

/** over: roles that are drawn in front of all bodies. coats: clear coats and sheens, which take shaders of their own. */
export const makePalette = (over: Set<string>, coats = true): Palette => {
  const light = { value: new Vector3(...SUNWARD) }, away = { value: new Vector3() }, halfway = { value: new Vector3() };
  const reach = { flat: { value: 1 }, tall: { value: 1 } };
  const made = new Map<string, Material>();
  let rich = true;
  const kept = (key: string, make: () => Material) => {
    const found = made.get(key) ?? make();
    made.set(key, found);
    return found;
  };
  const shader = ([vertexShader, fragmentShader]: string[], substance: Substance, more: object, how: object = {}) =>
    new ShaderMaterial({
      vertexShader, fragmentShader, side: FrontSide as Side, ...how, uniforms: {
        light, away, halfway, tint: { value: [1, 1, 1, 1] }, finish: { value: new Vector3(...FINISHES[substance].formula) },
        ...more,
      },
    });
  /** Physically based; far: m at which it has faded into the horizon. */
  const physical = (surface: Surface, more: object, far: { value: number } | null = null): MeshStandardMaterial => {
    const { roughness, metalness, clearcoat, sheen, grain } = FINISHES[surface.material];
    const common = { roughness, metalness, ...more, ...(surface.image ? { map: surface.image } : {}) };
    const coated = rich && coats && (clearcoat || sheen) && !far;
    const coat = { clearcoat, clearcoatRoughness: 0.2, sheen, sheenRoughness: 0.6, sheenColor: 0x999999 };
    const material = coated ? new MeshPhysicalMaterial({ ...common, ...coat }) : new MeshStandardMaterial(common);
    const grained = rich && !surface.image;
    if (!grained && !far) return material;
    material.onBeforeCompile = (parts) => {
      if (grained) addGrain(parts, grain, surface.axis);
      if (!far) return;
      parts.uniforms.reach = far;
      insert(parts, "vertexShader", "void main() {", "uniform float reach;\nvarying vec3 far;");
      insert(parts, "vertexShader", "#include <project_vertex>", "far = mvPosition.xyz / reach;");
      insert(parts, "fragmentShader", "void main() {", "varying vec3 far;");
      insert(parts, "fragmentShader", "#include <dithering_fragment>", `gl_FragColor.a *= ${FADE};`);
    };
    material.customProgramCacheKey = () => `${grained} ${Boolean(far)}`;
    return material;
  };
  const shade = new ShaderMaterial({
    vertexShader: SHADE[0], fragmentShader: SHADE[1], uniforms: { dark: { value: 0 } }, ...UNDERFOOT,
    stencilWrite: true, stencilFunc: EqualStencilFunc, stencilRef: 0, stencilZPass: IncrementStencilOp,
  });
  const pictured = ({ image }: Surface) => (image ? { image: { value: image } } : {});
  const marked = ({ image }: Surface) => (image ? { defines: { IMAGE: 1 } } : {});
  const solid = (quality: Quality, surface: Surface) => {
    const last = { transparent: over.has(surface.role) }; // such are drawn after all others
    const key = `solid ${nameOf(surface)} ${last.transparent}`;
    return quality === "plain"
      ? kept(`${key} plain`, () => shader(SOLID, surface.material, pictured(surface), { ...last, ...marked(surface) }))
      : kept(`${key} ${rich}`, () => physical(surface, last));
  };
  const soil = (role: string): Surface => ({ role, material: "soil", axis: 0, image: null });
  const matt = (quality: Quality, colour: Color) =>
    kept(`${quality} ${colour.getHex()} matt ${rich}`, () => (quality === "plain"
      ? shader(HEIGHTS, "soil", { tint: { value: [colour.r, colour.g, colour.b, 1] } })
      : physical(soil("body"), { color: colour })));
  const glass = (quality: Quality, colour: Color, opacity: number) =>
    kept(`${quality} ${colour.getHex()} ${opacity}`, () => {
      const common = { transparent: true, depthWrite: false };
      if (quality === "full") return new MeshStandardMaterial({ color: colour, opacity, roughness: 0.12, ...common });
      return shader(SOLID, "glass", { tint: { value: [colour.r, colour.g, colour.b, opacity] } }, common);
    });
  const scenery = (quality: Quality, flat: boolean, surface: Surface) =>
    kept(`scenery ${nameOf(surface)} ${quality} ${flat} ${rich}`, () => {
      const how = flat ? reach.flat : reach.tall, look = { side: DoubleSide, vertexColors: true };
      const material = quality === "full" ? physical(surface, look, how)
        : shader(FADING, surface.material, { reach: how, ...pictured(surface) }, { ...look, ...marked(surface) });
      return Object.assign(material, flat ? UNDERFOOT : { transparent: true });
    });
  const aim = (sight: Sight, far: number, haze: number, patterned: boolean) => {
    away.value.set(...sight.away);
    halfway.value.set(...unit(plus(SUNWARD, sight.away)));
    [reach.flat.value, reach.tall.value, rich] = [far, haze, patterned];
  };
  return { shade, solid, matt, glass, scenery, name: (surface) => `${nameOf(surface)} ${over.has(surface.role)}`, aim };
};

export const linear = (hex: string): Color => new Color(hex);
