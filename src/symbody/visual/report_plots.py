"""Plots that the report of any machine may have, and what finishes them."""

from __future__ import annotations

from typing import Any

from symbody.results.run import Run
from symbody.visual.plots import instants
from symbody.visual.report import Plot

TIME = "t (s)"
LEGEND_MARKER = 5.0  # points: markers of a legend are seen, however small or large those of the plot are


def frames_plot(run: Run) -> Plot:
    """The machine at five instants."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        axes.imshow(instants(run, 1000, 500))
        axes.set_axis_off()

    return Plot("Motion at five instants", draw, "The last instant clear, the earlier ones faint.", 5.0)


def finish(*axes: Any) -> None:
    """Grid, and a legend where curves have names."""
    for ax in axes:
        ax.grid(alpha=0.3)
        if ax.get_legend_handles_labels()[1]:
            for handle in ax.legend(fontsize="small").legend_handles:
                if hasattr(handle, "set_markersize"):
                    handle.set_markersize(LEGEND_MARKER)
