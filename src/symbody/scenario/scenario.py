"""A scenario as plain data: virtual sensors, tasks one after the other, and breakdowns that end it at any time.

A condition is a formula of the model files over the sensors, such as `speed > 60`; a list of conditions holds if all of
them hold. The sensors `time` (s since the start) and `task_time` (s since the present task began) always exist.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Literal, get_args

from symbody.errors import ModelError
from symbody.model.formula import is_name
from symbody.scenario.condition import Condition, check_formula
from symbody.studio.gauges import Corner
from symbody.suggestions import did_you_mean

Gather = Literal["now", "largest", "smallest", "integral", "times"]
Face = Literal["round", "bar", "digital"]
CLOCKS = ("time", "task_time")  # s
MOST = 100  # sensors, tasks, breakdowns or instruments


@dataclass(frozen=True)
class VirtualSensor:
    """A value that is computed from channels of the machine.

    Parameters
    ----------
    name : str
        For conditions and instruments.
    formula : str
        Over the names of `of`.
    of : mapping of str to str, optional
        Channels by the names in the formula.
    unit : str, optional
        Of the result.
    digits : int
        Decimals that are shown. Default 1.
    gather : Gather
        "now" is the value itself, "largest" and "smallest" since the start, "integral" over time, "times" how often it
        became true. Default "now".
    """

    name: str
    formula: str
    of: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""
    digits: int = 1
    gather: Gather = "now"

    def __post_init__(self) -> None:
        if not is_name(self.name) or self.name in CLOCKS:
            raise ModelError(f"'{self.name}' cannot be the name of a sensor", cure="use letters, digits and _")
        if self.gather not in get_args(Gather):
            cure = did_you_mean(self.gather, get_args(Gather), "ways")
            raise ModelError(f"unknown way to gather '{self.gather}'", element=self.name, cure=cure)
        check_formula(self.formula, self.of, f"sensors.{self.name}")


@dataclass(frozen=True)
class DriverTask:
    """What the driver must do.

    Parameters
    ----------
    name : str
        Unique in the scenario.
    say : str
        Message for the driver.
    until : sequence of str
        Conditions on sensors; all must hold.
    hold : float
        Time (s) for which they must hold. Default 0.
    within : float
        Time (s) after which the task fails. Default inf.
    set_points : mapping of str to float, optional
        Recommended values of sensors, shown on their instruments.
    """

    name: str
    say: str
    until: Sequence[str]
    hold: float = 0.0
    within: float = inf
    set_points: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Breakdown:
    """A critical condition, such as an empty tank or a roll of 20°: it ends the attempt and stops the machine.

    Parameters
    ----------
    name : str
        Unique in the scenario.
    when : sequence of str
        Conditions on sensors, such as "roll > 20"; all must hold.
    say : str
        Message for the driver.
    """

    name: str
    when: Sequence[str]
    say: str


@dataclass(frozen=True)
class Instrument:
    """A gauge of a sensor.

    Parameters
    ----------
    sensor : str
        Its name.
    face : Face
        How it is drawn. Default "digital".
    low, high : float
        Its range. Defaults 0, 1.
    red : sequence of (float, float), optional
        Red zones, each from low to high.
    label : str, optional
        Default: the sensor's name.
    corner : Corner
        Its place on the page. Default "top-left".
    """

    sensor: str
    face: Face = "digital"
    low: float = 0.0
    high: float = 1.0
    red: Sequence[tuple[float, float]] = ()
    label: str = ""
    corner: Corner = "top-left"

    def __post_init__(self) -> None:
        for what, value, known in (("face", self.face, get_args(Face)), ("corner", self.corner, get_args(Corner))):
            if value not in known:
                cure = did_you_mean(str(value), known, f"{what}s")
                raise ModelError(f"unknown {what} '{value}'", element=f"instruments.{self.sensor}", cure=cure)


@dataclass(frozen=True)
class Scenario:
    """Tasks for a driver of a machine.

    Parameters
    ----------
    title : str
    sensors : mapping of str to VirtualSensor
    tasks : sequence of DriverTask
        In their order.
    breakdowns, instruments : sequences
    about : str
        One sentence for the start.

    Raises
    ------
    ModelError
        For unknown sensors, formulas that cannot be read, and conditions that contradict each other.
    """

    title: str
    sensors: Mapping[str, VirtualSensor]
    tasks: Sequence[DriverTask]
    breakdowns: Sequence[Breakdown] = ()
    instruments: Sequence[Instrument] = ()
    about: str = ""

    def __post_init__(self) -> None:
        for family in (self.sensors, self.tasks, self.breakdowns, self.instruments):
            if len(family) > MOST:
                raise ModelError(f"{len(family)} entries", element=self.title, cure=f"use at most {MOST}")
        if not self.tasks:
            raise ModelError("no task", element=self.title, cure="add a task with `until`")
        for task in self.tasks:
            self._check(task.until, f"tasks.{task.name}.until")
            if not (task.hold >= 0.0 and task.within > task.hold):
                problem = f"it must hold for {task.hold:g} s within {task.within:g} s"
                raise ModelError(problem, element=f"tasks.{task.name}", cure="give 0 ≤ hold < within")
            for sensor in task.set_points:
                self._require(sensor, f"tasks.{task.name}.set_points")
        for breakdown in self.breakdowns:
            self._check(breakdown.when, f"breakdowns.{breakdown.name}.when")
        for instrument in self.instruments:
            self._require(instrument.sensor, "instruments")
            if not instrument.low < instrument.high:
                problem = f"a range from {instrument.low:g} to {instrument.high:g}"
                raise ModelError(problem, element=f"instruments.{instrument.sensor}", cure="give low < high")

    @property
    def channels(self) -> list[str]:
        """The channels of the machine that the sensors need."""
        return list(dict.fromkeys(channel for sensor in self.sensors.values() for channel in sensor.of.values()))

    def require_channels(self, known: Sequence[str]) -> None:
        """Raise ModelError for a sensor whose channel the machine does not have."""
        for sensor in self.sensors.values():
            for channel in sensor.of.values():
                if channel not in known:
                    cure = did_you_mean(channel, known, "channels")
                    raise ModelError(f"no channel '{channel}'", element=f"sensors.{sensor.name}", cure=cure)

    def _require(self, sensor: str, place: str) -> None:
        if sensor not in self.sensors:
            cure = did_you_mean(sensor, list(self.sensors), "sensors")
            raise ModelError(f"unknown sensor '{sensor}'", element=place, cure=cure)

    def _check(self, conditions: Sequence[str], place: str) -> None:
        if not conditions:
            raise ModelError("no condition", element=place, cure="write a comparison such as speed > 60")
        names = (*self.sensors, *CLOCKS)
        for text in conditions:
            check_formula(text, names, place)
        Condition(conditions).check_range(place)
