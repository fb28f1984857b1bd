"""Plots of all hydraulic machines: angles and commands, energies, loop violations, iterations and time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from symbody.hydraulics.case import HydraulicCase, SolvedCase
from symbody.results.run import Run
from symbody.visual.report import Plot
from symbody.visual.report_plots import TIME, finish

Array = np.ndarray
NO_GAP = 1e-17  # drawn instead of 0 on a logarithmic axis

Compared = Mapping[str, SolvedCase]  # runs by their labels


def angles_plot(case: HydraulicCase, run: Run, joints: list[str]) -> Plot:
    """Changes of angles, and the commands."""

    def draw(figure: Any) -> None:
        angles, volts = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
        for name in joints:
            angles.plot(run.t, np.degrees(run[f"{name}.q"] - run[f"{name}.q"][0]), lw=1.2, label=name)
        for name, command in case.commands.items():
            volts.plot(run.t, [command(t) for t in run.t], lw=1.2, label=name)
        angles.set(ylabel="change of angle (°)")
        volts.set(ylabel="command (V)", xlabel=TIME)
        finish(angles, volts)

    return Plot("Angles and commands", draw, "Changes of relative angles, and commands of the valves.")


def energies_plot(one: SolvedCase) -> Plot:
    """Energies, work and drift."""
    return Plot(
        "Energies",
        partial(_draw_energies, one),
        "The energy of the bodies equals the work of the cylinders; the difference is the drift.",
    )


def _draw_energies(one: SolvedCase, figure: Any) -> None:
    energies, drift = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    t = one.run.t
    energies.plot(t, one.run.kinetic, lw=1.2, label="kinetic")
    energies.plot(t, one.run.potential - one.run.potential[0], lw=1.2, label="potential")
    energies.plot(t, one.balance.held, lw=1.2, label="both")
    energies.plot(t, one.balance.given, "k--", lw=1.0, label="work")
    drift.plot(t, one.balance.error, "k", lw=0.8)
    energies.set(ylabel="energy (J)")
    drift.set(ylabel="difference (J)", xlabel=TIME)
    finish(energies, drift)


def gaps_plot(compared: Compared) -> Plot:
    """|Φ| over time."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for label, one in compared.items():
            axes.semilogy(one.run.t, np.maximum(one.gap, NO_GAP), lw=0.9, label=label)
        axes.set(xlabel=TIME, ylabel="|Φ| (m, rad)")
        finish(axes)

    return Plot("Closed loops", draw, "Largest violation of the loop equations at each step.", 3.4)


def effort_plot(compared: Compared) -> Plot:
    """Iterations of each step, and cumulative time."""
    return Plot(
        "Iterations and time",
        partial(_draw_effort, compared),
        "Iterations of Newton's method in each step (variants are shifted a little), and computing time in proportion.",
    )


def _draw_effort(compared: Compared, figure: Any) -> None:
    each, total = figure.subplots(1, 2)
    for k, (label, one) in enumerate(compared.items()):
        t = one.run.t[: len(one.iterations)]
        each.plot(t, one.iterations + 0.1 * k, ".", ms=2.0, label=label)
        spent = np.cumsum(one.iterations) / one.iterations.sum() * one.run.meta["seconds"]
        total.plot(t, 1e3 * spent, lw=1.2, label=label)
    each.set(xlabel=TIME, ylabel="iterations")
    each.yaxis.get_major_locator().set_params(integer=True)
    total.set(xlabel=TIME, ylabel="time spent (ms)")
    finish(each, total)


def keyed(solved: list[SolvedCase], key: Callable[[SolvedCase], str]) -> dict[str, SolvedCase]:
    """The first run of each kind, in their order."""
    found: dict[str, SolvedCase] = {}
    for one in solved:
        found.setdefault(key(one), one)
    return found


def between(t: Array, first: float, last: float) -> Array:
    """Which times lie in an interval."""
    return np.asarray((t >= first) & (t <= last))
