"""Plots of a descent on skis: the motion of the seat, and the path on the mountain."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.results.run import Run
from symbody.terrain.mountain import Mountain
from symbody.visual.report import Plot
from symbody.visual.report_plots import TIME, finish

SEAT_AXES = {"x": "ahead", "y": "to the left", "z": "up"}
EVERY = 5  # records from one drawn point to the next


def skier_plot(run: Run) -> Plot:
    """Accelerations and turn rates of the skier's seat, and the heading of the skier."""

    def draw(figure: Any) -> None:
        grid = figure.subplots(3, 1, sharex=True)
        t = run.t[::EVERY]
        for name, label in SEAT_AXES.items():
            grid[0].plot(t, run[f"seat.{name}"][::EVERY], lw=0.9, label=label)
        for name in ("roll", "pitch", "yaw"):
            grid[1].plot(t, np.degrees(run[f"seat.{name}"][::EVERY]), lw=0.9, label=name)
        heading = np.degrees(np.unwrap(run["ski_heading.q"]))
        grid[2].plot(t, (heading - heading[0])[::EVERY], lw=0.9)
        for axes, label in zip(grid, ("m/s²", "turn rate (°/s)", "yaw (°)"), strict=True):
            axes.set(ylabel=label)
        grid[-1].set(xlabel=TIME)
        finish(*grid)

    caption = (
        "What the seat of the skier undergoes: specific force less that at rest, turn rates, and yaw since the start."
    )
    return Plot("The skier", draw, caption, 6.5)


def path_plot(run: Run, scene: Mountain) -> Plot:
    """The path on the mountain."""

    def draw(figure: Any) -> None:
        axes, ground = figure.add_subplot(), scene.ground
        axes.contour(ground.x, ground.y, ground.heights, 30, colors="0.8", linewidths=0.6)
        axes.plot(*scene.piste.line[:, :2].T, "k--", lw=0.8, label="piste")
        drawn = axes.scatter(run["ski_x.q"][::50], run["ski_y.q"][::50], c=run["ski.speed"][::50], s=4)
        figure.colorbar(drawn, label="speed (m/s)")
        axes.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")
        finish(axes)

    return Plot("Path on the mountain", draw, "Contour lines of the ground, the piste, and the descent.", 7.0)
