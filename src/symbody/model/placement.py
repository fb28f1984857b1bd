"""Numeric placements of bodies: welded bodies in one frame, and all bodies at given angles."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symbody.errors import ModelError
from symbody.model.body import GROUND, Body, Joint, Point
from symbody.model.formula import Number, evaluate
from symbody.model.model import Model
from symbody.model.rotation import Matrix, matrix
from symbody.model.tree import carrier, parents_first

Placement = tuple[Matrix, Matrix]  # rotation R and position p: x = R x' + p
AT_HOME: Placement = (np.eye(3), np.zeros(3))


def placement(point: Point, values: Mapping[str, float]) -> Placement:
    """Rotation matrix and position of a point in its body frame."""
    return matrix(_floats(point.rotation, values).tolist()), _floats(point.position, values)


def compose(outer: Placement, inner: Placement) -> Placement:
    """The inner placement, expressed in the frame in which the outer one is given."""
    return outer[0] @ inner[0], outer[1] + outer[0] @ inner[1]


def placements(model: Model, q: Mapping[str, float]) -> dict[str, Placement]:
    """Each body in the ground frame. q: coordinates of elementary joints, default 0; other joints are at zero too."""
    values, found = model.values, {GROUND: AT_HOME}
    for name, body in parents_first(model.bodies).items():
        found[name] = compose(found[carrier(body.on)], placement(model.point_at(body.on), values))
        for joint in body.joints:
            found[name] = compose(found[name], joint_placement(joint, q.get(joint.name, 0.0)))
    return found


def joint_placement(joint: Joint, q: float) -> Placement:
    """The motion of an elementary joint by q (rad, m); none for other joints."""
    if joint.nq > 1:
        return AT_HOME
    along = np.eye(3)[int(joint.type[1]) - 1] * q
    return (np.eye(3), along) if joint.type.startswith("T") else (matrix(along.tolist()), np.zeros(3))


def welded_inertias(model: Model) -> dict[str, tuple[str, Matrix]]:
    """For each body its weld root (itself, another body or the ground), and the inertia of all bodies of that root.

    Inertias are about the common centre of mass. Bodies without a carrier or with invalid numbers are left out.
    """
    values = model.values
    seat: dict[str, tuple[str, Placement]] = {GROUND: (GROUND, AT_HOME)}  # weld root, and the body's placement on it
    sums: dict[str, tuple[float, Matrix, Matrix]] = {}  # m, ∫ρx and ∫ρ x xᵀ about the root's frame
    for name, body in parents_first(model.bodies).items():
        try:
            if body.joints:
                seat[name] = name, AT_HOME
            elif carrier(body.on) in seat:
                root, at = seat[carrier(body.on)]
                seat[name] = root, compose(at, placement(model.point_at(body.on), values))
            else:
                continue
            m, s, e = _moments(body, values)
        except (ModelError, ValueError, TypeError):  # reported by the check of that number
            continue
        root, (rotation, position) = seat[name]
        mass, first, second = sums.get(root, (0.0, np.zeros(3), np.zeros((3, 3))))
        cross = np.outer(rotation @ s, position)
        moved = rotation @ e @ rotation.T + cross + cross.T + m * np.outer(position, position)
        sums[root] = mass + m, first + rotation @ s + m * position, second + moved
    about = {root: _about_centre(*whole) for root, whole in sums.items()}
    return {name: (root, about[root]) for name, (root, _) in seat.items() if root in about}


def _about_centre(mass: float, first: Matrix, second: Matrix) -> Matrix:
    """I = tr(E) 1 − E from second moments E, moved to the centre of mass."""
    centred = second - np.outer(first, first) / mass if mass else second
    return np.asarray(np.trace(centred) * np.eye(3) - centred)


def _moments(body: Body, values: Mapping[str, float]) -> tuple[float, Matrix, Matrix]:
    """Mass, first moments and second moments E = ∫ρ x xᵀ about the body frame; I = tr(E) 1 − E."""
    mass, com = float(_floats((body.mass,), values)[0]), _floats(body.com, values)
    xx, yy, zz, xy, xz, yz = _floats(body.inertia, values)
    inertia = np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    second = np.trace(inertia) / 2 * np.eye(3) - inertia + mass * np.outer(com, com)
    return mass, mass * com, second


def _floats(numbers: tuple[Number, ...], values: Mapping[str, float]) -> Matrix:
    return np.array([float(evaluate(number, values)) for number in numbers])
