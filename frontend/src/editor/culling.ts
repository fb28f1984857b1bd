// Culling: of a large diagram only the symbols near the part in sight are drawn.
import type { Box } from "./layout.ts";

const MANY = 150; // symbols from which on it is worth it
const MARGIN = 1; // sights around the one that is seen, so that small moves change nothing
const WIDE = 4; // of the region, in sights: a closer look makes it smaller again

export interface Culled { box(): Box; group: SVGElement }
export const overlaps = (p: Box, q: Box): boolean =>
  p.x <= q.x + q.width && q.x <= p.x + p.width && p.y <= q.y + q.height && q.y <= p.y + p.height;
const holds = (outer: Box, inner: Box) => outer.x <= inner.x && outer.y <= inner.y
  && outer.x + outer.width >= inner.x + inner.width && outer.y + outer.height >= inner.y + inner.height;
/** The box about a polyline. */
export const boxOf = (points: [number, number][]): Box => {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)], [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
};

export const makeCulling = () => {
  let all: Culled[] = [], region: Box | null = null;
  return {
    keep: (given: Culled[]): void => { [all, region] = [given.length > MANY ? given : [], null]; },
    look: (sight: Box): void => {
      const { x, y, width, height } = sight;
      if (!all.length || (region && holds(region, sight) && region.width <= WIDE * width)) return;
      const [aside, above] = [MARGIN * width, MARGIN * height];
      region = { x: x - aside, y: y - above, width: width + 2 * aside, height: height + 2 * above };
      for (const { box, group } of all) group.style.display = overlaps(box(), region) ? "" : "none";
    },
  };
};
