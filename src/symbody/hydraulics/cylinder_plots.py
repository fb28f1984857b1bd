"""Plots of mechanisms on one cylinder: pressures, and the friction of its seals."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from symbody.elements.network import BAR
from symbody.hydraulics.cylinder_drive import PISTON_AREA, ROD_AREA
from symbody.hydraulics.plots import Compared, between
from symbody.results.run import Run
from symbody.visual.report import Plot
from symbody.visual.report_plots import TIME, finish

Array = np.ndarray
OPENING = (0.98, 1.25)  # s, while the valve opens
CLOSING = (2.5, 2.7)  # s, while it closes, and the mechanism comes to rest
STYLES = ("-", "--", ":", "-.")


def pressures_plot(compared: Compared) -> Plot:
    """All pressures, and one of them enlarged."""
    return Plot("Pressures", partial(_draw_pressures, compared), "The whole run, and the first opening of the valve.")


def _draw_pressures(compared: Compared, figure: Any) -> None:
    whole, close = figure.subplots(1, 2)
    run = next(iter(compared.values())).run
    for name in run.find("*_p"):
        whole.plot(run.t, run[name] / BAR, lw=1.2, label=name.removesuffix("_p"))
    for (label, one), style in zip(compared.items(), STYLES, strict=False):
        near = between(one.run.t, *OPENING)
        close.plot(one.run.t[near], one.run["rod_p"][near] / BAR, style, lw=1.3, label=label)
    whole.set(xlabel=TIME, ylabel="pressure (bar)")
    close.set(xlabel=TIME, ylabel="pressure on the rod side (bar)")
    finish(whole, close)


def friction_plot(compared: Compared) -> Plot:
    """Friction over time and over velocity."""
    return Plot(
        "Friction of the seals",
        partial(_draw_friction, compared),
        "While the valve opens, and while the mechanism comes to rest. Bristle models give loops, static ones a curve.",
    )


def _draw_friction(compared: Compared, figure: Any) -> None:
    over_time, over_velocity = figure.subplots(1, 2)
    for label, one in compared.items():
        force, v = friction_force(one.run), one.run["cylinder.rate"]
        opening, closing = (between(one.run.t, *interval) for interval in (OPENING, CLOSING))
        over_time.plot(one.run.t[opening], force[opening], lw=1.2, label=label)
        over_velocity.plot(1e3 * v[closing], force[closing], lw=1.0, label=label)
    over_time.set(xlabel=TIME, ylabel="friction (N)")
    over_velocity.set(xlabel="velocity of the piston (mm/s)", ylabel="friction (N)")
    finish(over_time, over_velocity)


def friction_force(run: Run) -> Array:
    """F_μ = p2 A2 − p3 A3 − F (N)."""
    return np.asarray(run["piston_p"] * PISTON_AREA - run["rod_p"] * ROD_AREA - run["cylinder.force"])
