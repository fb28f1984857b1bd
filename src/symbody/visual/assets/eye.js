// Where a picture is taken from: outside, about a target, or from a seat on a body; and hands that turn and move it.
const makeEye = (camera, rides, canvas, frameMatrix) => {
  const { dot, cross, minus, plus, times, unit, product, column, turned, moved } = space;
  const FIELD = Math.tan((camera.field * Math.PI) / 360), MARGIN = 1.12, ASIDE = 1.5, ABOVE = 0.7; // rad, in a seat
  const view = { target: [0, 0, 0], distance: 1, azimuth: 0, elevation: 0, own: false, follow: camera.follow };
  let along = [0, 0, 0]; // how far the followed bodies have gone
  let seat = null; // a ride, its number, the body's axis that is up, and where one looks from straight ahead
  const aspect = () => canvas.clientWidth / Math.max(canvas.clientHeight, 1);

  const middle = () => { // of the bodies
    const bodies = frameMatrix.slice(1);
    return bodies.reduce((sum, m) => plus(sum, column(m, 3), 1 / bodies.length), [0, 0, 0]);
  };
  const directions = () => { // outside
    const { azimuth: a, elevation: e } = view;
    const away = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
    const right = [-Math.sin(a), Math.cos(a), 0];
    return { away, right, up: cross(away, right) };
  };
  const outside = () => {
    const target = view.follow ? plus(view.target, along) : view.target, way = directions();
    const from = plus(target, way.away, view.distance);
    return { ...way, target, from, slope: FIELD, near: 0.03 * view.distance, far: view.distance + 12 * camera.size };
  };
  const seated = () => {
    const { ride, axis, yaw, pitch, zoom } = seat, m = frameMatrix[ride.frame];
    const from = moved(m, ride.eye), ahead = unit(turned(m, ride.ahead));
    const right = unit(cross(ahead, turned(m, axis))), up = cross(right, ahead);
    const level = plus(times(Math.cos(yaw), ahead), right, Math.sin(yaw));
    const away = times(-1, plus(times(Math.cos(pitch), level), up, Math.sin(pitch)));
    const aside = plus(times(Math.cos(yaw), right), ahead, -Math.sin(yaw));
    const slope = Math.tan((ride.field * Math.PI) / 360) * zoom;
    const target = plus(from, away, -camera.size), far = 40 * camera.size;
    return { away, right: aside, up: cross(away, aside), target, from, slope, near: 0.004 * camera.size, far };
  };

  const now = (reach = () => 0) => { // `reach(from)`: how far there is scenery
    along = minus(middle(), camera.middle);
    const e = seat ? seated() : outside(), far = Math.max(e.far, reach(e.from)), { right, up, away, from, near } = e;
    const turn = new Float32Array([
      right[0], up[0], away[0], 0, right[1], up[1], away[1], 0, right[2], up[2], away[2], 0,
      -dot(right, from), -dot(up, from), -dot(away, from), 1,
    ]);
    const lens = new Float32Array(16);
    lens[0] = 1 / (e.slope * aspect()); lens[5] = 1 / e.slope;
    lens[10] = (far + near) / (near - far); lens[11] = -1; lens[14] = (2 * far * near) / (near - far);
    return { ...e, far, matrix: product(lens, turn) };
  };

  const fit = () => { // the nearest place from which all of the motion is seen; in a seat: straight ahead
    if (seat) return void Object.assign(seat, { yaw: 0, pitch: 0, zoom: 1 });
    view.azimuth = (camera.azimuth * Math.PI) / 180;
    view.elevation = (camera.elevation * Math.PI) / 180;
    view.own = false;
    const { away, right, up } = directions(), { points } = camera;
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
    view.distance = view.home = MARGIN * distance || 1;
  };

  const ride = (k) => { // sit down on the k-th seat, or stand up again (null)
    if (!rides[k]) return void (seat = null);
    const m = frameMatrix[rides[k].frame], ahead = unit(rides[k].ahead);
    const axes = [0, 1, 2].flatMap((i) => [1, -1].map((sign) => [0, 1, 2].map((j) => (i === j ? sign : 0))));
    const across = axes.filter((axis) => Math.abs(dot(axis, ahead)) < 0.9);
    const axis = across.reduce((best, a) => (turned(m, a)[2] > turned(m, best)[2] ? a : best));
    seat = { ride: rides[k], k, axis, yaw: 0, pitch: 0, zoom: 1 };
  };

  // -- hands -----------------------------------------------------------------------------------------------------

  const turn = (dx, dy) => {
    const angle = seat ? (2 * now().slope) / canvas.clientHeight : 0.008; // by a pixel
    if (seat) {
      seat.yaw = clamp(seat.yaw - dx * angle, -ASIDE, ASIDE);
      seat.pitch = clamp(seat.pitch + dy * angle, -ABOVE, ABOVE);
    } else {
      view.azimuth -= dx * angle;
      view.elevation = clamp(view.elevation + dy * angle, -1.55, 1.55);
    }
  };
  const pan = (dx, dy) => {
    if (seat) return turn(dx, dy);
    const { right, up } = directions(), scale = (2 * FIELD * view.distance) / canvas.clientHeight;
    view.target = plus(plus(view.target, right, -dx * scale), up, dy * scale);
  };
  const zoom = (factor) => {
    if (seat) seat.zoom = clamp(seat.zoom * factor, 0.3, 1.5);
    else view.distance = clamp(view.distance * factor, view.home / 40, view.home * 20);
  };
  const follow = (on) => {
    if (on !== view.follow) view.target = plus(view.target, along, on ? -1 : 1);
    view.follow = on;
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
      const here = [event.clientX, event.clientY], dx = here[0] - was[0], dy = here[1] - was[1];
      view.own ||= !seat;
      if (fingers.size === 1) (event.buttons & 6 || event.shiftKey ? pan : turn)(dx, dy);
      else if (fingers.size === 2) {
        const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
        const before = Math.hypot(was[0] - other[0], was[1] - other[1]);
        zoom(before / Math.max(Math.hypot(here[0] - other[0], here[1] - other[1]), 1));
        pan(dx / 2, dy / 2);
      }
      fingers.set(event.pointerId, here);
      refresh();
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      view.own ||= !seat;
      zoom(Math.exp(clamp(event.deltaY * (event.deltaMode ? 30 : 1), -200, 200) * 0.0015));
      refresh();
    }, { passive: false });
    canvas.ondblclick = () => { fit(); refresh(); };
    canvas.oncontextmenu = (event) => event.preventDefault();
    new ResizeObserver(() => { if (!view.own && !seat) fit(); refresh(); }).observe(canvas);
  };
  return { now, fit, ride, follow, handle, aspect, view, seat: () => seat };
};
