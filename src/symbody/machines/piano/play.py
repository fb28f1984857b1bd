"""Runs of the piano action under strokes, and measures of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from symbody.analysis.simulate import simulate
from symbody.machines.piano.model import DIP, FRONT
from symbody.machines.piano.model import model as piano
from symbody.machines.piano.sensors import add_sensors
from symbody.machines.piano.strokes import DT, Stroke, uniform
from symbody.realtime.tick_times import input_tick_times
from symbody.results.run import Run
from symbody.stepping.newton import Newton
from symbody.stepping.step_options import FixedStep
from symbody.system.system import System, system
from symbody.system.varied_parameters import varied as varied_parameters

Array = np.ndarray
Numbers = TypeVar("Numbers", float, np.ndarray)
METHOD, NEWTON = "trapezoidal", Newton(tangent="kept")  # explicit: a third of the energy is lost where friction sticks
STEP = FixedStep(METHOD, NEWTON)
EVERY, TICK = 5 * DT, 1e-3  # s between records; s, of a haptic loop
SETTLING, SPEED = 1.5, 10e-3  # s until the action rests; m/s at which its force is measured (Docquier 2021, 5.1.5)
BEYOND = 0.1e-3  # m, into the felt under the key's front
BUMP, STROKE = (8e-3, 9e-3), (1e-3, 7e-3)  # m: dips of the escapement, and before it
RECORDED = (
    "*.q", "*.qd", "*_memory", "hall_difference", "key.effort", "key.dip", "*.load", "string.depth", "hall.*", "coil.*",
)  # fmt: skip


def action(escapement: str = "double", damper: bool = True, outputs: tuple[str, ...] = RECORDED) -> System:
    """The compiled action with its sensors; inputs key.q, key.qd and key.qdd drive the key.

    Parameters
    ----------
    escapement : str
        "double" or "single". Default "double".
    damper : bool
        Whether it has its damper. Default True.
    outputs : tuple of str, optional
        Channels that are computed. Default: those of the report.

    Returns
    -------
    System
        Driven by the key.
    """
    m = piano(escapement, damper)
    add_sensors(m)
    return system(m, inputs=["key.q"], outputs=list(outputs))


def settled(s: System) -> Array:
    """The state at rest, with the present parameters."""
    return simulate(s, SETTLING, DT, method=STEP, at=[SETTLING]).last_state


def played(s: System, stroke: Stroke, x0: Array | None = None, every: float = EVERY) -> Run:
    """The action under a stroke.

    Parameters
    ----------
    s : System
        Of `action`.
    stroke : Stroke
        Motion of the key.
    x0 : array, optional
        Initial state. Default: rest.
    every : float
        Time between records (s). Default 0.00025.

    Returns
    -------
    Run
        Until the end of the stroke.

    Examples
    --------
    >>> from symbody.machines.piano import FAST, Stroke, action, front_force, played, slow_dip, through, varied
    >>> s = action()
    >>> stroke: Stroke = through(FAST, until=0.02)
    >>> run = played(s, stroke)
    >>> front_force(run).shape == run.t.shape
    True
    >>> heavier = varied(s, stroke, hammer_mass=12e-3)
    >>> round(float(slow_dip().rate.max()), 3)  # m/s
    0.01
    """
    x0 = settled(s) if x0 is None else x0
    return simulate(s, stroke.until, stroke.dt, method=STEP, every=every, inputs=stroke.inputs, x0=x0)


def varied(s: System, stroke: Stroke, **parameters: float) -> Run:
    """The action under a stroke with other parameters; their values are restored afterwards.

    Parameters
    ----------
    s, stroke
        As in `played`.
    **parameters
        New values by name.

    Returns
    -------
    Run
        From rest.
    """
    with varied_parameters(s, **parameters):
        return played(s, stroke)


def finger_force(effort: Numbers, q: Numbers) -> Numbers:
    """Force on the finger (N): the effort of the key (N m) divided by its arm ℓ cos q."""
    force: Numbers = effort / (FRONT * np.cos(q))
    return force


def front_force(run: Run) -> Array:
    """Force on the finger in a run.

    Parameters
    ----------
    run : Run
        Of `played`.

    Returns
    -------
    array, shape (n,)
        N.
    """
    return finger_force(run["key.effort"], run["key.q"])


def slow_dip() -> Stroke:
    """The whole dip at 10 mm/s.

    Returns
    -------
    Stroke
        For static friction and weights.
    """
    return uniform(SPEED, DIP + BEYOND)


def within(run: Run, dips: tuple[float, float]) -> Array:
    """Mask of the instants whose dip is in a range (m)."""
    return np.asarray((run["key.dip"] >= dips[0]) & (run["key.dip"] <= dips[1]))


def bump(run: Run) -> float:
    """The largest force of the escapement (N)."""
    return float(front_force(run)[within(run, BUMP)].max())


def mean_force(run: Run) -> float:
    """The mean force over the stroke before the escapement (N)."""
    return float(front_force(run)[within(run, STROKE)].mean())


def plateau(run: Run, interval: tuple[float, float]) -> float:
    """The mean force of the pilot while the key is held (N)."""
    return float(run["capstan.load"][(run.t >= interval[0]) & (run.t <= interval[1])].mean())


def step_times(s: System, stroke: Stroke) -> Mapping[str, float]:
    """Median and 99th percentile of the computing time (µs) for a millisecond of the action."""
    u = np.stack([stroke.inputs[name] for name in s.inputs], axis=1)
    return input_tick_times(s, STEP, DT, u, round(TICK / DT), settled(s))
