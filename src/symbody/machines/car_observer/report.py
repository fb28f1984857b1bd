"""The report of the car observer: estimates of side-slip, tyre forces and friction, with their bands."""

from __future__ import annotations

from symbody.estimation.consistency import twin_figures
from symbody.machines.car_observer.experiment import PARAMETERS, UNTIL, WATCHED, case
from symbody.machines.twin_plots import consistency_plot, errors_plot, estimates_plot
from symbody.visual.report import Record, Report, paragraphs
from symbody.visual.report_options import ReportOptions

TITLE = "A car on a wet road: side-slip, tyre forces and friction from an inertial unit, wheel speeds and steering"
TEXT = """A car at 72 km/h drives through a gentle curve, then swerves at the limit of a wet road. The sensors are those
of a stability programme: two accelerations, roll and yaw rate, the speeds of four wheels, the steering angle.

The filter assumes a drier road, a car that is 40 kg too heavy, and softer tyres. It estimates friction and cornering
stiffness as states. Mass, height, roll stiffness, traction and mounting have an uncertainty."""
SEEDS = 3
SHOWN = {
    "slip": ("side-slip", "°"),
    "front.side": ("front axle", "kN"),
    "rear.side": ("rear axle", "kN"),
    "friction": ("friction", ""),
    "cornering": ("stiffness", "1/rad"),
}


def report(options: ReportOptions) -> Report:
    """The swerve, over some seeds."""
    options.check()
    one = case(options.end(UNTIL))
    runs = one.observed(range(SEEDS))
    records: list[Record] = [{"seeds": SEEDS, **twin_figures(runs, [*WATCHED, *PARAMETERS])}]
    text = "A gentle curve shows the stiffness of the tyres, but not friction: its band stays wide until they slide."
    drawn = [estimates_plot(runs[0], SHOWN, "Estimates", text)]
    drawn.append(errors_plot(runs[0], SHOWN, "Errors", "Estimate minus truth, with the bands."))
    drawn.append(consistency_plot(runs, "Consistency"))
    return Report("car-observer", TITLE, paragraphs(TEXT), records, drawn, one.truth)
