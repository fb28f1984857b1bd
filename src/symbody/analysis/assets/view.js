"use strict";
// Rigid bodies drawn with WebGL 2: shapes on frames and between them, a floor with shadows, names; it needs nothing else.
const decoded = (text, Kind) => { // numbers that came as base64
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Kind(bytes.buffer);
};
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

const drawnByProcessor = () => { // there is no graphics card: smooth edges would take three times as long
  const gl = document.createElement("canvas").getContext("webgl2"), told = gl?.getExtension("WEBGL_debug_renderer_info");
  return Boolean(told) && /swiftshader|llvmpipe|software/i.test(gl.getParameter(told.UNMASKED_RENDERER_WEBGL));
};

const makeView = (data, canvas, words) => { // null where the browser cannot
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const plus = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
  const unit = (a) => { const n = Math.hypot(...a) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };

  // Matrices have 4 columns of 4, as WebGL wants them.
  const product = (a, b, out = new Float32Array(16)) => {
    for (let j = 0; j < 4; j++)
      for (let i = 0; i < 4; i++)
        out[4 * j + i] = a[i] * b[4 * j] + a[4 + i] * b[4 * j + 1] + a[8 + i] * b[4 * j + 2] + a[12 + i] * b[4 * j + 3];
    return out;
  };
  const columns = (x, y, z, p, out = new Float32Array(16)) => {
    out.set(x, 0); out.set(y, 4); out.set(z, 8); out.set(p, 12);
    out[3] = out[7] = out[11] = 0; out[15] = 1;
    return out;
  };
  const moved = (m, p) => [0, 1, 2].map((i) => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i]);

  // -- frames ----------------------------------------------------------------------------------------------------

  const { bodies } = data;
  const frameMatrix = Array.from({ length: bodies }, () => columns([1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]));
  const put = (b, position, [w, x, y, z]) => { // a frame at a position, turned by a quaternion of any length
    const n = Math.hypot(w, x, y, z) || 1;
    w /= n; x /= n; y /= n; z /= n;
    columns(
      [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
      [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
      [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
      position, frameMatrix[b],
    );
  };
  const middle = () => { // of the bodies, which the camera may follow
    let sum = [0, 0, 0];
    for (let b = 1; b < bodies; b++) sum = plus(sum, frameMatrix[b].subarray(12, 15));
    return sum.map((x) => x / Math.max(bodies - 1, 1));
  };

  // -- drawing ---------------------------------------------------------------------------------------------------

  const gl = canvas.getContext("webgl2", { antialias: !drawnByProcessor(), stencil: true });
  if (!gl) return null;
  const program = (vertex, fragment) => {
    const made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, `#version 300 es\nprecision highp float;\n${text}`);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    for (const [at, name] of [[0, "position"], [1, "normal"], [2, "place"], [6, "tint"]]) gl.bindAttribLocation(made, at, name);
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
    const places = {};
    const count = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS);
    for (let i = 0; i < count; i++) {
      const { name } = gl.getActiveUniform(made, i);
      places[name] = gl.getUniformLocation(made, name);
    }
    return { made, places };
  };

  const solid = program(
    `in vec3 position, normal;
     in mat4 place;
     in vec4 tint;
     uniform mat4 view;
     out vec3 n, p;
     flat out vec4 colour;
     void main() {
       colour = tint;
       mat3 m = mat3(place);
       n = mat3(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])) * normal; // stays upright when stretched
       vec4 world = place * vec4(position, 1.0);
       p = world.xyz;
       gl_Position = view * world;
     }`,
    `in vec3 n, p;
     flat in vec4 colour;
     uniform vec3 eye, light;
     out vec4 seen;
     void main() {
       vec3 normal = normalize(n), away = normalize(eye - p);
       float sun = 0.5 + 0.5 * dot(normal, light), sky = 0.5 + 0.5 * normal.z, lamp = max(dot(normal, away), 0.0);
       float gloss = pow(max(dot(normal, normalize(light + away)), 0.0), 48.0);
       vec3 lit = colour.rgb * (0.22 + 0.52 * sun * sun + 0.16 * sky + 0.24 * lamp) + 0.16 * gloss;
       seen = vec4(lit, colour.a < 1.0 ? mix(colour.a, 0.8, pow(1.0 - lamp, 3.0)) : 1.0); // glass is denser at its rim
     }`,
  );
  const shade = program(
    `in vec3 position;
     in mat4 place;
     uniform mat4 view; // of what lies on the floor
     void main() { gl_Position = view * (place * vec4(position, 1.0)); }`,
    `uniform vec4 colour;
     out vec4 seen;
     void main() { seen = colour; }`,
  );
  const grid = program(
    `in vec3 position;
     uniform mat4 view;
     uniform vec3 centre;
     uniform float reach;
     out vec2 p;
     void main() { p = position.xy * reach + centre.xy; gl_Position = view * vec4(p, centre.z, 1.0); }`,
    `in vec2 p;
     uniform vec3 centre;
     uniform float reach, step;
     uniform vec4 colour;
     out vec4 seen;
     float lines(float size) {
       vec2 a = p / size, w = fwidth(a) * 1.1;
       vec2 near = abs(fract(a - 0.5) - 0.5);
       vec2 on = (1.0 - smoothstep(vec2(0.0), w, near)) * (1.0 - smoothstep(0.2, 0.6, w));
       return max(on.x, on.y);
     }
     void main() {
       float fade = 1.0 - smoothstep(0.35, 1.0, length(p - centre.xy) / reach);
       seen = vec4(colour.rgb, colour.a * fade * max(0.45 * lines(step), lines(5.0 * step)));
       if (seen.a < 0.003) discard;
     }`,
  );

  const vertices = decoded(data.vertices, Float32Array), normals = decoded(data.normals, Int8Array);
  const triangles = decoded(data.triangles, Uint32Array);
  const COPY = 20; // numbers of a copy of a mesh: its place and its colour
  const copies = gl.createBuffer();
  const buffer = (target, content) => {
    gl.bindBuffer(target, gl.createBuffer());
    gl.bufferData(target, content, gl.STATIC_DRAW);
  };
  const meshes = data.meshes.map(([firstVertex, vertexCount, firstTriangle, triangleCount]) => {
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    buffer(gl.ARRAY_BUFFER, vertices.subarray(3 * firstVertex, 3 * (firstVertex + vertexCount)));
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    buffer(gl.ARRAY_BUFFER, normals.subarray(4 * firstVertex, 4 * (firstVertex + vertexCount)));
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 3, gl.BYTE, true, 4, 0);
    buffer(gl.ELEMENT_ARRAY_BUFFER, triangles.subarray(3 * firstTriangle, 3 * (firstTriangle + triangleCount)));
    for (let k = 2; k <= 6; k++) {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribDivisor(k, 1);
    }
    return { array, count: 3 * triangleCount };
  });
  const square = gl.createVertexArray();
  gl.bindVertexArray(square);
  buffer(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0]));
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);

  const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
  const shapes = data.parts.map(([mesh, frame, place, colour, role, opacity]) => ({
    mesh: meshes[mesh], table: data.meshes[mesh], frame, role, colour: [...rgb(data.colours[colour]), opacity],
    local: columns(place.slice(0, 3), place.slice(3, 6), place.slice(6, 9), place.slice(9, 12)),
    place: new Float32Array(16),
  }));
  const spans = data.spans.map(([mesh, a, b, from, to, radius, colour, role, across]) => ({
    mesh: meshes[mesh], a, b, from, to, radius, role, across, colour: [...rgb(data.colours[colour]), 1],
    place: new Float32Array(16),
  }));
  const everything = [...shapes, ...spans].sort((a, b) => meshes.indexOf(a.mesh) - meshes.indexOf(b.mesh));
  const numbers = new Float32Array(COPY * everything.length);

  const settle = () => { // places of all shapes, from those of the frames
    for (const s of shapes) product(frameMatrix[s.frame], s.local, s.place);
    for (const s of spans) {
      const a = moved(frameMatrix[s.a], s.from), b = moved(frameMatrix[s.b], s.to);
      const z = minus(b, a), n = Math.hypot(...z) || 1e-9;
      const side = frameMatrix[s.a].subarray(4 * s.across, 4 * s.across + 3);
      const x = unit(plus(side, z, -dot(side, z) / (n * n))), y = unit(cross(z, x));
      columns(x.map((v) => v * s.radius), y.map((v) => v * s.radius), z, a, s.place);
    }
  };

  // -- camera ----------------------------------------------------------------------------------------------------

  const FIELD = Math.tan((data.camera.field * Math.PI) / 360);
  const view = { target: [0, 0, 0], distance: 1, azimuth: 0, elevation: 0, own: false };
  const shown = { labels: false, axes: false, mass: true, inertia: false, follow: data.camera.follow, sharpness: 1 };
  let along = [0, 0, 0]; // how far the followed bodies have gone

  const directions = () => {
    const { azimuth: a, elevation: e } = view;
    const away = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
    const right = [-Math.sin(a), Math.cos(a), 0];
    return { away, right, up: cross(away, right) };
  };
  const aspect = () => canvas.clientWidth / Math.max(canvas.clientHeight, 1);

  const fit = () => { // the nearest place from which all of the motion is seen
    view.azimuth = (data.camera.azimuth * Math.PI) / 180;
    view.elevation = (data.camera.elevation * Math.PI) / 180;
    view.own = false;
    const { away, right, up } = directions();
    const points = data.camera.points;
    let target = points.reduce((sum, p) => plus(sum, p, 1 / points.length), [0, 0, 0]), distance = 0;
    for (let round = 0; round < 4; round++) {
      const need = (axis, slope) => {
        let high = -Infinity, low = -Infinity;
        for (const p of points) {
          const d = minus(p, target), depth = dot(d, away);
          high = Math.max(high, dot(d, axis) / slope + depth);
          low = Math.max(low, -dot(d, axis) / slope + depth);
        }
        return [(high + low) / 2, ((high - low) / 2) * slope];
      };
      const [d1, x] = need(right, FIELD * aspect()), [d2, y] = need(up, FIELD);
      target = plus(plus(target, right, x), up, y);
      distance = Math.max(d1, d2);
    }
    view.target = target;
    view.distance = view.home = 1.12 * distance || 1;
  };

  const place = () => {
    const { away, right, up } = directions();
    const target = shown.follow ? plus(view.target, along) : view.target;
    const eye = plus(target, away, view.distance);
    const near = 0.03 * view.distance;
    const far = view.distance + 12 * data.camera.size;
    const turn = new Float32Array([
      right[0], up[0], away[0], 0, right[1], up[1], away[1], 0, right[2], up[2], away[2], 0,
      -dot(right, eye), -dot(up, eye), -dot(away, eye), 1,
    ]);
    const lens = new Float32Array(16);
    lens[0] = 1 / (FIELD * aspect()); lens[5] = 1 / FIELD;
    lens[10] = (far + near) / (near - far); lens[11] = -1; lens[14] = (2 * far * near) / (near - far);
    return { matrix: product(lens, turn), eye, target, away };
  };

  // -- one picture -----------------------------------------------------------------------------------------------

  const LIGHT = unit([0.45, -0.5, 0.9]);
  const floor = data.camera.floor, lift = 1e-3 * data.camera.size;
  const fallen = new Float32Array([ // onto the floor, along the light
    1, 0, 0, 0, 0, 1, 0, 0, -LIGHT[0] / LIGHT[2], -LIGHT[1] / LIGHT[2], 0, 0,
    (LIGHT[0] / LIGHT[2]) * floor, (LIGHT[1] / LIGHT[2]) * floor, floor + lift, 1,
  ]);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const SHADY = new Set(["body", "link"]); // what is small and sits on these need not darken the floor itself

  const draw = () => {
    const ratio = Math.min(devicePixelRatio || 1, 2) * shown.sharpness;
    const [w, h] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height, words.width, words.height] = [w, h, w, h];
    settle();
    along = minus(middle(), data.camera.middle);
    const { matrix, eye, target, away } = place();
    const grain = (2 * FIELD * view.distance) / h; // m of a pixel
    const fine = (s) => (s.role === "point" || s.role === "mass") && Math.hypot(...s.place.subarray(0, 3)) < 2 * grain;
    const visible = everything.filter((s) => shown[s.role] !== false && !fine(s));
    gl.viewport(0, 0, w, h);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);

    const paint = ({ made, places }, list, colour) => {
      gl.useProgram(made);
      gl.uniformMatrix4fv(places.view, false, colour ? product(matrix, fallen) : matrix);
      if (colour) gl.uniform4fv(places.colour, colour);
      if (places.eye) gl.uniform3fv(places.eye, eye);
      if (places.light) gl.uniform3fv(places.light, LIGHT);
      list.forEach((s, k) => { numbers.set(s.place, COPY * k); numbers.set(s.colour, COPY * k + 16); });
      gl.bindBuffer(gl.ARRAY_BUFFER, copies);
      gl.bufferData(gl.ARRAY_BUFFER, numbers.subarray(0, COPY * list.length), gl.STREAM_DRAW);
      for (let k = 0, n; k < list.length; k += n) { // neighbours with the same mesh at once
        const { mesh } = list[k];
        for (n = 1; list[k + n]?.mesh === mesh; ) n++;
        gl.bindVertexArray(mesh.array);
        for (let c = 0; c < 5; c++) gl.vertexAttribPointer(2 + c, 4, gl.FLOAT, false, 4 * COPY, 4 * (COPY * k + 4 * c));
        gl.drawElementsInstanced(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0, n);
      }
    };

    gl.depthMask(false);
    gl.disable(gl.CULL_FACE);
    if (eye[2] > floor) {
      gl.enable(gl.STENCIL_TEST); // each place of the floor darkens once
      gl.stencilFunc(gl.EQUAL, 0, 255);
      gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
      paint(shade, visible.filter((s) => SHADY.has(s.role)), [0, 0, 0, dark.matches ? 0.35 : 0.1]);
      gl.disable(gl.STENCIL_TEST);
    }
    gl.useProgram(grid.made);
    gl.uniformMatrix4fv(grid.places.view, false, matrix);
    gl.uniform3fv(grid.places.centre, [target[0], target[1], floor]);
    gl.uniform1f(grid.places.reach, 3.2 * data.camera.size);
    gl.uniform1f(grid.places.step, data.camera.step);
    gl.uniform4fv(grid.places.colour, dark.matches ? [0.75, 0.8, 0.85, 0.4] : [0.25, 0.3, 0.36, 0.42]);
    gl.bindVertexArray(square);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);

    gl.depthMask(true);
    gl.enable(gl.CULL_FACE);
    paint(solid, visible.filter((s) => s.colour[3] === 1));
    gl.depthMask(false);
    const depth = (s) => dot(s.place.subarray(12, 15), away);
    paint(solid, visible.filter((s) => s.colour[3] < 1).sort((a, b) => depth(a) - depth(b)));
    gl.depthMask(true);
    write(matrix, ratio);
  };

  const pen = words.getContext("2d");
  const write = (matrix, ratio) => { // names, with a halo
    pen.clearRect(0, 0, words.width, words.height);
    if (!shown.labels) return;
    pen.font = `600 ${12.5 * ratio}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.lineJoin = "round";
    pen.lineWidth = 4 * ratio;
    pen.strokeStyle = dark.matches ? "#171b20cc" : "#ffffffd9";
    pen.fillStyle = dark.matches ? "#e8ecf0" : "#1e252c";
    for (const [text, frame, position] of data.labels) {
      const p = moved(frameMatrix[frame], position);
      const [x, y, w] = [0, 1, 3].map((i) => matrix[i] * p[0] + matrix[4 + i] * p[1] + matrix[8 + i] * p[2] + matrix[12 + i]);
      if (w <= 0) continue;
      const at = [((x / w + 1) / 2) * words.width, ((1 - y / w) / 2) * words.height - 9 * ratio];
      pen.strokeText(text, ...at);
      pen.fillText(text, ...at);
    }
  };

  // -- hands -----------------------------------------------------------------------------------------------------

  const pan = (dx, dy) => {
    const { right, up } = directions();
    const scale = (2 * FIELD * view.distance) / canvas.clientHeight;
    view.target = plus(plus(view.target, right, -dx * scale), up, dy * scale);
  };
  const zoom = (factor) => { view.distance = clamp(view.distance * factor, view.home / 40, view.home * 20); };
  const follow = (on) => {
    if (on !== shown.follow) view.target = plus(view.target, along, on ? -1 : 1);
    shown.follow = on;
  };

  // Dragging turns and moves the camera, unless `take(event)` says that it takes the finger itself.
  const handle = (refresh, take = () => false) => {
    const fingers = new Map();
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      document.activeElement.blur(); // keys go to the motion again
      if (!take(event)) fingers.set(event.pointerId, [event.clientX, event.clientY]);
    };
    canvas.addEventListener("pointerup", (event) => fingers.delete(event.pointerId));
    canvas.addEventListener("pointercancel", (event) => fingers.delete(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      const was = fingers.get(event.pointerId);
      if (!was) return;
      const now = [event.clientX, event.clientY], dx = now[0] - was[0], dy = now[1] - was[1];
      view.own = true;
      if (fingers.size === 1 && (event.buttons & 6 || event.shiftKey)) pan(dx, dy);
      else if (fingers.size === 1) {
        view.azimuth -= dx * 0.008;
        view.elevation = clamp(view.elevation + dy * 0.008, -1.55, 1.55);
      } else if (fingers.size === 2) {
        const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
        const before = Math.hypot(was[0] - other[0], was[1] - other[1]);
        zoom(before / Math.max(Math.hypot(now[0] - other[0], now[1] - other[1]), 1));
        pan(dx / 2, dy / 2);
      }
      fingers.set(event.pointerId, now);
      refresh();
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      view.own = true;
      zoom(Math.exp(clamp(event.deltaY * (event.deltaMode ? 30 : 1), -200, 200) * 0.0015));
      refresh();
    }, { passive: false });
    canvas.ondblclick = () => { fit(); refresh(); };
    canvas.oncontextmenu = (event) => event.preventDefault();
    new ResizeObserver(() => { if (!view.own) fit(); refresh(); }).observe(canvas);
    dark.addEventListener("change", refresh);
  };

  // -- what is under the pointer ---------------------------------------------------------------------------------

  const ray = (event) => { // from the eye through a place of the canvas
    const box = canvas.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1, y = 1 - (2 * (event.clientY - box.top)) / box.height;
    const { away, right, up } = directions();
    const way = plus(plus(plus([0, 0, 0], right, x * FIELD * aspect()), up, y * FIELD), away, -1);
    return { from: place().eye, way, away };
  };
  const turnedBack = (m, v) => [0, 4, 8].map((k) => m[k] * v[0] + m[k + 1] * v[1] + m[k + 2] * v[2]);
  const inverse = (m) => { // of the linear part: rows of the cofactors by the determinant
    const [a, b, c] = [0, 4, 8].map((k) => [m[k], m[k + 1], m[k + 2]]);
    const volume = dot(a, cross(b, c)) || 1e-30;
    return [cross(b, c), cross(c, a), cross(a, b)].map((row) => row.map((v) => v / volume));
  };
  const met = (from, way, [firstVertex, , first, count]) => { // the nearest triangle of a mesh along a ray
    let best = Infinity;
    for (let t = 3 * first; t < 3 * (first + count); t += 3) {
      const [a, b, c] = [0, 1, 2].map((k) => {
        const v = 3 * (firstVertex + triangles[t + k]);
        return [vertices[v], vertices[v + 1], vertices[v + 2]];
      });
      const e1 = minus(b, a), e2 = minus(c, a), p = cross(way, e2), det = dot(e1, p);
      if (Math.abs(det) < 1e-30) continue;
      const s = minus(from, a), u = dot(s, p) / det, q = cross(s, e1), v = dot(way, q) / det;
      const at = dot(e2, q) / det;
      if (u >= 0 && v >= 0 && u + v <= 1 && at > 0 && at < best) best = at;
    }
    return best;
  };
  const pick = (event, wanted) => { // the first of the wanted frames that a ray meets, where, and on it
    const { from, way, away } = ray(event);
    let found = null, nearest = Infinity;
    for (const s of shapes) {
      if (!wanted(s.frame) || shown[s.role] === false) continue;
      const rows = inverse(s.place), own = (v) => rows.map((row) => dot(row, v));
      const at = met(own(minus(from, s.place.subarray(12, 15))), own(way), s.table);
      if (at < nearest) [nearest, found] = [at, s.frame];
    }
    if (found === null) return null;
    const hit = plus(from, way, nearest), m = frameMatrix[found];
    return { frame: found, hit, local: turnedBack(m, minus(hit, m.subarray(12, 15))), away };
  };
  const beside = (event, { hit }) => { // where the pointer is in the plane across the view through a place
    const { from, way, away } = ray(event);
    return plus(from, way, dot(minus(hit, from), away) / dot(way, away));
  };
  const onFrame = (frame, local) => moved(frameMatrix[frame], local);
  const onCanvas = (p) => { // pixels of a place, as `words` counts them
    const { matrix } = place();
    const [x, y, w] = [0, 1, 3].map((i) => matrix[i] * p[0] + matrix[4 + i] * p[1] + matrix[8 + i] * p[2] + matrix[12 + i]);
    return w > 0 ? [((x / w + 1) / 2) * words.width, ((1 - y / w) / 2) * words.height] : null;
  };

  const roles = new Set(everything.map((s) => s.role));
  const switches = (parent, refresh) => { // buttons for what may be shown or not, by key
    const names = { labels: "Labels", axes: "Axes", mass: "Masses", inertia: "Inertia", follow: "Follow" };
    const made = {};
    for (const [key, name] of Object.entries(names)) {
      if (key === "follow" ? !shown.follow : key !== "labels" && !roles.has(key)) continue;
      const button = document.createElement("button");
      button.className = "word";
      button.textContent = name;
      button.setAttribute("aria-pressed", shown[key]);
      button.onclick = () => {
        if (key === "follow") follow(!shown.follow);
        else shown[key] = !shown[key];
        button.setAttribute("aria-pressed", shown[key]);
        refresh();
      };
      made[key] = button;
      parent.append(button);
    }
    return made;
  };
  return { put, draw, fit, handle, switches, pick, beside, onFrame, onCanvas, shown, pen };
};
