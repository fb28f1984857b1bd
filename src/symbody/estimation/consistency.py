"""Consistency of a filter: NEES and NIS over time, averaged over runs, with χ² bounds.

NEES = eᵀ P⁻¹ e of the errors of the states, NIS = Σ y²/S of the innovations (Bar-Shalom et al. 2001, §5.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.estimation.twin import TwinRun
from symbody.system.system import Array

WITHIN = 0.95  # probability of χ² between the bounds


@dataclass(frozen=True)
class ChiSquare:
    """Mean over runs at each instant, and bounds that contain it with 95 % probability for a consistent filter."""

    mean: Array
    low: Array
    high: Array

    @property
    def inside(self) -> float:
        """Share of instants within the bounds; 0.95 for a consistent filter."""
        return float(
            np.nanmean(np.where(np.isnan(self.mean), np.nan, (self.low <= self.mean) & (self.mean <= self.high)))
        )

    @property
    def above(self) -> float:
        """Share of instants above the bounds: there the filter is overconfident."""
        return float(np.nanmean(np.where(np.isnan(self.mean), np.nan, self.mean > self.high)))


def nees(runs: Sequence[TwinRun]) -> ChiSquare:
    """NEES of all states, divided by its degrees of freedom: 1 for a consistent filter."""
    rows = np.array([run.nees for run in runs])
    if np.all(np.isnan(rows)):
        cure = "record all states of the model as channels of the true run"
        raise ModelError("the true run does not contain all states", element="truth", cure=cure)
    return chi_square(rows, np.full(rows.shape, runs[0].freedom))


def nis(runs: Sequence[TwinRun], gate: float = np.inf) -> ChiSquare:
    """NIS of the innovations that were used, divided by its degrees of freedom: 1 if consistent; NaN without any."""
    shares = np.array([run.shares for run in runs])
    used = np.isfinite(shares) & (shares <= gate)
    return chi_square(np.where(used, shares, 0.0).sum(axis=2), used.sum(axis=2))


def twin_figures(runs: Sequence[TwinRun], names: Sequence[str], gate: float = np.inf) -> dict[str, Any]:
    """Means over seeds: errors in % of the largest true value (if not zero), 95 % coverage, NEES and NIS."""
    moved = [name for name in names if np.any(runs[0].truth[:, runs[0].place(name)])]
    error = {name: float(np.mean([one.rmse_percent(name) for one in runs])) for name in moved}
    coverage = {name: float(np.mean([one.coverage(name) for one in runs])) for name in names}
    told = {"nees": float(np.mean(nees(runs).mean))} if np.isfinite(runs[0].nees).any() else {}
    return {"rmse_percent": error, "coverage": coverage, **told, "nis": float(np.nanmean(nis(runs, gate).mean))}


def chi_square(values: Array, freedom: Array) -> ChiSquare:
    """Means over runs (rows) of values with these degrees of freedom, each divided by them; and their bounds."""
    import scipy.stats

    total = freedom.sum(axis=0).astype(float)
    some = np.where(total > 0, total, np.nan)
    ends = [scipy.stats.chi2.ppf(share, some) / some for share in ((1 - WITHIN) / 2, (1 + WITHIN) / 2)]
    return ChiSquare(values.sum(axis=0) / some, *ends)
