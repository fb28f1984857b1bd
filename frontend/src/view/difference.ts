// Scenes that change: rows of lists by their numbers, instead of everything again.
import type { SceneDifference, ShapeList, ShapesData } from "../contract.ts";

const LISTS: ShapeList[] = ["meshes", "colours", "textures", "parts", "spans", "labels"];

/** The shapes after a difference; `geometry` is that of the meshes which came with it. */
export const changedShapes = (shapes: ShapesData, difference: SceneDifference): ShapesData => {
  const lists = LISTS.map((name) => {
    const rows: unknown[] = shapes[name].slice(0, difference.count[name]);
    for (const [number, row] of difference[name]) rows[number] = row;
    if (rows.length !== difference.count[name]) throw new Error(`${difference.count[name]} ${name} were told, not ${rows.length}`);
    return [name, rows];
  });
  return { ...(Object.fromEntries(lists) as unknown as ShapesData), geometry: difference.geometry };
};
