"""Plots for the report of any machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from symbody.results.run import Run
from symbody.visual.plots import instants
from symbody.visual.report import Plot

TIME = "t (s)"
LEGEND_MARKER = 5.0  # points: size of markers in a legend, independent of the plot's markers


def frames_plot(run: Run) -> Plot:
    """The machine at five instants."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        axes.imshow(instants(run, 1000, 500))
        axes.set_axis_off()

    return Plot("Motion at five instants", draw, "The last instant is opaque, earlier ones are faint.", 5.0)


def draw_circle(axes: Any, centre: Any, radius: float, colour: str) -> None:
    """A circle as a line."""
    turn = np.linspace(0.0, 2.0 * np.pi, 40)
    axes.plot(centre[0] + radius * np.cos(turn), centre[1] + radius * np.sin(turn), color=colour, lw=1.2)


def legend_lines(colours: Mapping[str, str]) -> list[Any]:
    """Handles of a legend: a line for each name, with its colour."""
    from matplotlib.lines import Line2D

    return [Line2D([], [], color=colour, lw=2.5, label=name) for name, colour in colours.items()]


def finish(*axes: Any) -> None:
    """Add a grid, and a legend if curves have names."""
    for ax in axes:
        ax.grid(alpha=0.3)
        if ax.get_legend_handles_labels()[1]:
            for handle in ax.legend(fontsize="small").legend_handles:
                if hasattr(handle, "set_markersize"):
                    handle.set_markersize(LEGEND_MARKER)
