"""The car with hydraulic dampers, separate or interconnected against roll."""

from __future__ import annotations

import math
from typing import Any

from symbody.elements.element import Energy, Motion, Named, account
from symbody.elements.vectors import dot
from symbody.errors import ModelError
from symbody.machines.car_suspension.dampers import AXLES, hydraulic_dampers
from symbody.model.law import Law
from symbody.model.model import Model
from symbody.vehicles.lane_change import lane_change_car

DAMPERS = ("interconnected", "separate")


def model(dampers: str = "interconnected") -> Model:
    """The car in its lane change with four cylinders: 22 pressures if interconnected, 16 with separate dampers.

    The ride height stays: the spring preload is smaller by the force of the charge pressure on the rod, p π/4 d².
    """
    if dampers not in DAMPERS:
        raise ModelError("unknown dampers", element=str(dampers), cure=f"use {' or '.join(DAMPERS)}")
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
    """Add JOINT.supplied and SITE.supplied (W): power of the laws of joints and force sites."""
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
