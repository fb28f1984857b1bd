// The places of all symbols: by elkjs in layers from the ground downwards, or where a person has put them.
import ELK, { type ElkExtendedEdge, type ElkNode, type ElkPoint } from "elkjs/lib/elk-api.js";
import type { Diagram, DiagramEdge, DiagramNode, Drawing } from "./contract.ts";
import { OWN_SCRIPT } from "./own_script.ts";

export const SYMBOL = 24, PORT = 6, HEIGHT = 42; // pixels: a joint's symbol, half a point's mark, a body
const FEW = 24, MANY = 70; // nodes: above, the layout is quick instead of best; above, a plain tree
const LETTER = 7.4, LEAST = 76, GAP = 18, SPACING = 36;

export interface Box { x: number; y: number; width: number; height: number }
export interface PlacedNode extends Box { node: DiagramNode; ports: Record<string, [number, number]> } // ports: relative places
export interface PlacedEdge { edge: DiagramEdge; points: [number, number][]; label: Box | null }
export interface Placed { nodes: Map<string, PlacedNode>; edges: PlacedEdge[] }

/** The box about all nodes, with room for marks above and symbols below. */
export const boundsOf = (placed: Placed | null): Box => {
  const all = [...(placed?.nodes.values() ?? [])];
  if (!all.length) return { x: 0, y: 0, width: 100, height: 100 };
  const x = Math.min(...all.map((one) => one.x)), y = Math.min(...all.map((one) => one.y)) - 12;
  const right = Math.max(...all.map((one) => one.x + one.width)), low = Math.max(...all.map((one) => one.y + one.height)) + 40;
  return { x, y, width: right - x, height: low - y };
};

/** Sizes of a node: wide enough for its name and its points. */
export const sizeOf = ({ kind, name, points, detail }: DiagramNode): { width: number; height: number } => {
  const small = kind !== "body" && kind !== "ground";
  const wide = Math.max(name.length, small ? 0 : Math.min(detail.length, 12) * 0.85) * LETTER + (small ? 22 : 26);
  return { width: Math.round(Math.max(small ? 46 : LEAST, Math.min(wide, 260), GAP * points.length)), height: small ? 30
    : HEIGHT };
};

/** Places of the points on a node: the origin above, all others below; a ground has all below. */
export const portsOf = (node: DiagramNode): Record<string, [number, number]> => {
  const { width, height } = sizeOf(node), above = node.kind === "body" ? ["origin"] : [];
  const below = node.points.filter((point) => !above.includes(point));
  const found: Record<string, [number, number]> = {};
  for (const [names, y] of [[above, 0], [below, height]] as const)
    names.forEach((name, k) => { found[name] = [((k + 1) * width) / (names.length + 1), y]; });
  return found;
};

/** Size of the symbols on an edge. */
export const labelOf = ({ kind, joints, name }: DiagramEdge): { width: number; height: number } | null => {
  if (kind === "joints") return joints.length ? { width: SYMBOL * joints.length, height: SYMBOL } : null;
  if (kind === "mark" || kind === "pipe" || kind === "rod") return null;
  return { width: Math.max(SYMBOL + 6, 6.2 * name.length + 14), height: SYMBOL + 14 };
};

const INLINE = { "elk.edgeLabels.placement": "CENTER", "elk.edgeLabels.inline": "true" }; // symbols are on their lines
const portId = (node: string, point: string) => `${node}#${point}`;
const graphOf = ({ nodes, edges }: Diagram): ElkNode => {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const end = (id: string, point: string) => (known.get(id)?.points.includes(point) ? portId(id, point) : id);
  return {
    id: "root",
    layoutOptions: {
      "elk.algorithm": "layered", "elk.direction": "DOWN", "elk.edgeRouting": "ORTHOGONAL",
      "elk.layered.spacing.nodeNodeBetweenLayers": String(SPACING), "elk.spacing.nodeNode": String(SPACING),
      "elk.spacing.edgeNode": "16", "elk.spacing.edgeEdge": "12", "elk.spacing.edgeLabel": "4",
      "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES", "elk.layered.feedbackEdges": "true",
      "elk.separateConnectedComponents": "true",
      "elk.layered.nodePlacement.strategy": nodes.length > FEW ? "BRANDES_KOEPF" : "NETWORK_SIMPLEX",
      "elk.layered.thoroughness": nodes.length > FEW ? "2" : "7",
    },
    children: nodes.map((node) => ({
      id: node.id, ...sizeOf(node), layoutOptions: { "elk.portConstraints": "FIXED_POS" },
      ports: Object.entries(portsOf(node)).map(([point, [x, y]]) => ({
        id: portId(node.id, point), x, y, width: 0, height: 0, layoutOptions: { "elk.port.side": y > 0 ? "SOUTH" : "NORTH" },
      })),
    })),
    edges: edges.filter(({ a, b }) => known.has(a) && known.has(b)).map((edge) => {
      const label = labelOf(edge);
      return {
        id: edge.id, sources: [end(edge.a, edge.at[0])], targets: [end(edge.b, edge.at[1])],
        labels: label ? [{ id: `${edge.id}.label`, text: " ", ...label, layoutOptions: INLINE }] : [],
        layoutOptions: { "elk.layered.priority.direction": edge.kind === "joints" ? "10" : "0" },
      };
    }),
  };
};

const xy = ({ x, y }: ElkPoint): [number, number] => [x, y];
/** Where an edge ends on a node: at its point, or at the middle of its lower or upper side. */
const endAt = (placed: PlacedNode, point: string, other: PlacedNode): [number, number] => {
  const port = placed.ports[point];
  if (port) return [placed.x + port[0], placed.y + port[1]];
  return [placed.x + placed.width / 2, placed.y + (other.y > placed.y ? placed.height : 0)];
};
/** A curve between two nodes, one of which was moved by hand, as the corners of a polyline. */
export const freeRoute = (edge: DiagramEdge, a: PlacedNode, b: PlacedNode): [number, number][] => {
  const from = endAt(a, edge.at[0], b), to = endAt(b, edge.at[1], a), middle = (from[1] + to[1]) / 2;
  const down = (end: [number, number], node: PlacedNode) => (end[1] > node.y + node.height / 2 ? 1 : -1);
  const out = 16 * down(from, a), into = 16 * down(to, b);
  if (out > 0 && into < 0 && to[1] > from[1] + 30) return [from, [from[0], middle], [to[0], middle], to];
  const low = out > 0 && into > 0 ? Math.max(from[1], to[1]) + 20 : middle;
  if (out > 0 && into > 0) return [from, [from[0], low], [to[0], low], to];
  return [from, [from[0], from[1] + out], [to[0], to[1] + into], to];
};
const middleOf = (points: [number, number][], size: { width: number; height: number }): Box => {
  const lengths = points.slice(1).map(([x, y], k) => Math.hypot(x - points[k][0], y - points[k][1]));
  let left = lengths.reduce((sum, one) => sum + one, 0) / 2, k = 0;
  while (k < lengths.length - 1 && left > lengths[k]) left -= lengths[k++];
  const share = lengths[k] ? left / lengths[k] : 0, [p, q] = [points[k], points[k + 1] ?? points[k]];
  const [x, y] = [p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])];
  return { x: x - size.width / 2, y: y - size.height / 2, ...size };
};
/** An edge between nodes as they are now. */
export const routed = (edge: DiagramEdge, nodes: Map<string, PlacedNode>): PlacedEdge => {
  const points = freeRoute(edge, nodes.get(edge.a)!, nodes.get(edge.b)!), size = labelOf(edge);
  return { edge, points, label: size ? middleOf(points, size) : null };
};

/** A plain tree in layers, for large diagrams: each body above its children, all in linear time. */
const treePlaced = (diagram: Diagram, at: Drawing["at"]): Placed => {
  const nodes = new Map<string, PlacedNode>(), children = new Map<string, string[]>(), above = new Map<string, DiagramEdge>();
  for (const edge of diagram.edges)
    if ((edge.kind === "joints" || edge.kind === "mark" || edge.kind === "pipe") && edge.a !== edge.b && !above.has(edge.b)) {
      let up: string | undefined = edge.a;
      while (up !== undefined && up !== edge.b) up = above.get(up)?.a; // what carries itself is not a tree
      if (up === edge.b) continue;
      above.set(edge.b, edge);
      children.set(edge.a, [...(children.get(edge.a) ?? []), edge.b]);
    }
  const known = new Map(diagram.nodes.map((node) => [node.id, node])), layer = HEIGHT + SYMBOL + 2 * SPACING;
  const stack = diagram.nodes.filter(({ id }) => !above.has(id)).map(({ id }) => ({ id, depth: 0, opened: false })).reverse();
  let right = 0;
  const edgeOf: number[] = []; // the right end of each layer
  /** Puts a subtree further to the right. */
  const shift = (id: string, by: number) => {
    const open = [id];
    while (open.length) {
      const one = nodes.get(open.pop()!)!, depth = Math.round(one.y / layer), edge = above.get(one.node.id);
      one.x += by;
      const wide = Math.max(one.width, (edge && labelOf(edge)?.width) || 0);
      edgeOf[depth] = Math.max(edgeOf[depth] ?? -Infinity, one.x + (one.width + wide) / 2);
      right = Math.max(right, edgeOf[depth] + GAP);
      if (by > 0) open.push(...(children.get(one.node.id) ?? []).filter((child) => known.has(child)));
    }
  };
  while (stack.length) {
    const top = stack[stack.length - 1], below = (children.get(top.id) ?? []).filter((id) => known.has(id));
    if (!top.opened && below.length) {
      top.opened = true;
      for (const id of [...below].reverse()) stack.push({ id, depth: top.depth + 1, opened: false });
      continue;
    }
    stack.pop();
    const node = known.get(top.id)!, size = sizeOf(node), edge = above.get(top.id);
    const wide = Math.max(size.width, (edge && labelOf(edge)?.width) || 0), spans = below.map((id) => nodes.get(id)!);
    const middle = spans.length ? (spans[0].x + spans[spans.length - 1].x + spans[spans.length - 1].width) / 2 : right + wide / 2;
    const x = Math.max(middle - size.width / 2, spans.length ? -Infinity : right + (wide - size.width) / 2);
    nodes.set(top.id, { node, ports: portsOf(node), x, y: top.depth * layer, ...size });
    const free = (edgeOf[top.depth] ?? -Infinity) + GAP; // a wide body above narrow ones must not reach into its neighbour
    shift(top.id, Math.max(free - (x - (wide - size.width) / 2), 0));
  }
  for (const one of nodes.values()) [one.x, one.y] = at[one.node.name] ?? [one.x, one.y];
  const edges = diagram.edges.filter(({ a, b }) => nodes.has(a) && nodes.has(b)).map((edge): PlacedEdge => {
    const child = nodes.get(edge.b)!, size = edge.kind === "joints" ? labelOf(edge) : null;
    const label = size ? { x: child.x + child.width / 2 - size.width / 2, y: child.y - size.height - 10, ...size } : null;
    return { edge, points: freeRoute(edge, nodes.get(edge.a)!, child), label };
  });
  return { nodes, edges };
};

type Layout = (graph: ElkNode) => Promise<ElkNode>;
/** Layouts in a worker, so that the page goes on meanwhile; without one, in the page itself. */
const makeLayout = (): Layout => {
  let own: Promise<InstanceType<typeof ELK>> | null = null;
  const here: Layout = async (graph) => {
    own ??= import("elkjs/lib/elk-worker.min.js").then(({ default: { Worker: Own } }) =>
      new ELK({ workerFactory: () => new Own() }));
    return (await own).layout(graph);
  };
  if (!OWN_SCRIPT || typeof Worker === "undefined") return here;
  let broken = false;
  const worker = new Worker(OWN_SCRIPT), failed = new Promise<never>((_, reject) => {
    worker.addEventListener("error", () => { broken = true; reject(new Error("no worker")); });
  });
  failed.catch(() => undefined);
  const elk = new ELK({ workerFactory: () => worker });
  return (graph) => (broken ? here(graph) : Promise.race([elk.layout(graph), failed]).catch(() => here(graph)));
};
let layout: Layout | null = null;
let kept: { key: string; laid: Promise<ElkNode> } | null = null; // an edit of a number leaves the layout as it is
const laidOut = (graph: ElkNode) => {
  const key = JSON.stringify(graph);
  layout ??= makeLayout();
  if (kept?.key !== key) kept = { key, laid: layout(graph) };
  return kept.laid;
};
/** Places everything; elements that a person has moved are where they were put. */
export const placed = async (diagram: Diagram, at: Drawing["at"] = {}): Promise<Placed> => {
  if (diagram.nodes.length > MANY) return treePlaced(diagram, at);
  const laid = await laidOut(graphOf(diagram)), nodes = new Map<string, PlacedNode>();
  for (const node of diagram.nodes) {
    const box = laid.children!.find(({ id }) => id === node.id)!, own = at[node.name];
    const [x, y] = own ?? [box.x ?? 0, box.y ?? 0];
    nodes.set(node.id, { node, ports: portsOf(node), x, y, width: box.width!, height: box.height! });
  }
  const made = new Map((laid.edges ?? []).map((edge) => [edge.id, edge as ElkExtendedEdge]));
  const edges = diagram.edges.filter(({ a, b }) => nodes.has(a) && nodes.has(b)).map((edge): PlacedEdge => {
    const section = made.get(edge.id)?.sections?.[0];
    if (!section || at[nodes.get(edge.a)!.node.name] || at[nodes.get(edge.b)!.node.name]) return routed(edge, nodes);
    const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint].map(xy);
    const label = made.get(edge.id)!.labels?.[0], size = labelOf(edge);
    return { edge, points, label: size && label ? { x: label.x!, y: label.y!, ...size } : null };
  });
  return { nodes, edges };
};

// -- figures of a layout -----------------------------------------------------------------------------------------------

const overlap = (p: Box, q: Box) =>
  p.x < q.x + q.width - 0.5 && q.x < p.x + p.width - 0.5 && p.y < q.y + q.height - 0.5 && q.y < p.y + p.height - 0.5;
type Segment = [number, number, number, number];
const cross = ([ax, ay, bx, by]: Segment, [cx, cy, dx, dy]: Segment): boolean => {
  const side = (x: number, y: number, px: number, py: number, qx: number, qy: number) =>
    Math.sign((px - x) * (qy - y) - (py - y) * (qx - x));
  return side(ax, ay, bx, by, cx, cy) * side(ax, ay, bx, by, dx, dy) < 0
    && side(cx, cy, dx, dy, ax, ay) * side(cx, cy, dx, dy, bx, by) < 0;
};
/** Overlapping boxes (nodes and symbols on edges), crossings of edges, bends, and lines through boxes of others. */
export const layoutFigures = ({ nodes, edges }: Placed) => {
  const boxes: Box[] = [...nodes.values(), ...edges.flatMap(({ label }) => (label ? [label] : []))];
  let overlaps = 0, crossings = 0;
  boxes.forEach((p, k) => { for (const q of boxes.slice(k + 1)) if (overlap(p, q)) overlaps++; });
  const lines = edges.map(({ points }) => points.slice(1).map(([x, y], k): Segment => [...points[k], x, y]));
  lines.forEach((mine, k) => lines.slice(k + 1).forEach((others) => {
    for (const one of mine) for (const other of others) if (cross(one, other)) crossings++;
  }));
  return { overlaps, crossings, bends: edges.reduce((sum, { points }) => sum + points.length - 2, 0) };
};
