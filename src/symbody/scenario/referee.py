"""A scenario on the page of a machine: the attempt sees the records of the loop, and its task stands over the view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

import numpy as np

from symbody.scenario.attempt import PERIOD, Attempt, AttemptState, instants
from symbody.scenario.instruments import gauge_values, scenario_gauges
from symbody.scenario.scenario import Scenario
from symbody.studio.gauges import Gauge
from symbody.studio.machine import LoopStart

Array = np.ndarray


class ScenarioReferee:
    """Runs attempts at a scenario, one after each start of the machine, whose time then begins again.

    Parameters
    ----------
    scenario : Scenario
        Its tasks.
    period : float
        Time between two looks at the channels (s). Default 0.02.
    """

    channels: Sequence[str]

    def __init__(self, scenario: Scenario, period: float = PERIOD):
        self.scenario, self._period = scenario, period
        self.channels: Sequence[str] = scenario.channels
        self.attempt, self._seen = Attempt(scenario), -np.inf
        self.gauges: Sequence[Gauge] = scenario_gauges(scenario)

    def begin_again(self, start: LoopStart | None = None) -> None:
        """A new attempt."""
        self.attempt, self._seen = Attempt(self.scenario), -np.inf

    def see(self, t: Array, values: Array) -> None:
        """Records: times (s), and the channels in columns. The first in each period counts."""
        for k in instants(t, self._period):
            if t[k] < self._seen:
                self.begin_again()
            if t[k] >= self._seen + self._period * (1.0 - 1e-9):
                self._seen = self._period * np.floor(t[k] / self._period + 1e-9)
                self.sample(float(t[k]), dict(zip(self.channels, values[k].tolist(), strict=True)))

    def see_inputs(self, steps: Array, inputs: Array) -> None:
        """Nothing: a scenario judges channels."""

    def locks(self) -> bool:
        """Never: a person may try parameters."""
        return False

    def sample(self, t: float, channels: dict[str, float]) -> None:
        """One sample of all channels at t (s)."""
        self.attempt.see(t, channels)

    def stops(self) -> bool:
        """Whether a breakdown has ended the attempt."""
        return self.attempt.state is AttemptState.BROKEN

    def gauge_values(self) -> Mapping[str, float]:
        """Values of the channels of `gauges` now."""
        return gauge_values(self.attempt)

    def lines(self) -> Sequence[str]:
        """The task and its clock, set points beside the values of their sensors, or how the attempt ended."""
        attempt, task = self.attempt, self.attempt.task
        if attempt.state is not AttemptState.RUNNING or task is None:
            return [f"{attempt.message} {attempt.time:.1f} s"]
        number = f"Task {len(attempt.finished) + 1} of {len(self.scenario.tasks)}"
        spent = attempt.values.get("task_time", 0.0)
        left = f", {max(task.within - spent, 0.0):.0f} s left" if isfinite(task.within) else ""
        on_gauges = {one.sensor for one in self.scenario.instruments}
        points = [self._point(name, x) for name, x in task.set_points.items() if name not in on_gauges]
        return [f"{number}: {task.say}{left}", *points]

    def _point(self, name: str, target: float) -> str:
        sensor = self.scenario.sensors[name]
        value = self.attempt.values.get(name, float("nan"))
        shown, wanted = (f"{x:.{sensor.digits}f} {sensor.unit}".rstrip() for x in (value, target))
        return f"{name} {shown}, set point {wanted}"
