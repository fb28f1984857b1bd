"""The state that steps start from; near a singular position, the same state with other coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from symbody.errors import DivergenceError, ModelError, SingularityError
from symbody.stepping.pivot_reference import offered_pivots, reference_pivots
from symbody.stepping.work import energy_at
from symbody.system.displacement import movable
from symbody.system.loop_closing import require_closed
from symbody.system.not_finite import first_not_finite
from symbody.system.partition import determinacy, partition
from symbody.system.power import WORK
from symbody.system.system import Array, System
from symbody.system.ties import independent_jacobian

STOP = 0.02  # of its reference: a pivot of the loops below this ends a run
STEEP = 0.1  # of a pivot: the largest change within a step; a longer step is made in parts
MOST_PARTS = 64  # of a step
STRIDE = 0.1  # rad or m: how far a state may be from a known one for its loops to be closed in one go
NEARBY = 0.5  # rad or m that dependent coordinates may move then, or be from their course in a step
AHEAD, FINE = 3, 96  # steps that are looked ahead if a pivot may vanish soon, and their subdivisions
LOST = 0.02  # of the best pivots: below it no choice of coordinates helps
SMALL = 0.02  # rad or m: a distance over which loops continue smoothly
SINGULAR = 1e-6  # smallest pivot over the largest one: below it no choice of coordinates helps


@dataclass(frozen=True)
class StartState:
    """A system, its state x, a first guess of the dependent coordinates, and the pivots to compare with."""

    system: System
    x: Array
    guess: Array
    pivots: Array


def own_start(s: System) -> StartState:
    """The start of a system, compared with its own pivots: its coordinates were just chosen there."""
    return StartState(s, s.x0, s.start_guess, s.pivots)


def start_state(s: System, x: Array | None = None, u: Array | None = None, t: float = 0.0) -> StartState:
    """The system's own start, or another state at t (s) with inputs u, with loops closed on the path from the start."""
    start = own_start(s)
    if x is None and t == 0.0:
        return watched(with_own_work(start, t, s.u0), t, s.u0)
    x, u = s.x0 if x is None else np.asarray(x, dtype=float), s.u0 if u is None else u
    check_given(s, x, u, t)
    return watched(followed(start, x, u, t, s.u0, 0.0), t, u)


def with_own_work(at: StartState, t: float, u: Array) -> StartState:
    """The same state; if the work is a state, it begins with the energy there, with the present parameters."""
    s = at.system
    if not s.options.work:
        return at
    x = np.array(at.x, dtype=float)
    x[s.states.index(WORK)] = sum(energy_at(s, t, x, u, at.guess))
    return replace(at, x=x)


def watched(at: StartState, t: float, u: Array) -> StartState:
    """The same state, its pivots to be compared with what other coordinates offer there."""
    if not len(at.pivots):
        return at
    q = at.system.motion(t, at.x, u, at.guess)[0]
    return replace(at, pivots=reference_pivots(at.pivots, offered_pivots(at.system, q)))


def closed_at(
    known: StartState, x: Array, u: Array, t: float, u_known: Array | None = None, t_known: float | None = None
) -> StartState:
    """Another state, its loops closed from a known one in the same assembly mode.

    Nearby, one call of Newton's method that moves little is enough. Otherwise the loops are followed along the path.
    """
    s, places = known.system, known.system.layout.positions
    near = len(known.guess) == 0 or bool(np.abs(x[places] - known.x[places]).max(initial=0.0) <= STRIDE)
    if near:
        found = s.rates_function(np.array([t]), x, u, known.guess)
        if np.abs(found.v - known.guess).max(initial=0.0) <= NEARBY and not _turned(found.pivots, known.pivots):
            return StartState(s, x, found.v, found.pivots)
    return followed(known, x, u, t, u_known, t_known)


def check_given(s: System, x: Array, u: Array, t: float) -> None:
    """Raise an error that names a state or input that is not finite."""
    if x.shape != s.x0.shape:
        cure = f"use {len(s.x0)} numbers, in the order of system.states"
        raise ModelError(f"the state has shape {x.shape}", element=s.model.name, cure=cure)
    state, given = first_not_finite("state", s.states, x), first_not_finite("input", s.inputs, u)
    if state:
        raise ModelError(f"{state} at the start", element=s.model.name, cure="use finite numbers for x0")
    if given:
        raise DivergenceError(f"{s.model.name}: {given} at t = {t:g} s", time=t)


def shrunk(at: StartState, t: float, u: Array, share: float) -> bool:
    """Whether a pivot of the loops fell to a share of its reference, or changed its sign."""
    if not len(at.pivots):
        return False
    pivots = at.system.rates_function(np.array([t]), at.x, u, at.guess).pivots
    return not np.all(pivots / at.pivots > share)


class Crossing(NamedTuple):
    """A singular position ahead: its time (s), whether loops close beyond it, whether no coordinates help there."""

    t: float
    closes: bool
    helpless: bool


def crossing_ahead(at: StartState, t: float, dt: float, u: Array) -> Crossing | None:
    """The first singular position of the loops along the straight path of the next steps, or None."""
    s, part = at.system, AHEAD * dt / FINE
    here = s.rates_function(np.array([t]), at.x, u, at.guess)
    path = ((t + k * part, at.x + k * part * here.xd, u) for k in range(1, FINE + 1))
    last = here
    for k, found in enumerate(_followed(StartState(s, at.x, here.v, here.pivots), t, u, path)):
        if not np.all(np.isfinite(found.v)):
            return Crossing(t + (k + 1) * part, False, False)
        if _turned(found.pivots, here.pivots):
            sides = [t + later for later in (k * part, (k + 1) * part)]
            states = [at.x + (side - t) * here.xd for side in sides]
            ends = [s.motion(b, x, u, v)[0] for b, x, v in zip(sides, states, (last.v, found.v), strict=True)]
            pivot = int(np.argmin(found.pivots / last.pivots))
            share = last.pivots[pivot] / (last.pivots[pivot] - found.pivots[pivot])
            between = ends[0] + share * (ends[1] - ends[0])  # closed except for the square of a part
            now = s.motion(t, at.x, u, here.v)[0]
            return Crossing(
                t + (k + share) * part, True, _best_determinacy(s, between) < LOST * _best_determinacy(s, now)
            )
        last = found
    return None


def _best_determinacy(s: System, q: Array) -> float:
    """How well the equations determine dependent joints, for any coordinates: their least singular value."""
    J = independent_jacobian(s.live_model, q, s.partition, s.loops)[0]
    return float(np.linalg.svd(J[:, movable(s.model)], compute_uv=False)[-1])


def followed(
    known: StartState, x: Array, u: Array, t: float, u_known: Array | None = None, t_known: float | None = None
) -> StartState:
    """Another state, its loops followed from a known one; an error if a singular position is in between.

    Beyond a singular position the loops can close in several positions, all of which may be near.
    """
    s = known.system
    guess = known.guess
    if len(guess):
        u0, t0 = u if u_known is None else u_known, t if t_known is None else t_known
        q = s.motion(t0, known.x, u0, guess)[0]
        guess = require_closed(s.follow_loops(q, guess, t, x, u), t)
    found = s.rates_function(np.array([t]), x, u, guess)
    if not np.all(np.isfinite(found.v)):
        raise SingularityError(f"{s.model.name}: the coordinates are singular at this state", time=t)
    return StartState(s, x, found.v, found.pivots)


def _followed(at: StartState, t: float, u: Array, path: Iterable[tuple[float, Array, Array]]) -> Iterator[Any]:
    """v and pivots at each time, state and inputs of a path; v is searched at its extrapolation."""
    s, last, before = at.system, at.guess, at.guess
    rate = s.motion(t, at.x, u, last)[1][list(s.partition.dependent)] if len(last) else last
    for k, (t_there, x, u_there) in enumerate(path):
        guess = 2.0 * last - before if k else last + (t_there - t) * rate
        found = s.rates_function(np.array([t_there]), x, u_there, guess)
        yield found
        before, last = last, found.v


def _turned(pivots: Array, first: Array) -> bool:
    """Whether the determinant of the loops changed its sign."""
    return bool(np.prod(np.sign(pivots)) != np.prod(np.sign(first)))


def require_clear_path(
    at: StartState, t: float, dt: float, u: Array, allowed: bool, *, fixed: bool = True
) -> StartState:
    """The same state, if no singular position is within the next steps. They would pass it and could change the branch.

    allowed: whether other coordinates may be used. fixed: for fixed steps, which cannot become smaller. Variable steps
    stop only if no coordinates help, or if all joints are driven.
    """
    if not fixed:
        speeds = at.system.rates_function(np.array([t]), at.x, u, at.guess).xd[at.system.layout.positions]
        dt = min(dt, SMALL / max(float(np.abs(speeds).max(initial=0.0)), 1e-300))
    ahead = crossing_ahead(at, t, dt, u)
    parts, names = at.system.partition, at.system.model.velocities
    if ahead is None or not (fixed or ahead.helpless or not parts.free):
        return at
    joints = ", ".join(names[i] for i in parts.free or parts.driven)
    where = f"{at.system.model.name}: near t = {ahead.t:g} s the loops"
    if ahead.helpless:
        why = "reach a singular position, where they can continue in several ways, for any choice of independent joints"
        cure = "closure='augmented' may pass it; smaller steps help if the motion only passes near it"
    elif ahead.closes:
        why, cure = (
            f"reach a singular position of {joints}",
            "use smaller steps, so that the coordinates can change before it",
        )
    else:
        why = f"can no longer be closed by moving {joints}"
        cure = f"{'' if allowed else 'use repartition=True, '}drive other joints, or use smaller steps"
    raise SingularityError(f"{where} {why}; {cure}", time=t)


def repartitioned(at: StartState, t: float, u: Array, allowed: bool) -> StartState:
    """The system with the coordinates that suit a state best.

    Another order of the same coordinates is always used; other coordinates only if that is allowed.
    """
    s, x = at.system, at.x
    found = s.rates_function(np.array([t]), x, u, at.guess)
    if not np.all(np.isfinite(found.v)):
        problem = f"{s.model.name}: at t = {t:g} s the loops can no longer be closed"
        raise SingularityError(f"{problem} (use smaller steps, or other driven joints)", time=t)
    q, v = s.motion(t, x, u, found.v)
    names = s.model.velocities
    joints = ", ".join(names[i] for i in s.partition.free)
    where = f"{s.model.name}: at t = {t:g} s"
    if _turned(found.pivots, at.pivots):
        cure = "use smaller steps; closure='augmented' may pass such positions"
        raise SingularityError(f"{where} {joints} passed a singular position within one step; {cure}", time=t)
    model, loops = s.live_model, s.loops
    best, any_nature = (partition(model, q, swap=swap, complete=False) for swap in (False, True))
    grips = [determinacy(model, q, parts, loops) for parts in (best, any_nature)]
    if allowed or grips[0] < STOP * grips[1]:  # otherwise the given natures count
        best = any_nature
    if len(best.following) > len(s.partition.following):
        cure = "equations redundant at the start are not redundant here; change the initial values, or remove them"
        raise SingularityError(f"{where} the loops also determine {joints}: {cure}", time=t)
    if len(best.following) < len(s.partition.following):
        freed = ", ".join(names[i] for i in best.free if i not in s.partition.free)
        cure = "closure='augmented' may pass such positions"
        raise SingularityError(f"{where} the loops are singular and no longer determine {freed}; {cure}", time=t)
    if best == s.partition:
        pivots = np.abs(found.pivots)
        if pivots.min() < SINGULAR * pivots.max():
            lost = names[s.partition.following[int(np.argmin(pivots))]]
            problem = f"{where} the loops are singular: neither {joints} nor other joints determine {lost}"
            raise SingularityError(problem, time=t)
        return StartState(s, x, found.v, found.pivots)  # smaller than at the start, but sound
    if set(best.free) != set(s.partition.free) and not allowed:
        better = ", ".join(names[i] for i in best.free)
        cure = f"simulate with repartition=True, or make {better} independent"
        raise SingularityError(f"{where} {joints} no longer determine the motion; {cure}", time=t)
    return own_start(s.over(q, v, x[s.layout.first_state :], swap=best == any_nature))
