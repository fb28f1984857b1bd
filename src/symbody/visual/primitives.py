"""Triangle meshes with normals: balls, cylinders, boxes, coils, hydraulic cylinders, and hulls of balls.

Round ones have coarser versions, for parts that are small in a picture.
"""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np

from symbody.files.mesh import Array, Mesh, scaled
from symbody.visual.convex_hull import convex_hull

AROUND = (48, 16, 8)  # corners of a circle, the finest first
WIRE = ((20, 8), (10, 4))  # steps along a turn of a coil, corners around its wire
OCTANT = (6, 3, 2)  # edges along a quarter of a circle


def sagitta(angle: float) -> float:
    """Distance between a unit circle and the chord of an angle (rad): 1 − cos(angle/2)."""
    return float(1 - np.cos(angle / 2))


@cache
def ball(detail: int = 2) -> Mesh:
    """The unit ball: an icosahedron with each triangle divided in four, `detail` times."""
    g = (1 + 5**0.5) / 2
    plane = np.array([(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0)])
    corners = np.vstack([plane, np.roll(plane, 1, axis=1), np.roll(plane, 2, axis=1)])
    faces = [
        (0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6),
        (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7),
        (9, 8, 1),
    ]  # fmt: skip
    points = [corner / np.linalg.norm(corner) for corner in corners]
    for _ in range(detail):
        middle: dict[tuple[int, int], int] = {}
        finer = []
        for a, b, c in faces:
            ab, bc, ca = (_middle(points, middle, *edge) for edge in ((a, b), (b, c), (c, a)))
            finer += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = finer
    return _on_ball(np.array(points), np.array(faces), ball(detail - 1) if detail else None)


def _on_ball(vertices: Array, triangles: Array, coarser: Mesh | None) -> Mesh:
    edges = vertices[triangles] - vertices[np.roll(triangles, 1, axis=1)]
    longest = 2 * np.arcsin(np.linalg.norm(edges, axis=-1).max() / 2)
    return Mesh(vertices, vertices, triangles, sagitta(longest), coarser)


def _middle(points: list[Array], known: dict[tuple[int, int], int], a: int, b: int) -> int:
    key = (min(a, b), max(a, b))
    if key not in known:
        between = points[a] + points[b]
        points.append(between / np.linalg.norm(between))
        known[key] = len(points) - 1
    return known[key]


@cache
def cylinder(level: int = 0) -> Mesh:
    """A cylinder of radius 1 from z = 0 to 1."""
    around = AROUND[level]
    turn = np.linspace(0, 2 * np.pi, around, endpoint=False)
    rim = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(around)])
    up = np.array([0.0, 0.0, 1.0])
    k = np.arange(around)
    following = (k + 1) % around
    halves = (k, following, k + around), (following, following + around, k + around)
    side = np.vstack([np.column_stack(half) for half in halves])
    fan = np.column_stack([np.zeros(around - 2, dtype=int), k[1:-1], k[2:]])
    vertices = np.vstack([rim, rim + up, rim, rim + up])
    normals = np.vstack([rim, rim, np.tile(-up, (around, 1)), np.tile(up, (around, 1))])
    triangles = np.vstack([side, fan[:, ::-1] + 2 * around, fan + 3 * around])
    coarser = cylinder(level + 1) if level + 1 < len(AROUND) else None
    return Mesh(vertices, normals, triangles, sagitta(2 * np.pi / around), coarser)


@cache
def box() -> Mesh:
    """A cube with edges of length 1 about the origin."""
    vertices: list[Array] = []
    normals: list[Array] = []
    triangles: list[tuple[int, int, int]] = []
    for axis in range(3):
        u, v = np.eye(3)[(axis + 1) % 3] / 2, np.eye(3)[(axis + 2) % 3] / 2
        for sign in (1.0, -1.0):
            n = sign * np.eye(3)[axis]
            start = len(vertices)
            vertices += [n / 2 - u - sign * v, n / 2 + u - sign * v, n / 2 + u + sign * v, n / 2 - u + sign * v]
            normals += [n] * 4
            triangles += [(start, start + 1, start + 2), (start, start + 2, start + 3)]
    return Mesh(np.array(vertices), np.array(normals), np.array(triangles))


@cache
def coil(turns: int = 8, wire: float = 0.16, slender: float = 12.5, level: int = 0) -> Mesh:
    """A spring of radius 1 from z = 0 to 1; `wire` is the radius of the wire, which is round at length `slender`.

    A closed turn lies flat at each end, as in springs that stand on seats.
    """
    stride, around = WIRE[level]
    steps = stride * turns
    thick = 2 * wire / slender  # of the wire, as a share of the length
    s = np.linspace(0, 1, steps + 1)
    seat = min(1.0 / turns, 0.3)  # share of the wire that is a closed turn
    free = np.clip((s - seat) / (1 - 2 * seat), 0, 1)
    closed = thick * (np.clip(s / seat, 0, 1) - np.clip((1 - s) / seat, 0, 1) + 1)  # it rises by its own thickness
    angle = 2 * np.pi * turns * s
    line = np.column_stack([np.cos(angle), np.sin(angle), thick / 2 + closed + (1 - 3 * thick) * free])
    inward, up = line * (1, 1, 0.0), np.tile(np.eye(3)[2], (steps + 1, 1))
    psi = np.linspace(0, 2 * np.pi, around, endpoint=False)
    normals = inward[:, None] * np.cos(psi)[:, None] + up[:, None] * np.sin(psi)[:, None]
    vertices = line[:, None] + wire * normals * (1, 1, 1 / slender)  # round again when it is stretched to its length
    i, j = np.meshgrid(np.arange(steps), np.arange(around), indexing="ij")
    a, b = i * around + j, i * around + (j + 1) % around
    triangles = np.concatenate([np.stack([a, a + around, b], -1), np.stack([b, a + around, b + around], -1)])
    coarser = coil(turns, wire, slender, level + 1) if level + 1 < len(WIRE) else None
    corners = vertices.reshape(-1, 3), normals.reshape(-1, 3), triangles.reshape(-1, 3)
    return Mesh(*corners, sagitta(2 * np.pi / stride), coarser)


@cache
def ram(level: int = 0) -> Mesh:
    """A hydraulic cylinder from z = 0 to 1: a tube of radius 1 up to 0.6, and its rod."""
    tube, rod = (scaled(cylinder(level), np.array(size)) for size in ((1.0, 1.0, 0.6), (0.5, 0.5, 1.0)))
    triangles = np.vstack([tube.triangles, rod.triangles + len(tube.vertices)])
    corners = np.vstack([tube.vertices, rod.vertices]), np.vstack([tube.normals, rod.normals]), triangles
    coarser = ram(level + 1) if level + 1 < len(AROUND) else None
    return Mesh(*corners, cylinder(level).deviation, coarser)


@cache
def marker(level: int = 0) -> tuple[Mesh, Mesh]:
    """The symbol of a centre of mass: a ball in eight parts, four dark and four light ones."""
    n = OCTANT[level]
    i, j = (index.ravel() for index in np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij"))
    i, j = i[i + j <= n], j[i + j <= n]
    number = {pair: k for k, pair in enumerate(zip(i.tolist(), j.tolist(), strict=True))}
    octant = np.column_stack([i, j, n - i - j]).astype(float)
    octant /= np.linalg.norm(octant, axis=1)[:, None]
    faces = [(number[a, b], number[a + 1, b], number[a, b + 1]) for a, b in number if a + b < n]
    faces += [(number[a + 1, b], number[a + 1, b + 1], number[a, b + 1]) for a, b in number if a + b < n - 1]
    dark, light = marker(level + 1) if level + 1 < len(OCTANT) else (None, None)
    return _octants(octant, np.array(faces), 1.0, dark), _octants(octant, np.array(faces), -1.0, light)


def _octants(octant: Array, faces: Array, parity: float, coarser: Mesh | None) -> Mesh:
    """The four octants of a ball whose signs multiply to `parity`."""
    signs = [s for s in np.ndindex(2, 2, 2) if (-1.0) ** sum(s) == parity]
    vertices = np.vstack([octant * (1 - 2 * np.array(s)) for s in signs])
    ordered = faces if parity > 0 else faces[:, ::-1]  # mirroring reverses the orientation of a triangle
    triangles = np.vstack([ordered + k * len(octant) for k in range(4)])
    return _on_ball(vertices, triangles, coarser)


def hull(points: Array, radius: float, detail: int = 2) -> Mesh:
    """The convex hull of balls at points: two give a bar with round ends, three a rounded plate, more a solid."""
    return _hull(tuple(map(tuple, np.asarray(points).tolist())), radius, detail)


@lru_cache(maxsize=1000)  # a scene is built again when one of its lengths changes
def _hull(places: tuple[tuple[float, ...], ...], radius: float, detail: int) -> Mesh:
    points, unit = np.array(places), ball(detail)
    vertices = (points[:, None] + radius * unit.vertices).reshape(-1, 3)
    normals = np.tile(unit.vertices, (len(points), 1))
    kept, renumbered = np.unique(convex_hull(vertices), return_inverse=True)
    faces = np.linalg.matrix_rank(points - points[0], tol=radius) > 1  # then flat faces get their own normals
    coarser = _hull(places, radius, detail - 1) if detail > int(faces) else None
    return Mesh(vertices[kept], normals[kept], renumbered.reshape(-1, 3), radius * unit.deviation, coarser)
