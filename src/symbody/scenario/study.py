"""Attempts of several drivers side by side: their recorded runs replayed, as records and as a plot of the sensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.results.run import Run
from symbody.scenario.attempt import PERIOD, Attempt, AttemptState, attempted, instants
from symbody.scenario.scenario import Scenario
from symbody.suggestions import did_you_mean
from symbody.visual.report import Plot, Record
from symbody.visual.report_plots import TIME, finish

MOST_DRIVERS = 20


def compared_attempts(
    scenario: Scenario, runs: Mapping[str, Run], more: Callable[[Run], Record] | None = None
) -> list[Record]:
    """A record for each driver: how the attempt ended, when each task was done, and further figures of the run.

    Parameters
    ----------
    scenario : Scenario
    runs : mapping of str to Run
        Recorded runs by driver, with the channels of the scenario.
    more : function, optional
        Further figures, such as energy and fuel.

    Returns
    -------
    list of Record
        One for each driver, in the order of `runs`.

    Raises
    ------
    ModelError
        If there are no drivers, or too many to compare.
    """
    if not 1 <= len(runs) <= MOST_DRIVERS:
        raise ModelError(f"{len(runs)} drivers", element=scenario.title, cure=f"compare 1 to {MOST_DRIVERS}")
    found: list[Record] = []
    for driver, run in runs.items():
        ended = attempted(scenario, run)
        done = {f"{task.name} (s)": ended.finished.get(task.name) for task in scenario.tasks}
        found.append({"driver": driver, "state": ended.state.value, **done, **(more(run) if more else {})})
    return found


def sensor_history(scenario: Scenario, run: Run, sensors: Sequence[str]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Values of sensors, as the attempt sees them.

    Parameters
    ----------
    scenario : Scenario
        With the sensors.
    run : Run
        With the channels of the sensors.
    sensors : sequence of str
        Their names.

    Returns
    -------
    (array, dict of str to array)
        Times (s), and values by sensor.

    Raises
    ------
    ModelError
        For an unknown sensor.
    """
    for name in sensors:
        if name not in scenario.sensors:
            cure = did_you_mean(name, list(scenario.sensors), "sensors")
            raise ModelError(f"unknown sensor '{name}'", element=scenario.title, cure=cure)
    attempt, t, rows = Attempt(scenario), [], []
    channels = {name: run[name] for name in scenario.channels}
    for k in instants(run.t, PERIOD):
        state = attempt.see(float(run.t[k]), {name: float(values[k]) for name, values in channels.items()})
        t.append(attempt.time)
        rows.append([attempt.values[name] for name in sensors])
        if state is not AttemptState.RUNNING:
            break
    return np.array(t), dict(zip(sensors, np.array(rows).T, strict=True))


def drivers_plot(scenario: Scenario, runs: Mapping[str, Run], sensors: Sequence[str]) -> Plot:
    """Sensors over time, a line for each driver.

    Parameters
    ----------
    scenario : Scenario
        With the sensors.
    runs : mapping of str to Run
        Recorded runs by driver.
    sensors : sequence of str
        Their names, one axis for each.

    Returns
    -------
    Plot
        For a report; it draws with Matplotlib.
    """

    def draw(figure: Any) -> None:
        all_axes = figure.subplots(len(sensors), 1, sharex=True, squeeze=False)[:, 0]
        for driver, run in runs.items():
            t, values = sensor_history(scenario, run, sensors)
            for axes, name in zip(all_axes, sensors, strict=True):
                axes.plot(t, values[name], lw=1.1, label=driver)
                axes.set(ylabel=f"{name} ({scenario.sensors[name].unit})")
        all_axes[-1].set(xlabel=TIME)
        finish(*all_axes)

    return Plot("Drivers", draw, "The same sensors in the runs of all drivers.", 1.5 + 1.3 * len(sensors))
