// Shapes drawn with WebGL 2: solids, glass, what lies on the floor and its shadows, lines of a grid, scenery that fades.
const drawnByProcessor = () => { // there is no graphics card: smooth edges would take three times as long
  const gl = document.createElement("canvas").getContext("webgl2"), told = gl?.getExtension("WEBGL_debug_renderer_info");
  return Boolean(told) && /swiftshader|llvmpipe|software/i.test(gl.getParameter(told.UNMASKED_RENDERER_WEBGL));
};

const makePainter = (canvas) => { // null where the browser cannot
  const { minus, plus, product, times, unit } = space;
  const byProcessor = drawnByProcessor();
  const gl = canvas.getContext("webgl2", { antialias: !byProcessor, stencil: true, powerPreference: "high-performance" });
  if (!gl) return null;
  const LIGHT = unit([0.45, -0.5, 0.9]);

  // -- programs and buffers --------------------------------------------------------------------------------------

  const program = ([vertex, fragment]) => {
    const made = gl.createProgram(), places = {};
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, `#version 300 es\nprecision highp float;\n${text}`);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    ["position", "normal", "tint"].forEach((name, at) => gl.bindAttribLocation(made, at, name));
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
    for (let i = 0; i < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); i++) {
      const { name } = gl.getActiveUniform(made, i);
      places[name] = gl.getUniformLocation(made, name);
    }
    return { made, places };
  };
  const [solid, fading, shade, line] = ["solid", "fading", "shade", "line"].map((name) => program(SHADERS[name]));
  const use = ({ made, places }, values) => {
    gl.useProgram(made);
    for (const [name, x] of Object.entries(values)) {
      if (!places[name]) continue;
      if (x.length === 16) gl.uniformMatrix4fv(places[name], false, x);
      else if (x.length === 9) gl.uniformMatrix3fv(places[name], false, x);
      else if (x.length === 4) gl.uniform4fv(places[name], x);
      else if (x.length === 3) gl.uniform3fv(places[name], x);
      else gl.uniform1f(places[name], x);
    }
  };
  const buffer = (target, content) => {
    const made = gl.createBuffer();
    gl.bindBuffer(target, made);
    gl.bufferData(target, content, gl.STATIC_DRAW);
    return made;
  };
  const attribute = (at, size, kind, stride, offset) => {
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, kind, kind !== gl.FLOAT, stride, offset);
  };
  const forget = ({ array, buffers }) => {
    gl.deleteVertexArray(array);
    buffers.forEach((old) => gl.deleteBuffer(old));
  };

  let meshes = [];
  const load = (data) => { // meshes, each with the next coarser one; those from before are forgotten
    meshes.filter(({ array }) => array).forEach(forget);
    const vertices = decoded(data.vertices, Float32Array), normals = decoded(data.normals, Int8Array);
    const triangles = decoded(data.triangles, Uint32Array);
    meshes = data.meshes.map(([first, count, start, number], k) => ({
      k, deviation: data.coarser[k][1], vertices: vertices.subarray(3 * first, 3 * (first + count)),
      normals: normals.subarray(4 * first, 4 * (first + count)), triangles: triangles.subarray(3 * start, 3 * (start + number)),
    }));
    meshes.forEach((mesh, k) => { mesh.coarser = meshes[data.coarser[k][0]] ?? null; });
    return meshes;
  };

  // -- shapes ----------------------------------------------------------------------------------------------------

  // Each call takes as long as hundreds of triangles where there is no graphics card, and so does each copy of a mesh.
  // Small meshes are therefore moved here and drawn in one call; only what is large stays where it is.
  const LARGE = 500; // triangles
  const ROW = 7; // numbers of a corner: place, normal, colour in four bytes
  const laid = (array, corners, sequence) => { // how corners lie in their buffer
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, corners);
    attribute(0, 3, gl.FLOAT, 4 * ROW, 0);
    attribute(1, 3, gl.FLOAT, 4 * ROW, 12);
    attribute(2, 4, gl.UNSIGNED_BYTE, 4 * ROW, 24);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, sequence);
  };
  const batch = { array: gl.createVertexArray(), corners: gl.createBuffer(), order: gl.createBuffer() };
  laid(batch.array, batch.corners, batch.order);
  let rows = new Float32Array(0), bytes = new Uint32Array(0), order = new Uint32Array(0);

  const tinted = (colour) => new Uint32Array(Uint8Array.from(colour, (x) => Math.round(255 * x)).buffer)[0];
  const cofactors = (m) => [ // by which normals stay upright when a mesh is stretched
    m[5] * m[10] - m[6] * m[9], m[6] * m[8] - m[4] * m[10], m[4] * m[9] - m[5] * m[8],
    m[9] * m[2] - m[10] * m[1], m[10] * m[0] - m[8] * m[2], m[8] * m[1] - m[9] * m[0],
    m[1] * m[6] - m[2] * m[5], m[2] * m[4] - m[0] * m[6], m[0] * m[5] - m[1] * m[4],
  ];
  const moved = (list) => { // corners of all shapes, where they are
    const count = list.reduce((sum, { mesh }) => sum + mesh.vertices.length / 3, 0);
    if (rows.length < ROW * count) {
      rows = new Float32Array(2 * ROW * count);
      bytes = new Uint32Array(rows.buffer);
    }
    let k = 0;
    for (const { mesh: { vertices: v, normals: n }, place: m, tint } of list) {
      const [ax, ay, az, bx, by, bz, cx, cy, cz] = cofactors(m);
      for (let i = 0, j = 0; i < v.length; i += 3, j += 4, k += ROW) {
        const x = v[i], y = v[i + 1], z = v[i + 2], a = n[j], b = n[j + 1], c = n[j + 2];
        rows[k] = m[0] * x + m[4] * y + m[8] * z + m[12];
        rows[k + 1] = m[1] * x + m[5] * y + m[9] * z + m[13];
        rows[k + 2] = m[2] * x + m[6] * y + m[10] * z + m[14];
        rows[k + 3] = ax * a + bx * b + cx * c;
        rows[k + 4] = ay * a + by * b + cy * c;
        rows[k + 5] = az * a + bz * b + cz * c;
        bytes[k + 6] = tint;
      }
    }
    return rows.subarray(0, k);
  };
  const ordered = (list) => { // triangles of all shapes, by the numbers of those corners
    const count = list.reduce((sum, { mesh }) => sum + mesh.triangles.length, 0);
    if (order.length < count) order = new Uint32Array(2 * count);
    let k = 0, first = 0;
    for (const { mesh: { vertices, triangles } } of list) {
      for (let t = 0; t < triangles.length; t++) order[k++] = triangles[t] + first;
      first += vertices.length / 3;
    }
    return order.subarray(0, k);
  };
  const together = (list) => {
    const triangles = ordered(list);
    gl.bindVertexArray(batch.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, batch.corners);
    gl.bufferData(gl.ARRAY_BUFFER, moved(list), gl.STREAM_DRAW);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STREAM_DRAW);
    gl.drawElements(gl.TRIANGLES, triangles.length, gl.UNSIGNED_INT, 0);
  };
  const alone = ({ mesh, colour }) => {
    if (!mesh.array) {
      gl.bindVertexArray((mesh.array = gl.createVertexArray()));
      mesh.buffers = [buffer(gl.ARRAY_BUFFER, mesh.vertices)];
      attribute(0, 3, gl.FLOAT, 0, 0);
      mesh.buffers.push(buffer(gl.ARRAY_BUFFER, mesh.normals));
      attribute(1, 3, gl.BYTE, 4, 0);
      mesh.buffers.push(buffer(gl.ELEMENT_ARRAY_BUFFER, mesh.triangles));
    }
    gl.bindVertexArray(mesh.array);
    gl.vertexAttrib4fv(2, colour);
    gl.drawElements(gl.TRIANGLES, mesh.triangles.length, gl.UNSIGNED_INT, 0);
  };
  const HERE = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const shapes = (how, values, list) => { // in their order
    const large = ({ mesh }) => mesh.triangles.length > 3 * LARGE;
    for (let k = 0, n; k < list.length; k += n) {
      for (n = 1; !large(list[k]) && k + n < list.length && !large(list[k + n]); ) n++;
      const { place } = list[k];
      if (large(list[k])) {
        use(how, { ...values, view: product(values.view, place), upright: cofactors(place) });
        alone(list[k]);
      } else {
        use(how, { ...values, upright: HERE });
        together(list.slice(k, k + n));
      }
    }
  };

  // -- scenery and grid ------------------------------------------------------------------------------------------

  // What stays where it is: its triangles in cells so large (m), of which those in sight are drawn.
  const bake = (list, size) => {
    const triangles = ordered(list), corners = moved(list), found = new Map();
    const at = (number) => corners.subarray(ROW * number, ROW * number + 3);
    for (let t = 0; t < triangles.length; t += 3) {
      const [x, y] = [0, 1].map((i) => Math.floor(at(triangles[t])[i] / size)), key = `${x} ${y}`;
      if (!found.has(key)) found.set(key, { x, y, numbers: [] });
      found.get(key).numbers.push(...triangles.subarray(t, t + 3));
    }
    const sorted = [...found.values()].sort((a, b) => a.x - b.x || a.y - b.y);
    let first = 0;
    const cells = sorted.map(({ numbers }) => {
      const [low, high] = [Math.min, Math.max].map((end) =>
        [0, 1, 2].map((i) => numbers.reduce((x, n) => end(x, at(n)[i]), at(numbers[0])[i])));
      first += numbers.length;
      const middle = times(0.5, plus(low, high)), radius = 0.5 * Math.hypot(...minus(high, low));
      return { first: first - numbers.length, count: numbers.length, middle, radius };
    });
    gl.bindVertexArray(null);
    const buffers = [
      buffer(gl.ARRAY_BUFFER, corners),
      buffer(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(sorted.flatMap(({ numbers }) => numbers))),
    ];
    const array = gl.createVertexArray();
    laid(array, ...buffers);
    return { array, buffers, cells };
  };
  const stand = (values, { array }, cells) => { // cells that follow each other at once
    if (!cells.length) return;
    use(fading, values);
    gl.bindVertexArray(array);
    for (let k = 0, n; k < cells.length; k += n) {
      let end = cells[k].first + cells[k].count;
      for (n = 1; cells[k + n]?.first === end; n++) end += cells[k + n].count;
      gl.drawElements(gl.TRIANGLES, end - cells[k].first, gl.UNSIGNED_INT, 4 * cells[k].first);
    }
  };
  const LINES = 39; // of each direction
  const lines = gl.createVertexArray(), strip = [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]];
  gl.bindVertexArray(lines);
  const numbered = Array.from({ length: 2 * LINES }, (_, k) => strip.flatMap((at) => [...at, k]));
  buffer(gl.ARRAY_BUFFER, new Float32Array(numbered.flat()));
  attribute(0, 3, gl.FLOAT, 0, 0);
  const rule = (values, { reach, step }) => {
    const count = Math.min(2 * Math.ceil(reach / step) + 1, LINES);
    use(line, { ...values, reach, step, count });
    gl.bindVertexArray(lines);
    gl.drawArrays(gl.TRIANGLES, 0, 12 * count);
  };

  // -- one picture -----------------------------------------------------------------------------------------------

  const fallen = (floor) => new Float32Array([ // onto the floor, along the light
    1, 0, 0, 0, 0, 1, 0, 0, -LIGHT[0] / LIGHT[2], -LIGHT[1] / LIGHT[2], 0, 0,
    (LIGHT[0] / LIGHT[2]) * floor, (LIGHT[1] / LIGHT[2]) * floor, floor, 1,
  ]);
  // What lies flat needs no depth: all else is above it. far, haze: how far what lies and what stands is seen.
  const paint = ({ matrix: view, from: eye, away, far, haze, grain }, { flat, shady, tall, solids, glass }, floor, dark) => {
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.disable(gl.CULL_FACE);
    gl.depthMask(false);
    const light = { view, light: LIGHT, away, halfway: unit(plus(LIGHT, away)) };
    stand({ ...light, eye, reach: far }, flat.stage, flat.cells);
    if (shady.length) {
      gl.enable(gl.CULL_FACE); // the side in the light is enough
      gl.enable(gl.STENCIL_TEST); // each place of the floor darkens once
      gl.stencilFunc(gl.EQUAL, 0, 255);
      gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
      shapes(shade, { view: product(view, fallen(floor.height)), colour: [0, 0, 0, dark ? 0.35 : 0.1] }, shady);
      gl.disable(gl.STENCIL_TEST);
      gl.disable(gl.CULL_FACE);
    }
    const colour = dark ? [0.75, 0.8, 0.85, 0.4] : [0.25, 0.3, 0.36, 0.42];
    if (floor.step) rule({ view, eye, colour, centre: floor.centre, thick: 1.1 * grain }, floor);
    gl.depthMask(true);
    stand({ ...light, eye, reach: haze }, tall.stage, tall.cells);
    gl.enable(gl.CULL_FACE);
    shapes(solid, light, solids);
    gl.depthMask(false);
    shapes(solid, light, glass);
    gl.depthMask(true);
  };
  return { load, bake, forget, tinted, paint, byProcessor };
};
