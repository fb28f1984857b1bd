// What a machine stands on, by name: colours as a screen takes them, and a pattern.
import type { Ground } from "../contract.ts";
import type { Pattern } from "./patterns.ts";

export interface GroundLook {
  light: [number, number, number];
  dark: [number, number, number];
  pattern: Pattern;
  length: number; // m of a square of the pattern
  tone: number; // of the pattern
}
const look = (light: GroundLook["light"], pattern: Pattern, length: number, tone: number): GroundLook =>
  ({ light, dark: light.map((x) => 0.3 * x + 0.02) as GroundLook["dark"], pattern, length, tone });

export const GROUND_LOOKS: Record<Exclude<Ground, "">, GroundLook> = {
  grass: look([0.62, 0.7, 0.5], "clouds", 14, 0.18),
  snow: look([0.92, 0.94, 0.97], "clouds", 9, 0.07),
  soil: look([0.55, 0.45, 0.35], "grains", 2, 0.4),
  asphalt: look([0.5, 0.52, 0.54], "grains", 2, 0.2),
  concrete: look([0.84, 0.84, 0.83], "clouds", 1.5, 0.1),
  wood: look([0.66, 0.53, 0.4], "rings", 0.16, 0.22),
};
