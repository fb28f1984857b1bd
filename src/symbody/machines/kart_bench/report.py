"""The report of the kart: side forces of its axles without a tyre law, and of its four tyres with one."""

from __future__ import annotations

from symbody.estimation.consistency import twin_figures
from symbody.machines.kart_bench.experiment import AXLE_SIDES, TRUE, UNTIL, WHEEL_SIDES, case
from symbody.machines.twin_plots import consistency_plot, errors_plot, estimates_plot
from symbody.visual.report import Plot, Record, Report, paragraphs
from symbody.visual.report_options import ReportOptions

TITLE = "A kart on a conveyor belt: tyre forces from a load cell and a potentiometer"
TEXT = """The kart is pinned at its nose to a load cell with two axes, and steered by remote control while the belt runs
under it. Sensors are the cell (0.3 N) and an optical sensor at the belt, as in the source, and a potentiometer at the
pin (0.05°), which is added here: without it front and rear axle cannot be separated.

The first filter has no tyre law: the side forces of both axles are inputs with random walks, and balance and motion
determine them. The second filter has a tyre law with wrong numbers: it estimates cornering stiffness and friction, and
so the forces of all four tyres."""
SEEDS = 3
KINDS = ("unknown", "law")
FORCES = {"front.side": ("front", "N"), "rear.side": ("rear", "N")}
FOUR = {name: (name.removesuffix(".side").replace("_", " "), "N") for name in WHEEL_SIDES}
NUMBERS = {
    "cornering": ("stiffness", "1/rad"),
    "friction": ("friction", ""),
}
FOLLOWED = {"unknown": AXLE_SIDES, "law": (*AXLE_SIDES, *WHEEL_SIDES, *TRUE)}


def report(options: ReportOptions) -> Report:
    """Both filters, over some seeds."""
    options.check(KINDS)
    until = options.end(UNTIL)
    records: list[Record] = []
    drawn: list[Plot] = []
    for kind in options.chosen(KINDS):
        runs = case(kind, until).observed(range(SEEDS))
        records.append({"tyres": kind, **twin_figures(runs, FOLLOWED[kind])})
        if kind == "unknown":
            text = "No law of tyres: balance and motion of the kart tell the forces."
            drawn.append(estimates_plot(runs[0], FORCES, "Axle forces as unknown inputs", text))
            drawn.append(errors_plot(runs[0], FORCES, "Their errors", "Within their bands, as wide as they must be."))
        else:
            text = "By a law of tyres whose two numbers are estimated."
            drawn.append(estimates_plot(runs[0], FOUR, "Forces of four tyres", text))
            text = "Friction is observable only when the tyres slide."
            drawn.append(estimates_plot(runs[0], NUMBERS, "Numbers of the tyres", text))
        drawn.append(consistency_plot(runs, f"Consistency, tyres: {kind}"))
    return Report("kart-bench", TITLE, paragraphs(TEXT), records, drawn, case("law", until).truth)
