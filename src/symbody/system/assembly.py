"""Closing the loops of a model: from the initial values of its joints to coordinates that satisfy the cuts."""

from __future__ import annotations

import numpy as np

from symbody.codegen import Function
from symbody.equations.compile import compile
from symbody.model.formula import evaluate
from symbody.model.model import Model
from symbody.system.displacement import displaced, movable
from symbody.system.open_loop import CLOSED, open_loops, require_numbers

Array = np.ndarray
ITERATIONS = 100
LONGEST_STEP = 0.5  # rad or m, so that a far start does not fly off
ASIDE = 1e-2  # rad or m: how far aside a position is compared with
RANK = 1e-8  # a pivot below this share of the first one means that the remaining equations are redundant


def initial_state(model: Model) -> tuple[Array, Array]:
    """Initial coordinates and velocities that the model's joints name."""
    joints = list(model.joints())
    q = [evaluate(x, model.values) for joint in joints for x in joint.q0]
    v = [evaluate(x, model.values) for joint in joints for x in joint.v0]
    return np.array(q, dtype=float), np.array(v, dtype=float)


def constraint_function(model: Model) -> Function | None:
    """q → h, J of the loops, compiled; None where there are no loops."""
    return compile(model, "constraints", loads=False) if model.has_loops else None


def velocity_constraints(model: Model, q: Array) -> tuple[Array, Array]:
    """A, b of A q̇ + b = 0 between velocities at a position."""
    if not model.has_nonholonomic:
        return np.zeros((0, model.nv)), np.zeros(0)
    found = compile(model, "nonholonomic", loads=False)(q, np.zeros(model.nv))
    return found.A, found.psi


def jacobian_rank(J: Array) -> int:
    """How many of the equations are independent."""
    return int(np.linalg.matrix_rank(J, tol=RANK * max(1.0, float(np.abs(J).max(initial=0.0))))) if J.size else 0


def closing_joints(model: Model) -> list[list[int]]:
    """What moves to close the loops: the joints named dependent; where there are none, or where those fail, all.

    So initial values of independent joints stay as they were given, unless no loop closes there.
    """
    free, natures = movable(model), [joint.nature for joint in model.joints() for _ in range(joint.nv)]
    named = [i for i in free if natures[i] == "dependent"]
    return [named, free] if 0 < len(named) < len(free) else [free]


def assemble(model: Model, start: Array | None = None, constraints: Function | None = None) -> Array:
    """Coordinates (nq,), rad or m, that close all loops, near the start: (nq,), default the initial values.

    Joints named dependent move; the others only where those cannot close the loops, or where none is named.
    constraints: the model's `constraint_function`, where it has been compiled already.
    """
    q0 = initial_state(model)[0] if start is None else np.array(start, dtype=float)
    constraints = constraints or constraint_function(model)
    if constraints is None:
        return q0
    require_numbers(model, q0, constraints)
    for moving in closing_joints(model):
        q, closed = _closed(model, q0, constraints, moving)
        if closed:
            return q
    raise open_loops(model, q0, constraints)


def _closed(model: Model, q: Array, constraints: Function, moving: list[int]) -> tuple[Array, bool]:
    """Newton's method by steps of least length over some joints: where it came to, and whether that is closed."""
    for _ in range(ITERATIONS):
        h, J = constraints(q)
        if not (np.all(np.isfinite(h)) and np.all(np.isfinite(J))):
            return q, False
        if np.max(np.abs(h), initial=0.0) < CLOSED:
            return q, True
        step = np.zeros(model.nv)
        step[moving] = np.linalg.lstsq(J[:, moving], -h, rcond=None)[0]
        q = displaced(model, q, step * min(1.0, LONGEST_STEP / max(np.max(np.abs(step), initial=0.0), 1e-300)))
    return q, False
