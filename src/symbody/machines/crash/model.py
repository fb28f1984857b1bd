"""The model of the crash: truck, attenuator and vehicle."""

from __future__ import annotations

from typing import Any

from symbody.machines.crash.vehicle import HEIGHT, ROWS, VEHICLES, add_vehicle
from symbody.model.formula import Formula
from symbody.model.model import Model
from symbody.model.plain_numbers import GRAVITY
from symbody.vehicles.attenuator import REACH, add_attenuator, add_contact, attenuator_parameters
from symbody.vehicles.crushable_cells import add_energies, crush_parameters


def model(vehicle: str = "car", parts: int = 10, locked: bool = False) -> Model:
    """A `car` at 90 or a `bus` at 70 km/h hits ten blocks of `parts` bodies in three rows, on a truck of 12 t.

    The truck slides on its braked wheels, or is locked.
    """
    m, v = Model("crash"), VEHICLES[vehicle]
    m.parameter("speed", v.speed / 3.6, "m/s")
    m.parameter("truck_mass", 12000.0, "kg")
    m.parameter("truck_friction", 0.5)
    attenuator_parameters(m)
    m.parameter("front_strength", v.strength, "N")
    # Viscosity and damping of steel members: a few per cent of the force at 10 m/s.
    front = {"stiffness": v.stiffness, "hardening": v.hardening, "packing": 20.0 * v.hardening}
    crush_parameters(m, "front", **front, viscosity=2000.0, damping=2000.0)
    carrier = m.body("truck", joints=() if locked else "T1", mass=Formula("truck_mass"))
    if not locked:
        m.joint_force("truck")(sliding)
    faces, cells = add_attenuator(m, carrier, HEIGHT, parts, ROWS)
    noses, members = add_vehicle(m, v)
    for k, (nose, face) in enumerate(zip(noses, faces, strict=True)):
        add_contact(m, f"contact{k + 1}", nose.point("held", (-REACH, 0.0, 0.0)), face)
    add_energies(m, "block", cells)
    add_energies(m, "front", members)
    m.sensor("vehicle", "vehicle", ("position", "rotation", "velocity", "acceleration"))
    return m


def sliding(q: Any, qd: Any, p: Any) -> Any:
    """Friction of the truck's braked wheels on the road (N), continuous within 0.1 m/s."""
    return -p.truck_friction * p.truck_mass * GRAVITY * qd / (qd * qd + 0.01) ** 0.5
