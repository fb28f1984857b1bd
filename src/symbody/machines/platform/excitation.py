"""Motions that show the platform's parameters: moves by two templates, one after the other, of small condition number.

A move goes from pose to pose along one profile s(τ), 0 ≤ τ ≤ 1, for all axes: trapezoidal speed (thirds of speeding up,
steady and braking) or triangular speed (halves), as the platform's own drives make them (Houda 2020, §6.1.3). The
sequence grows move by move: of some random next moves within all limits the one is taken that leaves the smallest
condition number of the regressor of all moves so far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from symbody.errors import ModelError
from symbody.machines.platform.data import AXES, Array, PlatformData, platform_data
from symbody.machines.platform.drives import check
from symbody.machines.platform.motion import PlatformMotion
from symbody.machines.platform.workspace import margins

TEMPLATES = {"trapezoidal": 1.0 / 3.0, "triangular": 1.0 / 2.0}  # share of the time that speeding up takes
PROBES = 24  # states of a candidate by which it is judged
SHARE = 0.95  # of the limits
TRIES = 500  # random moves, before it is said that none is within the limits
AT_A_TIME = (slice(0, 1), slice(1, 2), slice(2, 8), slice(2, 8), slice(2, 8), slice(0, 8))  # axes that a move moves


@dataclass(frozen=True, eq=False)
class Move:
    """From one place of the axes to another in some seconds, by a template."""

    start: Array
    end: Array
    duration: float
    template: str

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Axes, rates, second derivatives (n, 8) at times from its start (s)."""
        s, sd, sdd = profile(np.asarray(t) / self.duration, self.template)
        way = self.end - self.start
        return self.start + np.outer(s, way), np.outer(sd, way) / self.duration, np.outer(sdd, way) / self.duration**2


def profile(tau: Array, template: str) -> tuple[Array, Array, Array]:
    """s, s', s'' of 0 ≤ τ ≤ 1: speeding up for a share b of the time, then steady, then braking; s' is 1/(1 − b) at most."""
    b = TEMPLATES[template]
    peak = 1.0 / (1.0 - b)
    tau = np.clip(tau, 0.0, 1.0)
    steps = [tau < b, tau > 1.0 - b]
    s = np.select(steps, [0.5 * peak / b * tau**2, 1.0 - 0.5 * peak / b * (1.0 - tau) ** 2], peak * (tau - 0.5 * b))
    sd = np.select(steps, [peak / b * tau, peak / b * (1.0 - tau)], peak)
    sdd = np.select(steps, [np.full_like(tau, peak / b), np.full_like(tau, -peak / b)], 0.0)
    return s, sd, sdd


def shortest(start: Array, end: Array, template: str, data: PlatformData) -> float:
    """The shortest time (s) in which limits of speed and acceleration of the axes allow a move."""
    b = TEMPLATES[template]
    peak, way = 1.0 / (1.0 - b), np.abs(end - start)
    speed, acceleration = (
        SHARE * np.array([getattr(data.limits[axis], kind) for axis in AXES]) for kind in ("speed", "acceleration")
    )
    return float(max(np.max(peak * way / speed), np.max(np.sqrt(peak / b * way / acceleration)), 0.05))


def sampled(moves: list[Move], dt: float, data: PlatformData) -> PlatformMotion:
    """The whole sequence at steps dt (s)."""
    parts, times, began = [], [], 0.0
    ends = np.cumsum([move.duration for move in moves])
    t = np.arange(0.0, ends[-1], dt)
    for move, end in zip(moves, ends, strict=True):
        own = t[(t >= began) & (t < end)]
        parts.append(move.at(own - began))
        times.append(own)
        began = float(end)
    axes, rates, second = (np.vstack([part[i] for part in parts]) for i in range(3))
    return PlatformMotion(np.concatenate(times), axes, rates, second, data)


@dataclass(frozen=True, eq=False)
class ExcitingMotion:
    """The moves, and the condition number that their regressor has, its columns of equal length."""

    moves: list[Move]
    condition: float
    first_condition: float  # of as many random moves, for comparison

    @property
    def duration(self) -> float:
        return float(sum(move.duration for move in self.moves))


Rows = Callable[[PlatformMotion], Array]  # the regressor (rows, parameters) of a motion


def exciting_motion(
    rows: Rows, data: PlatformData | None = None, *, moves: int = 60, candidates: int = 8, seed: int = 0
) -> ExcitingMotion:
    """A sequence of moves within the limits of axes, legs and motors, chosen one by one for a small condition number."""
    data = data or platform_data()
    if moves < 2 or candidates < 1:
        raise ModelError(f"{moves} moves of {candidates} candidates", cure="give two moves or more, and a candidate")
    rng = np.random.default_rng(seed)
    chosen, by_chance = [], []
    gram = chance = None
    at = np.concatenate([np.zeros(2), data.neutral])
    for k in range(moves):
        found = [_candidate(at, k, rng, data) for _ in range(candidates)]
        grams = [_gram(rows(_probed(move, data))) for move in found]
        totals = grams if gram is None else [gram + one for one in grams]
        best = int(np.argmin([gram_condition(total) for total in totals]))
        gram, at = totals[best], found[best].end
        chance = grams[0] if chance is None else chance + grams[0]
        chosen.append(found[best])
        by_chance.append(found[0])
    return ExcitingMotion(chosen, gram_condition(gram), gram_condition(chance))


def _candidate(start: Array, k: int, rng: np.random.Generator, data: PlatformData) -> Move:
    """A random move of one slider, of the hexapod, or of all axes by turns, as fast as limits and motors allow."""
    low, high = (np.array([getattr(data.limits[axis], kind) for axis in AXES]) for kind in ("low", "high"))
    middle, half = 0.5 * (low + high), 0.5 * SHARE * (high - low)
    moving = AT_A_TIME[k % len(AT_A_TIME)]
    template = tuple(TEMPLATES)[int(rng.integers(len(TEMPLATES)))]
    for _ in range(TRIES):
        end = np.array(start)
        corner = np.clip(1.3 * rng.uniform(-1.0, 1.0, len(AXES)), -1.0, 1.0)  # often to an end of an axis
        end[moving] = (middle + half * corner)[moving]
        move = Move(start, end, shortest(start, end, template, data), template)
        motion = _probed(move, data)
        if np.min(margins(motion.pose, data)) <= 0.0:
            continue
        slower = max(1.0, max((abs(x.value) / x.limit for x in check(motion).passed if x.unit == "rpm"), default=1.0))
        move = replace(move, duration=move.duration * slower / (SHARE if slower > 1.0 else 1.0))
        if check(_probed(move, data)).ok:
            return move
    told = f"no move from {np.round(start, 3).tolist()} keeps all limits, of {TRIES} that were tried"
    raise ModelError(told, element="exciting_motion", cure="are limits of axes, legs and motors in contradiction?")


def _probed(move: Move, data: PlatformData) -> PlatformMotion:
    t = np.linspace(0.0, move.duration, PROBES)
    return PlatformMotion(t, *move.at(t), data)


def _gram(W: Array) -> Array:
    return W.T @ W


def gram_condition(gram: Array) -> float:
    """Condition number of W, its columns of equal length, from WᵀW."""
    scale = 1.0 / np.sqrt(np.maximum(np.diag(gram), 1e-300))
    values = np.linalg.eigvalsh(gram * np.outer(scale, scale))
    return float(np.sqrt(max(values[-1], 0.0) / max(values[0], np.finfo(float).eps * values[-1])))
