"""The contact patch of a wheel on a flat road: its motion, and the road's forces at the wheel centre.

The wheel rotates about axis 2 of its point; the road is z = 0. All vectors are in the ground frame.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from symbody.elements.numbers import Scalar
from symbody.elements.vectors import Triple, cross, dot, plus, scaled

At = Any  # the motion of a wheel's centre: position, rotation, velocity, omega, in the ground frame


class Patch(NamedTuple):
    """The contact patch: directions, levers from the wheel centre (m), velocities (m/s, rad/s)."""

    axle: Triple
    forward: Triple  # along the road
    left: Triple
    upright: Scalar  # cosine of the camber
    height: Scalar  # from the road to the centre, in the wheel's plane
    down: Triple  # from the centre to the road
    arm: Triple  # same direction, with the effective radius as length: the point that rolls without slip
    lifting: Scalar  # rate of the height
    rolling: Scalar  # velocity of the centre, forward
    along: Scalar  # slip velocity, forward
    aside: Scalar  # slip velocity, to the left
    spin: Scalar  # about the axle
    turn: Scalar  # about the vertical


class PatchForces(NamedTuple):
    """Forces of the road: load upwards, forces forward and to the left (N), torques about vertical and axle (N m)."""

    load: Scalar
    along: Scalar
    aside: Scalar
    aligning: Scalar = 0.0
    drag: Scalar = 0.0


def patch(at: At, radius: Scalar, sag: Scalar) -> Patch:
    """The patch of a wheel with the free radius ρ (m) at a height h; its effective radius is ρ − sag (ρ − h)."""
    axle: Triple = tuple(row[1] for row in at.rotation)
    upright = (1.0 - axle[2] * axle[2]) ** 0.5
    forward: Triple = (axle[1] / upright, -axle[0] / upright, 0.0)
    left: Triple = (-forward[1], forward[0], 0.0)
    height = at.position[2] / upright
    lean = height * axle[2] / upright
    down: Triple = (lean * axle[0], lean * axle[1], -at.position[2])
    arm = scaled(1.0 + (1.0 - sag) * (radius - height) / height, down)
    slip = plus(at.velocity, cross(at.omega, arm))
    lifting = (at.velocity[2] + cross(at.omega, down)[2]) / upright
    rolling, spin = dot(at.velocity, forward), dot(at.omega, axle)
    along, aside = dot(slip, forward), dot(slip, left)
    return Patch(
        axle, forward, left, upright, height, down, arm, lifting, rolling, along, aside, spin, at.omega[2]
    )  # fmt: skip


def wrench(patch: Patch, road: PatchForces) -> tuple[Scalar, ...]:
    """Force (N) and torque (N m) on the wheel centre."""
    flat = plus(scaled(road.along, patch.forward), scaled(road.aside, patch.left))
    force = flat[0], flat[1], road.load
    levered = plus(cross(patch.down, (0.0, 0.0, road.load)), cross(patch.arm, flat))
    torque = plus(levered, scaled(road.drag, patch.axle))
    return *force, torque[0], torque[1], torque[2] + road.aligning


def rubbed(patch: Patch, road: PatchForces) -> Scalar:
    """Power (W) that slip, twist and rolling take from the wheel."""
    sliding = road.along * patch.along + road.aside * patch.aside
    return -sliding - road.aligning * patch.turn - road.drag * patch.spin
