"""A scene in C structures: objects, shapes, pairs that may touch; raises if there is no room."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations

import numpy as np

from symbody.codegen import Function
from symbody.errors import ModelError
from symbody.haptics import structures as of
from symbody.haptics.objects import LEAST, THIN, HapticBody, Linkage
from symbody.haptics.shapes import Array, Shape, edge_directions, face_normals

ENDLESS = 1e300  # represents infinity in C
Call = Callable[[Function, Callable[[Function], None]], None]  # lets C call a function at its present address


def room(what: str, k: int, most: int) -> None:
    """Raise if index k exceeds the capacity `most`."""
    if k >= most:
        raise ModelError(f"more than {most} {what}", cure="make the scene smaller")


def fill(structure: ctypes.Structure, numbers: Mapping[str, float | list[float]]) -> None:
    """Write numbers into a structure by name."""
    for name, value in numbers.items():
        if isinstance(value, list):
            getattr(structure, name)[:] = [min(x, ENDLESS) for x in value]
        else:
            setattr(structure, name, int(value) if isinstance(getattr(structure, name), int) else float(value))


def place_objects(c: of.SceneOf, objects: Sequence[HapticBody | Linkage], planar: bool, call: Call) -> None:
    """Write bodies and linkages and their initial states."""
    q: list[float] = []
    v: list[float] = []
    for k, one in enumerate(objects):
        room("objects", k, of.OBJECTS)
        made = c.objects[k]
        made.q, made.v, made.link = len(q), len(v), c.nlinks
        if isinstance(one, HapticBody):
            made.kind, made.nlinks = of.PLANAR if planar else of.SPATIAL, 1
            q0, v0 = one.start(planar)
        else:
            made.kind, made.nlinks = of.LINKAGE, len(one.links)
            q0, v0 = one.start()
            call(one.function, partial(set_dynamics, made))
        made.nq, made.nv = len(q0), len(v0)
        q, v = q + q0, v + v0
        room("coordinates", len(q) - 1, of.COORDINATES)
        room("velocities", len(v) - 1, of.DOF)
        room("velocities of a linkage", len(v0) - 1, of.NV)
        for link in range(made.nlinks):
            room("links", c.nlinks, of.LINKS)
            c.owner[c.nlinks] = k
            place_link(c.links[c.nlinks], one, link, planar)
            c.nlinks += 1
    c.nobjects, c.nq, c.nv = len(objects), len(q), len(v)
    c.memory.q[: len(q)], c.memory.v[: len(v)] = q, v


def place_link(made: of.LinkOf, one: HapticBody | Linkage, link: int, planar: bool) -> None:
    """Write the inertia of a body or a link; it is held at its centre of mass by default."""
    if isinstance(one, HapticBody):
        made.mass, made.inertia[:] = one.mass, one.inertia_matrix(planar).ravel()
        return
    made.mass, com, inertia = one.inertia_of(one.links[link])
    made.com[:], made.inertia[:], made.hold[:] = com, inertia.ravel(), com


def give_inertia(made: of.LinkOf, name: str, planar: bool) -> None:
    """Raise if a held link has no inertia, which J# needs as a weight; a thin rod gets a little about its axis."""
    inertia = np.array(made.inertia).reshape(3, 3)
    size = float(inertia[2, 2] if planar else np.linalg.eigvalsh(inertia)[-1])
    if not (made.mass >= LEAST and size >= LEAST):
        raise ModelError("the held link has no inertia", element=name, cure="give it mass and inertia, or hold another")
    if not planar and np.linalg.eigvalsh(inertia)[0] < THIN * size:
        made.inertia[:] = (inertia + THIN * size * np.eye(3)).ravel()


def place_shapes(c: of.SceneOf, shapes: Sequence[tuple[str, int, Shape]]) -> None:
    """Write shapes (name, link, shape) with their points, normals, edges and corners."""
    used = dict.fromkeys(("points", "faces", "edges", "corners"), 0)

    def place(kind: str, rows: Array, target: ctypes.Array[ctypes.Array[ctypes.c_double]]) -> int:
        first = used[kind]
        room(f"{kind} of shapes", first + len(rows) - 1, len(target))
        for i, row in enumerate(rows):
            target[first + i][:] = row
        used[kind] += len(rows)
        return first

    for k, (_, link, shape) in enumerate(shapes):
        room("shapes", k, of.SHAPES)
        points, normals, edges = shape.points, face_normals(shape), edge_directions(shape)
        made = c.shapes[k]
        made.link, made.count, made.faces, made.edges = link, len(points), len(normals), len(edges)
        made.first, made.face = place("points", points, c.points), place("faces", normals, c.normals)
        made.edge = place("edges", edges, c.edges)
        centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
        made.centre[:], made.radius = centre, float(np.max(np.linalg.norm(points - centre, axis=1)))
        for i, face in enumerate(shape.faces):
            first = used["corners"]
            room("corners of faces", first + len(face) - 1, of.CORNERS)
            c.loops[made.face + i][:] = (first, len(face))
            c.corners[first : first + len(face)] = list(face)
            used["corners"] += len(face)
    c.nshapes = len(shapes)


def place_pairs(c: of.SceneOf, objects: Sequence[HapticBody | Linkage]) -> None:
    """Write the pairs of shapes that may touch: not on one link, not on adjacent links, not both on the ground.

    Pairs within one linkage come first: a local model checks no others.
    """
    joined = set()
    for made, one in zip(c.objects, objects, strict=False):
        if isinstance(one, Linkage):
            joined |= {(made.link + k, made.link + p) for k, p in enumerate(one.parents()) if p >= 0}
    links = [c.shapes[k].link for k in range(c.nshapes)]
    owners = [c.owner[link] if link >= 0 else of.GROUND for link in links]
    pairs = [
        (a, b)
        for a, b in combinations(range(c.nshapes), 2)
        if links[a] != links[b] and not {(links[a], links[b]), (links[b], links[a])} & joined
    ]
    room("pairs of shapes", len(pairs) - 1, of.PAIRS)
    own = [(a, b) for a, b in pairs if owners[a] == owners[b]]
    c.npairs, c.nown = len(pairs), len(own)
    for k, pair in enumerate([*own, *(pair for pair in pairs if owners[pair[0]] != owners[pair[1]])]):
        c.pairs[k][:] = pair


def set_law(c: of.SceneOf, k: int, law: Function) -> None:
    """Let C call friction law k."""
    c.laws_h[k] = law.hoisted.ctypes.data
    c.laws[k] = law.address


def set_dynamics(made: of.ObjectOf, function: Function) -> None:
    """Let C call the equations of a linkage."""
    made.dynamics_h = function.hoisted.ctypes.data
    made.dynamics = function.address
