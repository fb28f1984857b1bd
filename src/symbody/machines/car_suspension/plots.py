"""Plots of the car on its dampers: roll, path, pressures, the dampers alone, energies, weak coupling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from symbody.analysis.balance import EnergyBalance
from symbody.elements.network import BAR
from symbody.results.run import Run
from symbody.visual.report import Plot, Record
from symbody.visual.report_plots import TIME, finish

CORNERS = ("front_left", "front_right")
LANES = (-1.75, 1.75, 5.25)  # m, their edges
MILLI, KILO = 1e3, 1e-3
MARKS = {"constant": "o-", "linear": "s-"}  # by the extrapolation of the other part's values


@dataclass(frozen=True)
class Weak:
    """A weakly coupled run: largest differences of roll and pressures from the strong one, or when it failed."""

    hold: str
    exchange_ms: float
    apart_deg: float | None = None
    apart_bar: float | None = None
    failed_at_s: float | None = None

    @property
    def record(self) -> Record:
        """A row of a table."""
        return asdict(self)


def plots(
    runs: Mapping[str, Run],
    balances: Mapping[str, EnergyBalance],
    rig: Mapping[str, Mapping[str, Run]],
    weak: Sequence[Weak],
) -> list[Plot]:
    """All plots, by suspension."""
    made = [
        Plot("Roll and path", partial(_draw_roll, runs), "Interconnected dampers have less roll on the same path."),
        Plot(
            "Pressures",
            partial(_draw_pressures, runs),
            "Both chambers of the front dampers. If interconnected, chambers of one circuit rise and fall together.",
        ),
        Plot(
            "Dampers alone",
            partial(_draw_rig, rig),
            "Force of a front damper in slow compression and rebound: small in heave, large in roll.",
        ),
        Plot(
            "Energies", partial(_draw_energies, balances), "Stored, dissipated and supplied energy; the rest is drift."
        ),
    ]
    if weak:
        text = "Largest distance from the strongly coupled run; crosses at the top are runs that failed."
        made.append(Plot("Weak coupling", partial(_draw_weak, weak), text))
    return made


def _draw_roll(runs: Mapping[str, Run], figure: Any) -> None:
    roll, road = figure.subplots(1, 2)
    for name, run in runs.items():
        roll.plot(run.t, np.degrees(run["roll.q"]), lw=1.4, label=name)
        road.plot(run["x.q"], run["y.q"], lw=1.4, label=name)
    for y in LANES:
        road.axhline(y, color="grey", lw=0.8, ls="--" if y == LANES[1] else "-")
    roll.set(xlabel=TIME, ylabel="roll (°)")
    road.set(xlabel="x (m)", ylabel="y (m)", ylim=(-2.5, 6.0))
    finish(roll, road)


def _draw_pressures(runs: Mapping[str, Run], figure: Any) -> None:
    all_axes = np.atleast_1d(figure.subplots(1, len(runs), sharey=True))
    for axes, (name, run) in zip(all_axes, runs.items(), strict=True):
        for corner in CORNERS:
            for phase, style in (("compression", "-"), ("rebound", "--")):
                label = f"{corner} {phase}".replace("_", " ")
                axes.plot(run.t, run[f"{corner}_{phase}_p"] / BAR, style, lw=1.2, label=label)
        axes.set(xlabel=TIME, title=name)
    all_axes[0].set(ylabel="pressure (bar)")
    finish(*all_axes)


def _draw_rig(rig: Mapping[str, Mapping[str, Run]], figure: Any) -> None:
    all_axes = np.atleast_1d(figure.subplots(1, len(rig), sharey=True))
    for axes, (name, runs) in zip(all_axes, rig.items(), strict=True):
        for width, (mode, run) in zip((5.0, 3.5, 2.2, 1.0), runs.items(), strict=True):  # equal curves stay visible
            travel = run["front_left_damper.length"][0] - run["front_left_damper.length"]
            axes.plot(MILLI * travel, KILO * run["front_left_damper.force"], lw=width, label=mode)
        axes.set(xlabel="travel (mm)", title=name)
    all_axes[0].set(ylabel="push (kN)")
    finish(*all_axes)


def _draw_energies(balances: Mapping[str, EnergyBalance], figure: Any) -> None:
    changes, losses, drifts = figure.subplots(1, 3)
    for name, one in balances.items():
        (line,) = changes.plot(one.t, KILO * one.held, lw=1.2, label=f"held, {name}")
        changes.plot(one.t, KILO * one.given, "--", lw=1.2, color=line.get_color(), label=f"given, {name}")
        losses.plot(one.t, one.lost, lw=1.2, label=name)
        drifts.plot(one.t, MILLI * one.error, lw=1.0, label=name)
    changes.set(xlabel=TIME, ylabel="energy since the start (kJ)")
    losses.set(xlabel=TIME, ylabel="lost in the valves (J)")
    drifts.set(xlabel=TIME, ylabel="drift (mJ)")
    finish(changes, losses, drifts)


def _draw_weak(weak: Sequence[Weak], figure: Any) -> None:
    both = figure.subplots(1, 2)
    for axes, quantity, label in zip(both, ("apart_deg", "apart_bar"), ("roll (°)", "pressures (bar)"), strict=True):
        for (hold, mark), height in zip(MARKS.items(), (0.97, 0.92), strict=True):
            own = [one for one in weak if one.hold == hold]
            apart = [getattr(one, quantity) for one in own]
            steps = [one.exchange_ms for one in own]
            (line,) = axes.loglog(steps, [np.nan if x is None else x for x in apart], mark, label=f"held {hold}")
            failed = [one.exchange_ms for one in own if one.failed_at_s is not None]
            axes.plot(failed, [height] * len(failed), "x", color=line.get_color(), transform=axes.get_xaxis_transform())
        axes.set(xlabel="time between exchanges (ms)", ylabel=f"{label}, apart")
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small", loc="lower right")
