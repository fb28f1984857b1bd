"""Envelopes of motion simulators: presets of a catalogue, the envelope of a platform, table and plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import degrees, radians
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.files.package_data import package_data
from symbody.model.plain_numbers import GRAVITY
from symbody.motion.data import TABLE, TURNS, AxisLimit, PlatformData
from symbody.motion.limits import axis_values, require_within
from symbody.motion.platform_motion import PlatformMotion
from symbody.suggestions import did_you_mean
from symbody.visual.report import Plot, Record

Range = tuple[float, float]  # lowest and highest position
Values = tuple[float | None, ...]  # a value for each axis; None if it is not printed
NOT_PRINTED: Values = (None, None, None)


@dataclass(frozen=True)
class Envelope:
    """Ranges and largest rates of a simulator (SI); None if the catalogue does not print them.

    Parameters
    ----------
    name : str
        Of the simulator.
    reach : ((float, float), (float, float), (float, float)), optional
        Ranges of x y z of its motion system (m).
    speed : array, optional
        Of x y z (m/s).
    acceleration : array, optional
        Of x y z (m/s²).
    turn : (float, float, float), optional
        Half ranges of roll pitch yaw (rad).
    turn_speed : array, optional
        rad/s.
    turn_acceleration : array, optional
        rad/s².
    rails : (float, float), optional
        Half ranges of x y of the table below it (m).
    rail_speed : array, optional
        m/s.
    rail_acceleration : array, optional
        m/s².
    bandwidth : str, optional
        As printed.
    """

    name: str
    reach: tuple[Range, Range, Range] | None = None
    speed: Values = NOT_PRINTED
    acceleration: Values = NOT_PRINTED
    turn: tuple[float, float, float] | None = None
    turn_speed: Values = NOT_PRINTED
    turn_acceleration: Values = NOT_PRINTED
    rails: tuple[float, float] | None = None
    rail_speed: Values = NOT_PRINTED
    rail_acceleration: Values = NOT_PRINTED
    bandwidth: str | None = None

    @property
    def limits(self) -> dict[str, AxisLimit]:
        """Limits of the axes with a known range, by the names of AXES; positions are relative to the middle."""
        groups = (
            (TABLE, _symmetric(self.rails), self.rail_speed, self.rail_acceleration),
            (("x", "y", "z"), self.reach or (), self.speed, self.acceleration),
            (TURNS, _symmetric(self.turn), self.turn_speed, self.turn_acceleration),
        )
        return {
            axis: AxisLimit(*ends, speed or np.inf, acceleration or np.inf)
            for axes, ranges, speeds, accelerations in groups
            for axis, ends, speed, acceleration in zip(axes, ranges, speeds, accelerations, strict=False)
        }

    def check(self, motion: PlatformMotion) -> None:
        """Raise LimitError for a motion about the neutral pose that exceeds the printed limits of this simulator."""
        about = replace(motion, axes=motion.axes - np.concatenate([np.zeros(2), motion.data.neutral]))
        for name, values, (low, high), unit in axis_values(about, self.limits):
            require_within(about.t, f"{self.name}: {name}", values, low, high, unit)


def _symmetric(halves: Sequence[float] | None) -> tuple[Range, ...]:
    return tuple((-half, half) for half in halves or ())


@cache
def envelopes() -> Mapping[str, Envelope]:
    """All presets of `envelopes.yaml` by name.

    Returns
    -------
    mapping of str to Envelope
        By name.
    """
    read: Mapping[str, Any] = package_data(__package__, "envelopes.yaml")
    return {name: _envelope(name, numbers) for name, numbers in read.items()}


def envelope(name: str) -> Envelope:
    """A published simulator by its name.

    Parameters
    ----------
    name : str
        Such as a key of `envelopes()`.

    Returns
    -------
    Envelope
        Its printed ranges.

    Raises
    ------
    ModelError
        For an unknown name; similar ones are suggested.
    """
    if name not in envelopes():
        cure = did_you_mean(name, envelopes(), "simulators")
        raise ModelError("unknown simulator", element=str(name), cure=cure)
    return envelopes()[name]


def envelope_of(name: str, data: PlatformData) -> Envelope:
    """The envelope of a platform, relative to the middle of its ranges."""
    half = {axis: 0.5 * (limit.high - limit.low) for axis, limit in data.limits.items()}
    rates: dict[str, Any] = {}
    for begin, axes in (("", ("x", "y", "z")), ("turn_", TURNS), ("rail_", TABLE)):
        for kind in ("speed", "acceleration"):
            rates[begin + kind] = tuple(getattr(data.limits[axis], kind) for axis in axes)
    x, y, z = _symmetric([half[axis] for axis in ("x", "y", "z")])
    turn = (half["roll"], half["pitch"], half["yaw"])
    return Envelope(name, (x, y, z), turn=turn, rails=(half["table.x"], half["table.y"]), **rates)


def _envelope(name: str, numbers: Mapping[str, Any]) -> Envelope:
    made = dict(numbers)
    units = {"speed": 1.0, "acceleration": GRAVITY, "turn": radians(1.0), "turn_speed": radians(1.0)}
    units |= {"turn_acceleration": radians(1.0), "rail_speed": 1.0, "rail_acceleration": GRAVITY, "rails": 1.0}
    for key, unit in units.items():
        if key in made:
            listed = made[key] if isinstance(made[key], list) else [made[key]] * len(NOT_PRINTED)
            made[key] = tuple(None if value is None else unit * value for value in listed)
        if key.startswith("turn") and key in made:
            pitch, roll, yaw = made[key]
            made[key] = (roll, pitch, yaw)
    if "reach" in made:
        made["reach"] = tuple(tuple(one) if isinstance(one, list) else (-one, one) for one in made["reach"])
    return Envelope(name, **made)


# -- comparison ------------------------------------------------------------------------------------------------------


def table(presets: Sequence[Envelope]) -> list[Record]:
    """A row for each envelope, in m, m/s, g and degrees."""
    return [
        {
            "simulator": one.name,
            "reach x y z (m)": _ranges(one.reach),
            "speed x y z (m/s)": _values(one.speed),
            "acceleration x y z (g)": _values(one.acceleration, GRAVITY),
            "roll pitch yaw (deg)": _ranges(_symmetric(one.turn), radians(1.0)),
            "their speed (deg/s)": _values(one.turn_speed, radians(1.0)),
            "their acceleration (deg/s²)": _values(one.turn_acceleration, radians(1.0)),
            "rails x y (m)": _ranges(_symmetric(one.rails)),
            "rail speed (m/s)": _values(one.rail_speed[:2]),
            "rail acceleration (g)": _values(one.rail_acceleration[:2], GRAVITY),
            "bandwidth": one.bandwidth,
        }
        for one in presets
    ]


def _ranges(ranges: Sequence[Range] | None, unit: float = 1.0) -> str:
    ends = [(low / unit, high / unit) for low, high in ranges or ()]
    return " ".join(f"±{high:.3g}" if low == -high else f"{low:.3g}…{high:.3g}" for low, high in ends)


def _values(values: Values, unit: float = 1.0) -> str:
    """One number if all are equal, "?" for values that are not printed; empty without any."""
    said = ["?" if value is None else f"{value / unit:.3g}" for value in values]
    return "" if set(said) == {"?"} else said[0] if len(set(said)) == 1 else " ".join(said)


def envelopes_plot(presets: Sequence[Envelope]) -> Plot:
    """Reach from above, rotations, and accelerations of each."""

    def draw(figure: Any) -> None:
        above, turns, starts = figure.subplots(1, 3, width_ratios=(1.5, 1.0, 1.0))
        for k, one in enumerate(presets):
            colour = f"C{k}"
            reach, rails = one.reach or _symmetric((0.0, 0.0, 0.0)), one.rails or (0.0, 0.0)
            (west, east), (south, north) = ((low - r, high + r) for (low, high), r in zip(reach, rails, strict=False))
            if east > 0.0:
                box = [west, east, east, west, west], [south, south, north, north, south]
                above.plot(*box, color=colour, lw=1.5, label=one.name)
            if one.turn:
                places = [k + by for by in (-0.25, 0.0, 0.25)]
                turns.barh(places, [degrees(angle) for angle in one.turn], 0.22, color=colour, alpha=0.8)
            if one.acceleration[0] or one.rail_acceleration[0]:
                starting = (one.acceleration[0] or one.rail_acceleration[0] or 0.0) / GRAVITY
                starts.barh(k, starting, 0.6, color=colour, alpha=0.8)
        above.set(xscale="symlog", yscale="symlog", xlabel="x (m)", ylabel="y (m)", aspect="equal")
        above.legend(fontsize="x-small", loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=4)
        for axes, label in ((turns, "roll, pitch, yaw (±°)"), (starts, "acceleration (g)")):
            axes.set(yticks=range(len(presets)), yticklabels=[one.name for one in presets], xlabel=label)
            axes.invert_yaxis()
        turns.set(xscale="log", xlim=(10.0, 400.0))
        turns.set_xticks([15, 30, 60, 120, 330], [str(angle) for angle in (15, 30, 60, 120, 330)])
        turns.minorticks_off()
        for axes in (above, turns, starts):
            axes.grid(alpha=0.3)

    caption = "Left: reach with rails, linear up to 1 m, then logarithmic. Values that are not printed are missing."
    return Plot("Envelopes of simulators", draw, caption, 5.0)
