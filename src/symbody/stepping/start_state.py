"""The state that steps start from; near a singular position of its coordinates, the same over others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from symbody.errors import AssemblyError, DivergenceError, ModelError, SingularityError
from symbody.system.assembly import constraint_function
from symbody.system.displacement import movable
from symbody.system.not_finite import first_not_finite
from symbody.system.partition import determinacy, partition
from symbody.system.system import Array, System
from symbody.system.ties import serving_jacobian

STOP = 0.02  # share of its first value at which a pivot of the loops ends a run
SWITCH = 0.3  # where other coordinates may be taken, they are taken sooner: accuracy goes with the square of the pivot
STRIDE, MOST = 0.1, 100  # rad or m: a way over which loops surely stay assembled as they are; strides at first
LEAP = 1.0  # rad or m that a dependent coordinate may go in a stride: whole turns more would close a loop as well
FINER = (1, 4, 16, 64)  # times as many strides, where loops do not close, or leap
AHEAD, FINE = 3, 96  # steps that are looked ahead where a pivot may vanish soon, and parts in which they are gone
LOST = 0.02  # share of the loops' grip at which no choice of coordinates helps
SMALL, MOST_SMALL = 0.02, 1000  # rad or m: a way over which loops go on as they went; most of them
SINGULAR = 1e-6  # smallest pivot by the largest one, below which no choice of coordinates helps


@dataclass(frozen=True)
class StartState:
    """A system, its state x, a first guess of the dependent coordinates, and the pivots to be watched."""

    system: System
    x: Array
    guess: Array
    pivots: Array


def start_state(s: System, x: Array | None = None, u: Array | None = None, t: float = 0.0) -> StartState:
    """The system's own start, or another state at t (s) with inputs u, its loops closed on the way from there."""
    start = StartState(s, s.x0, s.start_guess, s.pivots)
    if x is None and t == 0.0:
        return start
    x, u = s.x0 if x is None else np.asarray(x, dtype=float), s.u0 if u is None else u
    _check_given(s, x, u, t)
    try:
        return followed(start, x, u, t, s.u0, 0.0)
    except AssemblyError:
        return closed_at(start, x, u, t, s.u0, 0.0)


def closed_at(
    known: StartState, x: Array, u: Array, t: float, u_known: Array | None = None, t_known: float | None = None
) -> StartState:
    """Another state, its loops closed in strides from a known one, so that they stay assembled as they are there.

    A loop closes in several ways; Newton's method, from far away, may find any of them.
    """
    s, places = known.system, known.system.layout.positions
    _check_given(s, x, u, t)
    u0, t0 = u if u_known is None else u_known, t if t_known is None else t_known
    far = np.abs(x[places] - known.x[places]).max(initial=0.0) / STRIDE if len(known.guess) else 1.0
    least = int(min(max(1.0, np.ceil(far)), MOST)) if np.isfinite(far) else 1
    for finer in FINER:
        guess, strides = known.guess, finer * least
        for share in np.linspace(0.0, 1.0, strides + 1)[1:]:
            there = x if share == 1.0 else known.x + share * (x - known.x)
            for q in s.quaternion_places if share < 1.0 else ():
                there[q : q + 4] /= np.linalg.norm(there[q : q + 4])
            found = s.rates_function(np.array([t0 + share * (t - t0)]), there, u0 + share * (u - u0), guess)
            way = np.abs(found.v - guess).max(initial=0.0)
            if not np.isfinite(way) or (way > LEAP and finer < FINER[-1]):
                break
            guess = found.v
        else:
            return StartState(s, x, found.v, found.pivots)
    raise AssemblyError(f"{s.model.name}: the loops cannot be closed at this state; start nearer to a closed one")


def _check_given(s: System, x: Array, u: Array, t: float) -> None:
    """Refuse a state or inputs that are no numbers, by name."""
    if x.shape != s.x0.shape:
        cure = f"give {len(s.x0)} numbers, in the order of system.states"
        raise ModelError(f"a state of shape {x.shape}", element=s.model.name, cure=cure)
    state, given = first_not_finite("state", s.states, x), first_not_finite("input", s.inputs, u)
    if state:
        raise ModelError(f"{state} at the start", element=s.model.name, cure="give finite numbers as x0")
    if given:
        raise DivergenceError(f"{s.model.name}: {given} at t = {t:g} s", time=t)


def shrunk(at: StartState, t: float, u: Array, share: float) -> bool:
    """Whether a pivot of the loops has come down to a share of what it was, or changed its sign."""
    if not len(at.pivots):
        return False
    pivots = at.system.rates_function(np.array([t]), at.x, u, at.guess).pivots
    return not np.all(pivots / at.pivots > share)


class Crossing(NamedTuple):
    """A singular position ahead: when (s), whether loops close beyond it, and whether no coordinates help there."""

    t: float
    closes: bool
    helpless: bool


def crossing_ahead(at: StartState, t: float, dt: float, u: Array) -> Crossing | None:
    """Where the loops are singular on the straight way of the next steps, if they are."""
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
            between = ends[0] + share * (ends[1] - ends[0])  # closed but for the square of a part
            now = s.motion(t, at.x, u, here.v)[0]
            return Crossing(t + (k + share) * part, True, _best_grip(s, between) < LOST * _best_grip(s, now))
        last = found
    return None


def _best_grip(s: System, q: Array) -> float:
    """How well the equations that serve determine what follows, over any coordinates: their least singular value."""
    J = serving_jacobian(s.live_model, q, s.partition, constraint_function(s.model))[0]
    return float(np.linalg.svd(J[:, movable(s.model)], compute_uv=False)[-1])


def followed(
    known: StartState, x: Array, u: Array, t: float, u_known: Array | None = None, t_known: float | None = None
) -> StartState:
    """Another state, its loops followed smoothly from a known one; refused where a singular position lies between.

    Beyond one the loops close in several ways, all of which may be near.
    """
    s, places = known.system, known.system.layout.positions
    u0, t0 = u if u_known is None else u_known, t if t_known is None else t_known
    parts = int(np.clip(np.ceil(np.abs(x[places] - known.x[places]).max(initial=0.0) / SMALL), 1, MOST_SMALL))
    start = s.rates_function(np.array([t0]), known.x, u0, known.guess)
    path = []
    for share in np.arange(1, parts + 1) / parts:
        there = x if share == 1.0 else known.x + share * (x - known.x)
        for q in s.quaternion_places if share < 1.0 else ():
            there[q : q + 4] /= np.linalg.norm(there[q : q + 4])
        path.append((t0 + share * (t - t0), there, u0 + share * (u - u0)))
    for found in _followed(StartState(s, known.x, start.v, start.pivots), t0, u0, path):
        if not np.all(np.isfinite(found.v)):
            raise AssemblyError(
                f"{s.model.name}: the loops cannot be closed at this state; start nearer to a closed one"
            )
        if _turned(found.pivots, start.pivots):
            why = "a singular position lies between, beyond which the loops close in several ways"
            raise SingularityError(f"{s.model.name}: {why}; give initial values (q0) on that side of it", time=t)
    return StartState(s, x, found.v, found.pivots)


def _followed(at: StartState, t: float, u: Array, path: Iterable[tuple[float, Array, Array]]) -> Iterator[Any]:
    """v and pivots at each time, state and inputs of a path, v sought where it goes on as it went."""
    s, last, before = at.system, at.guess, at.guess
    rate = s.motion(t, at.x, u, last)[1][list(s.partition.dependent)] if len(last) else last
    for k, (t_there, x, u_there) in enumerate(path):
        guess = 2.0 * last - before if k else last + (t_there - t) * rate
        found = s.rates_function(np.array([t_there]), x, u_there, guess)
        yield found
        before, last = last, found.v


def _turned(pivots: Array, first: Array) -> bool:
    """Whether the determinant of the loops has another sign."""
    return bool(np.prod(np.sign(pivots)) != np.prod(np.sign(first)))


def require_clear_way(at: StartState, t: float, dt: float, u: Array, *, fixed: bool = True) -> StartState:
    """The same state, if no singular position lies within the next steps: they would pass it, and lose their branch.

    fixed: of fixed steps, which cannot become smaller before it; others are stopped only where no coordinates help, or
    where all are driven.
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
        why = "come to a singular position, from which they can go on in several ways, whatever joints are independent"
        cure = "closure='augmented' may go through it; smaller steps do where the motion only passes by"
    elif ahead.closes:
        why, cure = (
            f"come to a singular position of {joints}",
            "take smaller steps, which reach it after a change of coordinates",
        )
    else:
        why = f"can no longer be closed where {joints} lead"
        cure = "let repartition=True choose other coordinates, or drive other joints; or take smaller steps"
    raise SingularityError(f"{where} {why}; {cure}", time=t)


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
    if _turned(found.pivots, at.pivots):
        cure = "take smaller steps; closure='augmented' may go through such positions"
        raise SingularityError(f"{where} {joints} have passed a singular position within one step; {cure}", time=t)
    model, loops = s.live_model, constraint_function(s.model)
    best, any_nature = (partition(model, q, swap=swap, complete=False) for swap in (False, True))
    grips = [determinacy(model, q, parts, loops) for parts in (best, any_nature)]
    if allowed or grips[0] < STOP * grips[1]:  # else the natures that were given count
        best = any_nature
    if len(best.following) > len(s.partition.following):
        cure = "equations that were redundant at the start no longer are; start elsewhere, or remove them"
        raise SingularityError(f"{where} the loops determine {joints}, too: {cure}", time=t)
    if len(best.following) < len(s.partition.following):
        freed = ", ".join(names[i] for i in best.free if i not in s.partition.free)
        cure = "closure='augmented' may go through such positions"
        raise SingularityError(f"{where} the loops are singular and let go of {freed}; {cure}", time=t)
    if best == s.partition:
        pivots = np.abs(found.pivots)
        if pivots.min() < SINGULAR * pivots.max():
            lost = names[s.partition.following[int(np.argmin(pivots))]]
            problem = f"{where} the loops are singular: {joints} do not determine {lost}, nor do others"
            raise SingularityError(problem, time=t)
        return StartState(s, x, found.v, found.pivots)  # smaller than at the start, but sound
    if set(best.free) != set(s.partition.free) and not allowed:
        better = ", ".join(names[i] for i in best.free)
        cure = f"simulate with repartition=True, or make {better} independent"
        raise SingularityError(f"{where} {joints} no longer determine the motion; {cure}", time=t)
    return start_state(s.over(q, v, x[s.layout.first_state :], swap=best == any_nature))
