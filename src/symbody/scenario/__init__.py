"""Scenarios for any machine: virtual sensors, tasks with conditions and breakdowns, as data files and an engine."""

from symbody.scenario.attempt import Attempt, AttemptState, attempted
from symbody.scenario.referee import ScenarioReferee
from symbody.scenario.scenario import Breakdown, DriverTask, Instrument, Scenario, VirtualSensor
from symbody.scenario.scenario_file import read_scenario

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
    "read_scenario",
]  # fmt: skip
