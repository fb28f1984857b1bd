// The diagram on the page: symbols in SVG that are dragged, selected and connected; zoom, minimap and rubber band.
import { byId, svg } from "../page/dom.ts";
import { boxOf, makeCulling } from "./culling.ts";
import { boundsOf, placed, PORT, routed, type Placed, type PlacedEdge, type PlacedNode } from "./layout.ts";
import { makeMinimap } from "./minimap.ts";
import { edgeSymbol, groundHatch, jointSymbol, nodeSign } from "./symbols.ts";
import type { Diagram, Drawing } from "./contract.ts";

const LONG = 14; // letters of a detail
const CLOSEST = 3, FARTHEST = 0.05, STARTS = 4; // zoom, and pixels after which a press is a drag
const SMALL = 0.4; // zoom below which texts and points cannot be read, and are not drawn
export interface Board {
  show(diagram: Diagram, drawing: Drawing): Promise<void>;
  select(ids: Iterable<string>, reveal?: boolean): void;
  mark(wrong: Map<string, string>): void;
  fit(): void;
  selected(): string[];
  placed(): Placed | null;
  /** The point of a node that is under a place of the page; "": its origin; null: nothing is there. */
  pointAt(x: number, y: number): { id: string; point: string } | null;
  onCanvas(x: number, y: number): [number, number];
  /** ms that the last layout and the last drawing took. */
  times(): { layout: number; drawing: number };
}
export interface BoardEvents {
  chosen(ids: string[]): void;
  moved(places: Record<string, [number, number]>): void;
  connected(from: { id: string; point: string }, to: { id: string; point: string }): void;
}
interface Drawn { node: PlacedNode; group: SVGElement }

const line = (points: [number, number][]) => points.map(([x, y], k) =>
  `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

export const makeBoard = (events: BoardEvents): Board => {
  const root = byId("drawing") as unknown as SVGSVGElement;
  const world = svg("g"), edgeLayer = svg("g"), groupLayer = svg("g"), nodeLayer = svg("g"), over = svg("g");
  world.append(groupLayer, edgeLayer, nodeLayer, over);
  root.append(world);
  let times = { layout: 0, drawing: 0 };
  let now: Placed | null = null, drawing: Drawing = { at: {}, notes: {}, groups: {} }, count = 0;
  let zoom = 1, left = 20, top = 20, fitted = false, steered = false, wrong = new Map<string, string>();
  const culling = makeCulling(), chosen = new Set<string>();
  const drawn = new Map<string, Drawn>(), lines = new Map<string, SVGElement>();

  // -- sight -------------------------------------------------------------------------------------------------------

  const look = () => {
    root.classList.toggle("far", zoom < SMALL);
    world.setAttribute("transform", `translate(${left} ${top}) scale(${zoom})`);
    const sight = { x: -left / zoom, y: -top / zoom, width: root.clientWidth / zoom, height: root.clientHeight / zoom };
    map.frame(sight);
    culling.look(sight);
  };
  const onCanvas = (x: number, y: number): [number, number] => {
    const box = root.getBoundingClientRect();
    return [(x - box.left - left) / zoom, (y - box.top - top) / zoom];
  };
  const bounds = () => boundsOf(now);
  const fit = () => {
    const { x, y, width, height } = bounds(), wide = root.clientWidth || 600, tall = root.clientHeight || 400;
    zoom = Math.min(Math.max(Math.min((wide - 40) / width, (tall - 40) / height), FARTHEST), 1.2);
    left = (wide - zoom * width) / 2 - zoom * x;
    top = (tall - zoom * height) / 2 - zoom * y;
    look();
  };
  const outOfSight = () => {
    const { x, y, width, height } = bounds();
    return left + zoom * x < 0 || top + zoom * y < 0 || left + zoom * (x + width) > root.clientWidth
      || top + zoom * (y + height) > root.clientHeight;
  };
  const zoomAt = (by: number, x: number, y: number) => {
    steered = true;
    const box = root.getBoundingClientRect(), factor = Math.min(Math.max(zoom * by, FARTHEST), CLOSEST) / zoom;
    [left, top] = [(x - box.left) * (1 - factor) + left * factor, (y - box.top) * (1 - factor) + top * factor];
    zoom *= factor;
    look();
  };
  const map = makeMinimap(byId("minimap") as unknown as SVGSVGElement, (x, y) => {
    [left, top] = [root.clientWidth / 2 - zoom * x, root.clientHeight / 2 - zoom * y];
    look();
  });
  const showMap = () => map.show(bounds(), now ? [...now.nodes.values()] : []);

  // -- symbols -----------------------------------------------------------------------------------------------------

  const dress = (group: SVGElement, id: string, kind: string) => {
    const bad = wrong.get(id);
    group.setAttribute("class", `${kind}${chosen.has(id) ? " chosen" : ""}${bad ? ` ${bad}` : ""}`);
  };
  const drawNode = (one: PlacedNode): SVGElement => {
    const { node, width, height, ports } = one, body = node.kind === "body" || node.kind === "ground";
    const name = svg("text", { x: body ? width / 2 : width / 2 + 9, y: body && !node.detail
      ? height / 2 + 5 : height / 2 + (body ? 0 : 5), "text-anchor": "middle" });
    name.textContent = node.name;
    const note = drawing.notes[node.name], title = svg("title");
    title.textContent = note ? `${node.name}: ${note}` : node.name;
    const detail = svg("text", { x: width / 2, y: height / 2 + 14, "text-anchor": "middle", class: "detail" });
    detail.textContent = !body ? "" : node.detail.length > LONG ? `${node.detail.slice(0, LONG - 1)}…` : node.detail;
    const marks = Object.entries(ports).map(([point, [x, y]]) => {
      const mark = svg("circle", { cx: x, cy: y, r: PORT - 1, class: "port", "data-point": point }), about = svg("title");
      about.textContent = `${node.name}.${point}`;
      mark.append(about);
      return mark;
    });
    const made = svg("g", { "data-id": node.id, transform: `translate(${one.x} ${one.y})`, tabindex: -1 },
      ...(node.kind === "ground" ? [groundHatch(width, height)] : []),
      svg("rect", { width, height, rx: body ? 6 : 14 }), title, ...(body ? [] : [nodeSign(node.kind)]), name, detail,
      ...(note ? [svg("circle", { cx: width - 7, cy: 7, r: 3.5, class: "noted" })] : []), ...marks);
    dress(made, node.id, `node ${node.kind}`);
    return made;
  };
  const drawEdge = ({ edge, points, label }: PlacedEdge): SVGElement => {
    const d = line(points), parts: SVGElement[] = [svg("path", { d, class: "wide" }), svg("path", { d, class: "line" })];
    if (label && edge.kind === "joints")
      edge.joints.forEach((joint, k) => parts.push(jointSymbol(joint,
        label.x + (k * label.width) / edge.joints.length, label.y)));
    else if (label) {
      const symbol = edgeSymbol(edge, label.width);
      symbol.setAttribute("transform", `translate(${label.x} ${label.y})`);
      parts.push(symbol);
    }
    const made = svg("g", { "data-id": edge.id }, ...parts);
    dress(made, edge.id, `edge ${edge.kind}`);
    return made;
  };
  const replaceEdge = (edge: PlacedEdge) => {
    const made = drawEdge(edge);
    lines.get(edge.edge.id)?.replaceWith(made);
    lines.set(edge.edge.id, made);
  };
  const drawGroups = () => {
    groupLayer.replaceChildren(...Object.entries(drawing.groups).flatMap(([title, members]) => {
      const inside = now ? [...now.nodes.values()].filter(({ node }) => members.includes(node.name)) : [];
      if (!inside.length) return [];
      const x = Math.min(...inside.map((one) => one.x)) - 14, y = Math.min(...inside.map((one) => one.y)) - 26;
      const right = Math.max(...inside.map((one) => one.x + one.width)) + 14, low = Math.max(...inside.map((one) =>
        one.y + one.height)) + 14;
      const name = svg("text", { x: x + 8, y: y + 15 });
      name.textContent = title;
      return [svg("g", { class: "group" }, svg("rect", { x, y, width: right - x, height: low - y, rx: 10 }), name)];
    }));
  };
  const draw = () => {
    if (!now) return;
    drawn.clear();
    lines.clear();
    const nodes = [...now.nodes.values()].map((node) => {
      const group = drawNode(node);
      drawn.set(node.node.id, { node, group });
      return group;
    });
    edgeLayer.replaceChildren(...now.edges.map((edge) => {
      const group = drawEdge(edge);
      lines.set(edge.edge.id, group);
      return group;
    }));
    nodeLayer.replaceChildren(...nodes);
    culling.keep([...[...drawn.values()].map(({ node, group }) => ({ box: () => node, group })),
      ...now.edges.map(({ edge, points }) => ({ box: () => boxOf(points), group: lines.get(edge.id)! }))]);
    look();
    drawGroups();
    showMap();
  };
  /** Dresses some symbols again, or all. */
  const redress = (only?: Set<string>) => {
    for (const [id, { node, group }] of drawn) if (!only || only.has(id)) dress(group, id, `node ${node.node.kind}`);
    for (const { edge } of now?.edges ?? []) {
      const group = only && !only.has(edge.id) ? null : lines.get(edge.id);
      if (group) dress(group, edge.id, `edge ${edge.kind}`);
    }
  };
  const select = (ids: Iterable<string>, reveal = false) => {
    const next = new Set(ids), changed = new Set([...chosen, ...next].filter((id) => chosen.has(id) !== next.has(id)));
    chosen.clear();
    for (const id of next) chosen.add(id);
    if (changed.size) redress(changed);
    const first = drawn.get([...chosen][0])?.node;
    if (!reveal || !first) return;
    const [x, y] = [left + zoom * first.x, top + zoom * first.y];
    if (x < 0 || y < 0 || x > root.clientWidth - 40 || y > root.clientHeight - 30) {
      [left, top] = [root.clientWidth / 2 - zoom * first.x, root.clientHeight / 2 - zoom * first.y];
      look();
    }
  };

  // -- pointers ----------------------------------------------------------------------------------------------------

  const idOf = (target: EventTarget | null) =>
    (target as Element | null)?.closest?.("[data-id]")?.getAttribute("data-id") ?? null;
  const pointAt = (x: number, y: number) => {
    const found = document.elementFromPoint(x, y), id = idOf(found);
    if (!id || !drawn.has(id)) return null;
    return { id, point: found?.getAttribute("data-point") ?? "" };
  };
  type Drag = { kind: "pan" | "move" | "wire" | "band"; x: number; y: number; began: boolean; id?: string; point?: string;
    free?: Set<string> };
  const fingers = new Map<number, { x: number; y: number }>();
  let drag: Drag | null = null;
  root.onpointerdown = (event) => {
    root.focus({ preventScroll: true });
    root.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size > 1) { drag = null; return; }
    const id = idOf(event.target), point = (event.target as Element).getAttribute("data-point");
    const more = event.shiftKey || event.ctrlKey || event.metaKey;
    const base = { x: event.clientX, y: event.clientY, began: false };
    if (id && point !== null) drag = { ...base, kind: "wire", id, point };
    else if (id) {
      if (!chosen.has(id) || more) {
        select(more ? (chosen.has(id) ? [...chosen].filter((one) => one !== id) : [...chosen, id]) : [id]);
        events.chosen([...chosen]);
      }
      drag = drawn.has(id) ? { ...base, kind: "move", id } : null;
    } else drag = { ...base, kind: event.shiftKey ? "band" : "pan" };
  };
  const moveChosen = (dx: number, dy: number) => {
    const free = new Set([...chosen].filter((id) => drawn.has(id)));
    for (const id of free) {
      const { node, group } = drawn.get(id)!;
      [node.x, node.y] = [node.x + dx, node.y + dy];
      group.setAttribute("transform", `translate(${node.x} ${node.y})`);
    }
    now!.edges = now!.edges.map((one) => {
      if (!free.has(one.edge.a) && !free.has(one.edge.b)) return one;
      const made = routed(one.edge, now!.nodes);
      replaceEdge(made);
      return made;
    });
    drawGroups();
  };
  let ahead: [number, number] | null = null; // a move of the next picture: a mouse sends more moves than pictures are drawn
  const catchUp = () => {
    if (ahead) moveChosen(...ahead);
    ahead = null;
  };
  const moveSoon = (dx: number, dy: number) => {
    if (!ahead) requestAnimationFrame(catchUp);
    ahead = [(ahead?.[0] ?? 0) + dx, (ahead?.[1] ?? 0) + dy];
  };
  root.onpointermove = (event) => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    if (fingers.size === 2) {
      const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const before = Math.hypot(finger.x - other.x, finger.y - other.y), after = Math.hypot(event.clientX - other.x,
        event.clientY - other.y);
      zoomAt(after / Math.max(before, 1), (event.clientX + other.x) / 2, (event.clientY + other.y) / 2);
    }
    const dx = event.clientX - finger.x, dy = event.clientY - finger.y;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (!drag) return;
    if (!drag.began && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < STARTS) {
      fingers.set(event.pointerId, finger);
      return;
    }
    drag.began = true;
    const from = onCanvas(drag.x, drag.y), to = onCanvas(event.clientX, event.clientY);
    if (drag.kind === "pan") { steered = true; [left, top] = [left + dx, top + dy]; look(); }
    else if (drag.kind === "move") moveSoon(dx / zoom, dy / zoom);
    else if (drag.kind === "wire") over.replaceChildren(svg("path", { d: line([from, to]), class: "wire" }));
    else over.replaceChildren(svg("rect", {
      x: Math.min(from[0], to[0]), y: Math.min(from[1], to[1]), width: Math.abs(to[0] - from[0]),
        height: Math.abs(to[1] - from[1]), class: "band",
    }));
  };
  const end = (event: PointerEvent) => {
    fingers.delete(event.pointerId);
    const done = drag;
    drag = null;
    over.replaceChildren();
    if (!done) return;
    if (done.kind === "wire" && done.began) {
      const to = pointAt(event.clientX, event.clientY);
      if (to && to.id !== done.id) events.connected({ id: done.id!, point: done.point! }, to);
    } else if (done.kind === "wire") { select([done.id!]); events.chosen([...chosen]); }
    else if (done.kind === "move" && done.began) {
      catchUp();
      const places = [...chosen].flatMap((id) => (drawn.has(id) ? [drawn.get(id)!.node] : []));
      events.moved(Object.fromEntries(places.map(({ node, x, y }) => [node.name, [Math.round(x), Math.round(y)]])));
      showMap();
    } else if (done.kind === "band" && done.began) {
      const [p, q] = [onCanvas(done.x, done.y), onCanvas(event.clientX, event.clientY)];
      const [x, y, right, low] = [Math.min(p[0], q[0]), Math.min(p[1], q[1]), Math.max(p[0], q[0]), Math.max(p[1], q[1])];
      select([...drawn.values()].filter(({ node: n }) => n.x < right && n.x + n.width > x && n.y < low
        && n.y + n.height > y).map(({ node }) => node.node.id));
      events.chosen([...chosen]);
    } else if (done.kind === "pan" && !done.began) { select([]); events.chosen([]); }
  };
  root.onpointerup = end;
  root.onpointercancel = end;
  root.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomAt(Math.exp(-Math.max(-200, Math.min(200, event.deltaY * (event.deltaMode ? 30 : 1))) * 0.0015), event.clientX,
      event.clientY);
  }, { passive: false });
  root.ondblclick = (event) => { if (!idOf(event.target)) fit(); };
  new ResizeObserver(() => { if (now && !fitted && root.clientWidth) { fitted = true; fit(); } else look(); }).observe(root);

  return {
    show: async (diagram, given) => {
      const mine = ++count, start = performance.now(), made = await placed(diagram, given.at);
      if (mine !== count) return; // a newer one is under way
      const first = now === null, laid = performance.now();
      [now, drawing] = [made, given];
      for (const id of chosen) if (!made.nodes.has(id) && !made.edges.some(({ edge }) => edge.id === id)) chosen.delete(id);
      draw();
      times = { layout: laid - start, drawing: performance.now() - laid };
      if (!first && !steered && outOfSight()) fit();
      if (first) { fitted = root.clientWidth > 0; fit(); }
    },
    select, fit: () => { steered = false; fit(); }, selected: () => [...chosen], placed: () => now, pointAt, onCanvas,
    times: () => times,
    mark: (given) => { wrong = given; redress(); },
  };
};
