"""A log of the platform: encoders and motor forces over time, as the drives report them, and checks of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.errors import ModelError
from symbody.motion.data import ACTUATORS, LEGS, Array, PlatformData
from symbody.motion.drives import quantised, resolutions
from symbody.motion.excitation import AxisMove, sampled
from symbody.motion.platform_motion import PlatformMotion

DROPPED = 1.5  # time steps; a longer gap has lost samples
STUCK_FOR = 0.1  # s without any change of an encoder …
STUCK_WAY = 200  # … while the reference, or all other legs, move by this many increments


@dataclass(frozen=True)
class LogNoise:
    """Standard deviations: force from the motor current (N) of sliders and legs, position before the encoder (m)."""

    slider_force: float = 0.3
    leg_force: float = 0.5
    position: float = 0.0


@dataclass(frozen=True, eq=False)
class PlatformLog:
    """Measurements of a platform.

    Parameters
    ----------
    t : array, shape (n,)
        Times (s).
    q : array, shape (n, 8)
        Actuators (m).
    forces : array, shape (n, 8)
        Γ (N).
    reference : array, shape (n, 8), optional
        Reference of the actuators, if known (m).
    """

    t: Array
    q: Array
    forces: Array
    reference: Array | None = None

    @property
    def dt(self) -> float:
        """Median time step (s)."""
        return float(np.median(np.diff(self.t)))


def check_log(log: PlatformLog, data: PlatformData) -> None:
    """Raise ModelError for an unusable log: NaN, dropped samples, stuck encoders, legs outside their stroke."""
    n = len(np.atleast_1d(log.t))
    for name, array in (("q", log.q), ("forces", log.forces), ("reference", log.reference)):
        if array is not None and np.shape(array) != (n, len(ACTUATORS)):
            cure = f"give {(n, len(ACTUATORS))}: {', '.join(ACTUATORS)}"
            raise ModelError(f"{name} of shape {np.shape(array)}", element="log", cure=cure)
    if n < 100:
        raise ModelError(f"{n} samples", element="log", cure="give 100 or more")
    if not np.all(np.isfinite(log.t)):
        raise ModelError(
            f"the time of sample {int(np.argmin(np.isfinite(log.t)))} is not a number",
            element="log.t",
            cure="leave it out",
        )
    for name, array in (("q", log.q), ("forces", log.forces), ("reference", log.reference)):
        if array is not None and not np.all(np.isfinite(array)):
            row, k = np.argwhere(~np.isfinite(array))[0]
            problem = f"{name} = {array[row, k]} at t = {log.t[row]:.4g} s"
            raise ModelError(problem, element=ACTUATORS[k], cure="cut the log there, or record it again")
    _check_times(log)
    _check_strokes(log, data)
    _check_encoders(log, data)


def _check_times(log: PlatformLog) -> None:
    steps = np.diff(log.t)
    if np.any(steps <= 0.0):
        row = int(np.argmax(steps <= 0.0))
        problem = f"time goes from {log.t[row]:.6g} to {log.t[row + 1]:.6g} s"
        raise ModelError(problem, element="log.t", cure="sort the samples, and remove duplicates")
    long = steps > DROPPED * log.dt
    if np.any(long):
        row = int(np.argmax(long))
        lost = round(float(steps[row]) / log.dt) - 1
        problem = (
            f"{lost} samples were dropped after t = {log.t[row]:.4g} s, and {int(np.sum(long)) - 1} more gaps follow"
        )
        raise ModelError(problem, element="log.t", cure="record it again, or identify from the part without gaps")


def _check_strokes(log: PlatformLog, data: PlatformData) -> None:
    legs = log.q[:, 2:]
    wrong = (legs < data.legs.shortest) | (legs > data.legs.longest)
    if np.any(wrong):
        row, k = np.argwhere(wrong)[0]
        problem = f"a length of {legs[row, k]:.4g} m at t = {log.t[row]:.4g} s"
        cure = f"the stroke is {data.legs.shortest:g} … {data.legs.longest:g} m: check the zero position of the encoder"
        raise ModelError(problem, element=ACTUATORS[2 + k], cure=cure)


def _check_encoders(log: PlatformLog, data: PlatformData) -> None:
    """Raise ModelError for an encoder that does not change while the reference, or all other legs, move."""
    window, far = max(2, round(STUCK_FOR / log.dt)), STUCK_WAY * resolutions(data)
    ways = _ranges(log.q, window)
    for k, axis in enumerate(ACTUATORS):
        if log.reference is not None:
            sent = _ranges(log.reference, window)[:, k] > far[k]
        elif k >= 2:
            others = [2 + i for i in range(len(LEGS)) if 2 + i != k]
            sent = np.all(ways[:, others] > far[others], axis=1)
        else:
            continue
        wrong = (ways[:, k] == 0.0) & sent
        if np.any(wrong):
            row = int(np.argmax(wrong)) * (window // 2)
            row -= int(np.argmax(np.r_[log.q[row::-1, k] != log.q[row, k], True])) - 1  # where it began
            problem = f"the encoder stays at {log.q[row, k]:.6g} m from t = {log.t[row]:.4g} s on, while the axis moves"
            raise ModelError(problem, element=axis, cure="check the encoder, and record the log again")


def _ranges(values: Array, window: int) -> Array:
    """Range of the values in windows that begin at each half window."""
    view = np.lib.stride_tricks.sliding_window_view(values, window, axis=0)[:: window // 2]
    return np.asarray(view.max(axis=-1) - view.min(axis=-1))


def synthetic_log(
    moves: list[AxisMove], data: PlatformData, *, dt: float = 1e-3, noise: LogNoise | None = None, seed: int = 0
) -> tuple[PlatformLog, PlatformMotion]:
    """A log of moves by the closed forms.

    Parameters
    ----------
    moves : list of AxisMove
        One after the other.
    data : PlatformData
        The platform.
    dt : float
        Time between samples (s). Default 0.001.
    noise : LogNoise, optional
        Of encoders and forces. Default: none.
    seed : int
        Of the noise. Default 0.

    Returns
    -------
    (PlatformLog, PlatformMotion)
        The log with encoder resolution and noise, and the exact motion.
    """
    motion = sampled(moves, dt, data)
    return log_of(motion, noise, seed), motion


def log_of(motion: PlatformMotion, noise: LogNoise | None = None, seed: int = 0) -> PlatformLog:
    """Log of a motion: encoder positions, and forces of the closed form with friction, both with noise."""
    noise, rng = noise or LogNoise(), np.random.default_rng(seed)
    sigma = np.repeat([noise.slider_force, noise.leg_force], (2, 6))
    forces = motion.forces() + sigma * rng.normal(size=motion.axes.shape)
    q = quantised(motion.actuators + noise.position * rng.normal(size=motion.axes.shape), motion.data)
    return PlatformLog(motion.t, q, forces, motion.actuators)
