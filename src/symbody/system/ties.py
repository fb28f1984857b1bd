"""The choice of dependent velocities for constraints between velocities, after the loops are eliminated.

The two equations of a wheel's contact rotate with it: single elements of their matrix vanish, but the pair does not. So
a contact ties two velocities at once, chosen by the determinant of their block. Coordinates can change freely, so the
choice considers not only the present block but also its mean over positions in all directions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symbody.codegen import Function
from symbody.equations.closed import Partition, Tie
from symbody.equations.nonholonomic import groups as equation_groups
from symbody.errors import SingularityError
from symbody.model.model import Model
from symbody.system.assembly import jacobian_rank, velocity_constraints
from symbody.system.displacement import displaced, movable

Array = np.ndarray
ELSEWHERE = 8  # further positions at which a choice is evaluated


def independent_jacobian(model: Model, q: Array, parts: Partition, loops: Function | None) -> tuple[Array, Array]:
    """J and drift of J q̇ + drift = 0 for the independent equations: of the loops, then ties between velocities."""
    A, b = velocity_constraints(model, q)
    tied = [r for tie in parts.ties for r in tie.rows]
    J = loops(q).J[list(parts.rows)] if loops is not None else np.zeros((0, model.nv))
    return np.vstack([J, A[tied]]), np.r_[np.zeros(len(J)), b[tied]]


def velocity_ties(
    model: Model, q: Array, parts: Partition, loops: Function | None, groups: Sequence[tuple[list[int], float]]
) -> tuple[Tie, ...]:
    """Ties in the order of elimination. `groups`: candidates, each with the least relative pivot."""
    if not model.has_nonholonomic:
        return ()
    left = _reduced(model, q, parts, loops)
    rank, ends = jacobian_rank(left[0][:, movable(model)]), np.cumsum(equation_groups(model))
    contacts, first = np.split(np.arange(left.shape[1]), ends[:-1]), float(np.abs(left[0]).max(initial=0.0))
    ties: list[Tie] = []
    # named ones first; then pairs; then what remains of contacts that others partly determine
    for size, (group, least) in [(n, g) for some in (groups[:1], groups[1:]) for n in (2, 1) for g in some]:
        while (tie := _best(left, contacts, group, size, least * first)) is not None:
            ties.append(tie)
            left = _eliminated(left, tie)
    found = sum(len(tie.rows) for tie in ties)
    if found < rank:
        raise SingularityError(
            f"{model.name}: {rank} independent equations between velocities, but only {found} can be satisfied (free "
            "driven or locked joints, or choose other independent joints; velocities of quaternions are never tied)"
        )
    return tuple(ties)


def _reduced(model: Model, q: Array, parts: Partition, loops: Function | None) -> Array:
    """A over the velocities that the loops leave free, A − A_v Jv⁻¹ J: here, and at positions in all directions."""
    rng, steps, found = np.random.default_rng(0), np.zeros((1 + ELSEWHERE, model.nv)), []
    steps[1:, movable(model)] = rng.standard_normal((ELSEWHERE, len(movable(model))))
    rows, dependent = list(parts.rows), list(parts.dependent)
    for step in steps:
        there = displaced(model, q, step) if step.any() else q
        A = velocity_constraints(model, there)[0]
        if dependent and loops is not None:
            J = loops(there).J[rows]
            A = A - A[:, dependent] @ np.linalg.lstsq(J[:, dependent], J, rcond=None)[0]
            A[:, dependent] = 0.0
        if np.all(np.isfinite(A)):
            found.append(A)
    return np.array(found)


def _best(left: Array, contacts: Sequence[Array], group: list[int], size: int, least: float) -> Tie | None:
    """Equations of one contact and as many velocities, with the best block, if it is large enough here."""
    best, found, columns = 0.0, None, np.array(group, dtype=int)
    for contact in contacts:
        rows = [r for r in contact if left[0, r].any()]
        for chosen in [tuple(rows)] if size == 2 == len(rows) else [(r,) for r in rows] if size == 1 else []:
            sizes, pivots = _block_sizes(left[:, list(chosen)][:, :, columns])
            largest = np.maximum(sizes.max(axis=0), np.finfo(float).tiny)
            score = np.where(pivots > least, sizes[0] * sizes.mean(axis=0) / largest, 0.0)
            if score.size and score.max() > best * (1 + 1e-9):
                best = float(score.max())
                place = np.unravel_index(int(np.argmax(score)), score.shape)
                found = Tie(tuple(map(int, chosen)), tuple(int(columns[k]) for k in place))
    return found


def _block_sizes(A: Array) -> tuple[Array, Array]:
    """|element| of a row, or the root of |determinant| of two rows, for all positions and columns; and pivots here.

    For a block of two the smaller pivot counts: the determinant over the largest element.
    """
    if A.shape[1] == 1:
        return np.abs(A[:, 0]), np.abs(A[0, 0])
    products = A[:, 0, :, None] * A[:, 1, None, :]
    sizes = np.triu(np.abs(products - products.transpose(0, 2, 1)), 1)
    column = np.abs(A[0]).max(axis=0)
    return np.sqrt(sizes), sizes[0] / np.maximum(np.maximum.outer(column, column), np.finfo(float).tiny)


def _eliminated(left: Array, tie: Tie) -> Array:
    """The remaining equations after eliminating the tie's velocities; its own rows and columns are done."""
    rows, dofs = list(tie.rows), list(tie.dofs)
    others = [r for r in range(left.shape[1]) if r not in rows]
    done = np.zeros_like(left)
    for to, A in zip(done, left, strict=True):
        to[others] = (
            A[others] - A[np.ix_(others, dofs)] @ np.linalg.lstsq(A[np.ix_(rows, dofs)], A[rows], rcond=None)[0]
        )
        to[:, dofs] = 0.0
    return done
