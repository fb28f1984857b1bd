"""Loop equations that only locked and driven joints can satisfy: consistent ones are redundant, others are errors."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from symbody.codegen import Function
from symbody.equations.closed import Partition
from symbody.equations.constraints import constraints, counts
from symbody.errors import AssemblyError
from symbody.expr.functions import absolute
from symbody.expr.node import Expr
from symbody.model.model import Model
from symbody.model.tree import own_coordinates
from symbody.system.assembly import closed_near, jacobian_rank
from symbody.system.displacement import movable
from symbody.system.open_loop import open_by
from symbody.system.options import SystemOptions
from symbody.system.prescribed import prescribed_values
from symbody.system.trace import Traced

Array = np.ndarray
AHEAD = (1e-3, 1e-2)  # s after the start, where the motion of driven joints is compared with the loops
CONTRADICTION = 1e-9  # m or rad: a larger gap then is not rounding
# m or rad: largest gap of such an equation in a run. Without dependent coordinates all loops open a little.
LARGEST_GAP = {"partitioning": 1e-6, "augmented": 1e-2, "penalty": 1e-2}
CURE = "drive or lock fewer joints, or correct their trajectories"


def held_equations(model: Model, partition: Partition) -> list[int]:
    """Equations that no dependent coordinate satisfies and that driven joints could violate; runs watch them."""
    if not any(joint.nature == "driven" for joint in model.joints()):
        return []
    return [r for r in range(sum(count for _, count in counts(model))) if r not in partition.rows]


def held_room(traced: Traced) -> list[Expr]:
    """How much further each of these equations may open: positive while the joints agree."""
    rows, largest = held_equations(traced.tree.model, traced.partition), LARGEST_GAP[traced.options.closure]
    equations = constraints(traced.tree) if rows else []
    return [largest - absolute(equations[r].h) for r in rows]


def contradiction(model: Model, gaps: Iterable[tuple[int, float]], t: float) -> str:
    """That driven joints contradict the loops, in words; gaps: equations with their values."""
    h = np.zeros(sum(count for _, count in counts(model)))
    for row, gap in gaps:
        h[row] = gap
    driven = ", ".join(joint.name for joint in model.joints() if joint.nature == "driven")
    where = f"{model.name}: at t = {t:g} s"
    return f"{where} the motion of the driven joints {driven} contradicts the loops: {open_by(model, h)}; {CURE}"


def check_held(model: Model, options: SystemOptions, u0: Array, q: Array, loops: Function) -> None:
    """Raise an error if the prescribed joints alone open a loop a little after the start.

    Only for loops with fewer independent equations over the other joints than over all.
    """
    driven = [i for i, joint in enumerate(_by_freedom(model)) if joint == "driven"]
    J, moving = loops(q).J, movable(model)
    if not driven or jacobian_rank(J[:, moving]) == jacobian_rank(J[:, [*moving, *driven]]):
        return
    own = own_coordinates(model)
    for t in AHEAD:
        ahead = q.copy()
        for i, _, (position, _, _) in prescribed_values(model, options, t, u0):
            ahead[own[i]] = position
        h = loops(closed_near(model, ahead, loops, moving)[0]).h
        if not np.abs(h).max() < CONTRADICTION:
            raise AssemblyError(contradiction(model, enumerate(h), t))


def _by_freedom(model: Model) -> list[str]:
    return [joint.nature for joint in model.joints() for _ in range(joint.nv)]
