"""Histograms of loops, one over the other: how late they wake, how long a step takes, how far deadlines are missed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from symbody.realtime.statistics import Statistics


def plot_statistics(loops: Mapping[str, Statistics], path: Path, title: str = "") -> Path:
    """Draw the distributions of loops by their labels; the file."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(15, 4.8), layout="constrained", sharex=True, sharey=True)
    titles = ("wake-up latency", "step", "overrun")
    for k, (label, statistics) in enumerate(loops.items()):
        histograms = (statistics.latency, statistics.duration, statistics.overrun)
        for ax, h in zip(axes, histograms, strict=True):
            inner = h.counts[1:-1]  # of the bins that have two ends above zero
            share = np.where(inner > 0, inner, np.nan) / max(statistics.latency.total, 1)
            told = f"{label}: {statistics.overruns} overruns"
            ax.stairs(share, 1e6 * h.edges[1:], label=told if ax is axes[0] else None, color=f"C{k}", lw=1.2)
    for ax, name in zip(axes, titles, strict=True):
        for period in sorted({1e6 * statistics.period for statistics in loops.values()}):
            ax.axvline(period, color="0.5", lw=0.8, ls="--")
        ax.set(xscale="log", yscale="log", title=f"{title}: {name}".removeprefix(": "), xlabel="µs")
        ax.grid(alpha=0.3)
    axes[0].set(xlim=(1.0, None), ylabel="share of all periods (dashed: a period)")
    figure.legend(loc="outside lower center", ncols=4, fontsize="small")
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path
