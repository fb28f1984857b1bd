// Rigid bodies in space: shapes on frames and between them, a floor with shadows, scenery, names; it needs nothing else.
const makeView = (data, canvas, words) => { // null where the browser cannot
  const { dot, cross, minus, plus, times, unit, product, columns, column, moved, inverse, turning } = space;
  const painter = makePainter(canvas);
  if (!painter) return null;
  const { camera, rides = [] } = data;
  const frameMatrix = Array.from({ length: data.bodies }, () => turning([1, 0, 0, 0], [0, 0, 0]));
  const put = (b, position, quaternion) => turning(quaternion, position, frameMatrix[b]);
  const first = decoded(data.poses.slice(0, 16 * Math.ceil((7 * data.bodies) / 3)), Float32Array);
  frameMatrix.forEach((_, b) => put(b, first.subarray(7 * b, 7 * b + 3), first.subarray(7 * b + 3, 7 * b + 7)));
  const eye = makeEye(camera, rides, canvas, frameMatrix);
  const shown = { labels: false, axes: false, mass: true, inertia: false, sharpness: 1 };
  for (const role of data.hidden || []) shown[role] = false;
  const dark = matchMedia("(prefers-color-scheme: dark)");

  // -- shapes ----------------------------------------------------------------------------------------------------

  const CELL = 30, HAZE = 120; // sizes of the motion: what scenery is divided into, and how far what stands is seen
  let labels, shapes, spans, everything;
  const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
  const bounds = ({ vertices }) => { // of a mesh: the least and the largest of each coordinate
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    vertices.forEach((x, i) => { low[i % 3] = Math.min(low[i % 3], x); high[i % 3] = Math.max(high[i % 3], x); });
    return [low, high];
  };
  const corners = (s) => { // of the box about a shape, on its frame
    const box = bounds(s.mesh);
    return Array.from({ length: 8 }, (_, k) => moved(s.local, [0, 1, 2].map((i) => box[(k >> i) & 1][i])));
  };
  const load = (given) => {
    const meshes = painter.load(given);
    labels = given.labels;
    shapes = given.parts.map(([mesh, frame, place, colour, role, opacity]) => {
      const local = columns(place.slice(0, 3), place.slice(3, 6), place.slice(6, 9), place.slice(9, 12));
      const size = Math.max(...[0, 1].map((k) => Math.hypot(...column(local, k)))); // lengths are along the third
      const seen = { colour: [...rgb(given.colours[colour]), opacity], place: new Float32Array(16) };
      return { mesh: meshes[mesh], frame, role, local, size, ...seen };
    });
    spans = given.spans.map(([mesh, a, b, from, to, radius, colour, role, across]) => ({
      mesh: meshes[mesh], a, b, from, to, role, across, size: radius, colour: [...rgb(given.colours[colour]), 1],
      place: new Float32Array(16),
    }));
    everything = [...shapes, ...spans];
    for (const s of everything) s.tint = painter.tinted(s.colour);
    for (const s of shapes) {
      const box = corners(s);
      s.centre = box.reduce((sum, p) => plus(sum, p, 1 / 8), [0, 0, 0]);
      s.radius = Math.hypot(...minus(box[0], s.centre));
    }
    stand();
    free();
  };
  const settle = () => { // places of all shapes, from those of the frames
    for (const s of shapes) {
      product(frameMatrix[s.frame], s.local, s.place);
      s.middle = moved(frameMatrix[s.frame], s.centre);
    }
    for (const s of spans) {
      const a = moved(frameMatrix[s.a], s.from), b = moved(frameMatrix[s.b], s.to);
      const z = minus(b, a), n = Math.hypot(...z) || 1e-9, side = column(frameMatrix[s.a], s.across);
      const x = unit(plus(side, z, -dot(side, z) / (n * n))), y = unit(cross(z, x));
      columns(times(s.size, x), times(s.size, y), z, a, s.place);
      s.middle = plus(a, z, 0.5);
      s.radius = 0.5 * n + s.size;
    }
  };
  let flat = null, tall = null, ends = []; // scenery: what lies on the floor, what stands on it, corners of it all
  const stand = () => {
    const given = shapes.filter(({ role }) => role === "scenery"), boxes = new Map();
    for (const s of given) {
      product(frameMatrix[0], s.local, s.place);
      boxes.set(s, corners(s).map((p) => moved(frameMatrix[0], p)));
    }
    const low = (s) => Math.max(...boxes.get(s).map((p) => p[2])) < camera.floor + 0.02 * camera.size;
    for (const old of [flat, tall]) if (old) painter.forget(old);
    flat = painter.bake(given.filter(low), Infinity); // in their order
    tall = painter.bake(given.filter((s) => !low(s)), CELL * camera.size);
    ends = [...boxes.values()].flat();
    shapes = shapes.filter((s) => !boxes.has(s));
    everything = [...shapes, ...spans];
  };
  const reach = (from) => ends.reduce((far, p) => Math.max(far, Math.hypot(...minus(p, from))), 0); // of the scenery

  // -- seats -----------------------------------------------------------------------------------------------------

  const MARKS = new Set(["mass", "inertia", "axes", "point"]);
  const around = (s, p) => { // whether a place of its frame is in the box about a shape
    const own = inverse(s.local).map((row) => dot(row, minus(p, column(s.local, 3)))), [low, high] = bounds(s.mesh);
    return own.every((x, i) => x > low[i] - 1e-6 && x < high[i] + 1e-6);
  };
  const free = () => { // what is about the eye in a seat is not drawn
    const seat = eye.seat();
    for (const s of shapes) s.hidden = seat?.ride.frame === s.frame && (MARKS.has(s.role) || around(s, seat.ride.eye));
  };
  let choice = null; // the list of views
  const ride = (k) => {
    eye.ride(k);
    free();
    if (choice) choice.value = eye.seat() ? k : "";
  };

  // -- one picture -----------------------------------------------------------------------------------------------

  const SHADY = new Set(["body", "link"]); // what is small and sits on these need not darken the floor itself
  const TOLERANCE = painter.byProcessor ? 0.5 : 0.3; // pixels between a round shape and its triangles in a sharp picture
  const SHADOWS = 0.75; // sharpness above which there are any
  const SMALLEST = 2; // pixels of a mark that is drawn
  const coarse = (s, tolerance) => { // the coarsest mesh that cannot be told from a round one
    let { mesh } = s;
    while (mesh.coarser?.deviation * s.pixels < tolerance) mesh = mesh.coarser;
    return mesh;
  };
  const copies = (list, tolerance) =>
    list.map((s) => ({ mesh: coarse(s, tolerance), place: s.place, colour: s.colour, tint: s.tint }));
  const gathered = (list) => list.sort((a, b) => a.mesh.k - b.mesh.k);
  const resize = (sheet, ratio) => {
    const [w, h] = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(Math.round(x * ratio), 1));
    if (sheet.width !== w || sheet.height !== h) [sheet.width, sheet.height] = [w, h];
  };
  const sight = ({ from, right, up, away, near, slope }) => { // whether a ball is in the picture, or reaches into it
    const sides = [[right, slope * eye.aspect()], [up, slope]].map(([axis, s]) => [axis, s, Math.hypot(1, s)]);
    return ({ middle, radius }) => {
      const rest = minus(middle, from), depth = -dot(rest, away);
      return depth > near - radius && sides.every(([axis, s, n]) => Math.abs(dot(rest, axis)) < depth * s + radius * n);
    };
  };
  const draw = () => {
    const full = Math.min(devicePixelRatio || 1, 2);
    resize(canvas, full * shown.sharpness);
    resize(words, full);
    settle();
    const e = eye.now(reach), inSight = sight(e), above = e.from[2] > camera.floor;
    const grain = (2 * e.slope) / canvas.height; // m of a pixel at a distance of 1 m
    const haze = Math.min(e.far, HAZE * camera.size);
    const near = ({ middle, radius }) => Math.hypot(...minus(middle, e.from)) < haze + radius;
    const depth = (s) => dot(minus(e.from, s.middle), e.away);
    const visible = everything.filter((s) => shown[s.role] !== false && !s.hidden && inSight(s));
    for (const s of visible) s.pixels = s.size / (grain * Math.max(depth(s) - s.radius, e.near));
    const clear = visible.filter((s) => s.pixels > SMALLEST || (s.role !== "point" && s.role !== "mass"));
    const tolerance = TOLERANCE / shown.sharpness, casts = (s) => above && shown.sharpness > SHADOWS && SHADY.has(s.role);
    const lists = {
      flat: { stage: flat, cells: above ? flat.cells : [] },
      tall: { stage: tall, cells: tall.cells.filter((cell) => near(cell) && inSight(cell)) },
      shady: gathered(copies(visible.filter(casts), 3 * tolerance)),
      solids: gathered(copies(clear.filter((s) => s.colour[3] === 1), tolerance)),
      glass: copies(clear.filter((s) => s.colour[3] < 1).sort((a, b) => depth(b) - depth(a)), tolerance),
    };
    const floor = { height: camera.floor + 1e-3 * camera.size, centre: [e.target[0], e.target[1], camera.floor] };
    const grid = { reach: 3.2 * camera.size, step: camera.grid === false ? 0 : camera.step };
    painter.paint({ ...e, grain, haze }, lists, { ...floor, ...grid }, dark.matches);
    write(e.matrix, full);
  };

  // -- words -----------------------------------------------------------------------------------------------------

  const pen = words.getContext("2d");
  let inked = true; // since the last picture
  const ink = () => { inked = true; words.style.display = ""; return pen; };
  const onCanvas = (p, matrix = eye.now(reach).matrix) => { // pixels of a place, as `words` counts them
    const [x, y, w] = [0, 1, 3].map((i) => matrix[i] * p[0] + matrix[4 + i] * p[1] + matrix[8 + i] * p[2] + matrix[12 + i]);
    return w > 0 ? [((x / w + 1) / 2) * words.width, ((1 - y / w) / 2) * words.height] : null;
  };
  const write = (matrix, ratio) => { // names, with a halo
    if (inked) pen.clearRect(0, 0, words.width, words.height);
    words.style.display = inked ? "" : "none"; // an empty sheet would be laid over each picture
    inked = false;
    if (!shown.labels) return;
    ink();
    pen.font = `600 ${12.5 * ratio}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.lineJoin = "round";
    pen.lineWidth = 4 * ratio;
    pen.strokeStyle = dark.matches ? "#171b20cc" : "#ffffffd9";
    pen.fillStyle = dark.matches ? "#e8ecf0" : "#1e252c";
    for (const [text, frame, position] of labels) {
      const at = onCanvas(moved(frameMatrix[frame], position), matrix);
      if (!at) continue;
      pen.strokeText(text, at[0], at[1] - 9 * ratio);
      pen.fillText(text, at[0], at[1] - 9 * ratio);
    }
  };

  // -- switches ----------------------------------------------------------------------------------------------------

  const switches = (parent, refresh) => { // buttons for what may be shown or not, by key, and the list of views
    const names = { labels: "Labels", axes: "Axes", mass: "Masses", inertia: "Inertia", follow: "Follow" };
    const roles = new Set(everything.map((s) => s.role)), made = {};
    for (const [key, name] of Object.entries(names)) {
      if (key === "follow" ? !eye.view.follow : key !== "labels" && !roles.has(key)) continue;
      const button = document.createElement("button"), on = () => (key === "follow" ? eye.view.follow : shown[key]);
      button.className = "word";
      button.textContent = name;
      button.setAttribute("aria-pressed", on());
      button.onclick = () => {
        if (key === "follow") eye.follow(!on());
        else shown[key] = !on();
        button.setAttribute("aria-pressed", on());
        refresh();
      };
      made[key] = button;
      parent.append(button);
    }
    if (!rides.length) return made;
    choice = made.ride = document.createElement("select");
    choice.setAttribute("aria-label", "View from");
    choice.add(new Option("Outside", ""));
    rides.forEach(({ name }, k) => choice.add(new Option(name, k)));
    choice.onchange = () => { ride(choice.value === "" ? null : Number(choice.value)); choice.blur(); refresh(); };
    parent.prepend(choice);
    return made;
  };

  const onFrame = (frame, local) => moved(frameMatrix[frame], local);
  const handle = (refresh, take) => {
    eye.handle(refresh, take);
    dark.addEventListener("change", refresh);
  };
  load(data);
  return {
    put, draw, fit: eye.fit, ride, handle, switches, renew: load, onFrame, onCanvas, shown, get pen() { return ink(); },
    ...makePointer(canvas, eye, frameMatrix, () => shapes.filter(({ role }) => shown[role] !== false)),
    ...makePace(shown, painter.byProcessor),
  };
};
