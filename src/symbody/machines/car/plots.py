"""Plots of the car around the obstacle: path, steering wheel, torque, roll, grip."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from symbody.results.run import Run
from symbody.vehicles.road import Road, corners
from symbody.visual.report import Plot
from symbody.visual.report_plots import TIME, finish

Runs = Mapping[str, Run]
STRETCHED = 2.5  # y by x in pictures of the road
BEFORE, AFTER = 5.0, 12.0  # m of road shown before the obstacle appears and beyond the return
APART = 8.0  # m between the outlines of the car


def swerve_plot(road: Road, run: Run, casters: Runs) -> Plot:
    """Path of the car; wheel, torque and roll over time."""

    def draw(figure: Any) -> None:
        panels = [["way"] * 3, ["wheel", "torque", "roll"]]
        axes = figure.subplot_mosaic(panels, height_ratios=(1.0, 1.2), width_ratios=(1.0, 1.5, 1.0))
        draw_road(axes["way"], road)
        draw_car(axes["way"], road, run, "tab:blue")
        axes["wheel"].plot(run.t, np.degrees(run["wheel.q"]), lw=1.2)
        for name, other in casters.items():
            axes["torque"].plot(other.t, other["wheel.effort"], lw=1.2, label=name)
        axes["roll"].plot(run.t, np.degrees(run["roll.q"]), lw=1.2)
        for name, label in (("wheel", "steering wheel (°)"), ("torque", "torque (N m)"), ("roll", "roll (°)")):
            axes[name].set(xlabel=TIME, ylabel=label, xlim=_while_swerving(road, run))
            axes[name].grid(alpha=0.3)
        axes["torque"].legend(title="caster", fontsize="small", loc="lower right")

    caption = "75 km/h. The obstacle appears at the dotted line. Torque: the same motion with other casters."
    return Plot("Around the obstacle", draw, caption, 5.5)


def settings_plot(casters: Runs, settings: Runs) -> Plot:
    """Torque over the wheel angle, and roll."""

    def draw(figure: Any) -> None:
        torque, roll = figure.subplots(1, 2)
        for name, run in casters.items():
            torque.plot(np.degrees(run["wheel.q"]), run["wheel.effort"], lw=1.2, label=f"caster {name}")
        for name, run in settings.items():
            roll.plot(run.t, np.degrees(run["roll.q"]), lw=1.2, label=name)
        torque.set(xlabel="steering wheel (°)", ylabel="torque (N m)")
        roll.set(xlabel=TIME, ylabel="roll (°)")
        finish(torque, roll)

    caption = "The same motion of the wheel with other caster angles; roll with other anti-roll bars and rods."
    return Plot("Settings", draw, caption)


def grip_plot(road: Road, runs: Runs) -> Plot:
    """Path of the car and used grip of its tyres, for several friction coefficients."""

    def draw(figure: Any) -> None:
        way, use = figure.subplots(2, 1, height_ratios=(1.0, 1.0))
        draw_road(way, road)
        for (name, run), colour in zip(runs.items(), ("tab:blue", "tab:red"), strict=True):
            draw_car(way, road, run, colour)
            use.plot(run.t, run["tyres.use"], lw=1.2, color=colour, label=name)
        use.set(xlabel=TIME, ylabel="friction used", ylim=(0.0, 1.05))
        finish(use)

    return Plot("Grip", draw, "Used share of friction, of the tyre with the highest share.", 5.0)


def draw_road(axes: Any, road: Road) -> None:
    """Lanes, obstacle, and the position at which it appears."""
    (x, far), (y, left) = road.obstacle
    for edge in road.borders:
        axes.axhline(edge, color="0.3", lw=1.5)
    axes.axhline(road.lane / 2.0, color="0.3", lw=1.0, dashes=(12, 12))
    axes.axvline(road.appears, color="0.5", lw=1.0, ls=":")
    axes.fill([x, far, far, x], [y, y, left, left], color="tab:brown")
    axes.set(xlim=_shown(road), ylim=(-3.0, 6.5), xlabel="x (m)", ylabel="y (m)", aspect=STRETCHED)


def draw_car(axes: Any, road: Road, run: Run, colour: str) -> None:
    """Outlines of the car at some instants, the path of its middle, and the way."""
    x, y, yaw = run["x.q"], run["y.q"], run["yaw.q"]
    along = np.linspace(*_shown(road), 400)
    axes.plot(along, road.way(along), color="0.5", lw=1.0, ls="--")
    axes.plot(x, y, color=colour, lw=1.4)
    travelled = np.cumsum(np.hypot(np.diff(x, prepend=x[0]), np.diff(y, prepend=y[0])))
    instants = np.searchsorted(travelled, np.arange(road.appears - x[0], travelled[-1], APART))
    for outline in corners(x[instants], y[instants], yaw[instants]):
        axes.fill(*outline.T, fill=False, ec=colour, lw=0.8, clip_on=True)


def _shown(road: Road) -> tuple[float, float]:
    return road.appears - BEFORE, road.returns + road.back + AFTER


def _while_swerving(road: Road, run: Run) -> tuple[float, float]:
    """The times (s) at which the car is in the drawn part of the road."""
    first, last = np.searchsorted(run["x.q"], _shown(road))
    return float(run.t[first]), float(run.t[min(last, len(run) - 1)])
