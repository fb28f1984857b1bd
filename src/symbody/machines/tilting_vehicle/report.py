"""The report of the tilting vehicle: the lean of its cabin by several methods, and the controller with each."""

from __future__ import annotations

from typing import Any

from symbody.machines.tilting_vehicle.experiment import (
    FILTER,
    PERFECT,
    UNTIL,
    WAYS,
    controlled,
    driven,
    figures,
    lean_by,
    observed,
    truth,
)
from symbody.machines.twin_plots import consistency_plot, errors_plot, estimates_plot
from symbody.visual.report import Plot, Record, Report, paragraphs
from symbody.visual.report_options import ReportOptions
from symbody.visual.report_plots import TIME, finish

TITLE = "A narrow vehicle leans into curves: inertial unit and potentiometer in one filter"
TEXT = """A motor tilts the cabin of a vehicle one metre wide, so that weight and centrifugal force balance. The
controller needs the lean relative to the vertical, which no sensor measures. A potentiometer measures the tilt relative
to the frame, without roll of the frame and bank of the road. An accelerometer follows the curve like a plumb line. A
gyroscope drifts.

The filter uses a model with 20 kg less mass and other tyres. In addition to the state it estimates the biases of the
gyroscopes, the mounting angle of the inertial unit, the offset of the potentiometer, and the unknown bank of the
road."""
SEEDS = 3
SHOWN = {
    "lean": ("lean", "°"),
    "roll_bias": ("bias of the gyroscope", "°/s"),
    "mount": ("mounting", "°"),
    "bank": ("bank of the road", "°"),
}
LEAN = {"lean": SHOWN["lean"]}


def report(options: ReportOptions) -> Report:
    """The lean over some seeds, and the vehicle under its controller with each method."""
    options.check()
    until = options.end(UNTIL)
    runs = observed(range(SEEDS), until)
    ways = (PERFECT, FILTER, *WAYS)
    controllers = {way: controlled(way, 0, until) for way in options.counted(ways, "way", "tilting-vehicle")}
    records: list[Record] = [{"seeds": SEEDS, **figures(runs, until), "controlled": controllers}]
    others = {"lean": {way: lean_by(way, 0, until) for way in WAYS}}
    drawn = [
        estimates_plot(
            runs[0], LEAN, "Lean by several methods", "In a curve a plumb line in the cabin is wrong.", others
        ),
        estimates_plot(runs[0], SHOWN, "Estimates", "The filter also finds biases, mounting and the bank of the road."),
        errors_plot(runs[0], SHOWN, "Errors", "Estimate minus truth, with the bands."),
        load_plot(until),
        consistency_plot(runs, "Consistency"),
    ]
    tables = {"The vehicle under its controller": [{"lean by": way, **one} for way, one in controllers.items()]}
    return Report("tilting-vehicle", TITLE, paragraphs(TEXT), records, drawn, truth(until)[0], tables)


def load_plot(until: float) -> Plot:
    """Load transfer to the outer wheels, by the lean that the controller uses."""

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
