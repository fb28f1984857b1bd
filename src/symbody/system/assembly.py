"""Closing the loops of a model: from the initial values of its joints to coordinates that satisfy the cuts."""

from __future__ import annotations

import numpy as np

from symbody.equations.compile import compile
from symbody.equations.constraints import count
from symbody.errors import AssemblyError
from symbody.model.formula import evaluate
from symbody.model.model import Model
from symbody.model.tree import own_coordinates

Array = np.ndarray
CLOSED = 1e-12  # m, or a pure number for directions: largest residual of a closed loop
ITERATIONS = 100
LONGEST_STEP = 0.5  # rad or m, so that a far start does not fly off
HELD = ("driven", "locked")


def initial_state(model: Model) -> tuple[Array, Array]:
    """Initial coordinates and velocities that the model's joints name."""
    joints = list(model.joints())
    q = [evaluate(x, model.values) for joint in joints for x in joint.q0]
    v = [evaluate(x, model.values) for joint in joints for x in joint.v0]
    return np.array(q, dtype=float), np.array(v, dtype=float)


def movable(model: Model) -> list[tuple[int, int]]:
    """(coordinate, velocity) of each elementary joint that is neither driven nor locked."""
    natures = [joint.nature for joint in model.joints() for _ in range(joint.nv)]
    own = own_coordinates(model)
    return [(q, v) for v, q in enumerate(own) if q >= 0 and natures[v] not in HELD]


def assemble(model: Model, start: Array | None = None) -> Array:
    """Coordinates near the start (default: the initial values) that close all loops, by steps of least length."""
    q = initial_state(model)[0] if start is None else np.array(start, dtype=float)
    if not model.cuts:
        return q
    constraints = compile(model, "constraints", loads=False)
    places = movable(model)
    coordinates, velocities = [i for i, _ in places], [j for _, j in places]
    for _ in range(ITERATIONS):
        h, J = constraints(q)
        if np.max(np.abs(h), initial=0.0) < CLOSED:
            return q
        step = np.linalg.lstsq(J[:, velocities], -h, rcond=None)[0]
        q[coordinates] += step * min(1.0, LONGEST_STEP / max(np.max(np.abs(step), initial=0.0), 1e-300))
    raise AssemblyError(
        f"{model.name}: {_worst(model, constraints(q).h)}; move the initial values nearer to a closed position"
    )


def _worst(model: Model, h: Array) -> str:
    """Which loop stays open, and by how much."""
    start, worst, gap = 0, "", 0.0
    for cut in model.cuts.values():
        own = float(np.max(np.abs(h[start : start + count(cut)])))
        if own >= gap:
            worst, gap = cut.name, own
        start += count(cut)
    return f"loop '{worst}' stays open by {gap:.3g}"
