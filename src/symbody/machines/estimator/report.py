"""The report of the estimator: errors and bands for sensor sets and rates."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from symbody.estimation.twin import TwinRun
from symbody.machines.estimator.experiment import (
    DT,
    NAMES,
    UNTIL,
    figures,
    observability_of,
    observed_over,
    sensors_alone,
    truth,
)
from symbody.machines.estimator.model import RATES, SETS
from symbody.machines.twin_plots import consistency_plot, errors_plot
from symbody.visual.report import Plot, Record, Report, paragraphs
from symbody.visual.report_options import ReportOptions
from symbody.visual.report_plots import finish

TITLE = "A filter on a hydraulic four-bar: few sensors and a wrong model"
TEXT = """The true machine is a simulated four-bar linkage whose crank is tilted by a hydraulic cylinder. The sensors
are noisy: an angle to 1°, a cheap gyroscope, pressures to 0.1 MPa. The filter uses a wrong model: 10 % too heavy,
softer oil, a wider valve, less friction, and a start that is 2° off. Nothing is tuned by hand: every parameter has an
uncertainty of 5 %.

Errors are in % of the largest true value. Coverage is the share of time in which the truth lies inside the 95 % band.
NEES and NIS are squared errors and innovations relative to their expected values, per degree of freedom. 1 is right,
less is conservative, more is overconfident."""
SEEDS = 3
SHOWN = {
    "crank.q": ("crank", "°"),
    "crank.qd": ("crank", "°/s"),
    "rod_p": ("rod", "MPa"),
}


def report(options: ReportOptions) -> Report:
    """All sets at all rates, over some seeds."""
    options.check([f"set-{k}" for k in SETS])
    until = options.end(UNTIL)
    chosen = [k for k in SETS if not options.only or f"set-{k}" in options.only]
    asked = [(k, rate) for k in chosen for rate in RATES]
    runs: dict[tuple[int, int], list[TwinRun]] = {}
    spent = 0.0
    for k, rate in options.counted(asked, "set", "estimator"):
        begun = time.perf_counter()
        runs[k, rate] = observed_over(SETS[k], rate, range(SEEDS), until)
        spent = time.perf_counter() - begun
    records: list[Record] = [{"set": k, "rate_Hz": rate, **figures(runs[k, rate])} for k, rate in asked]
    records += [{"set": k, "observability": observability_of(SETS[k], min(until, 0.5))} for k in chosen]
    records.append({"sensors_alone_percent": sensors_alone(), "step_us": 1e6 * spent * DT / (until * SEEDS)})
    first, last = runs[chosen[0], RATES[0]][0], runs[chosen[-1], RATES[2]][0]
    caption = "At 1000 Hz. The model is wrong, and the bands include this."
    drawn = [errors_plot(first, SHOWN, f"Errors with set {chosen[0]}", caption)]
    drawn += [sawtooth_plot(last), rates_plot(runs, chosen)]
    drawn.append(consistency_plot(runs[chosen[0], RATES[0]], f"Consistency with set {chosen[0]}"))
    return Report("estimator", TITLE, paragraphs(TEXT), records, drawn, truth(until))


def sawtooth_plot(run: TwinRun) -> Plot:
    """The band of the crank between measurements."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        part = (run.t > 2.0) & (run.t < 2.06)
        sigma = np.degrees(run.sigma[part, run.place("crank.qd")])
        axes.plot(1e3 * (run.t[part] - 2.0), sigma, ".-", lw=0.8, label="σ of the crank's rate (°/s)")
        axes.set_xlabel("time since 2 s (ms)")
        finish(axes)

    return Plot("A saw-tooth", draw, "At 200 Hz: σ grows with each step and shrinks with each measurement.", 3.0)


def rates_plot(runs: dict[tuple[int, int], list[TwinRun]], chosen: list[int]) -> Plot:
    """Errors over the rate of the sensors."""

    def draw(figure: Any) -> None:
        columns = figure.subplots(1, len(NAMES))
        for axes, name in zip(columns, NAMES, strict=True):
            for k in chosen:
                values = [np.mean([one.rmse_percent(name) for one in runs[k, rate]]) for rate in RATES]
                axes.loglog(RATES, values, "o-", lw=1.0, ms=3, label=f"set {k}")
            axes.set(title=name, xlabel="Hz")
        columns[0].set_ylabel("error (%)")
        finish(*columns)

    return Plot("Sets and rates", draw, "Mean errors over seeds, in % of the largest true value.", 3.5)
