"""Plots of controllers: errors, motion and forces of sliding mode by hand and by a swarm; lifts with loads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symbody.analysis.swarm import SwarmResult
from symbody.motion.control.sampled_loop import LoopRun
from symbody.motion.data import ACTUATORS, Array
from symbody.motion.tracking import Tracking
from symbody.visual.report import Plot
from symbody.visual.report_plots import TIME, finish

SLIDERS, LEGS = slice(0, 2), slice(2, 8)
SHOWN_LEG = 5  # the source shows leg 4
NAMES = {"table.x": "table x", "table.y": "table y", **{f"rod{k}": f"leg {k}" for k in range(1, 7)}}


def _columns(figure: Any, runs: Mapping[str, LoopRun], of: Any, part: slice, label: str, shared: bool = True) -> None:
    """A column for each run: a quantity of some actuators."""
    grid = figure.subplots(1, len(runs), sharex=True, sharey=shared, squeeze=False)[0]
    for axes, (name, run) in zip(grid, runs.items(), strict=True):
        for actuator, values in zip(ACTUATORS[part], of(run)[:, part].T, strict=True):
            axes.plot(run.t - run.t[0], values, lw=0.7, label=NAMES[actuator])
        axes.set(title=f"sliding mode {name}", xlabel=TIME)
    grid[0].set(ylabel=label)
    finish(*grid)


def _errors(run: LoopRun) -> Array:
    return np.asarray(1e3 * (run.wanted - run.q))


def mode_plots(runs: Mapping[str, LoopRun]) -> list[Plot]:
    """Errors, motion and forces of table and legs (Houda 2020, figures 5.10 to 5.21)."""
    return [
        Plot("Errors of the table", lambda f: _columns(f, runs, _errors, SLIDERS, "error (mm)"), "Wanted less true."),
        table_plot(runs),
        Plot(
            "Forces of the table",
            lambda f: _columns(f, runs, lambda run: run.forces, SLIDERS, "force (N)"),
            "Forces of the drives of both sliders. Fast alternation is chattering.",
        ),
        Plot("Errors of the legs", lambda f: _columns(f, runs, _errors, LEGS, "error (mm)"), "Wanted less true."),
        leg_accelerations_plot(runs),
        Plot(
            "Forces of the legs",
            lambda f: _columns(f, runs, lambda run: run.forces, LEGS, "force (N)"),
            "Forces of the drives of all legs.",
        ),
    ]


def table_plot(runs: Mapping[str, LoopRun]) -> Plot:
    """Position, speed and acceleration of the table, wanted and true."""

    def draw(figure: Any) -> None:
        grid = figure.subplots(3, len(runs), sharex=True, sharey="row", squeeze=False)
        rows = (
            ("q", "wanted", "m"),
            ("rates", "wanted_rates", "m/s"),
            ("accelerations", "wanted_accelerations", "m/s²"),
        )
        for column, (name, run) in zip(grid.T, runs.items(), strict=True):
            for axes, (true, wanted, unit) in zip(column, rows, strict=True):
                for k, actuator in enumerate(ACTUATORS[SLIDERS]):
                    axes.plot(run.t - run.t[0], getattr(run, true)[:, k], lw=0.7, label=NAMES[actuator])
                    axes.plot(run.t - run.t[0], getattr(run, wanted)[:, k], "k--", lw=0.8)
                axes.set(ylabel=unit)
            column[0].set(title=f"sliding mode {name}")
            column[-1].set(xlabel=TIME)
        finish(*grid.flat)

    caption = "Position, speed and acceleration of the table; dashed: wanted. Accelerations are means over a sample."
    return Plot("Motion of the table", draw, caption, 7.0)


def leg_accelerations_plot(runs: Mapping[str, LoopRun]) -> Plot:
    """Accelerations of a leg, wanted and true, and their errors for all legs."""

    def draw(figure: Any) -> None:
        grid = figure.subplots(2, len(runs), sharex=True, sharey="row", squeeze=False)
        for (above, below), (name, run) in zip(grid.T, runs.items(), strict=True):
            t, lacking = run.t - run.t[0], run.wanted_accelerations - run.accelerations
            above.plot(t, run.accelerations[:, SHOWN_LEG], lw=0.6, label="true")
            above.plot(t, run.wanted_accelerations[:, SHOWN_LEG], "k--", lw=0.9, label="wanted")
            for actuator, values in zip(ACTUATORS[LEGS], lacking[:, LEGS].T, strict=True):
                below.plot(t, values, lw=0.6, label=NAMES[actuator])
            above.set(title=f"sliding mode {name}", ylabel=f"{NAMES[ACTUATORS[SHOWN_LEG]]} (m/s²)")
            below.set(ylabel="error, all legs (m/s²)", xlabel=TIME)
        finish(*grid.flat)

    caption = (
        "Acceleration of a leg, and errors of the accelerations of all legs. Accelerations are means over a sample."
    )
    return Plot("Accelerations of the legs", draw, caption, 6.0)


def gain_fitness_plot(search: SwarmResult) -> Plot:
    """The best fitness of a search of the gains over its iterations."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        axes.plot(np.arange(1, len(search.history) + 1), search.history, ".-", lw=1.2)
        axes.set(xlabel="iteration", ylabel="fitness of the best particle (m/s²)")
        axes.set_ylim(0.0, 1.1 * max(search.history))
        finish(axes)

    caption = (
        "Sum of the acceleration errors of all actuators with a share of the position error; the first particle has "
        "the gains by hand. This search is short: the gains of the other plots come from 100 particles."
    )
    return Plot("Fitness of the gains", draw, caption)


def load_plot(runs: Mapping[str, Mapping[float, Tracking]], leg: int = SHOWN_LEG) -> Plot:
    """Length, speed and force of a leg in lifts with several loads (Houda 2020, figures 6.7 and 6.8)."""

    def draw(figure: Any) -> None:
        grid = figure.subplots(3, len(runs), sharex="col", sharey="row", squeeze=False)
        for column, (template, by_load) in zip(grid.T, runs.items(), strict=True):
            for load, run in by_load.items():
                rows: Sequence[Array] = (run.q, run.rates, run.forces)
                for axes, values in zip(column, rows, strict=True):
                    axes.plot(run.t - run.t[0], values[:, leg], lw=1.0, label=f"{load:g} kg")
            for axes, wanted in zip(column, (run.wanted, run.wanted_rates), strict=False):
                axes.plot(run.t - run.t[0], wanted[:, leg], "k--", lw=0.8, label="wanted")
            column[0].set(title=f"template: {template}")
            column[-1].set(xlabel=TIME)
        for axes, label in zip(grid[:, 0], ("length (m)", "speed (m/s)", "force (N)"), strict=True):
            axes.set(ylabel=label)
        finish(*grid.flat)

    name = NAMES[ACTUATORS[leg]]
    caption = f"A lift of 0.2 m and back with PID: length, speed and force of {name}, with loads that it does not know."
    return Plot("Lifts with loads", draw, caption, 7.0)


def load_error_plot(runs: Mapping[str, Mapping[float, Tracking]], leg: int = SHOWN_LEG) -> Plot:
    """Errors of a leg in lifts with several loads."""

    def draw(figure: Any) -> None:
        grid = figure.subplots(1, len(runs), sharey=True, squeeze=False)[0]
        for axes, (template, by_load) in zip(grid, runs.items(), strict=True):
            for load, run in by_load.items():
                axes.plot(run.t - run.t[0], 1e3 * (run.wanted - run.q)[:, leg], lw=1.0, label=f"{load:g} kg")
            axes.set(title=f"template: {template}", xlabel=TIME)
        grid[0].set(ylabel="error (mm)")
        finish(*grid)

    return Plot("Errors of lifts with loads", draw, f"Wanted less true length of {NAMES[ACTUATORS[leg]]}.")
