"""Plots of singular poses: loci by motion mode, the singular surface, and the distance to it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from symbody.motion.data import POSE, PlatformData
from symbody.motion.singularity import along, distance, locus, roots
from symbody.motion.workspace_plots import CENTI, X_CM, Y_CM, Z_CM, draw_box, draw_rectangle
from symbody.visual.report import Plot
from symbody.visual.report_plots import finish

HEIGHTS = (0.2, 0.35, 0.5, 0.65)  # m, of the loci
WIDE = np.radians(60.0)  # range of the angles of the loci


def singularity_plots(data: PlatformData) -> list[Plot]:
    """Loci of the motion modes, the singular surface of an orientation, and the distance to it."""
    return [
        Plot(
            "Singular positions by motion mode",
            partial(_draw_loci, data),
            "Surge with pitch and transverse with roll, at four heights; grey: the limits of the axes.",
        ),
        Plot(
            "Singular heights under tilt",
            partial(_draw_tilts, data),
            "The sliders move along x and y: highest singular position below the work range, over roll and pitch.",
            5.0,
        ),
        Plot(
            "Singular surface",
            partial(_draw_surface, data),
            "The cubic of 20 terms at roll 15°, pitch 15°; it lies below the work range (black).",
            5.5,
        ),
        Plot(
            "Distance to the nearest singular position",
            partial(_draw_distance, data),
            "A lower bound (cm) at constant orientation, level and at pitch 15°; the box is the work range.",
        ),
    ]


def _draw_loci(data: PlatformData, figure: Any) -> None:
    angles = np.linspace(-WIDE, WIDE, 241)
    for axes, mode, axis, turn in zip(
        figure.subplots(1, 2, sharey=True), ("surge", "transverse"), ("x", "y"), ("pitch", "roll"), strict=True
    ):
        limit, tilt = data.limits[axis], data.limits[turn]
        axes.fill_between(np.degrees([tilt.low, tilt.high]), CENTI * limit.low, CENTI * limit.high, color="0.85")
        for k, z in enumerate(HEIGHTS):
            found = CENTI * locus(mode, [angles], data, z)
            label = f"z = {CENTI * z:.0f} cm"
            axes.plot(np.degrees(angles), found, ".", ms=2.5, color=f"C{k}", label=[label, "_", "_"])
        axes.set(xlabel=f"{turn} (°)", ylim=(-60.0, 60.0), title=f"{mode}: {axis} with {turn}")
        axes.set(ylabel=f"{axis} (cm)")
        finish(axes)


def _draw_tilts(data: PlatformData, figure: Any) -> None:
    axes = figure.add_subplot(projection="3d")
    angles = np.linspace(-np.radians(45.0), np.radians(45.0), 61)
    roll, pitch = np.meshgrid(angles, angles, indexing="ij")
    found = locus("combined", [roll, pitch], data)
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
    draw_box(axes, data)
    axes.set(xlabel=X_CM, ylabel=Y_CM, zlabel=Z_CM)


def _draw_distance(data: PlatformData, figure: Any) -> None:
    x, z = np.linspace(-0.4, 0.4, 81), np.linspace(0.05, 0.75, 81)
    X, Z = np.meshgrid(x, z, indexing="ij")
    both = figure.subplots(1, 2, sharey=True)
    for axes, pitch in zip(both, (0.0, 15.0), strict=True):
        pose = np.zeros((*X.shape, len(POSE)))
        pose[..., 0], pose[..., 2], pose[..., 4] = X, Z, np.radians(pitch)
        drawn = axes.contourf(CENTI * X, CENTI * Z, CENTI * distance(pose, data), 12, cmap="viridis")
        draw_rectangle(axes, data, "x", "z")
        axes.set(xlabel=X_CM, title=f"pitch {pitch:.0f}°", aspect="equal")
    both[0].set(ylabel=Z_CM)
    figure.colorbar(drawn, ax=list(both), label="distance, at least (cm)")
