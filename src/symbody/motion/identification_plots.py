"""Plots of an identification: standard deviations, bias of noisy regressors, forces of another log, friction."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from symbody.analysis.smooth_record import smooth_record
from symbody.motion.data import ACTUATORS, TABLE, DirectionalFriction
from symbody.motion.identification import CUTOFF, PlatformFit
from symbody.motion.log_motion import log_motion
from symbody.motion.platform_log import PlatformLog
from symbody.motion.regressors import KINDS, WAYS, over_intervals
from symbody.visual.report import Plot
from symbody.visual.report_plots import TIME, finish

SHOWN = "rod4"  # the leg that the source shows
FASTEST = 0.3  # m/s, of the drawn friction


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
        Plot(
            "Friction",
            partial(_draw_friction, fit),
            "Resisting force over the speed, forwards and backwards; dashed: as it was identified.",
        ),
    ]


def identified_friction(fit: PlatformFit, actuator: str) -> DirectionalFriction:
    """The friction of an actuator as it was identified."""
    found = dict(zip(fit.leads, fit.values.tolist(), strict=True))
    laws = {f"{kind}_{way}": found[f"{actuator}.{kind}.{way}"] for kind in KINDS for way in WAYS}
    return DirectionalFriction(**laws, v0=fit.data.friction["leg"].v0)


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


def _draw_friction(fit: PlatformFit, figure: Any) -> None:
    grid = figure.subplots(1, 3)
    for axes, actuator in zip(grid, (*TABLE, SHOWN), strict=True):
        true = fit.data.friction[actuator.replace(".", "_") if actuator in TABLE else "leg"]
        for way, colour in ((1.0, "C0"), (-1.0, "C1")):
            v = way * np.linspace(0.0, FASTEST, 200)
            label = "forwards" if way > 0.0 else "backwards"
            axes.plot(v, true.force(v), color=colour, lw=1.2, label=f"data, {label}")
            axes.plot(v, identified_friction(fit, actuator).force(v), "--", color="k", lw=1.0)
        axes.set(xlabel="speed (m/s)", ylabel=f"friction of {actuator} (N)")
    finish(*grid)


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
