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


def offered_pivots(s: System, q: Array) -> Array:
    """For each pivot of the loops RESERVE times the largest element that the elimination could choose at coordinates q.

    In row k, after the pivots before it, these are the elements of all other joints that can move. Slides are compared
    with rotations by a length, the ratio of the largest elements of both kinds. Ties between velocities get zero: their
    directions turn with the motion.
    """
    parts = s.partition
    offered = np.zeros(len(s.pivots))
    if not parts.rows or not len(offered):
        return offered
    J = independent_jacobian(s.live_model, q, parts, s.loops)[0][: len(parts.rows)]
    lengths, columns = _lengths(s.model, J), movable(s.model)
    left = J * lengths
    for k, c in enumerate(parts.dependent):
        offered[k] = RESERVE * np.abs(left[k, columns]).max() / lengths[c]
        left[k + 1 :] -= np.outer(left[k + 1 :, c] / left[k, c], left[k])
        columns = [i for i in columns if i != c]
    return offered


def reference_pivots(pivots: Array, offered: Array) -> Array:
    """Pivots that later ones are compared with: as at the start, but not smaller than what is offered."""
    return np.asarray(np.copysign(np.maximum(np.abs(pivots), offered), pivots))


def _lengths(model: Model, J: Array) -> Array:
    """For each degree of freedom 1, or for slides the length (m) that makes them comparable with rotations."""
    slides = np.array([slide for joint in model.joints() for slide in _slides(joint.type, joint.nv)], dtype=bool)
    turning, sliding = (float(np.abs(J[:, kind]).max(initial=0.0)) for kind in (~slides, slides))
    return np.where(slides, turning / sliding if turning and sliding else 1.0, 1.0)


def _slides(kind: str, nv: int) -> list[bool]:
    """Whether each velocity of a joint is a translation."""
    return [True] * (nv - 3) + [False] * 3 if kind in QUATERNION else [kind.startswith("T")] * nv
