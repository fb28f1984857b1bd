// What is under the pointer: the body that a ray from the eye meets first, and places beside it.
const makePointer = (canvas, eye, frameMatrix, shapes) => { // shapes(): those that can be met
  const { dot, cross, minus, plus, times, column, turnedBack, inverse } = space;
  const ray = (event) => { // from the eye through a place of the canvas
    const box = canvas.getBoundingClientRect(), { from, right, up, away, slope } = eye.now();
    const x = (2 * (event.clientX - box.left)) / box.width - 1, y = 1 - (2 * (event.clientY - box.top)) / box.height;
    return { from, away, way: plus(plus(times(-1, away), right, x * slope * eye.aspect()), up, y * slope) };
  };
  const met = (from, way, { vertices, triangles }) => { // the nearest triangle of a mesh along a ray
    let best = Infinity;
    for (let t = 0; t < triangles.length; t += 3) {
      const [a, b, c] = [0, 1, 2].map((k) => vertices.subarray(3 * triangles[t + k], 3 * triangles[t + k] + 3));
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
    for (const s of shapes()) {
      if (!wanted(s.frame) || s.hidden) continue;
      const rows = inverse(s.place), own = (v) => rows.map((row) => dot(row, v));
      const at = met(own(minus(from, column(s.place, 3))), own(way), s.mesh);
      if (at < nearest) [nearest, found] = [at, s.frame];
    }
    if (found === null) return null;
    const hit = plus(from, way, nearest), m = frameMatrix[found];
    return { frame: found, hit, local: turnedBack(m, minus(hit, column(m, 3))), away };
  };
  const beside = (event, { hit }) => { // where the pointer is in the plane across the view through a place
    const { from, way, away } = ray(event);
    return plus(from, way, dot(minus(hit, from), away) / dot(way, away));
  };
  return { pick, beside };
};
