"""Mass matrix and Jacobians of the points of a model, in NumPy.

Readers of files need them: damping ratios and muscle forces are relative to the mass matrix, and loops may have gaps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symbody.model.body import GROUND, Joint
from symbody.model.model import Model
from symbody.model.placement import AT_HOME, Placement, compose, joint_placement, placement, placements
from symbody.model.rotation import Matrix
from symbody.model.tree import carrier, parents_first

Column = tuple[int, Matrix, Matrix, Matrix]  # number of a velocity, axis of rotation, direction, point of the axis


def moving_columns(model: Model, q: Mapping[str, float] | None = None) -> dict[str, list[Column]]:
    """Of each body, the joint velocities that move it, in the ground frame. q: coordinates of elementary joints."""
    sizes = [joint.nv for joint in model.joints()]
    first = {joint.name: sum(sizes[:k]) for k, joint in enumerate(model.joints())}
    at: dict[str, Placement] = {GROUND: AT_HOME}
    found: dict[str, list[Column]] = {GROUND: []}
    for name, body in parents_first(model.bodies).items():
        found[name] = list(found[carrier(body.on)])
        frame = compose(at[carrier(body.on)], placement(model.point_at(body.on), model.values))
        for joint in body.joints:
            found[name] += [(first[joint.name] + k, *motion) for k, motion in enumerate(_motions(joint, frame))]
            frame = compose(frame, joint_placement(joint, (q or {}).get(joint.name, 0.0)))
        at[name] = frame
    return found


def jacobians(columns: Sequence[Column], nv: int, at: Matrix) -> tuple[Matrix, Matrix]:
    """Jv and Jω (3, nv) of a point of a body."""
    sliding, turning = np.zeros((3, nv)), np.zeros((3, nv))
    for k, axis, slide, on_axis in columns:
        turning[:, k], sliding[:, k] = axis, slide + np.cross(axis, at - on_axis)
    return sliding, turning


def mass_matrix(model: Model, columns: Mapping[str, Sequence[Column]]) -> Matrix:
    """M = Σ m Jvᵀ Jv + Jωᵀ I Jω + armature (kg, kg m, kg m²) at zero coordinates, in the order of the joints."""
    armature = [joint.armature for joint in model.joints() for _ in range(joint.nv)]
    M, placed = np.diag(np.array(armature, dtype=float)), placements(model, {})
    for name, body in model.bodies.items():
        rotation, position = placed[name]
        xx, yy, zz, xy, xz, yz = body.inertia
        inertia = rotation @ np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), dtype=float) @ rotation.T
        centre = position + rotation @ np.array(body.com, dtype=float)
        Jv, Jw = jacobians(columns[name], model.nv, centre)
        M += float(body.mass) * Jv.T @ Jv + Jw.T @ inertia @ Jw  # type: ignore[arg-type]  # of files: a number
    return M


def _motions(joint: Joint, at: Placement) -> list[tuple[Matrix, Matrix, Matrix]]:
    """Axis of rotation, direction of translation and point of the axis, for each velocity of a joint."""
    rotation, position = at
    none = np.zeros(3)
    turns = [(rotation[:, k], none, position) for k in range(3)]
    slides = [(none, rotation[:, k], position) for k in range(3)]
    if joint.type in ("ball", "free"):
        return slides + turns if joint.type == "free" else turns
    k = int(joint.type[1]) - 1
    return [turns[k] if joint.type.startswith("R") else slides[k]]
