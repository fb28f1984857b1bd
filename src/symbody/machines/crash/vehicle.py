"""Vehicles of the crash: a body on four springs, with three front members that crush."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from symbody.model.body import Body
from symbody.model.model import Model
from symbody.model.plain_numbers import GRAVITY
from symbody.vehicles.attenuator import BLOCKS, DENSE, LENGTH, SPACING
from symbody.vehicles.chassis import chassis_joints, corner_name
from symbody.vehicles.crushable_cells import Cell, Row, add_rows

ROWS = 3  # members side by side, each in front of a row of blocks
CELLS = 4  # in a member
HEIGHT = 0.55  # m, of members and blocks above the road
AXLE = 0.3  # m, of the wheels' centres


@dataclass(frozen=True, kw_only=True)
class Vehicle:
    """Numbers of a vehicle (m, kg, N)."""

    speed: float  # km/h
    mass: float  # total
    gyration: tuple[float, float, float]  # radii about its axes
    centre: float  # of mass, above the road
    axles: tuple[float, float]  # ahead of the centre of mass, and behind it
    track: float
    bounce: float  # rad/s, of the body on its springs
    front: float  # from the centre of mass to the bumper
    crush: float  # length that crushes
    front_mass: float  # of the members and the parts on them
    strength: float  # yield force of the front
    stiffness: float  # N/m, elastic
    hardening: float  # N/m
    roof: float  # above the road; this and what follows is for the looks
    tail: float  # behind the rear axle
    bonnet: float  # from the cabin to the part that crushes


# A mid-size car whose front yields at 17 g, and a city bus with strong floor beams and a short front. Sizes and
# masses are typical of their classes.
VEHICLES = {
    "car": Vehicle(
        speed=90.0,
        mass=1500.0,
        gyration=(0.55, 1.3, 1.35),
        centre=0.6,
        axles=(1.3, 1.4),
        track=1.5,
        bounce=8.0,
        front=2.2,
        crush=0.7,
        front_mass=250.0,
        strength=250e3,
        stiffness=5e6,
        hardening=300e3,
        roof=1.45,
        tail=0.8,
        bonnet=0.5,
    ),
    "bus": Vehicle(
        speed=70.0,
        mass=12000.0,
        gyration=(1.2, 3.3, 3.4),
        centre=1.0,
        axles=(3.5, 2.4),
        track=2.0,
        bounce=7.0,
        front=6.0,
        crush=1.2,
        front_mass=700.0,
        strength=400e3,
        stiffness=10e6,
        hardening=400e3,
        roof=2.9,
        tail=3.0,
        bonnet=0.1,
    ),
}


def add_vehicle(m: Model, v: Vehicle) -> tuple[list[Body], list[Cell]]:
    """Add the vehicle just before the impact; returns noses of its front members, from right to left, and cells.

    Its origin is its centre of mass.
    """
    share = v.front_mass / 2 / ROWS
    row = Row(
        "front",
        [lambda p: p.front_strength / ROWS],
        CELLS,
        length=v.crush,
        mass=share,
        nose=share,
        dense=DENSE,
        direction=1,
        rows=ROWS,
    )
    first = v.front - v.crush + row.cell
    ahead = ROWS * sum(mass * (first + k * row.cell) for k, mass in enumerate(row.masses))  # kg m
    rest = v.mass - ROWS * sum(row.masses)
    joints = chassis_joints("vehicle.", -BLOCKS * LENGTH - 0.05 - v.front, v.centre)
    inertia = [rest * r * r for r in v.gyration]
    body = m.body("vehicle", None, joints, rest, (-ahead / rest, 0.0, 0.0), inertia)
    for side in (-1, 1):
        for axle, x, other in (("front", v.axles[0], v.axles[1]), ("rear", -v.axles[1], v.axles[0])):
            name = corner_name(axle, side)
            place = body.point(name, (x, side * v.track / 2, AXLE - v.centre))
            m.force_site(f"{name}.wheel", place)(_wheel(v.mass / 2 * other / sum(v.axles), v.bounce))
    return add_rows(m, "member", body, first, HEIGHT - v.centre, [row] * ROWS, SPACING)


def _wheel(carried: float, bounce: float) -> Callable[[Any, Any], Any]:
    """A wheel with its suspension, on the body: spring and damper for the carried mass (kg), friction sideways."""

    def wheel(at: Any, p: Any) -> Any:
        push = carried * (GRAVITY + bounce * bounce * (AXLE - at.position[2]) - 0.6 * bounce * at.velocity[2])
        load = push * (push > 0)
        aside = at.rotation[0][1] * at.velocity[0] + at.rotation[1][1] * at.velocity[1]
        grip = -0.8 * load * aside / (aside * aside + 1.0) ** 0.5
        return grip * at.rotation[0][1], grip * at.rotation[1][1], load

    return wheel
