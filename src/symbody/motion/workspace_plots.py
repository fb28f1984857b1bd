"""Plots of a workspace: outlines in 3D, sections, and the box of the axis limits."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from symbody.motion.data import POSE, PlatformData
from symbody.motion.workspace import Workspace
from symbody.visual.report import Plot

CENTI = 100.0
X_CM, Y_CM, Z_CM = "x (cm)", "y (cm)", "z (cm)"


def workspace_plots(found: Workspace, data: PlatformData, name: str = "") -> list[Plot]:
    """A workspace in 3D, and sections through its middle."""
    title = f"Workspace{name and f' {name}'}"
    return [
        Plot(
            f"{title} in space",
            partial(_draw_sets, found, data),
            "Outlines at each height: some orientations allowed (blue), all orientations allowed (orange). Black: the "
            "limits of the axes.",
            6.0,
        ),
        Plot(
            f"{title} in sections",
            partial(_draw_sections, found, data),
            "Share of allowed orientations, in the middle plane and at the neutral height.",
            4.5,
        ),
    ]


def _draw_sets(found: Workspace, data: PlatformData, figure: Any) -> None:
    axes = figure.add_subplot(projection="3d")
    X, Y = np.meshgrid(CENTI * found.grid.x, CENTI * found.grid.y, indexing="ij")
    for places, color, width in ((found.reachable, "tab:blue", 0.8), (found.dexterous, "tab:orange", 1.4)):
        for k, z in enumerate(CENTI * found.grid.z):
            if places[:, :, k].any() and not places[:, :, k].all():
                axes.contour(
                    X, Y, places[:, :, k].astype(float), [0.5], zdir="z", offset=z, colors=color, linewidths=width
                )
    draw_box(axes, data)
    axes.set(xlabel=X_CM, ylabel=Y_CM, zlabel=Z_CM, zlim=CENTI * found.grid.z[[0, -1]])


def draw_box(axes: Any, data: PlatformData) -> None:
    """Draw the edges of the box of limits of x, y, z (cm)."""
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
    draw_rectangle(side, data, "x", "z")
    draw_rectangle(top, data, "x", "y")
    side.set(xlabel=X_CM, ylabel=Z_CM, title=f"y = {y[middle]:.0f} cm", aspect="equal")
    top.set(xlabel=X_CM, ylabel=Y_CM, title=f"z = {z[level]:.0f} cm", aspect="equal")
    figure.colorbar(drawn, ax=[side, top], label="share of orientations")


def draw_rectangle(axes: Any, data: PlatformData, across: str, up: str) -> None:
    """Draw the rectangle of limits of two axes (cm)."""
    a, b = data.limits[across], data.limits[up]
    x, y = CENTI * np.array([a.low, a.high]), CENTI * np.array([b.low, b.high])
    axes.plot(x[[0, 1, 1, 0, 0]], y[[0, 0, 1, 1, 0]], color="white", lw=1.2)
