"""Plots of the motion platform: forces of the sixteen cases, tracking, loads and motors of a run, assembly modes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from symbody.machines.platform.cases import MotionCase
from symbody.motion.data import ACTUATORS, AXES, LEGS, Array, PlatformData
from symbody.motion.drives import RPM, DriveCheck
from symbody.motion.geometry import leg_vectors
from symbody.motion.servo import drive_force, reference
from symbody.results.run import Run
from symbody.visual.report import Plot
from symbody.visual.report_plots import TIME, finish

Forces = Mapping[str, Array]  # Γ (n, 8) (N) by the name of a case
MICRO = 1e6


def forces_plot(shown: Sequence[MotionCase], by_engine: Forces) -> Plot:
    """Γ of some cases: closed form as lines, engine as dots."""

    def draw(figure: Any) -> None:
        grid = figure.subplots(2, len(shown), sharex="col", squeeze=False)
        for column, case in zip(grid.T, shown, strict=True):
            closed, engine, t = case.motion.forces(), by_engine[case.name], case.motion.t
            for k, name in enumerate(ACTUATORS):
                axes, colour = column[0 if k < 2 else 1], f"C{k}"
                axes.plot(t, closed[:, k], color=colour, lw=1.0, label=name)
                axes.plot(t[::6], engine[::6, k], ".", color=colour, ms=3.0)
            column[0].set_title(case.name, fontsize="small")
            column[1].set(xlabel=TIME)
        grid[0, 0].set(ylabel="sliders (N)")
        grid[1, 0].set(ylabel="legs (N)")
        for axes in grid.flat:
            axes.grid(alpha=0.3)
        named = [axes.get_legend_handles_labels() for axes in grid[:, 0]]
        handles, labels = ([*named[0][k], *named[1][k]] for k in range(2))
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize="small")

    caption = (
        "Lines: closed form; dots: the engine with its loops. In slow motions gravity, and so the pose, determines the "
        "forces; at the highest accelerations inertia does."
    )
    return Plot("Forces for a motion", draw, caption, 6.0)


def errors_plot(errors: Mapping[str, float]) -> Plot:
    """Difference of closed form and engine for each case."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        axes.bar(range(len(errors)), list(errors.values()), color=["C0", "C1"] * (len(errors) // 2))
        axes.set(yscale="log", ylabel="largest difference by largest force")
        axes.set_xticks(range(len(errors)), list(errors), rotation=90, fontsize="x-small")
        axes.grid(alpha=0.3, axis="y")

    return Plot("Closed form and engine", draw, "All sixteen cases at both paces; differences are rounding.", 5.0)


def tracking_plot(run: Run) -> Plot:
    """Axes over time, and their tracking errors."""

    def draw(figure: Any) -> None:
        moves, behind = figure.subplots(1, 2)
        for axis in AXES:
            values, error = run[f"{axis}.q"], run[f"{axis}.q"] - run[reference(axis)]
            if np.ptp(values) > 1e-3:
                moves.plot(run.t, values - values[0], lw=1.2, label=axis)
                behind.plot(run.t, MICRO * error, lw=0.9, label=axis)
        moves.set(xlabel=TIME, ylabel="from the neutral pose (m, rad)")
        behind.set(xlabel=TIME, ylabel="tracking error (µm, µrad)")
        finish(moves, behind)

    return Plot(
        "Tracking",
        draw,
        "A slalom on the table. The feedforward of the closed form is exact, so the feedback has little to correct.",
    )


def loads_plot(run: Run, data: PlatformData) -> Plot:
    """Forces of sliders and legs, with the rated forces of their drives."""

    def draw(figure: Any) -> None:
        sliders, legs = figure.subplots(1, 2)
        for name in ACTUATORS:
            axes = legs if name.startswith("rod") else sliders
            axes.plot(run.t, run[f"{name}.force"], lw=1.0, label=name)
        for axes, name in ((sliders, ACTUATORS[0]), (legs, ACTUATORS[-1])):
            rated = drive_force(name, data, peak=False)
            if np.abs(axes.dataLim.get_points()[:, 1]).max() > 0.3 * rated:
                for side in (-rated, rated):
                    axes.axhline(side, color="k", lw=0.8, ls="--")
            axes.set(xlabel=TIME, ylabel=f"force (N; rated {rated:.0f})")
        finish(sliders, legs)

    return Plot("Loads", draw, "Dashed: rated force of a drive.")


def modes_plot(poses: Array, data: PlatformData) -> Plot:
    """Each real assembly mode as a wire frame."""

    def draw(figure: Any) -> None:
        count = len(poses)
        ring = [*range(len(LEGS)), 0]
        for k, pose in enumerate(poses):
            axes = figure.add_subplot(1, count, k + 1, projection="3d")
            d, _ = leg_vectors(pose, data)
            tops = data.feet + d
            axes.plot(*data.feet[ring].T, "k", lw=1.0)
            axes.plot(*tops[ring].T, "C0", lw=1.5)
            for foot, top in zip(data.feet, tops, strict=True):
                axes.plot(*np.stack([foot, top]).T, "C1", lw=0.8)
            axes.set_title(f"z = {pose[2]:.2f} m", fontsize="small")
            axes.set(xlim=(-0.35, 0.35), ylim=(-0.35, 0.35), zlim=(-0.5, 0.5))
            axes.set_axis_off()

    caption = "All poses above the base with the same leg lengths; their mirror images lie below the base."
    return Plot("Assembly modes", draw, caption, 3.5)


def drive_plot(checked: DriveCheck, data: PlatformData) -> Plot:
    """Motor speed and current over time, with their limits."""
    return Plot(
        "Motors", partial(_draw_drives, checked, data), "Speed and current of all motors; dashed: their limits."
    )


def _draw_drives(checked: DriveCheck, data: PlatformData, figure: Any) -> None:
    speed, current = figure.subplots(1, 2)
    motor = data.drives["motor"]
    for i, axis in enumerate(ACTUATORS):
        speed.plot(checked.t, checked.speed[:, i] / RPM, lw=1.0, label=axis)
        current.plot(checked.t, checked.current[:, i], lw=1.0, label=axis)
    for axes, limit in ((speed, motor["speed"]), (current, motor["current"])):
        for side in (-limit, limit):
            axes.axhline(side, color="grey", ls="--", lw=0.8)
    speed.set(xlabel=TIME, ylabel="motor speed (rpm)")
    current.set(xlabel=TIME, ylabel="motor current (A)")
    finish(speed, current)
