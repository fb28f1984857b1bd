"""Why loops do not close: the smallest gap, and whether any position of the joints closes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from symbody.codegen import Function
from symbody.equations.constraints import counts, equation_units
from symbody.errors import AssemblyError, SingularityError
from symbody.model.formula import evaluate
from symbody.model.model import Model
from symbody.model.tree import own_coordinates
from symbody.system.displacement import displacement, movable

Array = np.ndarray
Displacement = Callable[[Array, Array], Array]  # q, δ → q ⊕ δ
STARTS = 24  # positions from which closing is tried, most of them random
WORK = 600  # degrees of freedom times starts: large models get fewer starts, so that the search ends soon
ITERATIONS = 80  # of a start at most
FEWEST = 20  # iterations of a start, however large the model is
ALL_ITERATIONS = 800  # of all starts
OPERATIONS = 5e8  # of all starts, for normal equations and their solution
CLOSED = 1e-12  # m, or a pure number for directions: largest residual of a closed loop
NAMED = 4  # coordinates of a closed position that the message lists


def open_loops(model: Model, q: Array, constraints: Function) -> AssemblyError:
    """The error for loops that stay open near q: the loop, its gap, and whether it closes elsewhere."""
    moving, moved = movable(model), displacement(model)
    best, least = q, np.inf
    starts = _starts(model, q, moving, moved)
    n, m = max(len(moving), 1), len(constraints(q).h)
    each = min(ALL_ITERATIONS, OPERATIONS / (n * n * (m + n))) / len(starts)
    for start in starts:
        found = _nearest_closed(start, constraints, moving, moved, int(np.clip(each, FEWEST, ITERATIONS)))
        gap = float(np.abs(constraints(found).h).max(initial=0.0))
        if gap < least:
            best, least = found, gap
        if gap < CLOSED:
            here = open_by(model, constraints(q).h)
            own = [place for i in moving if (place := own_coordinates(model)[i]) >= 0]
            position = ", ".join(f"{model.coordinates[k]} = {_wrapped(model, best)[k]:.3g}" for k in own[:NAMED])
            cure = f"it closes elsewhere, for example at {position}: set initial values (q0) near these"
            return AssemblyError(f"{model.name}: {here} near the initial values; {cure}")
    problem = f"{model.name}: {open_by(model, constraints(best).h)} at best"
    why = f"no closed position was found from {len(starts)} starts"
    return AssemblyError(
        f"{problem}; {why}: correct lengths, points and axes, or free a joint that is driven or locked"
    )


def require_numbers(model: Model, q: Array, constraints: Function) -> None:
    """Raise an error if a loop equation is not finite at the start, for example for a wheel that lies flat."""
    h, J = constraints(q)
    bad = ~(np.isfinite(h) & np.all(np.isfinite(J), axis=1))
    if np.any(bad):
        owners = [name for name, count in counts(model) for _ in range(count)]
        name = owners[int(np.argmax(bad))]
        why = "its equations are not finite at the initial values (a wheel that lies flat has no contact point)"
        raise SingularityError(f"{model.name}: '{name}': {why}; change the initial values")


def _starts(model: Model, q: Array, moving: list[int], moved: Displacement) -> list[Array]:
    """The position itself, and random ones (the same every time): rotations up to π, translations up to 1 m."""
    rng = np.random.default_rng(0)
    reach = np.array([np.pi if joint.type[0] in "Rbf" else 1.0 for joint in model.joints() for _ in range(joint.nv)])
    found = [q]
    for _ in range(min(STARTS, max(3, WORK // max(model.nv, 1))) - 1):
        step = np.zeros(len(reach))
        step[moving] = rng.uniform(-1.0, 1.0, len(moving)) * reach[moving]
        found.append(moved(q, step))
    return found


def _nearest_closed(
    q: Array, constraints: Function, moving: list[int], moved: Displacement, iterations: int = ITERATIONS
) -> Array:
    """The position of least |h|² near a start: steps −(JᵀJ + μ)⁻¹Jᵀh (Levenberg and Marquardt)."""
    h, J = constraints(q)
    damping = 1e-3
    for _ in range(iterations):
        A = J[:, moving]
        slope = A.T @ h
        if np.abs(h).max(initial=0.0) < CLOSED or np.abs(slope).max(initial=0.0) < CLOSED**2:
            break
        step, scale = np.zeros(J.shape[1]), max(1.0, float(np.abs(A).max(initial=0.0)) ** 2)  # of lengths of 1e19 m
        step[moving] = -np.linalg.solve(A.T @ A + max(damping, 1e-12) * scale * np.eye(len(moving)), slope)
        trial = moved(q, step)
        found = constraints(trial)
        if found.h @ found.h < h @ h:
            q, h, J, damping = trial, found.h, found.J, damping / 5
        else:
            damping *= 5
            if damping > 1e12:
                break
    return q


def open_by(model: Model, h: Array) -> str:
    """The loop with the largest gap, and the gap: a distance (m), an angle (rad), or a user's constraint."""
    units, k = equation_units(model), int(np.argmax(np.abs(h)))
    owners = [name for name, count in counts(model) for _ in range(count)]
    name, own = owners[k], [float(h[i]) for i in range(len(h)) if (owners[i], units[i]) == (owners[k], units[k])]
    gap, unit = float(np.linalg.norm(own)), units[k]
    if unit == "m²":  # for a rod, ½(d² − L²)
        L = float(evaluate(model.cuts[name].length or 0.0, model.values))
        gap, unit = abs(float(np.sqrt(max(L * L + 2.0 * own[0], 0.0))) - L), "m"
    elif unit == "rad":
        gap = float(np.arcsin(min(gap, 1.0)))
    return f"loop '{name}' stays open by {gap:.3g}{f' {unit}' if unit else ''}"


def open_rows(model: Model, rows: Sequence[int]) -> list[tuple[str, str]]:
    """For some equations of the loops: the loop, and the unit of its gap."""
    owners, units = [name for name, count in counts(model) for _ in range(count)], equation_units(model)
    return [(owners[row], units[row]) for row in rows]


def _wrapped(model: Model, q: Array) -> Array:
    """Coordinates with hinge angles between −π and π."""
    hinged = np.array([joint.type.startswith("R") for joint in model.joints() for _ in range(joint.nq)])
    return np.where(hinged, (q + np.pi) % (2 * np.pi) - np.pi, q)
