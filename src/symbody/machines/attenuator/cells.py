"""Crushable structure: cells in a row on prismatic joints, elastic and plastic under load, elastic when unloaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from symbody.model.body import Body, Joint, Point
from symbody.model.model import Model


def crush_parameters(
    m: Model, owner: str, *, stiffness: float, hardening: float, packing: float, viscosity: float, damping: float
) -> None:
    """Numbers of one block over all its rows; they stay live under the name of their owner."""
    m.parameter(f"{owner}_stiffness", stiffness, "N/m")  # elastic
    m.parameter(f"{owner}_hardening", hardening, "N/m")  # yield force by plastic compression
    m.parameter(f"{owner}_packing", packing, "N/m")  # the same, in addition, when a cell is dense
    m.parameter(f"{owner}_viscosity", viscosity, "N s/m")  # force beyond the yield force by rate
    m.parameter(f"{owner}_damping", damping, "N s/m")


@dataclass(frozen=True)
class Cell:
    """A cell that is compressed by δ, of which π is plastic; a block of n cells has 1/n of a cell's k, h, η and c.

    F = k (δ − π) + c δ̇,   π̇ = max(0, k (δ − π) − Y(π)) / η,   Y = Y₀ + h π, steeper where it is dense.
    Yielding takes power k (δ − π) π̇, which is never negative (Perzyna's overstress; η → 0 is plain plasticity).
    """

    joint: str
    state: str  # π
    owner: str  # of its parameters
    strength: Callable[[Any], Any]  # Y₀ (N) from the parameters
    dense: float  # π (m) from which it is dense
    direction: int  # of the row along axis 1: δ is −direction times the joint's coordinate
    scale: float  # cells in a block, by rows that share the load

    def _number(self, p: Any, what: str) -> Any:
        return self.scale * getattr(p, f"{self.owner}_{what}")

    def elastic(self, q: Any, p: Any) -> Any:
        """k (δ − π), N."""
        return self._number(p, "stiffness") * (-self.direction * q - getattr(p, self.state))

    def flow(self, q: Any, p: Any) -> Any:
        """π̇, m/s."""
        packed = getattr(p, self.state) - self.dense
        limit = self.strength(p) + self._number(p, "hardening") * getattr(p, self.state)
        over = self.elastic(q, p) - limit - self._number(p, "packing") * packed * (packed > 0)
        return over * (over > 0) / self._number(p, "viscosity")

    def force(self, q: Any, qd: Any, p: Any) -> Any:
        """What the joint feels, N."""
        return self.direction * self.elastic(q, p) - self._number(p, "damping") * qd

    def lost(self, q: Any, qd: Any, p: Any) -> Any:
        """Power turned into heat, W."""
        return self.elastic(q, p) * self.flow(q, p) + self._number(p, "damping") * qd * qd

    def stored(self, q: Any, p: Any) -> Any:
        """Elastic energy, J."""
        return 0.5 * self.elastic(q, p) ** 2 / self._number(p, "stiffness")


@dataclass(frozen=True)
class Row:
    """Blocks one after the other, each in `parts` bodies."""

    owner: str  # of the parameters
    strengths: Sequence[Callable[[Any], Any]]  # yield force of each block in this row (N) from the parameters
    parts: int
    length: float  # of a block, m
    mass: float  # of a block, kg
    nose: float  # kg at the free end
    dense: float  # share of its length from which a block is dense
    direction: int  # along axis 1
    rows: int  # that share the load

    @property
    def masses(self) -> list[float]:
        """Of the bodies (kg): a cell's is at its ends, half and half; the very first half belongs to the carrier."""
        count = len(self.strengths) * self.parts
        return [self.mass / self.parts] * (count - 1) + [self.mass / self.parts / 2.0 + self.nose]

    @property
    def cell(self) -> float:
        """Length of a cell, m."""
        return self.length / self.parts


def add_row(m: Model, name: str, on: Point, row: Row) -> tuple[Body, list[Cell]]:
    """Add the bodies of a row, each on a prismatic joint of the one before: the last one, and the cells.

    The point that carries the row is the place of its first body.
    """
    cells: list[Cell] = []
    for k, mass in enumerate(row.masses):
        block, part = divmod(k, row.parts)
        key = f"{name}_{block + 1}_{part + 1}"
        body = m.body(key, on, [Joint(key, "T1")], mass=mass)
        on = body.point("end", (row.direction * row.cell, 0.0, 0.0))
        cell = Cell(
            key, f"plastic_{key}", row.owner, row.strengths[block], row.dense * row.cell, row.direction,
            row.parts / row.rows,
        )  # fmt: skip
        m.joint_force(key)(cell.force)
        m.state(cell.state)(_flow_of(cell))
        cells.append(cell)
    return body, cells


def _flow_of(cell: Cell) -> Callable[[Any, Any], Any]:
    return lambda s, p: cell.flow(s.q[cell.joint], p)


def add_energies(m: Model, owner: str, cells: Sequence[Cell]) -> None:
    """The state `OWNER_heat` (J) that cells have made, and the signal `OWNER_stored` (J) that they can give back."""

    @m.state(f"{owner}_heat")
    def heat(s: Any, p: Any) -> Any:
        return sum(c.lost(s.q[c.joint], s.qd[c.joint], p) for c in cells)

    @m.signal(f"{owner}_stored")
    def stored(s: Any, p: Any) -> Any:
        return sum(c.stored(s.q[c.joint], p) for c in cells)
