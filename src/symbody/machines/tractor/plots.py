"""Plots of the work cycle: load, levers and heights, pressures and forces of the cylinders, ground, times of steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.elements.network import BAR
from symbody.machines.tractor.measures import LOAD, PRINTED, static_lift_force
from symbody.machines.tractor.work_cycle import COMMANDS, DT, OFTEN, Worked
from symbody.results.run import Run
from symbody.visual.report import Plot
from symbody.visual.report_plots import TIME, finish


def load_plot(run: Run) -> Plot:
    """Load, height and tilt of the bucket over time, with the printed times."""

    def draw(figure: Any) -> None:
        load, height, tilt = figure.subplots(3, 1, sharex=True)
        load.plot(run.t, run[LOAD], lw=1.2)
        for t in PRINTED.values():
            load.axvline(t, color="0.6", lw=0.8, ls=":")
        height.plot(run.t, run["bucket.height"], lw=1.2)
        tilt.plot(run.t, np.degrees(run["bucket.tilt"]), lw=1.2)
        load.set(ylabel="load (kg)")
        height.set(ylabel="height (m)")
        tilt.set(xlabel=TIME, ylabel="tilt (°)")
        finish(load, height, tilt)

    return Plot(
        "Bucket", draw, "Load, height of the edge, and tilt. Dotted: the printed times of the publication.", 5.0
    )


def commands_plot(run: Run) -> Plot:
    """Levers of the driver, speed and path."""

    def draw(figure: Any) -> None:
        levers, speed, path = figure.subplots(1, 3)
        for name in ("lift_command", "tilt_command"):
            rest, moves = COMMANDS[name]
            times = [0.0, *(t for begin, end, _ in moves for t in (begin, begin, end, end)), run.t[-1]]
            levers.plot(
                times, [rest, *(v for *_, x in moves for v in (rest, x, x, rest)), rest], lw=1.1, label=name[:4]
            )
        speed.plot(run.t, run["tractor.speed"], lw=1.1)
        path.plot(run["x.q"], run["y.q"], lw=1.2)
        levers.set(xlabel=TIME, ylabel="command (V)")
        speed.set(xlabel=TIME, ylabel="speed of the wheels (m/s)")
        path.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")
        finish(levers, speed, path)

    return Plot("Driver", draw, "Commands of the valves, speed, and the path of the rear axle.")


def cylinders_plot(run: Run) -> Plot:
    """Pressures of both sides and forces of the lift cylinders, with the static force."""

    def draw(figure: Any) -> None:
        lift, tilt, force = figure.subplots(1, 3)
        for axes, name in ((lift, "lift"), (tilt, "tilt")):
            for side in ("piston", "rod"):
                axes.plot(run.t, run[f"{name}_{side}_p"] / BAR, lw=1.0, label=side)
            axes.set(title=name, xlabel=TIME, ylabel="pressure (bar)")
        force.plot(run.t, run["lift_left.force"] / 1e3, lw=1.0, label="left")
        force.plot(run.t, run["lift_right.force"] / 1e3, lw=1.0, ls="--", label="right")
        force.plot(run.t, static_lift_force(run) / 1e3, lw=1.0, color="k", label="static")
        force.set(title="lift", xlabel=TIME, ylabel="force (kN)")
        finish(lift, tilt, force)

    return Plot("Cylinders", draw, "Pressures, and the forces of both lift cylinders beside the static force.")


def soil_plot(worked: Worked) -> Plot:
    """The ground at the end, and force and particles over time."""

    def draw(figure: Any) -> None:
        above, below = figure.subplots(2, 1, height_ratios=(2, 1))
        soil, run = worked.soil, worked.run
        shown = above.pcolormesh(soil.start.x, soil.start.y, soil.heights - soil.start.heights, cmap="coolwarm",
                                 vmin=-0.3, vmax=0.3)  # fmt: skip
        figure.colorbar(shown, ax=above, label="change of height (m)")
        above.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")
        below.plot(
            run.t,
            np.hypot(run["bucket.soil.force.x"], run["bucket.soil.force.z"]) / 1e3,
            lw=1.0,
            label="force on the bucket (kN)",
        )
        below.plot(run.t, run["soil.particles"] / 10.0, lw=1.0, label="particles / 10")
        below.set(xlabel=TIME)
        finish(below)

    return Plot("Soil", draw, "Change of height at the end: ruts, the trench in the heap, and the dumped soil.", 5.5)


def times_plot(worked: Worked) -> Plot:
    """Times of the steps beside their period."""

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        t = DT * np.arange(len(worked.step_times))
        axes.plot(t[::OFTEN], 1e3 * worked.step_times[::OFTEN], ".", ms=1.5, label="step")
        axes.axhline(1e3 * DT, color="tab:red", lw=1.0, label="period")
        axes.set(xlabel=TIME, ylabel="time of a step (ms)", ylim=(0.0, 2e3 * DT))
        finish(axes)

    return Plot("Loop time", draw, "Processor time of each tenth step; more particles take more time.")
