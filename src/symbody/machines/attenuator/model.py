"""A crash attenuator behind a truck: ten blocks, each in 1, 3, 10 … bodies on prismatic joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symbody.machines.attenuator.cells import Cell, Row, add_energies, add_row, crush_parameters
from symbody.model.body import Body, Joint, Point
from symbody.model.formula import Formula
from symbody.model.model import Model

# Ten bays with cartridges of aluminium honeycomb, 4.5 m in all, as attenuators for 80 to 100 km/h have: softer at the
# free end, for light cars, stiffer towards the truck. A cartridge of 1.4 m² by 0.45 m weighs 16 kg/m³ at crush
# strengths of 0.04 to 0.16 MPa, yields after 3 to 11 mm, is packed when three quarters of it are crushed, and takes a
# quarter more force at 10 m/s (trapped air, inertia of the cell walls). Its frame belongs to the truck.
BLOCKS = 10
LENGTH = 0.45  # m, of a block
MASS = 10.0  # kg, of a block
NOSE = 20.0  # kg, a plate of steel
DENSE = 0.75
SPACING = 0.6  # m, between rows
REACH = 1.0  # m, from a face back to the point that holds it: links need a length


def model(parts: int = 10) -> Model:
    """Ten blocks of `parts` bodies each behind a truck that stands fast, hit by an impactor of 600 kg at 50 km/h."""
    m = Model("attenuator")
    attenuator_parameters(m)
    m.parameter("speed", 50 / 3.6, "m/s")
    (face,), cells = add_attenuator(m, m.ground, 0.0, parts, rows=1)
    joint = Joint("impactor", "T1", q0=(-BLOCKS * LENGTH - 0.02,), v0=(Formula("speed"),))  # almost touching
    impactor = m.body("impactor", None, [joint], mass=600.0)
    add_contact(m, "contact", impactor.point("held", (-REACH, 0.0, 0.0)), face)
    add_energies(m, "block", cells)
    m.sensor("impactor", impactor, ("rotation", "acceleration"))
    return m


def attenuator_parameters(m: Model) -> None:
    """Numbers of the attenuator; they stay live."""
    m.parameter("crush_first", 60e3, "N")  # yield force of the block at the free end
    m.parameter("crush_last", 220e3, "N")  # and of that at the truck
    crush_parameters(m, "block", stiffness=20e6, hardening=45e3, packing=60e6, viscosity=2000.0, damping=2000.0)
    m.parameter("contact_stiffness", 10e6, "N/m")
    m.parameter("uneven", 0.0)  # share by which the left row is stronger, and the right one weaker


def add_attenuator(m: Model, truck: Body, height: float, parts: int, rows: int) -> tuple[list[Point], list[Cell]]:
    """Rows of blocks backwards from a truck's origin: their free faces, from right to left, and the cells."""
    faces: list[Point] = []
    cells: list[Cell] = []
    for k in range(rows):
        side = k - (rows - 1) / 2
        row = Row(
            "block",
            [_strength(i, side, rows) for i in range(BLOCKS)],
            parts,
            length=LENGTH,
            mass=MASS / rows,
            nose=NOSE / rows,
            dense=DENSE,
            direction=-1,
            rows=rows,
        )
        start = truck.point(f"row{k + 1}", (-row.cell, SPACING * side, height))
        nose, own = add_row(m, f"row{k + 1}", start, row)
        faces.append(nose["origin"])
        cells += own
    return faces, cells


def _strength(i: int, side: float, rows: int) -> Callable[[Any], Any]:
    """Yield force of block i, counted from the truck, in one of the rows."""
    share = i / (BLOCKS - 1)
    return lambda p: (p.crush_last + share * (p.crush_first - p.crush_last)) * (1.0 + side * p.uneven) / rows


def add_contact(m: Model, name: str, held: Point, face: Point) -> None:
    """Two faces that push but do not pull; the first is REACH before the point that holds it."""

    @m.link(name, held, face)
    def contact(length: Any, rate: Any, p: Any) -> Any:
        gap = length - REACH
        return p.contact_stiffness * gap * (gap < 0)
