"""A plot of the time that the steps of a loop take."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.realtime.statistics import Statistics
from symbody.visual.report import Plot
from symbody.visual.report_plots import finish


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

    return Plot("Time of a step", draw, "Durations of all steps of the real-time loop.")
