"""Plots of a ride: accelerations as they are and as they are felt, tilt, legs, times of the steps, the path."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.motion.data import PlatformData
from symbody.motion.drives import leg_speed
from symbody.realtime.statistics import Statistics
from symbody.results.run import Run
from symbody.terrain import Mountain
from symbody.visual.report import Plot
from symbody.visual.report_plots import TIME, finish

DIRECTION = {"x": "ahead", "y": "to the left"}
SEAT_AXES = DIRECTION | {"z": "up"}
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


def step_plot(statistics: Statistics) -> Plot:
    """Distribution of the time of a step."""

    def draw(figure: Any) -> None:
        axes, h = figure.add_subplot(), statistics.duration
        seen = np.flatnonzero(h.counts)
        edges = 1e6 * np.append(h.edges, 2.0 * h.edges[-1])
        shown = slice(max(int(seen[0]) - 1, 0), int(seen[-1]) + 2)
        axes.stairs(np.maximum(h.counts[shown], 0.5), edges[shown.start : shown.stop + 1], fill=True)
        axes.axvline(1e6 * statistics.period, color="k", ls="--", lw=1.0, label="period")
        axes.set(xscale="log", yscale="log", xlabel="time of a step (µs)", ylabel="steps")
        finish(axes)

    return Plot("Time of a step", draw, "Durations of all steps of the ride, in the real-time loop.")


def skier_plot(run: Run) -> Plot:
    """Accelerations and turn rates of the skier's seat, and the heading of the skier."""

    def draw(figure: Any) -> None:
        grid = figure.subplots(3, 1, sharex=True)
        t = run.t[::EVERY]
        for name in ("x", "y", "z"):
            grid[0].plot(t, run[f"seat.{name}"][::EVERY], lw=0.9, label=SEAT_AXES[name])
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
