"""The car with hydraulic dampers in place of its plain ones: separate, or interconnected against roll."""

from __future__ import annotations

import math
from typing import Any

from symbody.elements.element import Energy, Motion, Named, account
from symbody.elements.vectors import dot
from symbody.errors import ModelError
from symbody.machines.car.lane_change import lane_change_car
from symbody.machines.car_suspension.dampers import AXLES, hydraulic_dampers
from symbody.model.law import Law
from symbody.model.model import Model

DAMPERS = ("interconnected", "separate")


def model(dampers: str = "interconnected") -> Model:
    """The car in its lane change on four cylinders: 22 pressures interconnected, 16 with separate dampers.

    It stands as it did: what the charge pushes out the rods by, p π/4 d², the springs carry less.
    """
    if dampers not in DAMPERS:
        raise ModelError("no such dampers", element=str(dampers), cure=f"use {' or '.join(DAMPERS)}")
    m = lane_change_car()
    m.name = f"car-{dampers}"
    hydraulic_dampers(m, interconnected=dampers == "interconnected")
    push = m.values["charge"] * math.pi / 4.0 * m.values["rod"] ** 2
    for axle in AXLES:
        m.parameters[f"damper_{axle.name}"].value = 0.0
        m.parameters[f"preload_{axle.name}"].value -= push
    account_laws(m)
    return m


def account_laws(m: Model) -> None:
    """JOINT.supplied and SITE.supplied (W): what the laws of joints and force sites give to the bodies."""
    for joint, law in m.joint_laws.items():
        account(m, joint, supplied=_joint_power(joint, law))
    for name, site in m.force_sites.items():
        if site.law is not None:
            account(m, name, supplied=_site_power(site.point, site.law))


def _joint_power(joint: str, law: Law) -> Energy:
    return lambda s, p: law(s.q[joint], s.qd[joint], p) * s.qd[joint]


def _site_power(point: str, law: Law) -> Energy:
    def power(s: Motion, p: Named) -> Any:
        """F·v + M·ω."""
        at = s.point(point)
        wrench = law(at, p)
        return dot(wrench[:3], at.velocity) + dot(wrench[3:], at.omega)

    return power
