"""A piano action played: runs from rest, and what is measured of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from symbody.analysis.simulate import simulate
from symbody.machines.piano.model import DIP, FRONT
from symbody.machines.piano.model import model as piano
from symbody.machines.piano.sensors import add_sensors
from symbody.machines.piano.strokes import DT, Staccato, Stroke, uniform
from symbody.realtime.tick_times import tick_times
from symbody.results.run import Run
from symbody.stepping.fixed_step import StepSettings
from symbody.stepping.registry import suited_fixed
from symbody.stepping.start_state import start_state
from symbody.system.system import System, system

Array = np.ndarray
Numbers = TypeVar("Numbers", float, np.ndarray)
METHOD = "semi-implicit"
EVERY = 10 * DT  # s between records
TICK = 1e-3  # s, of a haptic loop
SETTLING = 1.5  # s, from the drawing to rest
SPEED = 10e-3  # m/s, at which a key's force is measured (Docquier 2021, 5.1.5)
BEYOND = 0.1e-3  # m, into the felt under the key's front
BUMP, STROKE = (8e-3, 9e-3), (1e-3, 7e-3)  # m: where the escapement is felt, and the way before
RECORDED = (
    "*.q", "*.qd", "*_memory", "hall_difference", "key.effort", "key.dip", "*.load", "string.depth", "hall.*", "coil.*",
)  # fmt: skip


def action(escapement: str = "double", damper: bool = True, outputs: tuple[str, ...] = RECORDED) -> System:
    """The compiled action, with the sensors of a haptic key, its key driven by the inputs key.q, key.qd and key.qdd."""
    m = piano(escapement, damper)
    add_sensors(m)
    return system(m, inputs=["key.q"], outputs=list(outputs))


def settled(s: System) -> Array:
    """Its state at rest, with the parameters that it has now."""
    return last(simulate(s, SETTLING, DT, method=METHOD, at=[SETTLING]))


def last(run: Run) -> Array:
    """The state at the end of a run."""
    assert run.system is not None
    return np.array([run[name][-1] for name in run.system.states])


def played(s: System, stroke: Stroke, x0: Array | None = None, every: float = EVERY) -> Run:
    """The action under a stroke, from rest or from a state."""
    start = settled(s) if x0 is None else x0
    return simulate(s, stroke.until, DT, method=METHOD, every=every, inputs=stroke.inputs, x0=start)


def varied(s: System, stroke: Stroke, **parameters: float) -> Run:
    """The action under a stroke with other parameters, which are as before afterwards."""
    before = {name: s.parameters[name] for name in parameters}
    try:
        s.parameters.update(parameters)
        return played(s, stroke)
    finally:
        s.parameters.update(before)


def finger_force(effort: Numbers, q: Numbers) -> Numbers:
    """What the finger feels (N): the effort of the key (N m) by its arm ℓ cos q."""
    force: Numbers = effort / (FRONT * np.cos(q))
    return force


def front_force(run: Run) -> Array:
    """What the finger feels (N) in a run."""
    return finger_force(run["key.effort"], run["key.q"])


def slow_dip() -> Stroke:
    """The whole dip at 10 mm/s."""
    return uniform(SPEED, DIP + BEYOND)


def within(run: Run, dips: tuple[float, float]) -> Array:
    """Which instants have their dip between two (m)."""
    return np.asarray((run["key.dip"] >= dips[0]) & (run["key.dip"] <= dips[1]))


def bump(run: Run) -> float:
    """The largest force of the escapement (N)."""
    return float(front_force(run)[within(run, BUMP)].max())


def mean_force(run: Run) -> float:
    """The mean force over the stroke before the escapement (N)."""
    return float(front_force(run)[within(run, STROKE)].mean())


def plateau(run: Run, interval: tuple[float, float]) -> float:
    """The mean force of the pilot while the key is held (N)."""
    held = (run.t >= interval[0]) & (run.t <= interval[1])
    return float(run["capstan.load"][held].mean())


def sounded(run: Run, staccato: Staccato) -> tuple[Array, Array]:
    """Of each stroke its frequency (Hz) in the middle, and whether the hammer met the string."""
    stroke = np.floor(staccato.cycles(run.t)).astype(int)
    strokes = range(stroke[-1])  # the last one is not complete
    loudest = np.array([run["string.load"][stroke == k].max() for k in strokes])
    frequencies = np.array([staccato.frequency(run.t[stroke == k]).mean() for k in strokes])
    return frequencies, loudest > 0.0


def repetition(run: Run, staccato: Staccato) -> float:
    """The frequency (Hz) up to which every stroke sounds."""
    frequencies, sounds = sounded(run, staccato)
    silent = np.flatnonzero(~sounds)
    return float(frequencies[max(silent[0] - 1, 0)] if len(silent) else frequencies[-1])


def last_blow(run: Run, staccato: Staccato) -> float:
    """The frequency (Hz) of the last stroke that sounds."""
    frequencies, sounds = sounded(run, staccato)
    return float(frequencies[sounds][-1])


def step_times(s: System, stroke: Stroke) -> Mapping[str, float]:
    """Median and 99th percentile of the time (µs) that a millisecond of the action takes."""
    u = np.stack([stroke.inputs[name] for name in s.inputs], axis=1)
    steps = suited_fixed(s, METHOD).steps(start_state(s, settled(s), u[0]), StepSettings(DT, u))
    return tick_times(steps, round(stroke.until / TICK), round(TICK / DT))
