// Patterns on physically based surfaces, added to their shaders: colour, roughness and small bumps.
import {
  DataTexture, LinearFilter, LinearMipmapLinearFilter, RedFormat, RepeatWrapping, Vector3, Vector4,
  type WebGLProgramParametersWithUniforms,
} from "three";
import type { Grain } from "./finishes.ts";
import { patternOf, type Pattern } from "./patterns.ts";

// A pattern from three sides, in metres of the surface itself: no shape needs texture coordinates for it.
const GRAIN = {
  vertex: `
    #ifdef USE_INSTANCING
      vec3 stretch = vec3(length(instanceMatrix[0].xyz), length(instanceMatrix[1].xyz), length(instanceMatrix[2].xyz));
    #else
      vec3 stretch = vec3(1.0);
    #endif
    grainAt = stretch * position;
    grainWay = normalize(normal / stretch);`,
  own: `
    varying vec3 grainAt, grainWay;
    uniform sampler2D grain;
    uniform vec4 grainy; // squares in a metre, changes of colour and roughness, m of its heights
    uniform vec3 along; // the axis of its grain
    float grainHeight() {
      vec3 p = grainy.x * grainAt, w = grainWay * grainWay;
      w *= w;
      w /= w.x + w.y + w.z;
      float side = texture2D(grain, mix(p.yz, p.zy, along.z)).r, front = texture2D(grain, mix(p.xz, p.zx, along.z)).r;
      return w.x * side + w.y * front + w.z * texture2D(grain, mix(p.xy, p.yx, along.y)).r;
    }
    vec3 grainBump(vec3 n, vec3 at, float height) { // a normal on these heights (Mikkelsen 2010)
      vec3 x = dFdx(at), y = dFdy(at), a = cross(y, n), b = cross(n, x);
      float area = dot(x, a);
      return normalize(abs(area) * n - sign(area) * grainy.w * (dFdx(height) * a + dFdy(height) * b));
    }`,
  colour: `
    float height = grainHeight();
    diffuseColor.rgb *= 1.0 + grainy.y * (2.0 * height - 1.0);`,
  roughness: "roughnessFactor = clamp(roughnessFactor + grainy.z * (height - 0.5), 0.04, 1.0);",
  normal: "normal = grainBump(normal, -vViewPosition, height);",
};

const SMOOTH: Grain = { pattern: "clouds", length: 1, tone: 0, rough: 0, bump: 0, directed: false };

/** Textures of patterns, each made once. */
const patterns = new Map<Pattern, DataTexture>();
export const patternTexture = (kind: Pattern): DataTexture => {
  const size = 256, found = patterns.get(kind);
  if (found) return found;
  const made = new DataTexture(Uint8Array.from(patternOf(kind, size), (x) => Math.round(255 * x)), size, size, RedFormat);
  made.wrapS = made.wrapT = RepeatWrapping;
  [made.minFilter, made.magFilter, made.generateMipmaps, made.anisotropy] = [LinearMipmapLinearFilter, LinearFilter, true, 4];
  made.needsUpdate = true;
  patterns.set(kind, made);
  return made;
};

/** Text before the main function of a shader, or after one of its parts. */
export const insert = (
  parts: WebGLProgramParametersWithUniforms, where: "vertexShader" | "fragmentShader", at: string, text: string,
): void => {
  parts[where] = parts[where].replace(at, at === "void main() {" ? `${text}\n${at}` : `${at}\n${text}`);
};

/** A pattern along an axis; without one nothing of it is seen, but the shader is the same: each takes long without a card. */
export const addGrain = (parts: WebGLProgramParametersWithUniforms, grain: Grain | null, axis: number): void => {
  const { pattern, length, tone, rough, bump } = grain ?? SMOOTH;
  parts.uniforms.grain = { value: patternTexture(pattern) };
  parts.uniforms.grainy = { value: new Vector4(1 / length, tone, rough, bump) };
  parts.uniforms.along = { value: new Vector3().setComponent(grain?.directed ? axis : 0, 1) };
  insert(parts, "vertexShader", "void main() {", "varying vec3 grainAt, grainWay;");
  insert(parts, "vertexShader", "#include <begin_vertex>", GRAIN.vertex);
  insert(parts, "fragmentShader", "void main() {", GRAIN.own);
  insert(parts, "fragmentShader", "#include <color_fragment>", GRAIN.colour);
  insert(parts, "fragmentShader", "#include <roughnessmap_fragment>", GRAIN.roughness);
  insert(parts, "fragmentShader", "#include <normal_fragment_maps>", GRAIN.normal);
};
