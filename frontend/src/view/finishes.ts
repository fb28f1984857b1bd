// What materials look like: numbers of physically based shading, a pattern, and the same for the short formula.
import type { Material } from "../contract.ts";
import type { Pattern } from "./patterns.ts";

export interface Grain {
  pattern: Pattern;
  length: number; // m of a square of the pattern
  tone: number; // largest relative change of the colour
  rough: number; // change of the roughness
  bump: number; // m of its heights
  directed: boolean; // along the longest side of a shape
}
export interface Finish {
  roughness: number;
  metalness: number;
  clearcoat: number;
  sheen: number;
  grain: Grain | null;
  /** For the formula: share of mirrored sky, strength of the gloss, brightness of the rim. */
  formula: [number, number, number];
}
const grain = (pattern: Pattern, length: number, tone: number, rough: number, bump: number, directed = false): Grain =>
  ({ pattern, length, tone, rough, bump, directed });
const finish = (roughness: number, formula: Finish["formula"], own: Partial<Finish> = {}): Finish =>
  ({ roughness, metalness: 0, clearcoat: 0, sheen: 0, grain: null, formula, ...own });

export const FINISHES: Record<Material, Finish> = {
  paint: finish(0.42, [0.1, 0.16, 0], { clearcoat: 0.6 }),
  plastic: finish(0.5, [0.04, 0.12, 0]),
  steel: finish(0.34, [0.62, 0.3, 0], { metalness: 1, grain: grain("brushed", 0.12, 0.07, 0.22, 6e-5, true) }),
  rubber: finish(0.88, [0, 0.05, 0.05], { grain: grain("fibres", 0.06, 0.12, 0.1, 4e-4) }),
  wood: finish(0.58, [0.03, 0.06, 0], { clearcoat: 0.12, grain: grain("rings", 0.09, 0.24, 0.12, 5e-5, true) }),
  felt: finish(1, [0, 0, 0.3], { sheen: 1, grain: grain("fibres", 0.03, 0.14, 0, 5e-4) }),
  snow: finish(0.72, [0.05, 0.08, 0.06], { grain: grain("clouds", 3, 0.05, 0.1, 0.02) }),
  soil: finish(0.98, [0, 0, 0], { grain: grain("grains", 1.2, 0.4, 0, 0.03) }),
  glass: finish(0.06, [0.5, 0.5, 0]),
  grass: finish(0.95, [0, 0, 0], { grain: grain("clouds", 9, 0.22, 0, 0) }),
  asphalt: finish(0.92, [0, 0.02, 0], { grain: grain("grains", 1.6, 0.14, 0.1, 0.006) }),
  concrete: finish(0.9, [0, 0.02, 0], { grain: grain("clouds", 1.1, 0.07, 0.08, 0.002) }),
};
