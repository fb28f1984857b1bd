"""Envelopes of motion simulators: presets of a catalogue, the envelope of a platform, table and plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from math import degrees, radians
from typing import Any

import numpy as np
import yaml

from symbody.errors import ModelError
from symbody.model.plain_numbers import GRAVITY
from symbody.motion.data import TABLE, TURNS, AxisLimit, PlatformData
from symbody.motion.limits import axis_values, require_within
from symbody.motion.platform_motion import PlatformMotion
from symbody.suggestions import did_you_mean
from symbody.visual.report import Plot, Record

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Envelope:
    """Half ranges and largest rates of a simulator (SI); None if the catalogue does not print them.

    reach: x y z of its motion system; turn: roll pitch yaw; rails: x y of the table below it.
    """

    name: str
    reach: Triple | None = None
    speed: float | None = None
    acceleration: float | None = None
    turn: Triple | None = None
    turn_speed: float | None = None
    turn_acceleration: float | None = None
    rails: tuple[float, float] | None = None
    rail_speed: float | None = None
    rail_acceleration: float | None = None

    @property
    def limits(self) -> dict[str, AxisLimit]:
        """Limits of the axes with a known range, by the names of AXES; positions are relative to the middle."""
        groups = (
            (TABLE, self.rails, self.rail_speed, self.rail_acceleration),
            (("x", "y", "z"), self.reach, self.speed, self.acceleration),
            (TURNS, self.turn, self.turn_speed, self.turn_acceleration),
        )
        return {
            axis: AxisLimit(-half, half, speed or np.inf, acceleration or np.inf)
            for axes, halves, speed, acceleration in groups
            for axis, half in zip(axes, halves or (), strict=False)
        }

    def check(self, motion: PlatformMotion) -> None:
        """Raise LimitError for a motion about the neutral pose that exceeds the printed limits of this simulator."""
        about = replace(motion, axes=motion.axes - np.concatenate([np.zeros(2), motion.data.neutral]))
        for name, values, (low, high), unit in axis_values(about, self.limits):
            require_within(about.t, f"{self.name}: {name}", values, low, high, unit)


@cache
def envelopes() -> Mapping[str, Envelope]:
    """All presets of `envelopes.yaml` by name."""
    read: Mapping[str, Any] = yaml.safe_load((files(__package__) / "envelopes.yaml").read_text(encoding="utf-8"))
    return {name: _envelope(name, numbers) for name, numbers in read.items()}


def envelope(name: str) -> Envelope:
    """A preset by its name."""
    if name not in envelopes():
        cure = did_you_mean(name, envelopes(), "simulators")
        raise ModelError("unknown simulator", element=str(name), cure=cure)
    return envelopes()[name]


def envelope_of(name: str, data: PlatformData) -> Envelope:
    """The envelope of a platform; rates of rotation are those of pitch, the smallest."""
    half = {axis: 0.5 * (limit.high - limit.low) for axis, limit in data.limits.items()}
    x, turn, rail = (data.limits[axis] for axis in ("x", "pitch", "table.x"))
    return Envelope(
        name,
        (half["x"], half["y"], half["z"]),
        x.speed,
        x.acceleration,
        (half["roll"], half["pitch"], half["yaw"]),
        turn.speed,
        turn.acceleration,
        (half["table.x"], half["table.y"]),
        rail.speed,
        rail.acceleration,
    )


def _envelope(name: str, numbers: Mapping[str, Any]) -> Envelope:
    made = dict(numbers)
    if "turn" in made:
        pitch, roll, yaw = map(radians, made["turn"])
        made["turn"] = (roll, pitch, yaw)
    made |= {key: radians(made[key]) for key in ("turn_speed", "turn_acceleration") if key in made}
    made |= {key: GRAVITY * made[key] for key in ("acceleration", "rail_acceleration") if key in made}
    made |= {key: tuple(made[key]) for key in ("reach", "rails") if key in made}
    return Envelope(name, **made)


# -- comparison ------------------------------------------------------------------------------------------------------


def table(presets: Sequence[Envelope]) -> list[Record]:
    """A row for each envelope, in m, m/s, g and degrees."""
    return [
        {
            "simulator": one.name,
            "reach x y z (m)": _halves(one.reach),
            "speed (m/s)": one.speed,
            "acceleration (g)": one.acceleration and one.acceleration / GRAVITY,
            "roll pitch yaw (deg)": _halves(one.turn and [degrees(angle) for angle in one.turn]),
            "rails x y (m)": _halves(one.rails),
            "rail speed (m/s)": one.rail_speed,
            "rail acceleration (g)": one.rail_acceleration and one.rail_acceleration / GRAVITY,
        }
        for one in presets
    ]


def _halves(values: Sequence[float] | None) -> str:
    return "" if values is None else " ".join(f"±{value:.3g}" for value in values)


def envelopes_plot(presets: Sequence[Envelope]) -> Plot:
    """Reach from above, rotations, and accelerations of each."""

    def draw(figure: Any) -> None:
        above, turns, starts = figure.subplots(1, 3, width_ratios=(1.5, 1.0, 1.0))
        for k, one in enumerate(presets):
            colour = f"C{k}"
            reach, rails = one.reach or (0.0, 0.0, 0.0), one.rails or (0.0, 0.0)
            x, y = reach[0] + rails[0], reach[1] + rails[1]
            if x > 0.0:
                above.plot([-x, x, x, -x, -x], [-y, -y, y, y, -y], color=colour, lw=1.5, label=one.name)
            if one.turn:
                places = [k + by for by in (-0.25, 0.0, 0.25)]
                turns.barh(places, [degrees(angle) for angle in one.turn], 0.22, color=colour, alpha=0.8)
            if one.acceleration or one.rail_acceleration:
                starting = (one.acceleration or one.rail_acceleration or 0.0) / GRAVITY
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
