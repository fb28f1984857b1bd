"""Scenarios for any machine: virtual sensors, tasks with conditions and breakdowns, as data files and an engine."""

from symbody.scenario.attempt import Attempt, AttemptState, attempted
from symbody.scenario.referee import ScenarioReferee
from symbody.scenario.scenario import Breakdown, DriverTask, Instrument, Scenario, VirtualSensor
from symbody.scenario.scenario_file import read_scenario, scenario_of
from symbody.scenario.study import compared_attempts, drivers_plot, sensor_history

__all__ = [
    "Attempt",
    "AttemptState",
    "Breakdown",
    "DriverTask",
    "Instrument",
    "Scenario",
    "ScenarioReferee",
    "VirtualSensor",
    "attempted",
    "compared_attempts",
    "drivers_plot",
    "read_scenario",
    "scenario_of",
    "sensor_history",
]  # fmt: skip
