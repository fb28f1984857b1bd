"""Small displacements of a model's coordinates, and the joints that may move."""

from __future__ import annotations

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


def displaced(model: Model, q: Array, step: Array) -> Array:
    """Coordinates after a small displacement: a sum; for quaternions a rotation by a vector in the body frame."""
    moved, start, v = q.copy(), 0, 0
    for i, place in enumerate(own_coordinates(model)):
        if place >= 0:
            moved[place] += step[i]
    for joint in model.joints():
        start, v = start + joint.nq, v + joint.nv
        if joint.type in QUATERNION:
            w, axis = q[start - 4], q[start - 3 : start]
            half = step[v - 3 : v] / 2
            turned = np.r_[w - axis @ half, axis + w * half + np.cross(axis, half)]
            moved[start - 4 : start] = turned / np.linalg.norm(turned)
    return moved
