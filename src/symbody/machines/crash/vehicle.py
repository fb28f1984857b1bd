"""Vehicles that crash: a body on four springs, and three front members that can be crushed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from symbody.machines.attenuator.cells import Cell, Row, add_row
from symbody.machines.attenuator.model import BLOCKS, LENGTH, SPACING
from symbody.model.body import Body, Joint
from symbody.model.formula import Formula
from symbody.model.model import Model
from symbody.model.plain_numbers import GRAVITY

ROWS = 3  # members side by side, each before a row of blocks
CELLS = 4  # in a member
HEIGHT = 0.55  # m, of members and blocks above the road
AXLE = 0.3  # m, of the wheels' centres


@dataclass(frozen=True, kw_only=True)
class Vehicle:
    """Numbers of a vehicle (m, kg, N)."""

    speed: float  # km/h
    mass: float  # all of it
    gyration: tuple[float, float, float]  # radii about its axes
    centre: float  # of mass, above the road
    axles: tuple[float, float]  # ahead of the centre of mass, and behind it
    track: float
    bounce: float  # rad/s, of the body on its springs
    front: float  # from the centre of mass to the bumper
    crush: float  # length that can be crushed
    front_mass: float  # of the members with what they carry
    strength: float  # at which the front yields
    stiffness: float  # N/m, elastic
    hardening: float  # N/m


# A mid-size car whose front yields at 17 g, and a city bus with strong floor beams but little before the driver; sizes
# and masses of their classes.
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
    ),
}


def add_vehicle(m: Model, v: Vehicle) -> tuple[list[Body], list[Cell]]:
    """The vehicle just before the impact: the noses of its front members, from right to left, and their cells.

    Its origin is its centre of mass.
    """
    start = -BLOCKS * LENGTH - 0.05 - v.front
    joints = [
        Joint("vehicle.x", "T1", q0=(start,), v0=(Formula("speed"),)),
        Joint("vehicle.y", "T2"),
        Joint("vehicle.z", "T3", q0=(v.centre,)),
        *(Joint(f"vehicle.{name}", kind) for name, kind in (("yaw", "R3"), ("pitch", "R2"), ("roll", "R1"))),
    ]
    row = Row(
        "front",
        [lambda p: p.front_strength / ROWS],
        CELLS,
        length=v.crush,
        mass=v.front_mass / 2 / ROWS,
        nose=v.front_mass / 2 / ROWS,
        dense=0.75,
        direction=1,
        rows=ROWS,
    )
    first = v.front - v.crush + row.cell
    ahead = ROWS * sum(mass * (first + k * row.cell) for k, mass in enumerate(row.masses))  # kg m
    rest = v.mass - ROWS * sum(row.masses)
    inertia = [rest * r * r for r in v.gyration]
    body = m.body("vehicle", None, joints, rest, (-ahead / rest, 0.0, 0.0), inertia)
    for side in (-1, 1):
        for x, other in ((v.axles[0], v.axles[1]), (-v.axles[1], v.axles[0])):
            name = f"{'front' if x > 0 else 'rear'}_{'left' if side > 0 else 'right'}"
            place = body.point(name, (x, side * v.track / 2, AXLE - v.centre))
            m.force_site(f"{name}.wheel", place)(_wheel(v.mass / 2 * other / sum(v.axles), v.bounce))
    noses: list[Body] = []
    cells: list[Cell] = []
    for k in range(ROWS):
        root = body.point(f"member{k + 1}", (first, SPACING * (k - (ROWS - 1) / 2), HEIGHT - v.centre))
        nose, own = add_row(m, f"member{k + 1}", root, row)
        noses.append(nose)
        cells += own
    return noses, cells


def _wheel(carried: float, bounce: float) -> Callable[[Any, Any], Any]:
    """A wheel with its suspension, on the body: a spring and damper for the mass it carries, friction sideways."""

    def wheel(at: Any, p: Any) -> Any:
        push = carried * (GRAVITY + bounce * bounce * (AXLE - at.position[2]) - 0.6 * bounce * at.velocity[2])
        load = push * (push > 0)
        aside = at.rotation[0][1] * at.velocity[0] + at.rotation[1][1] * at.velocity[1]
        grip = -0.8 * load * aside / (aside * aside + 1.0) ** 0.5
        return grip * at.rotation[0][1], grip * at.rotation[1][1], load

    return wheel
