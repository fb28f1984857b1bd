"""Crushable structure: cells in a row on prismatic joints, elastic and plastic under load, elastic on unloading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from symbody.model.body import Body, Joint, Point
from symbody.model.model import Model


def crush_parameters(
    m: Model, owner: str, *, stiffness: float, hardening: float, packing: float, viscosity: float, damping: float
) -> None:
    """Live parameters OWNER_stiffness … of one block over all its rows."""
    m.parameter(f"{owner}_stiffness", stiffness, "N/m")  # elastic
    m.parameter(f"{owner}_hardening", hardening, "N/m")  # yield force by plastic compression
    m.parameter(f"{owner}_packing", packing, "N/m")  # additional hardening when a cell is dense
    m.parameter(f"{owner}_viscosity", viscosity, "N s/m")  # force beyond the yield force by rate
    m.parameter(f"{owner}_damping", damping, "N s/m")


@dataclass(frozen=True)
class Cell:
    """A cell with compression δ and plastic part π; a block of n cells has 1/n of a cell's k, h, η and c.

    F = k (δ − π) + c δ̇,   π̇ = max(0, k (δ − π) − Y(π)) / η,   Y = Y₀ + h π, steeper when it is dense.
    Plastic flow dissipates k (δ − π) π̇ ≥ 0 (Perzyna's overstress; η → 0 is rate-independent plasticity).
    """

    joint: str
    state: str  # π
    owner: str  # of its parameters
    strength: Callable[[Any], Any]  # Y₀ (N) from the parameters
    dense: float  # π (m) at which it becomes dense
    direction: int  # of the row along axis 1; δ = −direction q
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
        """Force on the joint, N."""
        return self.direction * self.elastic(q, p) - self._number(p, "damping") * qd

    def lost(self, q: Any, qd: Any, p: Any) -> Any:
        """Dissipated power, W."""
        return self.elastic(q, p) * self.flow(q, p) + self._number(p, "damping") * qd * qd

    def stored(self, q: Any, p: Any) -> Any:
        """Elastic energy, J."""
        return 0.5 * self.elastic(q, p) ** 2 / self._number(p, "stiffness")


@dataclass(frozen=True)
class Row:
    """Blocks in a row, each of `parts` bodies."""

    owner: str  # of the parameters
    strengths: Sequence[Callable[[Any], Any]]  # yield force of each block in this row (N) from the parameters
    parts: int
    length: float  # of a block, m
    mass: float  # of a block, kg
    nose: float  # kg at the free end
    dense: float  # compressed share of its length at which a block becomes dense
    direction: int  # along axis 1
    rows: int  # that share the load

    @property
    def masses(self) -> list[float]:
        """Of the bodies (kg): half of a cell's mass is at each end; the first half belongs to the carrier."""
        count = len(self.strengths) * self.parts
        return [self.mass / self.parts] * (count - 1) + [self.mass / self.parts / 2.0 + self.nose]

    @property
    def cell(self) -> float:
        """Length of a cell, m."""
        return self.length / self.parts


def add_row(m: Model, name: str, on: Point, row: Row) -> tuple[Body, list[Cell]]:
    """Add the bodies of a row, each on a prismatic joint of the one before; returns the last body and the cells.

    The first body is at the point `on`.
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


def add_rows(
    m: Model, name: str, on: Body, x: float, height: float, rows: Sequence[Row], spacing: float
) -> tuple[list[Body], list[Cell]]:
    """Add rows NAME1 … side by side on a body, from right to left, `spacing` apart (m); returns last bodies and cells.

    x, height: of the first bodies in the frame of `on` (m).
    """
    noses: list[Body] = []
    cells: list[Cell] = []
    for k, row in enumerate(rows):
        start = on.point(f"{name}{k + 1}", (x, spacing * side_of(k, len(rows)), height))
        nose, own = add_row(m, f"{name}{k + 1}", start, row)
        noses.append(nose)
        cells += own
    return noses, cells


def side_of(k: int, rows: int) -> float:
    """Position of row k in spacings from the middle: negative on the right, positive on the left."""
    return k - (rows - 1) / 2


def add_energies(m: Model, owner: str, cells: Sequence[Cell]) -> None:
    """Add the state `OWNER_heat` (J), energy lost in the cells, and the signal `OWNER_stored` (J), elastic energy."""

    @m.state(f"{owner}_heat")
    def heat(s: Any, p: Any) -> Any:
        return sum(c.lost(s.q[c.joint], s.qd[c.joint], p) for c in cells)

    @m.signal(f"{owner}_stored")
    def stored(s: Any, p: Any) -> Any:
        return sum(c.stored(s.q[c.joint], p) for c in cells)
