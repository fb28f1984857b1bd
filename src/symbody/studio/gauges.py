"""Gauges over the view as plain data: instruments, lamps, messages, a map, a timer and a score, each on a grid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Literal, TypedDict

from symbody.errors import ModelError

Corner = Literal["top-left", "top", "top-right", "left", "right", "bottom-left", "bottom", "bottom-right"]
GaugeKind = Literal["round", "bar", "digital", "lamp", "message", "map", "timer", "score"]
Zone = tuple[float, float]
MOST_GAUGES = 24
FARTHEST = 1e300  # end of a zone: JSON has no infinity


@dataclass(frozen=True)
class Gauge:
    """An instrument that shows scale · channel, in one of the corners or at an edge of the view.

    Parameters
    ----------
    label : str
        On the page.
    channel : str
        Its name.
    kind : {'round', 'bar', 'digital', 'timer', 'score'}
        "round" and "bar" show a range with red zones and a set point, "digital" a number, "timer" minutes and seconds,
        "score" points. Default "digital".
    low, high : float
        Its range, in the shown unit. Defaults 0, 1.
    unit : str, optional
        That is shown.
    scale : float
        Shown unit per unit of the channel. Default 1.
    digits : int
        Decimals. Default 0.
    red : sequence of (float, float), optional
        Red zones, in the shown unit.
    set_point : str or float, optional
        A channel or a number, in the shown unit.
    corner : Corner
        Its place. Default "top-right".
    """

    label: str
    channel: str
    kind: Literal["round", "bar", "digital", "timer", "score"] = "digital"
    low: float = 0.0
    high: float = 1.0
    unit: str = ""
    scale: float = 1.0
    digits: int = 0
    red: Sequence[Zone] = ()
    set_point: str | float | None = None
    corner: Corner = "top-right"


@dataclass(frozen=True)
class Lamp:
    """A lamp that is lit while a channel is within a range.

    Parameters
    ----------
    label : str
        On the page.
    channel : str
        Its name.
    on : (float, float)
        The range.
    colour : str
        As "#rrggbb". Default "#d03a2f".
    corner : Corner
        Its place. Default "top".
    """

    label: str
    channel: str
    on: Zone
    colour: str = "#d03a2f"
    corner: Corner = "top"


@dataclass(frozen=True)
class Notice:
    """A message for each range of a channel, such as "Gate missed"; outside of all ranges nothing is shown.

    Parameters
    ----------
    channel : str
        Its name.
    texts : mapping of (float, float) to str
        By range.
    corner : Corner
        Its place. Default "top".
    latched : bool
        Whether it stays, once shown, until the machine begins again. Default False.
    """

    channel: str
    texts: Mapping[Zone, str]
    corner: Corner = "top"
    latched: bool = False


@dataclass(frozen=True)
class Map:
    """A map of an area, with the present place.

    Parameters
    ----------
    label : str
        On the page.
    x, y : str
        Channels of the place (m).
    area : (float, float, float, float)
        Least x and y, largest x and y (m).
    line : sequence of (float, float), optional
        Such as a road (m).
    corner : Corner
        Its place. Default "bottom-left".
    """

    label: str
    x: str
    y: str
    area: tuple[float, float, float, float]
    line: Sequence[tuple[float, float]] = ()
    corner: Corner = "bottom-left"


AnyGauge = Gauge | Lamp | Notice | Map


class GaugeData(TypedDict):
    """A gauge of the page; channels are numbers in the list of values that come."""

    kind: GaugeKind
    label: str
    corner: Corner
    channels: list[int]  # one; two of a map
    low: float
    high: float
    unit: str
    scale: float
    digits: int
    zones: list[Zone]  # red ones; of a lamp where it is lit; of a message where each text is shown
    texts: list[str]
    latched: bool  # a message
    set_channel: int  # -1: none
    set_value: float | None
    colour: str
    area: list[float]  # of a map
    line: list[Zone]


@dataclass(frozen=True)
class Gauges:
    """The gauges of a machine: rows for the page, and the channels whose values they need."""

    rows: list[GaugeData] = field(default_factory=list)
    channels: list[str] = field(default_factory=list)


def gauges_of(given: Sequence[AnyGauge], known: Mapping[str, str]) -> Gauges:
    """Rows and channels; known: units of the channels by name. Unknown channels and impossible ranges are refused."""
    if len(given) > MOST_GAUGES:
        raise ModelError(f"{len(given)} gauges", cure=f"use at most {MOST_GAUGES}: nobody reads more")
    channels: list[str] = []

    def number(channel: str, label: str) -> int:
        if channel not in known:
            raise ModelError(f"no channel {channel!r}", element=label, cure="give one of the outputs of the system")
        if channel not in channels:
            channels.append(channel)
        return channels.index(channel)

    return Gauges([_row(one, number) for one in given], channels)


def _row(one: AnyGauge, number: Callable[[str, str], int]) -> GaugeData:
    row = GaugeData(
        kind="message", label="", corner=one.corner, channels=[], low=0.0, high=1.0, unit="", scale=1.0, digits=0,
        zones=[], texts=[], latched=False, set_channel=-1, set_value=None, colour="", area=[], line=[],
    )  # fmt: skip
    if not isinstance(one, Notice):
        row["label"] = one.label
    match one:
        case Gauge():
            if not (isfinite(one.low) and isfinite(one.high) and one.low < one.high):
                raise ModelError(f"a range from {one.low} to {one.high}", element=one.label, cure="give low < high")
            row["kind"], row["low"], row["high"], row["unit"] = one.kind, one.low, one.high, one.unit
            row["scale"], row["digits"], row["zones"] = one.scale, one.digits, [*one.red]
            row["channels"] = [number(one.channel, one.label)]
            if isinstance(one.set_point, str):
                row["set_channel"] = number(one.set_point, one.label)
            else:
                row["set_value"] = one.set_point
        case Lamp():
            row["kind"], row["zones"], row["colour"] = "lamp", [one.on], one.colour
            row["channels"] = [number(one.channel, one.label)]
        case Notice():
            row["zones"], row["texts"], row["latched"] = [*one.texts], [*one.texts.values()], one.latched
            row["channels"] = [number(one.channel, "message")]
        case Map():
            row["kind"], row["area"], row["line"] = "map", [*one.area], [*one.line]
            row["channels"] = [number(one.x, one.label), number(one.y, one.label)]
    row["zones"] = [(max(low, -FARTHEST), min(high, FARTHEST)) for low, high in row["zones"]]
    return row
