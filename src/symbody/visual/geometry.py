"""Positions, masses and inertias of a model as numbers, and simple shapes derived from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symbody.files.mesh import Array
from symbody.model.body import GROUND, ORIGIN, Body, Point
from symbody.model.formula import Formula, Number, evaluate, names_in
from symbody.model.model import Model
from symbody.model.rotation import matrix
from symbody.model.tree import carrier, parents_first

ALIKE = 0.02  # two principal moments that differ relatively by less mean a body of revolution
SLENDER, STOUT = 0.05, 0.09  # limits of a bar's radius, relative to the mean distance between points
REACH = 0.012  # a bar's radius relative to the reach of the longest chain of bodies


class Geometry:
    """Numbers of a model's geometry, with the parameters of a run instead of the model's own."""

    def __init__(self, model: Model, parameters: Mapping[str, float] | None = None):
        self.model, self.given = model, dict(parameters or {})
        self.values = model.values | {name: x for name, x in self.given.items() if name in model.values}
        self.frames = {name: k for k, name in enumerate((GROUND, *model.bodies))}
        self._floating = {body.on for body in model.bodies.values() if floats(body)}  # points without material
        self._points: dict[str, Array] = {}

    def number(self, number: Number, name: str) -> float:
        """A number of the model; if all numbers are live, the run's value by name."""
        return float(evaluate(number, self.values) if isinstance(number, Formula) else self.given.get(name, number))

    def vector(self, numbers: Sequence[Number], name: str) -> Array:
        return np.array([self.number(x, f"{name}.{axis}") for x, axis in zip(numbers, "xyz", strict=True)])

    def position(self, point: Point) -> Array:
        return self.vector(point.position, point.path)

    def rotation(self, point: Point) -> Array:
        return matrix([self.number(x, "") for x in point.rotation])

    def com(self, body: Body) -> Array:
        return self.vector(body.com, f"{body.name}.com")

    def mass(self, body: Body) -> float:
        return self.number(body.mass, f"{body.name}.mass")

    def inertia(self, body: Body) -> Array:
        """About the centre of mass, in body axes."""
        labels = ("xx", "yy", "zz", "xy", "xz", "yz")
        xx, yy, zz, xy, xz, yz = (
            self.number(x, f"{body.name}.inertia.{label}") for x, label in zip(body.inertia, labels, strict=True)
        )
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def place(self, path: str) -> tuple[int, Array]:
        """Frame and position of a point of the model."""
        point = self.model.point_at(path)
        return self.frames[point.body], self.position(point)

    def points(self, body: Body) -> Array:
        """Points where a body has material: its origin and its points, except those used only for measuring."""
        if body.name not in self._points:
            own = [self.position(p) for p in body.points.values() if p.path not in self._floating or p.name == ORIGIN]
            self._points[body.name] = _distinct(np.array(own))
        return self._points[body.name]


class RecordingGeometry(Geometry):
    """A geometry that records the names of the numbers used."""

    def __init__(self, model: Model):
        super().__init__(model)
        self.asked: set[str] = set()

    def number(self, number: Number, name: str) -> float:
        self.asked |= names_in(number.text) if isinstance(number, Formula) else {name}
        return super().number(number, name)


def floats(body: Body) -> bool:
    """Whether a body's joints are free coordinates in space and not hinges or slides."""
    kinds = [joint.type[0] for joint in body.joints]
    return "f" in kinds or kinds.count("T") > 1 or len(kinds) > 3


def equivalent_solid(mass: float, inertia: Array) -> tuple[str, Array] | None:
    """A homogeneous ball, cylinder or box of the same mass and inertia: its mesh and its transform."""
    moments, axes = np.linalg.eigh(inertia)
    if not (mass > 0 and moments[0] > 0 and moments[2] <= 1.01 * (moments[0] + moments[1])):
        return None
    axes = axes * (1.0, 1.0, np.linalg.det(axes))  # right-handed
    if moments[2] - moments[0] <= ALIKE * moments[2]:
        return "ball", axes * np.sqrt(2.5 * moments.mean() / mass)
    for k, (i, j) in ((0, (1, 2)), (2, (0, 1))):
        if moments[j] - moments[i] <= ALIKE * moments[j]:  # a body of revolution about axis k
            radius2 = 2 * moments[k] / mass
            height2 = max(12 * moments[i] / mass - 3 * radius2, 0.01 * radius2)
            stretch = np.sqrt([radius2, radius2, height2])
            return "cylinder", np.column_stack([axes[:, i], axes[:, j], np.cross(axes[:, i], axes[:, j])]) * stretch
    edges2 = 6 / mass * (moments.sum() - 2 * moments)
    return "box", axes * np.sqrt(np.maximum(edges2, 1e-4 * edges2.max()))


def nearest_place(points: Array, to: Array) -> Array:
    """The point nearest to `to` on the lines from the first point to all others."""
    lines = points - points[0]
    share = np.clip(lines @ (to - points[0]) / np.maximum(np.sum(lines**2, axis=1), 1e-30), 0, 1)
    candidates = points[0] + share[:, None] * lines
    return np.asarray(candidates[np.argmin(np.linalg.norm(candidates - to, axis=1))])


def bar_radius(g: Geometry) -> float:
    """A suitable radius of bars for the model (m)."""
    reach: dict[str, float] = {}
    lengths = []
    for body in parents_first(g.model.bodies).values():
        length = _length(g, body)
        lengths += [length] if length > 0 else []
        reach[body.name] = reach.get(carrier(body.on), 0.0) + length
    seats = [float(np.linalg.norm(g.position(g.model.point_at(b.on)))) for b in g.model.bodies.values()]
    mean = float(np.mean(lengths or [x for x in seats if x > 0] or _solids(g) or [1.0]))
    return float(np.clip(REACH * max(reach.values(), default=0.0), SLENDER * mean, STOUT * mean))


def _length(g: Geometry, body: Body) -> float:
    points = g.points(body)
    if len(points) > 1:
        return float(np.linalg.norm(points - points[0], axis=1).max())
    return 2 * float(np.linalg.norm(g.com(body)))


def _solids(g: Geometry) -> list[float]:
    found = [equivalent_solid(g.mass(b), g.inertia(b)) for b in g.model.bodies.values()]
    return [float(np.linalg.norm(solid[1], axis=0).max()) for solid in found if solid is not None]


def _distinct(points: Array) -> Array:
    kept = points[:1]
    for point in points[1:]:
        if np.all(np.linalg.norm(kept - point, axis=1) > 1e-9):
            kept = np.vstack([kept, point])
    return kept
