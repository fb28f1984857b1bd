"""A car whose side-slip, tyre forces and friction nobody measures: estimates with their bands."""

from __future__ import annotations

from symbody.estimation.consistency import twin_figures
from symbody.machines.car_observer.experiment import PARAMETERS, UNTIL, WATCHED, case
from symbody.machines.report_options import ReportOptions
from symbody.machines.twin_plots import consistency_plot, errors_plot, estimates_plot
from symbody.visual.report import Record, Report, paragraphs

TITLE = "A car on a wet road: side-slip, tyre forces and friction from an inertial unit, wheel speeds and steering"
TEXT = """A car at 72 km/h takes a gentle curve, then swerves as hard as a wet road allows. Sensors are those of any
stability programme: two accelerations, roll and yaw rate, the speeds of four wheels, the steering angle.

The filter takes the road for drier than it is, the car for 40 kg too heavy, its tyres for too soft. Friction and
cornering stiffness are states of it; mass, height, roll stiffness, traction and mounting are doubted."""
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
    text = "A gentle curve tells the stiffness of the tyres, not the friction: the band says so until they slide."
    drawn = [estimates_plot(runs[0], SHOWN, "Estimates", text)]
    drawn.append(errors_plot(runs[0], SHOWN, "Errors", "Estimate less truth, within the bands."))
    drawn.append(consistency_plot(runs, "Consistency"))
    return Report("car-observer", TITLE, paragraphs(TEXT), records, drawn, one.truth)
