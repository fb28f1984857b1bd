"""Plots of estimates with their 95 % bands and their measurements as dots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from symbody.files.safe_file import FilePath
from symbody.output_file import replacing
from symbody.results.compare import WITHIN
from symbody.visual.plots import MOST_CURVES, MOST_POINTS, new_figure, png

Array = np.ndarray
OFTEN = (0.01, 0.99)  # quantiles of the measurements that set the axis, so that outliers do not flatten a curve


class Band(NamedTuple):
    """An estimate over time, its σ, and its measurements (NaN: none)."""

    name: str
    unit: str
    mean: Array
    sigma: Array
    measured: Array | None = None


def save_bands(path: FilePath, title: str, t: Array, bands: Sequence[Band]) -> Path:
    """Write a picture with one row per estimate, up to a limit; long runs are thinned out."""
    shown = list(bands)[:MOST_CURVES]
    figure = new_figure(8.0, 1.0 + 1.6 * len(shown))
    every = slice(None, None, max(1, len(t) // MOST_POINTS))
    rows = figure.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
    for axes, one in zip(rows, shown, strict=True):
        mean, half = one.mean[every], WITHIN * one.sigma[every]
        seen = [mean - half, mean + half]
        if one.measured is not None and np.any(np.isfinite(one.measured)):
            seen.append(np.nanquantile(one.measured, OFTEN))
            axes.plot(t[every], one.measured[every], ".", ms=2, alpha=0.5, color="0.5", label="measured")
        axes.fill_between(t[every], mean - half, mean + half, alpha=0.3, lw=0, label="95 %")
        axes.plot(t[every], mean, lw=1.0, label="estimate")
        axes.set_ylabel(f"{one.name} ({one.unit})" if one.unit not in ("", "1") else one.name, parse_math=False)
        low, high = (float(end(list(map(end, seen)))) for end in (np.min, np.max))
        room = 0.05 * (high - low) or max(abs(high), 1.0)
        axes.set_ylim(low - room, high + room)
        axes.grid(alpha=0.3)
    rows[0].set_title(title, parse_math=False)
    rows[0].legend(fontsize="x-small", ncols=3)
    rows[-1].set_xlabel("t (s)")
    with replacing(path) as partial:
        partial.write_bytes(png(figure, 110))
    return Path(path)
