"""Vetting of a trajectory before it runs: the first sample that is not allowed, with the reason, or none.

Samples are checked for what they say (positions, speeds, accelerations of axes and legs, strokes, tilts, gaps, singular
poses), for whether rates and accelerations belong to the positions, and for whether the platform can stop at each of
them within all limits. A trajectory begins and ends at rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symbody.errors import ModelError
from symbody.motion.data import AXES, Array, PlatformData
from symbody.motion.limits import NEAREST, watched
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.safety.fast_stop import stoppable
from symbody.motion.safety.slack import DISTANCE, slack_names, slack_of
from symbody.motion.singularity import determinant

LONGEST_STEP = 0.1  # s between samples: more cannot be vetted
AT_REST = 1e-3  # of the speed limits
FIT = 0.25  # of a dt²: largest difference of a step of the positions from the integral of the rates
EDGE = 1e-9  # relative: rounding at a limit is no excess


@dataclass(frozen=True)
class Vetted:
    """Whether a trajectory may run.

    Parameters
    ----------
    ok : bool
        Whether it keeps all limits.
    reason : str, optional
        Why not.
    sample : int
        Number of the first bad sample. Default -1.
    time : float
        Of that sample (s). Default nan.
    quantity : str, optional
        That is out of its limits.
    value : float
        Of that quantity. Default nan.
    """

    ok: bool
    reason: str = ""
    sample: int = -1
    time: float = float("nan")
    quantity: str = ""
    value: float = float("nan")


@dataclass(frozen=True)
class _Finding:
    sample: int
    quantity: str
    value: float
    words: str


def motion_of(t: Array, axes: Array, data: PlatformData) -> PlatformMotion:
    """A motion from positions over time alone: rates and accelerations by central differences.

    Parameters
    ----------
    t : array, shape (n,)
        Times (s).
    axes : array, shape (n, 8)
        m, rad.
    data : PlatformData
        The platform.

    Returns
    -------
    PlatformMotion
        With derivatives.

    Raises
    ------
    ModelError
        For other shapes than (n, 8), n ≥ 3.
    """
    t, axes = np.asarray(t, dtype=float), np.asarray(axes, dtype=float)
    if axes.shape != (len(t), len(AXES)) or len(t) < 3:
        raise ModelError(f"positions of the shape {axes.shape}", element="trajectory", cure="give (n, 8), n ≥ 3")
    rates = np.gradient(axes, t, axis=0)
    return PlatformMotion(t, axes, rates, np.gradient(rates, t, axis=0), data)


def vet(motion: PlatformMotion, dt: float, start: Array | None = None) -> Vetted:
    """Vet a motion for a loop.

    Parameters
    ----------
    motion : PlatformMotion
        `motion.data` has the limits, with their margins.
    dt : float
        Sample time of the loop (s).
    start : array, shape (8,), optional
        Where the platform is now; the motion has to begin there.

    Returns
    -------
    Vetted
        With the first bad sample.
    """
    bad = _times(motion) or _not_finite(motion)
    if bad is None:
        found = [*_limits(motion), *_shared(motion), *_consistent(motion), *_ends(motion, start)]
        found = found or _stops(motion, dt)
        bad = min(found, key=lambda one: one.sample) if found else None
    if bad is None:
        return Vetted(True)
    t = float(motion.t[bad.sample]) if bad.sample < len(motion.t) else float("nan")
    return Vetted(False, f"sample {bad.sample}, t = {t:.4g} s: {bad.words}", bad.sample, t, bad.quantity, bad.value)


def _first(wrong: NDArray[np.bool_], values: Array, quantity: str, words: str) -> list[_Finding]:
    """The first wrong sample of a quantity; `words` may contain its value."""
    if not wrong.any():
        return []
    k = int(wrong.argmax())
    return [_Finding(k, quantity, float(values[k]), words.format(float(values[k])))]


def _times(motion: PlatformMotion) -> _Finding | None:
    if len(motion.t) < 3:
        return _Finding(0, "time", float(len(motion.t)), "fewer than three samples (give more)")
    step = np.diff(motion.t)
    for wrong, words in (
        (~(np.isfinite(step) & (step > 0.0)), "times do not increase (sort the samples, and remove duplicates)"),
        (~(step <= LONGEST_STEP), f"a gap of {{:.3g}} s (sample at least every {LONGEST_STEP:g} s)"),
    ):
        for one in _first(wrong, step, "time", words):
            return one
    return None


def _not_finite(motion: PlatformMotion) -> _Finding | None:
    for name, values in (("position", motion.axes), ("rate", motion.rates), ("acceleration", motion.second)):
        wrong = ~np.isfinite(values)
        if wrong.any():
            k = int(wrong.any(axis=1).argmax())
            axis = AXES[int(wrong[k].argmax())]
            return _Finding(k, axis, float("nan"), f"the {name} of {axis} is not a number")
    return None


def _limits(motion: PlatformMotion) -> list[_Finding]:
    found = []
    for name, values, (low, high), unit in watched(motion):
        edge = EDGE * max(abs(low), abs(high))
        wrong = ~((values >= low - edge) & (values <= high + edge))
        found += _first(wrong, values, name, f"{name} = {{:.4g}} {unit} (keep it within {low:.4g} … {high:.4g} {unit})")
    return found


def _shared(motion: PlatformMotion) -> list[_Finding]:
    """Gaps between legs, and singular poses: near one, or beyond one since the sample before."""
    pose, data = motion.pose, motion.data
    found = slack_of(pose, np.zeros(6), np.zeros(6), data)  # compiled: poses alone, without speeds
    gap, held, distance = (found[..., slack_names(data).index(name)] for name in ("leg gap", "singularity", DISTANCE))
    side = np.sign(determinant(pose, data)) * np.sign(
        determinant(data.neutral, data)
    )  # negative beyond a singular pose
    clear = np.asarray(side * (distance + NEAREST))
    return [
        *_first(~(gap > 0.0), gap, "leg gap", "two legs touch: {:.3g} m (turn less)"),
        *_first(~(clear >= NEAREST), clear, "singularity", "{:.3g} m to a singular pose (stay higher, or turn less)"),
        *_first(~(held > 0.0), held, "singularity", "a nearly singular pose (stay higher, or turn less)"),
    ]


def _consistent(motion: PlatformMotion) -> list[_Finding]:
    """Rates and accelerations that are not the derivatives of the positions."""
    dt, push = np.diff(motion.t)[:, None], np.maximum(motion.data.ends("acceleration"), EDGE)
    found = []
    for what, values, slope in (("position", motion.axes, motion.rates), ("rate", motion.rates, motion.second)):
        apart = np.abs(np.diff(values, axis=0) - 0.5 * dt * (slope[1:] + slope[:-1]))
        room = FIT * push * dt * dt if what == "position" else 2.0 * push * dt  # accelerations may jump
        excess = (apart / (room + EDGE)).max(axis=1)
        words = f"the {what}s do not belong to their derivatives: they are off by {{:.3g}} of what is allowed"
        for one in _first(~(excess <= 1.0), excess, what, words):
            found.append(_Finding(one.sample + 1, one.quantity, one.value, one.words))
    return found


def _ends(motion: PlatformMotion, start: Array | None) -> list[_Finding]:
    moving = (np.abs(motion.rates) / np.maximum(motion.data.ends("speed"), EDGE)).max(axis=1)
    found, last = [], len(motion.t) - 1
    for k, words in ((0, "begin"), (last, "end")):
        if moving[k] > AT_REST:
            found.append(_Finding(k, "rest", float(moving[k]), f"the trajectory does not {words} at rest"))
    if start is not None:
        away = np.abs(motion.axes[0] - start)
        room = AT_REST * np.maximum(motion.data.ends("high") - motion.data.ends("low"), EDGE)
        if (away > room).any():
            axis = AXES[int((away / room).argmax())]
            words = f"the platform is elsewhere: {axis} is off by {away.max():.3g} (begin at the present position)"
            found.append(_Finding(0, axis, float(away.max()), words))
    return found


def _stops(motion: PlatformMotion, dt: float) -> list[_Finding]:
    good = stoppable(motion.axes, motion.rates, motion.data, dt)
    words = "a fast stop from here would leave the limits (move more slowly towards the ends)"
    return _first(~good, good.astype(float), "fast stop", words)
