"""A model's data as numbers for other engines: placements, inertias, and the order of the tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symbody.model.body import GROUND, Body, Point
from symbody.model.formula import Number, evaluate
from symbody.model.model import Model
from symbody.model.placement import placement as in_body

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Slots:
    """Indices of a joint's numbers in symbody's q and v."""

    q: range
    v: range


def floats(model: Model, numbers: Sequence[Number]) -> Array:
    """The values of numbers or formulas."""
    values = model.values
    return np.array([float(evaluate(number, values)) for number in numbers])


def placement(model: Model, point: Point) -> tuple[Array, Array]:
    """Rotation matrix and position of a point in its body frame."""
    return in_body(point, model.values)


def inertial(model: Model, body: Body) -> tuple[float, Array, Array]:
    """Mass, centre of mass and inertia matrix about it, in the body frame."""
    mass = float(floats(model, [body.mass])[0])
    xx, yy, zz, xy, xz, yz = floats(model, body.inertia)
    return mass, floats(model, body.com), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def carrier(model: Model, body: Body) -> str:
    """Name of the body that carries this one."""
    return model.point_at(body.on).body


def depth_first(model: Model) -> Iterator[Body]:
    """All bodies, each after its carrier and before the carrier's next branch."""
    children: dict[str, list[Body]] = {name: [] for name in (GROUND, *model.bodies)}
    for body in model.bodies.values():
        children[carrier(model, body)].append(body)
    stack = children[GROUND][::-1]
    while stack:
        body = stack.pop()
        yield body
        stack += children[body.name][::-1]


def slots(model: Model) -> dict[str, list[Slots]]:
    """For each body the indices of its joints in symbody's q and v."""
    out: dict[str, list[Slots]] = {}
    q = v = 0
    for body in model.bodies.values():
        out[body.name] = []
        for joint in body.joints:
            out[body.name].append(Slots(range(q, q + joint.nq), range(v, v + joint.nv)))
            q, v = q + joint.nq, v + joint.nv
    return out


def quaternion_of(rotation: Array) -> Array:
    """Quaternion (w, x, y, z) of a rotation matrix, w ≥ 0."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(rotation).as_quat()
    return np.array([w, x, y, z]) if w >= 0 else np.array([-w, -x, -y, -z])
