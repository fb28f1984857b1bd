"""Plots of an identification: standard deviations, bias of noisy regressors, predicted forces of another log."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from symbody.analysis.smooth_record import smooth_record
from symbody.motion.data import ACTUATORS
from symbody.motion.identification import CUTOFF, PlatformFit
from symbody.motion.log_motion import log_motion
from symbody.motion.platform_log import PlatformLog
from symbody.motion.regressors import over_intervals
from symbody.visual.report import Plot
from symbody.visual.report_plots import TIME, finish

SHOWN = "rod4"  # the leg that the source shows


def identification_plots(fit: PlatformFit, log: PlatformLog, methods: Mapping[str, PlatformFit]) -> list[Plot]:
    """fit: the result; log: one that was not used for the fit; methods: fits of the same noisy log by each method."""
    return [
        Plot(
            "Standard deviations of the parameters",
            partial(_draw_sigma, fit),
            "Standard deviations relative to the values, without parameters that are zero by symmetry.",
        ),
        Plot(
            "Bias of noisy regressors",
            partial(_draw_bias, methods),
            "Deviation from the true values in standard deviations, sorted, for one noisy log and three methods.",
        ),
        Plot(
            "Prediction of another log",
            partial(_draw_predicted, fit, log),
            f"Force of {SHOWN} and work of all actuators in a motion that was not fitted: measured and predicted.",
        ),
    ]


def _draw_sigma(fit: PlatformFit, figure: Any) -> None:
    axes = figure.add_subplot()
    start = 0
    for group, own in fit.groups.items():
        shown = np.sort(100.0 * fit.sigma[own] / np.abs(fit.expected[own]))
        axes.semilogy(np.arange(start, start + len(shown)), shown, ".", ms=3, label=group)
        start += len(shown)
    axes.set(xlabel="parameter", ylabel="σ relative to the value (%)")
    finish(axes)


def _draw_bias(methods: Mapping[str, PlatformFit], figure: Any) -> None:
    axes = figure.add_subplot()
    for name, fit in methods.items():
        axes.semilogy(np.sort(np.abs(fit.deviation)), lw=1.6, label=name)
    axes.axhline(3.0, color="grey", ls="--", lw=0.8)
    axes.set(xlabel="parameters, sorted", ylabel="|found − true| / σ", ylim=(1e-2, None))
    finish(axes)


def _draw_predicted(fit: PlatformFit, log: PlatformLog, figure: Any) -> None:
    force, energy = figure.subplots(1, 2)
    smooth, every, k = smooth_record(log.t, log.q, log.forces, CUTOFF), 5, ACTUATORS.index(SHOWN)
    t, v, measured = smooth.t[::every], smooth.qd[::every], smooth.forces[::every]
    predicted = fit.forces(log_motion(smooth, fit.data, every))
    force.plot(log.t, log.forces[:, k], color="0.8", lw=0.5, label="as logged")
    for values, label, style in ((measured, "measured, filtered", "-"), (predicted, "predicted", "--")):
        force.plot(t, values[:, k], style, lw=1.2, label=label)
        energy.plot(t[1:], np.cumsum(over_intervals(t, (values * v).sum(axis=1), 1)), style, lw=1.2, label=label)
    force.set(xlabel=TIME, ylabel=f"force of {SHOWN} (N)")
    energy.set(xlabel=TIME, ylabel="work of all actuators (J)")
    finish(force, energy)
