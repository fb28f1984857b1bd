"""Plots for a product team: reach over time, measures by option with their intervals, and a heat map of places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from symbody.scenario.game import Measure
from symbody.scenario.play_statistics import BINS, by_option, heat_map, histogram
from symbody.scenario.standings import PlayedAttempt
from symbody.visual.report import Plot
from symbody.visual.report_plots import TIME, finish

Array = np.ndarray


def reach_plot(histories: Mapping[str, tuple[Array, Array]]) -> Plot:
    """Reach (m) over time and its histogram, for each player."""

    def draw(figure: Any) -> None:
        over, share = figure.subplots(1, 2, sharey=True, width_ratios=(3, 1))
        low = min((float(r.min()) for _, r in histories.values()), default=0.0)
        high = max((float(r.max()) for _, r in histories.values()), default=1.0)
        middles = low + (np.arange(BINS) + 0.5) * (high - low) / BINS
        for name, (t, reach) in histories.items():
            over.plot(t, reach, lw=1.1, label=name)
            share.plot(np.array(histogram(reach, low, high)) / max(len(reach), 1), middles, lw=1.1)
        over.set(xlabel=TIME, ylabel="reach (m)")
        share.set(xlabel="share of samples")
        finish(over, share)

    return Plot("Reach", draw, "Distance of the bucket from the middle of the upper carriage, and its histogram.")


def options_plot(played: Sequence[PlayedAttempt], measures: Mapping[str, Measure]) -> Plot:
    """Means of the measures by option with intervals of 95 %."""

    def draw(figure: Any) -> None:
        found = dict(sorted(by_option(played, measures).items()))
        several = figure.subplots(1, len(measures), squeeze=False)[0]
        for axes, (name, measure) in zip(several, measures.items(), strict=True):
            means = [rows[name] for rows in found.values()]
            halves = [mean.half if isfinite(mean.half) else 0.0 for mean in means]
            axes.bar(list(found), [mean.value for mean in means], yerr=halves, capsize=4, color="#6a93b8")
            axes.set(ylabel=f"{name} ({measure.unit})" if measure.unit else name)
        finish(*several)

    return Plot("Options", draw, "Means over finished attempts with each option, and 95 % confidence intervals.")


def heat_plot(x: Sequence[Array], y: Sequence[Array]) -> Plot:
    """Where the tool was, seen from above, over all attempts."""

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        across, along = np.concatenate(x), np.concatenate(y)
        ranges = float(across.min()), float(along.min()), float(across.max()) + 1e-6, float(along.max()) + 1e-6
        grid = np.array(heat_map(across, along, ranges))
        axes.imshow(np.log1p(grid), origin="lower", extent=(ranges[0], ranges[2], ranges[1], ranges[3]), cmap="magma")
        axes.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")

    return Plot("Heat map", draw, "Places of the bucket from above; lighter: more often (logarithmic).")
