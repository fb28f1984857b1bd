"""A crash attenuator behind a truck: ten blocks in rows, each block of 1, 3, 10 … bodies on prismatic joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symbody.model.body import Body, Point
from symbody.model.model import Model
from symbody.vehicles.crushable_cells import Cell, Row, add_rows, crush_parameters, side_of

# Ten bays with cartridges of aluminium honeycomb, 4.5 m in all, as in attenuators for 80 to 100 km/h: soft at the
# free end for light cars, stiff near the truck. A cartridge of 1.4 m² by 0.45 m has 16 kg/m³ and a crush strength of
# 0.04 to 0.16 MPa. It yields after 3 to 11 mm, is dense when three quarters are crushed, and needs a quarter more
# force at 10 m/s (trapped air, inertia of the cell walls). Its frame belongs to the truck.
BLOCKS = 10
LENGTH = 0.45  # m, of a block
MASS = 10.0  # kg, of a block
NOSE = 20.0  # kg, a plate of steel
DENSE = 0.75
SPACING = 0.6  # m, between rows
REACH = 1.0  # m, from a face back to the point that holds it, because links need a length


def attenuator_parameters(m: Model) -> None:
    """Live parameters of the attenuator."""
    m.parameter("crush_first", 60e3, "N")  # yield force of the block at the free end
    m.parameter("crush_last", 220e3, "N")  # and of the block at the truck
    crush_parameters(m, "block", stiffness=20e6, hardening=45e3, packing=60e6, viscosity=2000.0, damping=2000.0)
    m.parameter("contact_stiffness", 10e6, "N/m")
    m.parameter("uneven", 0.0)  # relative increase of the left row's strength, and decrease of the right row's


def add_attenuator(m: Model, truck: Body, height: float, parts: int, rows: int) -> tuple[list[Point], list[Cell]]:
    """Add rows of blocks behind a truck's origin; returns their free faces, from right to left, and the cells."""
    blocks = [
        Row(
            "block",
            [_strength(i, side_of(k, rows), rows) for i in range(BLOCKS)],
            parts,
            length=LENGTH,
            mass=MASS / rows,
            nose=NOSE / rows,
            dense=DENSE,
            direction=-1,
            rows=rows,
        )
        for k in range(rows)
    ]
    noses, cells = add_rows(m, "row", truck, -blocks[0].cell, height, blocks, SPACING)
    return [nose["origin"] for nose in noses], cells


def _strength(i: int, side: float, rows: int) -> Callable[[Any], Any]:
    """Yield force of block i in one of the rows; blocks count from the truck."""
    share = i / (BLOCKS - 1)
    return lambda p: (p.crush_last + share * (p.crush_first - p.crush_last)) * (1.0 + side * p.uneven) / rows


def add_contact(m: Model, name: str, held: Point, face: Point) -> None:
    """Add contact of two faces that push and do not pull; the first face is `REACH` ahead of `held`."""

    @m.link(name, held, face)
    def contact(length: Any, rate: Any, p: Any) -> Any:
        gap = length - REACH
        return p.contact_stiffness * gap * (gap < 0)
