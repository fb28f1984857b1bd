"""An attempt at a scenario: a small state machine that sees the channels of a machine at fixed instants.

It depends on nothing but what it sees: the same samples give the same result, live or from a recording.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from symbody.errors import ModelError
from symbody.results.run import Run
from symbody.scenario.condition import Condition, value_of
from symbody.scenario.scenario import DriverTask, Scenario, VirtualSensor

Array = np.ndarray
PERIOD = 0.02  # s between samples


class AttemptState(Enum):
    """Of an attempt."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"  # a task took too long
    BROKEN = "broken"  # a breakdown


@dataclass
class Attempt:
    """A scenario in progress: `see` the channels, read `state`, `values` of the sensors, `message` and `finished`.

    Parameters
    ----------
    scenario : Scenario
        The tasks.
    state : AttemptState, optional
        How it stands.
    message : str, optional
        What the driver must do now.
    values : dict of str to float, optional
        Of the sensors, by name.
    finished : dict of str to float, optional
        Time (s) at which each task was done.
    """

    scenario: Scenario
    state: AttemptState = AttemptState.RUNNING
    message: str = ""
    values: dict[str, float] = field(default_factory=dict)
    finished: dict[str, float] = field(default_factory=dict)
    _number: int = 0  # of the present task
    _began: float = math.nan  # s: the attempt
    _task_began: float = math.nan
    _held_since: float | None = None
    _last: float = math.nan
    _true: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.message = self.scenario.tasks[0].say

    @property
    def task(self) -> DriverTask | None:
        """The present task; None after the last."""
        return self.scenario.tasks[self._number] if self._number < len(self.scenario.tasks) else None

    @property
    def time(self) -> float:
        """s since the start."""
        return 0.0 if math.isnan(self._began) else self._last - self._began

    def see(self, t: float, channels: Mapping[str, float]) -> AttemptState:
        """The state after a sample of all channels at t (s); samples after the end change nothing."""
        if self.state is not AttemptState.RUNNING:
            return self.state
        if math.isnan(self._began):
            self._began = self._task_began = t
        elif not t > self._last:
            raise ModelError(f"a sample at {t:g} s after one at {self._last:g} s", cure="give times that increase")
        span = 0.0 if math.isnan(self._last) else t - self._last
        self._last = t
        for sensor in self.scenario.sensors.values():
            self.values[sensor.name] = self._gathered(sensor, span, channels)
        self.values |= {"time": t - self._began, "task_time": t - self._task_began}
        for breakdown in self.scenario.breakdowns:
            if Condition(breakdown.when).holds(self.values):
                self.state, self.message = AttemptState.BROKEN, breakdown.say
                return self.state
        self._work(t)
        return self.state

    def _gathered(self, sensor: VirtualSensor, span: float, channels: Mapping[str, float]) -> float:
        now = value_of(sensor.formula, {name: channels[channel] for name, channel in sensor.of.items()})
        before = self.values.get(sensor.name)
        match sensor.gather:
            case "now":
                return now
            case "largest" | "smallest":
                pick = max if sensor.gather == "largest" else min
                return now if before is None or math.isnan(before) else before if math.isnan(now) else pick(before, now)
            case "integral":
                return (before or 0.0) + (0.0 if math.isnan(now) else span * now)
        true = now == now and now != 0.0
        times = (before or 0.0) + (true and not self._true.get(sensor.name, False))
        self._true[sensor.name] = true
        return times

    def _work(self, t: float) -> None:
        """Go on with the present task."""
        task = self.scenario.tasks[self._number]
        if not Condition(task.until).holds(self.values):
            self._held_since = None
        elif self._held_since is None:
            self._held_since = t
        if self._held_since is not None and t - self._held_since >= task.hold:
            self.finished[task.name] = t - self._began
            self._number, self._task_began, self._held_since = self._number + 1, t, None
            following = self.task
            self.state = AttemptState.RUNNING if following else AttemptState.DONE
            self.message = following.say if following else "Done."
        elif t - self._task_began >= task.within:
            self.state, self.message = AttemptState.FAILED, f"{task.name}: not done within {task.within:g} s."


def attempted(scenario: Scenario, run: Run, period: float = PERIOD) -> Attempt:
    """The attempt that a recorded run is, seen every `period` s.

    Parameters
    ----------
    scenario : Scenario
    run : Run
        With the channels of its sensors.
    period : float
        s between samples.

    Returns
    -------
    Attempt
        As it ended.
    """
    scenario.require_channels(run.names)
    columns = {name: run[name] for name in scenario.channels}
    attempt = Attempt(scenario)
    for k in instants(run.t, period):
        if (
            attempt.see(float(run.t[k]), {name: float(column[k]) for name, column in columns.items()})
            is not AttemptState.RUNNING
        ):
            break
    return attempt


def instants(t: Sequence[float] | Array, period: float) -> list[int]:
    """The first record in each period of a series of times (s)."""
    cells = np.floor(np.asarray(t) / period + 1e-9)
    return [int(k) for k in np.flatnonzero(np.diff(cells, prepend=-np.inf) != 0.0)]
