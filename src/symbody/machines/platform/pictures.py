"""Pictures of what the platform can do: its workspace, where it is singular, what its motors do."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from symbody.machines.platform.data import ACTUATORS, POSE, PlatformData
from symbody.machines.platform.drives import RPM, DriveCheck
from symbody.machines.platform.singularity import along, distance, locus, roots
from symbody.machines.platform.workspace import Workspace
from symbody.visual.report import Plot
from symbody.visual.report_plots import TIME, finish

HEIGHTS = (0.2, 0.35, 0.5, 0.65)  # m, of the loci
WIDE = np.radians(60.0)  # of the angles of the loci
CENTI = 100.0
X_CM, Y_CM, Z_CM = "x (cm)", "y (cm)", "z (cm)"


def workspace_plots(found: Workspace, data: PlatformData, name: str = "") -> list[Plot]:
    """A workspace in space, and sections through its middle."""
    title = f"Workspace{name and f' {name}'}"
    return [
        Plot(
            f"{title} in space",
            partial(_draw_sets, found, data),
            "Outlines at each height: where some orientation is allowed (blue), and where all are (orange). Black: the "
            "printed limits of the axes.",
            6.0,
        ),
        Plot(
            f"{title} in sections",
            partial(_draw_sections, found, data),
            "Share of the orientations that are allowed, through the middle and at the neutral height.",
            4.5,
        ),
    ]


def singularity_plots(data: PlatformData) -> list[Plot]:
    """Loci of the motion modes, the singular surface of an orientation, and how far away it is."""
    return [
        Plot(
            "Singular places by motion mode",
            partial(_draw_loci, data),
            "Surge with pitch, transverse with roll, at four heights; the grey box is what the limits allow.",
        ),
        Plot(
            "Singular heights under tilt",
            partial(_draw_tilts, data),
            "With x and y done by the sliders: the highest singular place below the work range over roll and pitch.",
            5.0,
        ),
        Plot(
            "Singular surface",
            partial(_draw_surface, data),
            "The cubic of 20 terms at roll 15°, pitch 15°: below the work range (black).",
            5.5,
        ),
        Plot(
            "Distance to the nearest singular place",
            partial(_draw_distance, data),
            "A lower bound (cm) for shifts at constant orientation, level and at pitch 15°; the box is the work range.",
        ),
    ]


def drive_plot(checked: DriveCheck, data: PlatformData) -> Plot:
    """Motor speed, torque and current over time, with their limits."""
    return Plot(
        "Motors", partial(_draw_drives, checked, data), "Speed and current of all motors; dashed: their limits."
    )


# -- what the platform reaches -----------------------------------------------------------------------------------------


def _draw_sets(found: Workspace, data: PlatformData, figure: Any) -> None:
    axes = figure.add_subplot(projection="3d")
    X, Y = np.meshgrid(CENTI * found.grid.x, CENTI * found.grid.y, indexing="ij")
    for places, color, width in ((found.reachable, "tab:blue", 0.8), (found.dexterous, "tab:orange", 1.4)):
        for k, z in enumerate(CENTI * found.grid.z):
            if places[:, :, k].any() and not places[:, :, k].all():
                axes.contour(
                    X, Y, places[:, :, k].astype(float), [0.5], zdir="z", offset=z, colors=color, linewidths=width
                )
    _box(axes, data)
    axes.set(xlabel=X_CM, ylabel=Y_CM, zlabel=Z_CM, zlim=CENTI * found.grid.z[[0, -1]])


def _box(axes: Any, data: PlatformData) -> None:
    """Edges of the limits of x, y, z."""
    ends = [CENTI * np.array([data.limits[axis].low, data.limits[axis].high]) for axis in POSE[:3]]
    for k in range(3):
        others = [i for i in range(3) if i != k]
        for corner in np.ndindex(2, 2):
            line: list[Any] = [None, None, None]
            line[k] = ends[k]
            for i, side in zip(others, corner, strict=True):
                line[i] = ends[i][[side, side]]
            axes.plot(*line, color="black", lw=1.2)


def _draw_sections(found: Workspace, data: PlatformData, figure: Any) -> None:
    side, top = figure.subplots(1, 2)
    share = found.allowed / len(found.grid.angles)
    middle = len(found.grid.y) // 2
    level = int(np.argmin(np.abs(found.grid.z - data.neutral_height)))
    x, y, z = (CENTI * axis for axis in (found.grid.x, found.grid.y, found.grid.z))
    side.pcolormesh(x, z, share[:, middle, :].T, vmin=0.0, vmax=1.0, cmap="viridis")
    drawn = top.pcolormesh(x, y, share[:, :, level].T, vmin=0.0, vmax=1.0, cmap="viridis")
    _rectangle(side, data, "x", "z")
    _rectangle(top, data, "x", "y")
    side.set(xlabel=X_CM, ylabel=Z_CM, title=f"y = {y[middle]:.0f} cm", aspect="equal")
    top.set(xlabel=X_CM, ylabel=Y_CM, title=f"z = {z[level]:.0f} cm", aspect="equal")
    figure.colorbar(drawn, ax=[side, top], label="share of orientations")


def _rectangle(axes: Any, data: PlatformData, across: str, up: str) -> None:
    a, b = data.limits[across], data.limits[up]
    x, y = CENTI * np.array([a.low, a.high]), CENTI * np.array([b.low, b.high])
    axes.plot(x[[0, 1, 1, 0, 0]], y[[0, 0, 1, 1, 0]], color="white", lw=1.2)


# -- where it is singular ----------------------------------------------------------------------------------------------


def _draw_loci(data: PlatformData, figure: Any) -> None:
    angles = np.linspace(-WIDE, WIDE, 241)
    for axes, mode, axis, turn in zip(
        figure.subplots(1, 2, sharey=True), ("surge", "transverse"), ("x", "y"), ("pitch", "roll"), strict=True
    ):
        limit, tilt = data.limits[axis], data.limits[turn]
        axes.fill_between(np.degrees([tilt.low, tilt.high]), CENTI * limit.low, CENTI * limit.high, color="0.85")
        for k, z in enumerate(HEIGHTS):
            found = CENTI * locus(mode, [angles], z, data)
            label = f"z = {CENTI * z:.0f} cm"
            axes.plot(np.degrees(angles), found, ".", ms=2.5, color=f"C{k}", label=[label, "_", "_"])
        axes.set(xlabel=f"{turn} (°)", ylim=(-60.0, 60.0), title=f"{mode}: {axis} with {turn}")
        axes.set(ylabel=f"{axis} (cm)")
        finish(axes)


def _draw_tilts(data: PlatformData, figure: Any) -> None:
    axes = figure.add_subplot(projection="3d")
    angles = np.linspace(-np.radians(45.0), np.radians(45.0), 61)
    roll, pitch = np.meshgrid(angles, angles, indexing="ij")
    found = locus("combined", [roll, pitch], data=data)
    highest = np.max(np.where((found > 0.0) & (found < data.limits["z"].high), found, 0.0), axis=-1)
    axes.plot_surface(np.degrees(roll), np.degrees(pitch), CENTI * highest, cmap="viridis", rcount=60, ccount=60)
    axes.set(xlabel="roll (°)", ylabel="pitch (°)", zlabel="highest singular z (cm)")


def _draw_surface(data: PlatformData, figure: Any) -> None:
    axes = figure.add_subplot(projection="3d")
    reach = 0.4
    place = np.linspace(-reach, reach, 61)
    x, y = np.meshgrid(place, place, indexing="ij")
    tilt = np.radians(15.0)
    pose = np.zeros((*x.shape, len(POSE)))
    pose[..., 0], pose[..., 1], pose[..., 3], pose[..., 4] = x, y, tilt, tilt
    found = CENTI * roots(along("z", pose, data))
    for k in range(3):
        sheet = np.where(np.abs(found[..., k]) < CENTI * data.limits["z"].high, found[..., k], np.nan)
        if np.isfinite(sheet).any():
            axes.plot_surface(CENTI * x, CENTI * y, sheet, color=f"C{k}", alpha=0.6, rcount=60, ccount=60)
    _box(axes, data)
    axes.set(xlabel=X_CM, ylabel=Y_CM, zlabel=Z_CM)


def _draw_distance(data: PlatformData, figure: Any) -> None:
    x, z = np.linspace(-0.4, 0.4, 81), np.linspace(0.05, 0.75, 81)
    X, Z = np.meshgrid(x, z, indexing="ij")
    both = figure.subplots(1, 2, sharey=True)
    for axes, pitch in zip(both, (0.0, 15.0), strict=True):
        pose = np.zeros((*X.shape, len(POSE)))
        pose[..., 0], pose[..., 2], pose[..., 4] = X, Z, np.radians(pitch)
        drawn = axes.contourf(CENTI * X, CENTI * Z, CENTI * distance(pose, data), 12, cmap="viridis")
        _rectangle(axes, data, "x", "z")
        axes.set(xlabel=X_CM, title=f"pitch {pitch:.0f}°", aspect="equal")
    both[0].set(ylabel=Z_CM)
    figure.colorbar(drawn, ax=list(both), label="distance, at least (cm)")


# -- what the motors do ------------------------------------------------------------------------------------------------


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
