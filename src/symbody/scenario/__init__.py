"""Scenarios for any machine: virtual sensors, tasks with conditions and breakdowns, as data files and an engine."""

from symbody.scenario.attempt import Attempt, AttemptState, attempted
from symbody.scenario.scenario import Breakdown, Instrument, Scenario, Task, VirtualSensor
from symbody.scenario.scenario_file import read_scenario

__all__ = [
    "Attempt", "AttemptState", "Breakdown", "Instrument", "Scenario", "Task", "VirtualSensor", "attempted",
    "read_scenario",
]  # fmt: skip
