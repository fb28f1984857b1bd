"use strict";
// A small viewer of rigid bodies in motion: reads the JSON beside it, draws with WebGL 2, needs nothing else.
(() => {
  const data = JSON.parse(document.getElementById("motion").textContent);
  const $ = (id) => document.getElementById(id);
  const canvas = $("view"), words = $("words"), stage = $("stage");

  // -- numbers ---------------------------------------------------------------------------------------------------

  const decoded = (text, Kind) => {
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return new Kind(bytes.buffer);
  };
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const plus = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
  const unit = (a) => { const n = Math.hypot(...a) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };
  const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

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

  // -- the motion ------------------------------------------------------------------------------------------------

  const poses = decoded(data.poses, Float32Array); // frames × bodies × (x y z, quaternion w x y z)
  const { frames, bodies, dt, start } = data;
  const duration = (frames - 1) * dt;
  const frameMatrix = Array.from({ length: bodies }, () => new Float32Array(16));

  const pose = (now) => { // all frames' matrices at a time, between the two nearest records
    const at = dt > 0 ? clamp(now / dt, 0, frames - 1) : 0;
    const i = Math.min(Math.floor(at), Math.max(frames - 2, 0)), s = frames > 1 ? at - i : 0;
    for (let b = 0; b < bodies; b++) {
      const k = 7 * (i * bodies + b), l = frames > 1 ? k + 7 * bodies : k, p = poses;
      const same = p[k + 3] * p[l + 3] + p[k + 4] * p[l + 4] + p[k + 5] * p[l + 5] + p[k + 6] * p[l + 6] < 0 ? -s : s;
      let [w, x, y, z] = [3, 4, 5, 6].map((n) => (1 - s) * p[k + n] + same * p[l + n]);
      const n = Math.hypot(w, x, y, z) || 1;
      w /= n; x /= n; y /= n; z /= n;
      columns(
        [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
        [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
        [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
        [0, 1, 2].map((n) => (1 - s) * p[k + n] + s * p[l + n]),
        frameMatrix[b],
      );
    }
  };
  const middle = () => { // of the bodies, which the camera may follow
    let sum = [0, 0, 0];
    for (let b = 1; b < bodies; b++) sum = plus(sum, frameMatrix[b].subarray(12, 15));
    return sum.map((x) => x / Math.max(bodies - 1, 1));
  };

  // -- drawing ---------------------------------------------------------------------------------------------------

  const gl = canvas.getContext("webgl2", { antialias: true, stencil: true });
  if (!gl) {
    $("note").textContent = "This browser cannot draw in space (WebGL 2 is missing).";
    return;
  }
  const program = (vertex, fragment) => {
    const made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, `#version 300 es\nprecision highp float;\n${text}`);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    gl.bindAttribLocation(made, 0, "position");
    gl.bindAttribLocation(made, 1, "normal");
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
     uniform mat4 view, place;
     out vec3 n, p;
     void main() {
       mat3 m = mat3(place);
       n = mat3(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])) * normal; // stays upright when stretched
       vec4 world = place * vec4(position, 1.0);
       p = world.xyz;
       gl_Position = view * world;
     }`,
    `in vec3 n, p;
     uniform vec4 colour;
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
     uniform mat4 view, place;
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
    return { array, count: 3 * triangleCount };
  });
  const square = gl.createVertexArray();
  gl.bindVertexArray(square);
  buffer(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0]));
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);

  const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
  const shapes = data.parts.map(([mesh, frame, place, colour, role, opacity]) => ({
    mesh: meshes[mesh], frame, role, colour: [...rgb(data.colours[colour]), opacity],
    local: columns(place.slice(0, 3), place.slice(3, 6), place.slice(6, 9), place.slice(9, 12)),
    place: new Float32Array(16),
  }));
  const spans = data.spans.map(([mesh, a, b, from, to, radius, colour, role, across]) => ({
    mesh: meshes[mesh], a, b, from, to, radius, role, across, colour: [...rgb(data.colours[colour]), 1],
    place: new Float32Array(16),
  }));
  const everything = [...shapes, ...spans];

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
  const shown = { labels: false, axes: false, mass: true, inertia: false, follow: data.camera.follow };
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
  const lying = new Float32Array(16);

  const draw = () => {
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const [w, h] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height, words.width, words.height] = [w, h, w, h];
    pose(time);
    settle();
    along = minus(middle(), data.camera.middle);
    const { matrix, eye, target, away } = place();
    const visible = everything.filter((s) => shown[s.role] !== false);
    gl.viewport(0, 0, w, h);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);

    const paint = ({ made, places }, list, colour) => {
      gl.useProgram(made);
      gl.uniformMatrix4fv(places.view, false, matrix);
      if (places.eye) gl.uniform3fv(places.eye, eye);
      if (places.light) gl.uniform3fv(places.light, LIGHT);
      for (const s of list) {
        gl.uniformMatrix4fv(places.place, false, colour ? product(fallen, s.place, lying) : s.place);
        gl.uniform4fv(places.colour, colour || s.colour);
        gl.bindVertexArray(s.mesh.array);
        gl.drawElements(gl.TRIANGLES, s.mesh.count, gl.UNSIGNED_INT, 0);
      }
    };

    gl.depthMask(false);
    gl.disable(gl.CULL_FACE);
    if (eye[2] > floor) {
      gl.enable(gl.STENCIL_TEST); // each place of the floor darkens once
      gl.stencilFunc(gl.EQUAL, 0, 255);
      gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
      paint(shade, visible.filter((s) => s.role !== "axes" && s.role !== "inertia"), [0, 0, 0, dark.matches ? 0.35 : 0.1]);
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

  // -- time ------------------------------------------------------------------------------------------------------

  let time = 0, speed = data.speed, playing = false, last = 0, waiting = false;
  const digits = duration < 2 ? 3 : 2;

  const refresh = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame((now) => {
      waiting = false;
      if (playing) {
        time += (clamp(now - last, 0, 100) / 1000) * speed; // a page that was hidden does not jump
        if (time > duration) time = duration > 0 ? time % duration : 0;
        last = now;
      }
      draw();
      $("scrub").value = duration > 0 ? time / duration : 0;
      $("clock").textContent = `${(start + time).toFixed(digits)} s`;
      if (playing) refresh();
    });
  };
  const play = (on) => {
    playing = on && frames > 1;
    last = performance.now();
    $("icon").setAttribute("d", playing ? "M7 5h4v14H7zM13 5h4v14h-4z" : "M8 5v14l11-7z");
    refresh();
  };
  const go = (to) => {
    time = clamp(to, 0, duration);
    refresh();
  };

  // -- controls --------------------------------------------------------------------------------------------------

  const SPEEDS = [...new Set([0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10, data.speed])].sort((a, b) => a - b);
  for (const s of SPEEDS) $("speed").add(new Option(`${s}×`, s, s === speed, s === speed));
  $("speed").onchange = (event) => { speed = Number(event.target.value); refresh(); };
  const hurry = (by) => {
    const k = clamp(SPEEDS.indexOf(speed) + by, 0, SPEEDS.length - 1);
    speed = SPEEDS[k];
    $("speed").selectedIndex = k;
  };

  const roles = new Set(everything.map((s) => s.role));
  const names = { labels: "Labels", axes: "Axes", mass: "Masses", inertia: "Inertia", follow: "Follow" };
  const switches = {};
  for (const [key, name] of Object.entries(names)) {
    if (key === "follow" ? !shown.follow : key !== "labels" && !roles.has(key)) continue;
    const button = document.createElement("button");
    button.className = "word";
    button.textContent = name;
    button.setAttribute("aria-pressed", shown[key]);
    button.onclick = () => {
      if (key === "follow") view.target = plus(view.target, along, shown.follow ? 1 : -1);
      shown[key] = !shown[key];
      button.setAttribute("aria-pressed", shown[key]);
      refresh();
    };
    switches[key] = button;
    $("switches").append(button);
  }
  $("play").onclick = () => play(!playing);
  $("scrub").oninput = (event) => { play(false); go(event.target.value * duration); };
  $("fit").onclick = () => { fit(); refresh(); };
  canvas.ondblclick = () => { fit(); refresh(); };
  canvas.oncontextmenu = (event) => event.preventDefault();

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    const step = dt * (event.shiftKey ? 10 : 1);
    const keys = {
      " ": () => play(!playing), ArrowRight: () => { play(false); go(time + step); },
      ArrowLeft: () => { play(false); go(time - step); }, ArrowUp: () => hurry(1), ArrowDown: () => hurry(-1),
      Home: () => go(0), End: () => { play(false); go(duration); },
      l: () => switches.labels.click(), a: () => switches.axes?.click(), m: () => switches.mass?.click(),
      i: () => switches.inertia?.click(), f: () => switches.follow?.click(),
    };
    const act = keys[event.key.length > 1 ? event.key : event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  });

  const pan = (dx, dy) => {
    const { right, up } = directions();
    const scale = (2 * FIELD * view.distance) / canvas.clientHeight;
    view.target = plus(plus(view.target, right, -dx * scale), up, dy * scale);
  };
  const zoom = (factor) => { view.distance = clamp(view.distance * factor, view.home / 40, view.home * 20); };
  const fingers = new Map();
  canvas.onpointerdown = (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    document.activeElement.blur(); // keys go to the motion again
  };
  canvas.onpointerup = canvas.onpointercancel = (event) => fingers.delete(event.pointerId);
  canvas.onpointermove = (event) => {
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
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    view.own = true;
    zoom(Math.exp(clamp(event.deltaY * (event.deltaMode ? 30 : 1), -200, 200) * 0.0015));
    refresh();
  }, { passive: false });

  new ResizeObserver(() => { if (!view.own) fit(); refresh(); }).observe(stage);
  dark.addEventListener("change", refresh);
  $("note").textContent = data.note;
  fit();
  const asked = new URLSearchParams(location.hash.slice(1)); // #t=1.5 opens there and waits
  if (asked.has("labels")) switches.labels.click();
  if (asked.has("t")) { play(false); go(Number(asked.get("t")) - start || 0); }
  else play(!matchMedia("(prefers-reduced-motion: reduce)").matches);
})();
