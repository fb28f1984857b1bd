"""The estimator's table: sensor sets and rates, errors and bands; and pictures of an estimate with its band."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from tqdm import tqdm

from symbody.estimation.twin import WITHIN, TwinRun
from symbody.machines.estimator.experiment import DT, NAMES, UNTIL, figures, observed, sensors_alone, truth
from symbody.machines.estimator.model import RATES, SETS
from symbody.machines.report_options import ReportOptions
from symbody.visual.report import Plot, Record, Report, paragraphs
from symbody.visual.report_plots import TIME, finish

TITLE = "A filter on a hydraulic four-bar: few sensors and a wrong model"
TEXT = """The truth is a simulated four-bar whose crank a hydraulic cylinder tilts. Sensors see it with noise: an angle
to 1°, a cheap gyroscope, pressures to 0.1 MPa. The filter runs a model that is 10 % too heavy, has softer oil, a wider
valve and smoother seals, and starts 2° away. Nothing is tuned by hand: every parameter is doubted by 5 %.

Errors are in % of the largest truth; the coverage is the share of time in which the truth lies within the band of
95 %."""
SEEDS = 3
SHOWN = {
    "crank.q": ("crank (°)", 180.0 / np.pi),
    "crank.qd": ("crank (°/s)", 180.0 / np.pi),
    "rod_p": ("rod (MPa)", 1e-6),
}


def report(options: ReportOptions) -> Report:
    """All sets at all rates, over some seeds."""
    options.check([f"set-{k}" for k in SETS])
    until = UNTIL if options.until is None else options.until
    chosen = [k for k in SETS if not options.only or f"set-{k}" in options.only]
    asked = [(k, rate) for k in chosen for rate in RATES]
    runs: dict[tuple[int, int], list[TwinRun]] = {}
    spent = 0.0
    for k, rate in tqdm(asked, disable=not options.progress, unit="set", desc="estimator"):
        begun = time.perf_counter()
        runs[k, rate] = [observed(SETS[k], rate, seed, until) for seed in range(SEEDS)]
        spent = time.perf_counter() - begun
    records: list[Record] = [{"set": k, "rate_Hz": rate, **figures(runs[k, rate])} for k, rate in asked]
    records.append({"sensors_alone_percent": sensors_alone(), "step_us": 1e6 * spent * DT / (until * SEEDS)})
    first, last = runs[chosen[0], RATES[0]][0], runs[chosen[-1], RATES[2]][0]
    drawn = [band_plot(first, chosen[0]), sawtooth_plot(last), rates_plot(runs, chosen)]
    return Report("estimator", TITLE, paragraphs(TEXT), records, drawn, truth(until))


def band_plot(run: TwinRun, number: int) -> Plot:
    """Estimates less truth, within their bands."""

    def draw(figure: Any) -> None:
        rows = figure.subplots(len(SHOWN), 1, sharex=True)
        for axes, (name, (label, unit)) in zip(rows, SHOWN.items(), strict=True):
            band = WITHIN * unit * run.sigma[:, run.states.index(name)]
            axes.fill_between(run.t, -band, band, alpha=0.25, lw=0, label="band of 95 %")
            axes.plot(run.t, unit * run.error(name), lw=0.8, label="estimate − truth")
            axes.set_ylabel(label)
            limit = 1.3 * float(np.quantile(band, 0.98))
            axes.set_ylim(-limit, limit)
        rows[-1].set_xlabel(TIME)
        finish(*rows)

    return Plot(f"Errors with set {number}", draw, "At 1000 Hz: the model is wrong, and the bands know it.", 6.0)


def sawtooth_plot(run: TwinRun) -> Plot:
    """The band of the crank between measurements."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        part = (run.t > 2.0) & (run.t < 2.06)
        sigma = np.degrees(run.sigma[part, run.states.index("crank.qd")])
        axes.plot(1e3 * (run.t[part] - 2.0), sigma, ".-", lw=0.8, label="σ of the crank's rate (°/s)")
        axes.set_xlabel("time since 2 s (ms)")
        finish(axes)

    return Plot("A saw-tooth", draw, "At 200 Hz: unsurer with each step, surer with each measurement.", 3.0)


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

    return Plot("Sets and rates", draw, "Mean errors over seeds, in % of the largest truth.", 3.5)
