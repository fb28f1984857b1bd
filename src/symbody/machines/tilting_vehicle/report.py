"""The tilting vehicle: the lean of its cabin by several ways, and what its controller makes of each."""

from __future__ import annotations

from typing import Any

from symbody.machines.report_options import ReportOptions
from symbody.machines.tilting_vehicle.experiment import (
    FILTER,
    PERFECT,
    UNTIL,
    WAYS,
    controlled,
    driven,
    figures,
    observed,
    told_by,
    truth,
)
from symbody.machines.twin_plots import consistency_plot, errors_plot, estimates_plot
from symbody.visual.report import Plot, Record, Report, paragraphs
from symbody.visual.report_plots import TIME, finish

TITLE = "A narrow vehicle leans into curves: inertial unit and potentiometer in one filter"
TEXT = """The cabin of a vehicle one metre wide is tilted by a motor, so that weight and centrifugal force balance. Its
controller must know the lean to the vertical, which no sensor measures: a potentiometer sees the tilt on the frame, not
the frame's roll or the road's bank; an accelerometer hangs like a plumb line, which follows the curve; a gyroscope
drifts.

The filter runs the model of the vehicle with 20 kg less and other tyres. With the state it estimates the biases of the
gyroscopes, the angle at which the unit is mounted, the offset of the potentiometer, and the bank of the road, an input
that nobody knows."""
SEEDS = 3
SHOWN = {
    "lean": ("lean", "°"),
    "roll_bias": ("bias of the gyroscope", "°/s"),
    "mount": ("mounting", "°"),
    "bank": ("bank of the road", "°"),
}
LEAN = {"lean": SHOWN["lean"]}


def report(options: ReportOptions) -> Report:
    """The lean over some seeds, and the vehicle under its controller by each way."""
    options.check()
    until = options.end(UNTIL)
    runs = observed(range(SEEDS), until)
    ways = (PERFECT, FILTER, *WAYS)
    controllers = {way: controlled(way, 0, until) for way in options.counted(ways, "way", "tilting-vehicle")}
    records: list[Record] = [{"seeds": SEEDS, **figures(runs, until), "controlled": controllers}]
    others = {"lean": {way: told_by(way, 0, until) for way in WAYS}}
    drawn = [
        estimates_plot(runs[0], LEAN, "Lean by several ways", "In a curve a plumb line in the cabin lies.", others),
        estimates_plot(runs[0], SHOWN, "Estimates", "Biases, mounting and the bank of the road are found on the way."),
        errors_plot(runs[0], SHOWN, "Errors", "Estimate less truth, within the bands."),
        load_plot(until),
        consistency_plot(runs, "Consistency"),
    ]
    tables = {"The vehicle under its controller": [{"told by": way, **one} for way, one in controllers.items()]}
    return Report("tilting-vehicle", TITLE, paragraphs(TEXT), records, drawn, truth(until)[0], tables)


def load_plot(until: float) -> Plot:
    """Load that moves to the outer wheels, by what the controller is told."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for way in (PERFECT, FILTER, "complementary filter", "potentiometer"):
            run, _ = driven(way, 0, until)
            axes.plot(run.t, run["load_transfer"], lw=0.9, label=way)
        for limit in (-1.0, 1.0):
            axes.axhline(limit, color="k", lw=0.8, ls=":")
        axes.set(xlabel=TIME, ylabel="load transfer", ylim=(-1.3, 1.3))
        finish(axes)

    return Plot("Load transfer", draw, "At ±1 the inner wheels lift off.", 3.5)
