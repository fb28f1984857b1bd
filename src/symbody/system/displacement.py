"""Small displacements of a model's coordinates, and the joints that may move."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symbody.model.body import QUATERNION
from symbody.model.model import Model
from symbody.model.tree import own_coordinates

Array = np.ndarray
PRESCRIBED = ("driven", "locked")  # natures of joints with a given motion


def movable(model: Model) -> list[int]:
    """Degrees of freedom of joints that are neither driven nor locked."""
    natures = [joint.nature for joint in model.joints() for _ in range(joint.nv)]
    return [i for i, nature in enumerate(natures) if nature not in PRESCRIBED]


def displacement(model: Model) -> Callable[[Array, Array], Array]:
    """The function q, δ → q ⊕ δ of a model: a sum; for quaternions a rotation by a vector in the body frame.

    Both may have leading axes, one entry for each of many positions.
    """
    places = np.array(own_coordinates(model), dtype=int)
    plain = np.flatnonzero(places >= 0)
    turned, start, v = list[tuple[int, int]](), 0, 0  # ends of quaternions in q, and of their rotations in δ
    for joint in model.joints():
        start, v = start + joint.nq, v + joint.nv
        if joint.type in QUATERNION:
            turned.append((start, v))

    def moved(q: Array, step: Array) -> Array:
        found = q.copy()
        found[..., places[plain]] += step[..., plain]
        for start, v in turned:
            w, axis = q[..., start - 4, None], q[..., start - 3 : start]
            half = step[..., v - 3 : v] / 2
            scalar = w - np.sum(axis * half, axis=-1, keepdims=True)
            quaternion = np.concatenate([scalar, axis + w * half + np.cross(axis, half)], axis=-1)
            found[..., start - 4 : start] = quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)
        return found

    return moved


def displaced(model: Model, q: Array, step: Array) -> Array:
    """Coordinates after a small displacement, see `displacement`."""
    return displacement(model)(q, step)
