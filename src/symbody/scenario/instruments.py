"""Instruments of a scenario as gauges of the page: values of sensors, set points of the present task, red zones."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan

from symbody.scenario.attempt import Attempt
from symbody.scenario.scenario import Scenario
from symbody.studio.gauges import Gauge

PREFIX, SET_POINT = "scenario.", ".set_point"  # of channels that only the page sees


def sensor_channel(sensor: str) -> str:
    """The channel with which a gauge shows a sensor."""
    return PREFIX + sensor


def scenario_gauges(scenario: Scenario) -> list[Gauge]:
    """A gauge for each instrument; its set point is that of the present task."""
    made = []
    for one in scenario.instruments:
        sensor, channel = scenario.sensors[one.sensor], sensor_channel(one.sensor)
        made.append(Gauge(
            one.label or one.sensor.replace("_", " "), channel, one.face, one.low, one.high, sensor.unit,
            digits=sensor.digits, red=one.red, set_point=channel + SET_POINT, corner=one.corner,
        ))  # fmt: skip
    return made


def gauge_values(attempt: Attempt) -> Mapping[str, float]:
    """Values of all channels of the gauges; a set point that the task does not have is not a number."""
    points = attempt.task.set_points if attempt.task is not None else {}
    shown: dict[str, float] = {}
    for one in attempt.scenario.instruments:
        channel = sensor_channel(one.sensor)
        shown[channel] = attempt.values.get(one.sensor, nan)
        shown[channel + SET_POINT] = points.get(one.sensor, nan)
    return shown
