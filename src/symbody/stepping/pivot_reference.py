"""The references of the loops' pivots: what other coordinates offer, so that a watch does not depend on the start."""

from __future__ import annotations

import numpy as np

from symbody.model.body import QUATERNION
from symbody.model.model import Model
from symbody.system.displacement import movable
from symbody.system.partition import SOUND
from symbody.system.system import Array, System
from symbody.system.ties import independent_jacobian

SWITCH = 0.3  # of its reference: below it a pivot is small, if coordinates may change
RESERVE = SOUND / SWITCH  # a pivot is small below SOUND, as small as an order of pivots may choose it


def reference_pivots(s: System, t: float, x: Array, u: Array, guess: Array, pivots: Array) -> Array:
    """Pivots at a state, but not smaller than RESERVE times the largest element that the elimination could choose.

    In row k, after the pivots before it, these are the elements of all other joints that can move. Slides are compared
    with rotations by a length, the ratio of the largest elements of both kinds. Ties between velocities keep their own
    pivots: their directions turn with the motion.
    """
    parts = s.partition
    n = len(parts.rows)
    if not n or not len(pivots):
        return pivots
    q = s.motion(t, x, u, guess)[0]
    J = independent_jacobian(s.live_model, q, parts, s.loops)[0][:n]
    lengths = _lengths(s.model, J)
    left, columns, offered = J * lengths, movable(s.model), np.zeros(len(pivots))
    for k, c in enumerate(parts.dependent):
        offered[k] = np.abs(left[k, columns]).max() / lengths[c]
        left[k + 1 :] -= np.outer(left[k + 1 :, c] / left[k, c], left[k])
        columns = [i for i in columns if i != c]
    return np.copysign(np.maximum(np.abs(pivots), RESERVE * offered), pivots)


def _lengths(model: Model, J: Array) -> Array:
    """For each degree of freedom 1, or for slides the length (m) that makes them comparable with rotations."""
    slides = np.array([slide for joint in model.joints() for slide in _slides(joint.type, joint.nv)], dtype=bool)
    turning, sliding = (float(np.abs(J[:, kind]).max(initial=0.0)) for kind in (~slides, slides))
    return np.where(slides, turning / sliding if turning and sliding else 1.0, 1.0)


def _slides(kind: str, nv: int) -> list[bool]:
    """Whether each velocity of a joint is a translation."""
    return [True] * (nv - 3) + [False] * 3 if kind in QUATERNION else [kind.startswith("T")] * nv
