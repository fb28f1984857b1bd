"""Coordinate partitioning: the coordinates that the loops determine, by full pivoting of the constraint Jacobian."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symbody.codegen import Function
from symbody.equations.closed import Partition
from symbody.errors import AssemblyError, ModelError, SingularityError
from symbody.model.model import Model
from symbody.model.tree import own_coordinates
from symbody.suggestions import did_you_mean
from symbody.system.assembly import ASIDE, RANK, assemble, constraint_function, initial_state, jacobian_rank
from symbody.system.displacement import PRESCRIBED, displaced, movable
from symbody.system.ties import independent_jacobian, velocity_ties

Array = np.ndarray
LOOSE = 0.01  # the same, below which rotations of quaternions are used instead
GRIP = 0.1  # of the largest element: the pivot of a joint that can well be dependent
SOUND = 0.1  # of the largest element of its row: a pivot may be this small to save operations


def partition(
    model: Model,
    q: Array,
    independent: Sequence[str] | None = None,
    constraints: Function | None = None,
    swap: bool = False,
    keep_velocities: bool = False,
    complete: bool = True,
) -> Partition:
    """Choose the dependent coordinates: joints of nature dependent first, then others, moving ones last.

    The remaining joints are free. independent: joints that stay independent. swap: choose the best determined joints,
    whatever their nature; near a singular position of the dependent ones, others must replace them. keep_velocities:
    joints with an initial velocity become dependent only if no others are left, even if their nature is dependent.
    Rotations of quaternions become dependent only if their nature says so, or if other joints are not enough. complete:
    whether all equations that joints can satisfy must be satisfied. Equations among prescribed joints are left out.
    """
    constraints = constraints or constraint_function(model)
    own = own_coordinates(model)
    candidates = movable(model)
    if independent is not None:
        kept = [_index(model, name) for name in independent]
        candidates = [i for i in candidates if i not in kept]
    natures = [joint.nature for joint in model.joints() for _ in range(joint.nv)]
    driven = tuple(i for i, nature in enumerate(natures) if nature in PRESCRIBED)
    wanted = [i for i in candidates if natures[i] == "dependent"]
    at_start = initial_state(model)[1]
    plain, turns = [i for i in candidates if own[i] >= 0], [i for i in candidates if own[i] < 0]
    still = [i for i in plain if i not in wanted and at_start[i] == 0.0]
    groups = [(wanted, RANK), (still, GRIP)]
    if swap:
        groups = []
    elif keep_velocities:
        resting = [i for i in wanted if at_start[i] == 0.0]
        at_rest = [*resting, *still, *(i for i in turns if at_start[i] == 0.0)]
        groups = [(resting, GRIP), (still, GRIP), ([*resting, *still], LOOSE), (at_rest, RANK)]
    groups += [(plain, LOOSE if turns else RANK), (turns, LOOSE), (candidates, RANK)]
    rows: list[int] = []
    dependent: list[int] = []
    if constraints is not None:
        J = constraints(q).J
        rows, dependent = _sparse(J, *_pivots(J, groups))
        rank = jacobian_rank(J[:, movable(model)])  # the others among prescribed joints hold, or `check_held` raises
        if complete and len(rows) < rank:
            given = ", ".join(independent or ())
            held = f" with {given} independent (choose other joints)" if independent else ""
            raise SingularityError(
                f"{model.name}: {rank} independent equations, but only {len(rows)} can be satisfied{held}"
            )
    loops = Partition((), driven, tuple(dependent), tuple(rows))
    ties = velocity_ties(model, q, loops, constraints, [([i for i in g if own[i] >= 0], least) for g, least in groups])
    taken = {*dependent, *driven, *(i for tie in ties for i in tie.dofs)}
    free = tuple(i for i in range(model.nv) if i not in taken)
    return Partition(free, driven, tuple(dependent), tuple(rows), ties)


def determinacy(model: Model, q: Array, parts: Partition, loops: Function | None) -> float:
    """How well loops and ties determine the dependent velocities: the smallest singular value of Jv."""
    if not parts.following:
        return np.inf
    J = independent_jacobian(model, q, parts, loops)[0][:, list(parts.following)]
    return float(np.linalg.svd(J, compute_uv=False)[-1])


def check_regular(model: Model, q: Array, constraints: Function) -> None:
    """Raise an error at a singular position of the loops: at positions next to it they determine more joints."""
    # only joints in the loops: rounding could change the rank through others
    nearby = constraints(displaced(model, q, np.full(model.nv, ASIDE))).J
    free = [i for i in movable(model) if np.any(constraints(q).J[:, i]) or np.any(nearby[:, i])]
    J = constraints(q).J[:, free]
    rank = jacobian_rank(J)
    if rank == len(J):  # they cannot determine more
        return
    for way in np.linalg.svd(J)[2][rank:]:
        step = np.zeros(model.nv)
        step[free] = ASIDE * way
        try:
            aside = assemble(model, displaced(model, q, step), constraints)
        except AssemblyError:
            continue
        if jacobian_rank(constraints(aside).J[:, free]) > rank:
            names = [model.velocities[free[i]] for i in np.flatnonzero(np.abs(way) > 0.1)]
            raise SingularityError(
                f"{model.name}: the start is a singular position of the loops. They determine {', '.join(names)} "
                "at positions near it, but not here (change the initial values)"
            )


def _index(model: Model, name: str) -> int:
    if name not in model.velocities:
        cure = did_you_mean(name, model.velocities, "joints")
        raise ModelError("unknown joint in independent", element=name, cure=cure)
    return model.velocities.index(name)


def _pivots(J: Array, groups: list[tuple[list[int], float]]) -> tuple[list[int], list[int]]:
    """Rows and columns of the pivots of an elimination with full pivoting, one group of columns after the other.

    Each group has a threshold for its pivots, relative to the largest element.
    """
    left = np.array(J, dtype=float)
    first = float(np.abs(left).max(initial=0.0))
    rows: list[int] = []
    columns: list[int] = []
    for group, least in groups:
        open_columns = [c for c in group if c not in columns]
        while open_columns and len(rows) < len(left):
            open_rows = [r for r in range(len(left)) if r not in rows]
            block = np.abs(left[np.ix_(open_rows, open_columns)])
            i, j = np.unravel_index(int(np.argmax(block)), block.shape)
            if block[i, j] <= least * first:
                break
            r, c = open_rows[i], open_columns[j]
            for k in open_rows:
                if k != r:
                    left[k] -= left[k, c] / left[r, c] * left[r]
            rows.append(r)
            columns.append(c)
            open_columns.remove(c)
    return rows, columns


def _sparse(J: Array, rows: list[int], columns: list[int]) -> tuple[list[int], list[int]]:
    """The same rows and columns, with pivots in an order that creates less fill-in (Markowitz) and stays stable."""
    left = np.array(J[np.ix_(rows, columns)], dtype=float)
    open_rows, open_columns = np.ones(len(rows), dtype=bool), np.ones(len(columns), dtype=bool)
    order: list[tuple[int, int]] = []
    for _ in rows:
        block = np.where(open_rows[:, None] & open_columns, np.abs(left), 0.0)
        there = block > RANK * block.max()
        sound = there & (block >= SOUND * block.max(axis=1, keepdims=True))
        cost = np.where(sound, np.outer(there.sum(1) - 1, np.ones(len(columns))) * (there.sum(0) - 1), np.inf)
        ties = np.where(cost == cost.min(), block, 0.0)  # the largest of these
        r, c = np.unravel_index(int(np.argmax(ties)), ties.shape)
        open_rows[r], open_columns[c] = False, False
        left[open_rows] -= np.outer(left[open_rows, c] / left[r, c], left[r])
        order.append((int(r), int(c)))
    return [rows[r] for r, _ in order], [columns[c] for _, c in order]
