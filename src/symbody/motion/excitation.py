"""Exciting motions for identification: a sequence of moves that tells most about all parameters at once.

A move goes from pose to pose along one profile s(τ), 0 ≤ τ ≤ 1, for all axes: trapezoidal speed (a third each of
acceleration, constant speed and braking) or triangular speed, as the drives do it (Houda 2020, §6.1.3). The sequence is
built greedily. Of some random next moves within all limits, of a slider, the hexapod or all axes, the one is taken that
adds most to log det(WᵀW + Λ₀) per second (D-optimal: it divides the product of all σ). W has its equations divided by
their noise. Λ₀ = 1/σ₀² is a prior, so that parameters without any information yet have a σ, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from symbody.errors import ModelError
from symbody.motion.data import AXES, Array, PlatformData
from symbody.motion.drives import RPM, motor_speed, motor_state
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.workspace import margins

TEMPLATES = {"trapezoidal": 1.0 / 3.0, "triangular": 1.0 / 2.0}  # share of the time for acceleration
RAMPS = TEMPLATES | {"constant speed": 0.1}  # with the first template of the source's load tests
PROBES = 25  # states at which a candidate is evaluated, with the ends of its phases (thirds, halves)
SHARE = 0.95  # of the limits
TRIES = 100  # rounds of random moves before an error says that none is within the limits
AT_A_TIME = (slice(0, 1), slice(1, 2), slice(2, 8), slice(0, 8))  # axes of a move: one group of these
SHARES = (0.1, 0.1, 0.4, 0.4)  # of the candidates
RATE = 1000.0  # Hz, of the log: equations per second


@dataclass(frozen=True, eq=False)
class AxisMove:
    """A move of the axes from `start` to `end` (8,) within `duration` (s), by one of `RAMPS`."""

    start: Array
    end: Array
    duration: float
    template: str

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Axes, rates and second derivatives (n, 8) at times t since its start (s)."""
        s, sd, sdd = profile(np.asarray(t) / self.duration, self.template)
        way = self.end - self.start
        return self.start + np.outer(s, way), np.outer(sd, way) / self.duration, np.outer(sdd, way) / self.duration**2


def profile(tau: Array, template: str) -> tuple[Array, Array, Array]:
    """s, s', s'' of 0 ≤ τ ≤ 1: acceleration for a share b of the time, constant speed, braking; max s' = 1/(1 − b)."""
    b = RAMPS[template]
    peak = 1.0 / (1.0 - b)
    tau = np.clip(tau, 0.0, 1.0)
    early, late, left = tau < b, tau > 1.0 - b, 1.0 - tau

    def chosen(first: Array | float, middle: Array | float, last: Array | float) -> Array:
        return np.where(early, first, np.where(late, last, middle))

    s = chosen(0.5 * peak / b * tau**2, peak * (tau - 0.5 * b), 1.0 - 0.5 * peak / b * left**2)
    return s, chosen(peak / b * tau, peak, peak / b * left), chosen(peak / b, 0.0, -peak / b)


def shortest(start: Array, end: Array, template: str, data: PlatformData) -> float:
    """Shortest duration (s) of a move within the speed and acceleration limits of the axes."""
    b = RAMPS[template]
    peak, way = 1.0 / (1.0 - b), np.abs(end - start)
    speed, acceleration = SHARE * data.ends("speed"), SHARE * data.ends("acceleration")
    return float(max(np.max(peak * way / speed), np.max(np.sqrt(peak / b * way / acceleration)), 0.05))


def sampled(moves: list[AxisMove], dt: float, data: PlatformData) -> PlatformMotion:
    """Sample a sequence of moves.

    Parameters
    ----------
    moves : list of AxisMove
        One after the other.
    dt : float
        Time between samples (s).
    data : PlatformData
        The platform.

    Returns
    -------
    PlatformMotion
        The whole sequence.
    """
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
    """The moves, and the information WᵀW + Λ₀ (p, p) of their equations and of the prior."""

    moves: list[AxisMove]
    information: Array
    by_chance: Array  # of as many moves that were not selected, scaled to the same duration

    @property
    def duration(self) -> float:
        """Of all moves (s)."""
        return float(sum(move.duration for move in self.moves))

    @property
    def condition(self) -> float:
        """Condition number of W with columns of equal length."""
        return gram_condition(self.information)


Rows = Callable[[PlatformMotion], Array]  # the regressor (instants, rows, p) of a motion, divided by the noise


def exciting_motion(
    rows: Rows, known: Array, data: PlatformData, *, moves: int = 40, candidates: int = 12, seed: int = 0
) -> ExcitingMotion:
    """Moves within the limits of axes, legs and motors, selected one by one; known: σ₀ of the parameters (p,)."""
    if moves < 2 or candidates < 1:
        raise ModelError(f"{moves} moves of {candidates} candidates", cure="give at least two moves, and one candidate")
    rng = np.random.default_rng(seed)
    chosen: list[AxisMove] = []
    before = np.diag(known**-2.0)
    gram, chance, spent = np.zeros_like(before), np.zeros_like(before), 0.0
    at = data.neutral_axes
    for _ in range(moves):
        found = _candidates(at, candidates, rng, data)
        W = rows(_probed(found, data))
        W = W.reshape(len(found), -1, W.shape[-1])
        seconds = np.array([move.duration for move in found])
        grams = np.swapaxes(W, 1, 2) @ W * (RATE * seconds / PROBES)[:, None, None]
        best = int(np.argmax(information_gain(gram + before, grams) / seconds))
        gram, chance, at = gram + grams[best], chance + grams[0], found[best].end
        spent += seconds[0]
        chosen.append(found[best])
    total = float(sum(move.duration for move in chosen))
    return ExcitingMotion(chosen, gram + before, chance * (total / spent) + before)


def information_gain(information: Array, more: Array) -> Array:
    """log det(I + I′) − log det I of several I′ (n, p, p), with unit diagonal of I against rounding."""
    scale = 1.0 / np.sqrt(np.diag(information))
    now, then = (np.linalg.slogdet(one * np.outer(scale, scale))[1] for one in (information, information + more))
    return np.asarray(then - now)


def _candidates(start: Array, number: int, rng: np.random.Generator, data: PlatformData) -> list[AxisMove]:
    """Random moves of some axes, each as fast as its limits and the motors allow."""
    low, high = data.ends("low"), data.ends("high")
    middle, half = 0.5 * (low + high), 0.5 * SHARE * (high - low)
    found: list[AxisMove] = []
    for _ in range(TRIES):
        drawn = []
        for corner in np.clip(
            1.3 * rng.uniform(-1.0, 1.0, (number, len(AXES))), -1.0, 1.0
        ):  # often to an end of an axis
            end, moving = np.array(start), AT_A_TIME[int(rng.choice(len(AT_A_TIME), p=SHARES))]
            end[moving] = (middle + half * corner)[moving]
            template = tuple(TEMPLATES)[int(rng.integers(len(TEMPLATES)))]
            drawn.append(AxisMove(start, end, shortest(start, end, template, data), template))
        found += _feasible(drawn, data)
        if len(found) >= number:
            return found[:number]
    problem = f"fewer than {number} of {TRIES * number} random moves from {np.round(start, 3).tolist()} keep all limits"
    raise ModelError(
        problem, element="exciting_motion", cure="check the limits of axes, legs and motors for contradictions"
    )


def _feasible(moves: list[AxisMove], data: PlatformData) -> list[AxisMove]:
    """Moves with allowed poses, slowed down to the motor speed, that the motors can do with their rated current."""
    motor, shape = data.drives["motor"], (len(moves), -1)
    motion = _probed(moves, data)
    allowed = np.min(margins(motion.pose, data), axis=0).reshape(shape).min(axis=1) > 0.0
    fastest = np.abs(motor_speed(motion)).max(axis=1).reshape(shape).max(axis=1)
    slower = np.maximum(1.0, fastest / (SHARE * motor["speed"] * RPM))
    slowed = [replace(move, duration=move.duration * factor) for move, factor in zip(moves, slower, strict=True)]
    current = np.abs(motor_state(_probed(slowed, data)).current).max(axis=1).reshape(shape).max(axis=1)
    fit = allowed & (current < motor["current"])
    return [move for move, good in zip(slowed, fit, strict=True) if good]


def _probed(moves: list[AxisMove], data: PlatformData) -> PlatformMotion:
    """All moves, one after the other, at `PROBES` times each."""
    times = [np.linspace(0.0, move.duration, PROBES) for move in moves]
    parts = [move.at(t) for move, t in zip(moves, times, strict=True)]
    axes, rates, second = (np.vstack([part[i] for part in parts]) for i in range(3))
    return PlatformMotion(np.concatenate(times), axes, rates, second, data)


def gram_condition(gram: Array) -> float:
    """Condition number of W with columns of equal length, from WᵀW; at most about 10⁷, by rounding."""
    scale = 1.0 / np.sqrt(np.maximum(np.diag(gram), 1e-300))
    values = np.linalg.eigvalsh(gram * np.outer(scale, scale))
    return float(np.sqrt(values[-1] / max(values[0], np.finfo(float).eps * values[-1])))
