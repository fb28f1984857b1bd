"""Assembly: coordinates that close the loops of a model, found from the initial values of its joints."""

from __future__ import annotations

import numpy as np

from symbody.codegen import Function
from symbody.equations.compile import compile
from symbody.model.formula import evaluate
from symbody.model.model import Model
from symbody.system.displacement import displaced, movable
from symbody.system.open_loop import CLOSED, open_loops, require_numbers

Array = np.ndarray
ITERATIONS, WORK = 100, 6_000  # steps; joints times steps: large models get fewer, so that a search in vain ends soon
EPS = float(np.finfo(float).eps)
LARGE = 100  # unknowns: above it a pivoted QR is several times as fast as an SVD, and the import of SciPy pays
LONGEST_STEP = 0.5  # rad or m, limits the steps of a far start
ASIDE = 1e-2  # rad or m: distance of the neighbouring position for comparison
RANK = 1e-8  # of the first pivot: below it the remaining equations are redundant


def initial_state(model: Model) -> tuple[Array, Array]:
    """Initial coordinates and velocities of the model's joints."""
    joints = list(model.joints())
    q = [evaluate(x, model.values) for joint in joints for x in joint.q0]
    v = [evaluate(x, model.values) for joint in joints for x in joint.v0]
    return np.array(q, dtype=float), np.array(v, dtype=float)


def constraint_function(model: Model) -> Function | None:
    """The compiled function q → h, J of the loops; None without loops."""
    return compile(model, "constraints", loads=False) if model.has_loops else None


def velocity_constraints(model: Model, q: Array) -> tuple[Array, Array]:
    """A and b of the velocity constraints A q̇ + b = 0 at a position."""
    if not model.has_nonholonomic:
        return np.zeros((0, model.nv)), np.zeros(0)
    found = compile(model, "nonholonomic", loads=False)(q, np.zeros(model.nv))
    return found.A, found.psi


def jacobian_rank(J: Array) -> int:
    """Number of independent equations."""
    return int(np.linalg.matrix_rank(J, tol=RANK * max(1.0, float(np.abs(J).max(initial=0.0))))) if J.size else 0


def closing_joints(model: Model) -> list[list[int]]:
    """The joints that may move to close the loops: first the dependent ones; if none exist or they fail, all joints.

    So the initial values of independent joints are kept, unless no loop closes there.
    """
    free, natures = movable(model), [joint.nature for joint in model.joints() for _ in range(joint.nv)]
    named = [i for i in free if natures[i] == "dependent"]
    return [named, free] if 0 < len(named) < len(free) else [free]


def assemble(model: Model, start: Array | None = None, constraints: Function | None = None) -> Array:
    """Find coordinates that close all loops, near a start.

    Dependent joints move. The other joints move only if those cannot close the loops, or if no joint is dependent.

    Parameters
    ----------
    model : Model
    start : array, shape (nq,), optional
        Coordinates to start from, rad or m; default: the initial values of the joints.
    constraints : Function, optional
        The model's `constraint_function`, if it is already compiled.

    Returns
    -------
    array, shape (nq,)
        Coordinates, rad or m.

    Raises
    ------
    AssemblyError
        If a loop does not close; the message names the loop and its gap.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("four-bar")
    >>> q = sb.assemble(m)
    >>> bool(abs(sb.compile(m, "constraints")(q).h).max() < 1e-12)
    True
    """
    q0 = initial_state(model)[0] if start is None else np.array(start, dtype=float)
    constraints = constraints or constraint_function(model)
    if constraints is None:
        return q0
    require_numbers(model, q0, constraints)
    for moving in closing_joints(model):
        q, closed = closed_near(model, q0, constraints, moving)
        if closed:
            return q
    raise open_loops(model, q0, constraints)


def closed_near(model: Model, q: Array, constraints: Function, moving: list[int]) -> tuple[Array, bool]:
    """Newton's method with steps of least norm over some joints: the result, and whether the loops are closed."""
    for _ in range(min(ITERATIONS, WORK // max(len(moving), 1) + 10)):
        h, J = constraints(q)
        if not (np.all(np.isfinite(h)) and np.all(np.isfinite(J))):
            return q, False
        if np.max(np.abs(h), initial=0.0) < CLOSED:
            return q, True
        step = np.zeros(model.nv)
        step[moving] = _least_norm(J[:, moving], -h)
        q = displaced(model, q, step * min(1.0, LONGEST_STEP / max(np.max(np.abs(step), initial=0.0), 1e-300)))
    return q, False


def _least_norm(A: Array, b: Array) -> Array:
    """The x of least norm among those of least |A x − b|."""
    if A.shape[1] <= LARGE:
        x: Array = np.linalg.lstsq(A, b, rcond=None)[0]
        return x
    from scipy.linalg import lstsq

    x = lstsq(A, b, cond=EPS * max(A.shape), lapack_driver="gelsy", check_finite=False)[0]
    return x
