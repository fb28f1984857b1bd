"""Plots of a ride: accelerations as they are and as they are felt, tilt, legs."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.motion.data import PlatformData
from symbody.motion.drives import leg_speed
from symbody.results.run import Run
from symbody.visual.report import Plot
from symbody.visual.report_plots import TIME, finish

DIRECTION = {"x": "ahead", "y": "to the left"}
EVERY = 5  # records from one drawn point to the next


def restored_plot(kind: str, run: Run) -> Plot:
    """Accelerations of the scene and of the platform, and what both passengers feel."""

    def draw(figure: Any) -> None:
        grid = figure.subplots(2, 2, sharex=True)
        for axes, axis in zip(grid, DIRECTION, strict=True):
            for one, pair in zip(axes, (("seat", "restored"), ("scene.felt", "felt")), strict=True):
                for name, label, width in zip(pair[::-1], ("platform", "scene"), (0.7, 1.4), strict=True):
                    one.plot(run.t[::EVERY], run[f"{name}.{axis}"][::EVERY], lw=width, label=label)
            axes[0].set(ylabel=f"{DIRECTION[axis]} (m/s²)")
        grid[0, 0].set(title="specific force")
        grid[0, 1].set(title="as felt")
        for one in grid[-1]:
            one.set(xlabel=TIME)
        finish(*grid.flat)

    caption = (
        "Specific force less that at rest, in the scene and at the head of the passenger; and as otoliths feel it."
    )
    return Plot(f"Acceleration, {kind} cueing", draw, caption, 6.0)


def tilt_plot(kind: str, run: Run) -> Plot:
    """Tilt and its rate."""

    def draw(figure: Any) -> None:
        grid = figure.subplots(2, 1, sharex=True)
        for axes, end, label in zip(grid, ("q", "qd"), ("tilt (°)", "tilt rate (°/s)"), strict=True):
            for turn in ("pitch", "roll"):
                axes.plot(run.t[::EVERY], np.degrees(run[f"{turn}.{end}"][::EVERY]), lw=1.0, label=turn)
            axes.set(ylabel=label)
        grid[-1].set(xlabel=TIME)
        finish(*grid)

    return Plot(f"Tilt, {kind} cueing", draw, "Pitch and roll of the platform, and their rates.", 5.0)


def leg_plot(kind: str, run: Run, data: PlatformData) -> Plot:
    """Lengths and speeds of the legs, with their limits."""

    def draw(figure: Any) -> None:
        grid = figure.subplots(2, 1, sharex=True)
        ends = (data.legs.shortest, data.legs.longest), (-leg_speed(data), leg_speed(data))
        for axes, end, label, limits in zip(grid, ("q", "qd"), ("length (m)", "speed (m/s)"), ends, strict=True):
            for k in range(1, 7):
                axes.plot(run.t[::EVERY], run[f"rod{k}.{end}"][::EVERY], lw=0.9, label=f"leg {k}")
            for limit in limits:
                axes.axhline(limit, color="k", lw=1.0, ls="--")
            axes.set(ylabel=label)
        grid[-1].set(xlabel=TIME)
        finish(*grid)

    return Plot(f"Legs, {kind} cueing", draw, "Lengths and speeds of the legs; dashed: their limits.", 6.0)
