"""Random tree models, reproducible by seed: all joint types, branches, rotated points, full inertias."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

import numpy as np

from symbody.model.body import ELEMENTARY, Body, Point
from symbody.model.formula import Number
from symbody.model.model import Model
from symbody_bench.numeric import Array

# `sequence`: up to four joints in a row; `weld`: none; `massless`: a hinge without mass, then a body on another hinge
KINDS = (*ELEMENTARY, "ball", "free", "sequence", "weld", "massless")
_ZEROS = 0.3  # share of zero components of offsets and centres of mass
_PLAIN = 0.5  # share of points without rotation
_QUARTERS = 0.3  # share of rotated points with multiples of a quarter turn
_NAMED = 0.3  # share of the masses that are parameters
_BALLS = 0.3  # share of the sequences with a ball

Triple = tuple[float, float, float]


def random_tree(
    rng: np.random.Generator, joints: int = 8, kinds: Sequence[str] = KINDS, floating: bool = False
) -> Model:
    """A tree of `joints` bodies on joints of these kinds, in a random order of declaration."""
    model = Model("random", gravity=_triple(rng.normal(0.0, 5.0, 3)))
    points = [] if floating else [model.ground["origin"], _point(rng, model.ground, "seat")]
    for i in range(joints):
        kind = "free" if floating and i == 0 else str(rng.choice(list(kinds)))
        on = points[int(rng.integers(len(points)))] if points else model.ground["origin"]
        if kind == "massless":
            # no quarter turn: two collinear hinges with nothing between them would be redundant
            hinge = model.body(f"h{i}", on, str(rng.choice(["R1", "R2", "R3"])))
            kind, on = str(rng.choice(["R1", "R2", "R3"])), _point(rng, hinge, "seat", turned=True)
        body = model.body(f"b{i}", on, _joints(rng, kind), _mass(rng, model, i), *_shape(rng))
        points += [_point(rng, body, "p"), _point(rng, body, "q")]
    _shuffle(rng, model)
    return model


def _joints(rng: np.random.Generator, kind: str) -> str:
    if kind == "weld":
        return ""
    if kind != "sequence":
        return kind
    # The same type twice in a row, or a hinge next to a ball, would make the mass matrix singular.
    row = list(dict.fromkeys(str(k) for k in rng.choice(ELEMENTARY, int(rng.integers(2, 5)))))
    if rng.random() < _BALLS:
        row = [k for k in row if k[0] == "T"]
        row.insert(int(rng.integers(len(row) + 1)), "ball")
    return " ".join(row)


def _mass(rng: np.random.Generator, model: Model, i: int) -> Number:
    mass = float(rng.uniform(0.5, 3.0))
    return 2.0 * model.parameter(f"m{i}", mass / 2) if rng.random() < _NAMED else mass


def _shape(rng: np.random.Generator) -> tuple[Triple, tuple[float, ...]]:
    """Centre of mass, and the inertia of eight random point masses: physically valid by construction."""
    places = rng.uniform(-0.3, 0.3, (8, 3))
    places -= places.mean(axis=0)
    second = places.T @ (places * rng.uniform(0.05, 0.5, (8, 1)))
    m = np.trace(second) * np.eye(3) - second
    six = (m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2])
    return _triple(_sparse(rng, 0.3)), tuple(float(x) for x in six)


def _point(rng: np.random.Generator, body: Body, name: str, turned: bool = False) -> Point:
    quarters: Array = rng.integers(-2, 3, 3).astype(np.float64) * (pi / 2)
    angles = quarters if rng.random() < _QUARTERS and not turned else rng.uniform(-pi, pi, 3)
    plain = not turned and rng.random() < _PLAIN
    return body.point(name, _triple(_sparse(rng, 0.5)), (0.0, 0.0, 0.0) if plain else _triple(angles))


def _shuffle(rng: np.random.Generator, model: Model) -> None:
    """Declare children before their carriers, and order coordinates accordingly."""
    names = list(model.bodies)
    model.bodies = {names[i]: model.bodies[names[i]] for i in rng.permutation(len(names))}


def _sparse(rng: np.random.Generator, size: float) -> Array:
    return np.where(rng.random(3) < _ZEROS, 0.0, rng.uniform(-size, size, 3))


def _triple(values: Array) -> Triple:
    x, y, z = (float(v) for v in values)
    return x, y, z
