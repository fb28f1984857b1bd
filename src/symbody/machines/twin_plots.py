"""Plots of twin experiments: estimates and truth, errors with their bands, and consistency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symbody.estimation.consistency import nees, nis
from symbody.estimation.twin import TwinRun
from symbody.results.compare import WITHIN
from symbody.units import unit_of
from symbody.visual.report import Plot
from symbody.visual.report_plots import TIME, finish

Array = np.ndarray
Shown = Mapping[str, tuple[str, str]]  # label of the axis and unit, by name
LEGEND = "band of 95 %"


def _axis(label: str, unit: str) -> tuple[str, float]:
    """Label of an axis, and the factor from SI to its unit."""
    return (f"{label} ({unit})", 1.0 / unit_of(unit).scale) if unit else (label, 1.0)


def errors_plot(run: TwinRun, shown: Shown, title: str, caption: str) -> Plot:
    """Estimates minus truth, with their bands."""

    def draw(figure: Any) -> None:
        rows = figure.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (name, said) in zip(rows, shown.items(), strict=True):
            label, unit = _axis(*said)
            band = WITHIN * unit * run.sigma[:, run.place(name)]
            axes.fill_between(run.t, -band, band, alpha=0.25, lw=0, label=LEGEND)
            axes.plot(run.t, unit * run.error(name), lw=0.8, label="estimate − truth")
            axes.set_ylabel(label)
            limit = 1.3 * float(np.quantile(band, 0.98))
            axes.set_ylim(-limit, limit)
        rows[-1].set_xlabel(TIME)
        finish(*rows)

    return Plot(title, draw, caption, 2.0 * len(shown))


def estimates_plot(
    run: TwinRun, shown: Shown, title: str, caption: str, others: Mapping[str, Mapping[str, Array]] | None = None
) -> Plot:
    """Truth, estimate and band; others: further values of a name after each step, by label."""

    def draw(figure: Any) -> None:
        rows = figure.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (name, said) in zip(rows, shown.items(), strict=True):
            label, unit = _axis(*said)
            k = run.place(name)
            mean, band = unit * run.mean[:, k], WITHIN * unit * run.sigma[:, k]
            for n, (way, values) in enumerate((others or {}).get(name, {}).items(), 1):
                axes.plot(run.t, unit * values, lw=0.8, alpha=0.8, color=f"C{n}", label=way)
            axes.fill_between(run.t, mean - band, mean + band, alpha=0.3, lw=0, color="C0", label=LEGEND)
            axes.plot(run.t, mean, lw=1.0, color="C0", label="estimate")
            axes.plot(run.t, unit * run.truth[:, k], "k--", lw=0.9, label="truth")
            seen = np.concatenate([mean, unit * run.truth[:, k]])
            room = max(0.4 * float(np.ptp(seen)), 1.3 * float(np.quantile(band, 0.5)))
            axes.set(ylabel=label, ylim=(seen.min() - room, seen.max() + room))
        rows[-1].set_xlabel(TIME)
        finish(*rows)

    return Plot(title, draw, caption, max(4.0, 2.0 * len(shown)))


def consistency_plot(runs: Sequence[TwinRun], title: str) -> Plot:
    """NEES (if the truth has all states) and NIS over time, with the bounds of χ²."""

    def draw(figure: Any) -> None:
        told = {"NEES": nees(runs)} if np.isfinite(runs[0].nees).any() else {}
        told["NIS"] = nis(runs)
        rows = figure.subplots(len(told), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (label, found) in zip(rows, told.items(), strict=True):
            axes.fill_between(runs[0].t, found.low, found.high, alpha=0.25, lw=0, label="95 % of χ²")
            axes.semilogy(runs[0].t, found.mean, lw=0.8, label=f"{label} by degree of freedom")
        rows[-1].set_xlabel(TIME)
        finish(*rows)

    text = "Below the bounds the filter is more careful than it need be, above them surer than it may be."
    return Plot(title, draw, text, 4.0)
