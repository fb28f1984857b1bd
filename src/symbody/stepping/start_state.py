"""The state that steps start from; near a singular position of its coordinates, the same over others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.errors import AssemblyError, SingularityError
from symbody.system.partition import partition
from symbody.system.system import Array, System

STOP = 0.02  # share of its first value at which a pivot of the loops ends a run
SWITCH = 0.3  # where other coordinates may be taken, they are taken sooner: accuracy goes with the square of the pivot
SINGULAR = 1e-6  # smallest pivot by the largest one, below which no choice of coordinates helps


@dataclass(frozen=True)
class StartState:
    """A system, its state x, a first guess of the dependent coordinates, and the pivots to be watched."""

    system: System
    x: Array
    guess: Array
    pivots: Array


def start_state(s: System, x: Array | None = None, u: Array | None = None, t: float = 0.0) -> StartState:
    """The system's own start, or another state at a time t (s) with inputs u, its loops closed."""
    if x is None and t == 0.0:
        return StartState(s, s.x0, s.start_guess, s.pivots)
    x = np.asarray(s.x0 if x is None else x, dtype=float)
    found = s.rates_function(np.array([float(t)]), x, s.u0 if u is None else u, s.dependent(t, x, u))
    if not np.all(np.isfinite(found.v)):
        raise AssemblyError(f"{s.model.name}: the loops cannot be closed at this state; start nearer to a closed one")
    return StartState(s, x, found.v, found.pivots)


def shrunk(at: StartState, t: float, u: Array, share: float) -> bool:
    """Whether a pivot of the loops has come down to a share of what it was, or changed its sign."""
    if not len(at.pivots):
        return False
    pivots = at.system.rates_function(np.array([t]), at.x, u, at.guess).pivots
    return not np.all(pivots / at.pivots > share)


def repartitioned(at: StartState, t: float, u: Array, allowed: bool) -> StartState:
    """The system over the coordinates that suit a state best.

    Another order of the same coordinates is taken without asking; other coordinates only where that is allowed.
    """
    s, x = at.system, at.x
    found = s.rates_function(np.array([t]), x, u, at.guess)
    if not np.all(np.isfinite(found.v)):
        raise SingularityError(f"{s.model.name}: at t = {t:g} s the loops can no longer be closed", time=t)
    q, v = s.motion(t, x, u, found.v)
    names = s.model.velocities
    joints = ", ".join(names[i] for i in s.partition.free)
    where = f"{s.model.name}: at t = {t:g} s"
    best = partition(s.live_model, q)
    if len(best.rows) < len(s.partition.rows):
        freed = ", ".join(names[i] for i in best.free if i not in s.partition.free)
        cure = "closure='augmented' and closure='penalty' go through such positions"
        raise SingularityError(f"{where} the loops are singular and let go of {freed}; {cure}", time=t)
    if best == s.partition:
        pivots = np.abs(found.pivots)
        if pivots.min() < SINGULAR * pivots.max():
            lost = names[s.partition.dependent[int(np.argmin(pivots))]]
            problem = f"{where} the loops are singular: {joints} do not determine {lost}, nor do others"
            raise SingularityError(problem, time=t)
        return StartState(s, x, found.v, found.pivots)  # smaller than at the start, but sound
    if set(best.free) != set(s.partition.free) and not allowed:
        better = ", ".join(names[i] for i in best.free)
        cure = f"simulate with repartition=True, or make {better} independent"
        raise SingularityError(f"{where} {joints} no longer determine the motion; {cure}", time=t)
    return start_state(s.over(q, v, x[len(x) - len(s.layout.states) :]))
