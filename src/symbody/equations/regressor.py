"""Q = Y(q, q̇, q̈)·δ and T + V = h(q, q̇)·δ: forces and energy as linear functions of the inertial parameters δ."""

from __future__ import annotations

from collections.abc import Iterator

from symbody.equations.energy import body_kinetic_energy, body_velocities
from symbody.equations.kinematics import poses
from symbody.equations.newton_euler import inertia_wrench, motions, projected, to_parent
from symbody.equations.tree import Inertia, Place, Tree
from symbody.errors import ModelError
from symbody.expr.node import MINUS_ONE, ONE, ZERO, const
from symbody.expr.node_table import section
from symbody.expr.vector import XYZ, Mat, Vec, dot, unit, zero_matrix, zeros

# mass, first moments m·c, inertia about the body's origin, all in the body frame
INERTIAL = ("m", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_PLACES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def _unit_inertias() -> list[Inertia]:
    """The ten unit inertias; every body's inertia is a combination of them. I = (tr E) 1 − E, so E = ½ (tr I) 1 − I."""
    result = [Inertia(m=ONE)] + [Inertia(ms=unit(k)) for k in XYZ]
    half = const(0.5)
    for i, j in _PLACES:
        E = zero_matrix()
        if i == j:
            for k in XYZ:
                E[k][k] = const(-0.5) if k == i else half
        else:
            E[i][j] = E[j][i] = MINUS_ONE
        result.append(Inertia(E=E))
    return result


def _in_frame(inertia: Inertia, place: Place) -> Inertia:
    """A body's inertia in the frame that carries it."""
    return (inertia if place.R is None else inertia.turned(place.R)).shifted(place.offset)


def _columns(tree: Tree) -> Iterator[Vec]:
    """One column of Y per body and parameter."""
    moving, betas = motions(tree)
    for body in tree.model.bodies:
        section(f"regressor of {body}")
        place = tree.places[body]
        for inertia in _unit_inertias():
            column = zeros(tree.nv)
            if place.frame >= 0:
                at = _in_frame(inertia, place)
                force, moment = inertia_wrench(at, moving[place.frame], betas[place.frame])
                i = place.frame
                while i >= 0:
                    f = tree.frames[i]
                    column[f.index : f.index + len(f.v)] = projected(f, force, moment)
                    force, moment = to_parent(f, force, moment)
                    i = f.parent
            yield column


def regressor(tree: Tree) -> Mat:
    """Y, nv × 10·bodies."""
    _refuse_armature(tree)
    return Mat(_columns(tree)).T


def _refuse_armature(tree: Tree) -> None:
    """Raise an error for armatures: they are not inertial parameters of a body."""
    drive = next((f.name for f in tree.frames if f.armature is not ZERO), None)
    if drive:
        cure = "set the armature to 0, and subtract armature times acceleration from the measured forces"
        raise ModelError("the joint has an armature, which is not an inertial parameter", element=drive, cure=cure)


def energy_regressor(tree: Tree) -> Vec:
    """h, 10·bodies: T + V = h δ, with V = −g·(m P + R ms), zero at the ground's origin."""
    _refuse_armature(tree)
    moving, at = body_velocities(tree), poses(tree)
    h = Vec()
    for body in tree.model.bodies:
        section(f"energies of {body}")
        place = tree.places[body]
        for inertia in _unit_inertias():
            if place.frame < 0:  # welded to the ground
                h.append(ZERO)
                continue
            x, pose = _in_frame(inertia, place), at[place.frame]
            kinetic = body_kinetic_energy(x, *moving[place.frame])
            h.append(kinetic - dot(tree.gravity, x.m * pose.P + pose.R @ x.ms))
    return h
