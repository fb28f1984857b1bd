"""Choosing which coordinates the loops determine: full pivoting of the constraint Jacobian at a closed position."""

from __future__ import annotations

import numpy as np

from symbody.equations.closed import Partition
from symbody.equations.compile import compile
from symbody.errors import SingularityError
from symbody.model.model import Model
from symbody.system.assembly import HELD, movable

Array = np.ndarray
RANK = 1e-8  # a pivot below this share of the first one means that the remaining equations are redundant


def partition(model: Model, q: Array) -> Partition:
    """Joints named dependent are taken first, others where those do not suffice; what is left over is free."""
    velocities = [name for _, name in movable(model)]
    natures = [joint.nature for joint in model.joints() for _ in range(joint.nv)]
    driven = tuple(i for i, nature in enumerate(natures) if nature in HELD)
    rows: list[int] = []
    dependent: list[int] = []
    if model.cuts:
        J = compile(model, "constraints", loads=False)(q).J
        wanted = [i for i in velocities if natures[i] == "dependent"]
        rows, dependent = _pivots(J, [wanted, [i for i in velocities if i not in set(wanted)]])
        rank = np.linalg.matrix_rank(J, tol=RANK * max(1.0, float(np.abs(J).max())))
        if len(rows) < rank:
            cure = "free some driven, locked or quaternion joints of the loops"
            raise SingularityError(
                f"{model.name}: {rank} independent equations, but only {len(rows)} can be met ({cure})"
            )
    free = tuple(i for i in range(model.nv) if i not in {*dependent, *driven})
    return Partition(free, driven, tuple(dependent), tuple(rows))


def _pivots(J: Array, groups: list[list[int]]) -> tuple[list[int], list[int]]:
    """Rows and columns of the pivots of an elimination with full pivoting, columns taken group after group."""
    left = np.array(J, dtype=float)
    first = float(np.abs(left).max(initial=0.0))
    rows: list[int] = []
    columns: list[int] = []
    for group in groups:
        open_columns = list(group)
        while open_columns and len(rows) < len(left):
            open_rows = [r for r in range(len(left)) if r not in rows]
            block = np.abs(left[np.ix_(open_rows, open_columns)])
            i, j = np.unravel_index(int(np.argmax(block)), block.shape)
            if block[i, j] <= RANK * first:
                break
            r, c = open_rows[i], open_columns[j]
            for k in open_rows:
                if k != r:
                    left[k] -= left[k, c] / left[r, c] * left[r]
            rows.append(r)
            columns.append(c)
            open_columns.remove(c)
    return rows, columns
