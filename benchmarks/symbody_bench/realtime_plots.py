"""Distributions of times on logarithmic axes with their quantiles marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import floor, log10
from pathlib import Path
from typing import Any

import numpy as np

from symbody.realtime.statistics import Histogram, Statistics

MARKS = {0.5: "o", 0.99: "s", 0.9999: "D", 1.0: "X"}  # of quantiles; the last is the largest
LEAST = 1.0  # µs: smallest lower end of an axis


def plot_statistics(loops: Mapping[str, Statistics], path: Path, title: str = "") -> Path:
    """Plot latency, step times and overruns of loops by their labels; return the file."""
    panels = {
        "wake-up latency": {label: s.latency for label, s in loops.items()},
        "step": {label: s.duration for label, s in loops.items()},
        "overrun": {f"{label}: {s.overruns}": s.overrun for label, s in loops.items()},
    }
    periods = {1e6 * s.period for s in loops.values()}
    of = [max(s.latency.total, 1) for s in loops.values()]
    return _plot(panels, of, path, title, "share of all periods (dashed: a period)", sorted(periods))


def plot_times(panels: Mapping[str, Mapping[str, Histogram]], path: Path, title: str = "") -> Path:
    """Plot histograms by their labels, one panel per kind; return the file."""
    return _plot(panels, [], path, title, "share", [])


def _plot(
    panels: Mapping[str, Mapping[str, Histogram]],
    of: list[int],
    path: Path,
    title: str,
    share: str,
    lines: list[float],
) -> Path:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.lines import Line2D

    size = (1.0 + 4.6 * len(panels), 4.6)
    figure, row = plt.subplots(
        1, len(panels), figsize=size, layout="constrained", sharex=True, sharey=True, squeeze=False
    )
    for ax, (name, kinds) in zip(row[0], panels.items(), strict=True):
        for k, (label, h) in enumerate(kinds.items()):
            _draw(ax, h, label, of[k] if of else max(h.total, 1), f"C{k}")
        for line in lines:
            ax.axvline(line, color="0.5", lw=0.8, ls="--")
        ax.set(xscale="log", yscale="log", title=name, xlabel="µs")
        ax.grid(alpha=0.3)
        ax.legend(fontsize="small")
    row[0][0].set(ylabel=share, xlim=(_left(h for kinds in panels.values() for h in kinds.values()), None))
    names = {quantile: f"{100 * quantile:g} %" for quantile in MARKS} | {1.0: "largest"}
    marks = [Line2D([], [], color="0.3", marker=mark, ls="", label=names[q]) for q, mark in MARKS.items()]
    figure.legend(handles=marks, loc="outside lower center", ncols=len(marks), fontsize="small")
    figure.suptitle(title)
    figure.savefig(path, dpi=100)
    plt.close(figure)
    return path


def _left(histograms: Iterable[Histogram]) -> float:
    """The lower end of an axis (µs): the decade of the first bin that is not empty."""
    first = min((h.edges[np.flatnonzero(h.counts)[0]] for h in histograms if h.total), default=0.0)
    return float(10.0 ** floor(log10(max(1e6 * first, LEAST))))


def _draw(ax: Any, h: Histogram, label: str, of: int, color: str) -> None:
    """A histogram as shares of `of`, with its quantiles."""
    shares = np.where(h.counts > 0, h.counts, np.nan) / of
    ax.stairs(shares[1:-1], 1e6 * h.edges[1:], label=label, color=color, lw=1.2)  # bins with two ends above zero
    for quantile, mark in MARKS.items():
        if h.total:
            at = h.quantile(quantile)
            height = shares[np.searchsorted(h.edges, at, side="left") - 1]
            ax.plot(1e6 * at, height, mark, color=color, ms=6, mec="k", mew=0.6)
