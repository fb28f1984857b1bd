"""Demos of Jaiswal's three mechanisms: the reports of Publications I and II, computed anew."""

from __future__ import annotations

from functools import partial

from symbody.machines.hydraulics.cylinder_plots import friction_plot, pressures_plot
from symbody.machines.report_options import Demo, ReportOptions
from symbody.machines.hydraulics.case import HydraulicCase, figures, solve_all
from symbody.machines.hydraulics.plots import angles_plot, effort_plot, energies_plot, frames_plot, gaps_plot, keyed
from symbody.elements.friction import FRICTION
from symbody.machines.four_bar_friction import model as four_bar_friction
from symbody.machines.four_bar_hydraulic import model as four_bar_hydraulic
from symbody.machines.quick_return_hydraulic import model as quick_return
from symbody.visual.report import Record, Report

UNTIL = 10.0  # s
SEALS = ("brown-mcphee", "bengisu-akay", "lugre", "modified-lugre")  # the cheapest first
METHOD = """All unknowns of a step, positions, pressures, spool and the states of friction, are solved for together by
the trapezoidal rule and Newton's method with the exact tangent, at 1 ms. Drift is the energy of the bodies less the
work of the cylinder's force, integrated over the recorded steps, relative to the largest work."""

CASES = {
    "four-bar-hydraulic": HydraulicCase(
        "four-bar-hydraulic",
        {"efficiency": four_bar_hydraulic.four_bar_hydraulic},
        {"U_ref": four_bar_hydraulic.COMMAND},
        UNTIL,
    ),
    "quick-return-hydraulic": HydraulicCase(
        "quick-return-hydraulic", {"efficiency": quick_return.quick_return}, {"U_ref": quick_return.COMMAND}, UNTIL
    ),
    "four-bar-friction": HydraulicCase(
        "four-bar-friction",
        {name: partial(four_bar_friction.four_bar_friction, FRICTION[name]()) for name in SEALS},
        {"U_ref": four_bar_friction.COMMAND},
        UNTIL,
        sense=-1.0,  # it is taken up while the linkage tilts out
    ),
}
LINES = {
    "four-bar-hydraulic": "a boom lifted and lowered by one cylinder, with three ways to close its loop",
    "quick-return-hydraulic": "a ram moved to and fro by a cylinder, with three ways to close its loops",
    "four-bar-friction": "a linkage on a cylinder whose seals rub, by four laws of friction",
}
TEXTS = {
    "four-bar-hydraulic": """
A boom of 9 m on a link and a rocker is lifted from 1 to 2.5 s and lowered from 5 to 8 s by one cylinder
(Jaiswal 2021, Publication I).""",
    "quick-return-hydraulic": """
Crank and slider swing a lever that moves a ram; the cylinder pulls from 1 to 4 s and pushes from 6.5 to 8 s
(Jaiswal 2021, Publication I).""",
    "four-bar-friction": """
A four-bar linkage is tilted out from 1 to 2.5 s and in from 5 to 8 s by a cylinder whose seals rub, by four laws of
friction (Jaiswal 2021, Publication II). The cylinder takes up work while the linkage tilts out.""",
}


def _printed(*rows: tuple[str, str, float, float, float, int]) -> list[Record]:
    """What the publications print, in the words of our figures."""
    keys = ("closure", "friction", "work_J", "drift_percent", "iterations_mean", "iterations_max")
    return [dict(zip(keys, row, strict=True)) for row in rows]


PUBLISHED = {
    "four-bar-hydraulic": _printed(
        ("partitioning", "efficiency", 982.95, 0.09, 1.39, 3), ("augmented", "efficiency", 982.95, 0.09, 1.56, 4)
    ),
    "quick-return-hydraulic": _printed(
        ("partitioning", "efficiency", 357.47, 0.06, 1.49, 3), ("augmented", "efficiency", 357.47, 0.06, 1.57, 6)
    ),
    "four-bar-friction": _printed(
        ("augmented", "brown-mcphee", 120.99, 0.37, 1.42, 3),
        ("augmented", "bengisu-akay", 121.02, 0.37, 1.43, 3),
        ("augmented", "lugre", 120.94, 0.36, 1.60, 3),
        ("augmented", "modified-lugre", 120.97, 0.36, 1.62, 5),
    ),
}


def report(name: str, options: ReportOptions) -> Report:
    """The report of a case; where friction laws differ they are compared, else the closures."""
    case = CASES[name]
    solved = solve_all(case, options)
    by_closure, by_friction = keyed(solved, lambda one: one.closure), keyed(solved, lambda one: one.friction)
    first, compared = solved[0], by_friction if len(by_friction) > 1 else by_closure
    drawn = [frames_plot(first.run), angles_plot(case, first.run, list(first.run.model.coordinates))]
    drawn += [pressures_plot(compared), energies_plot(first), gaps_plot(by_closure), effort_plot(compared)]
    drawn += [friction_plot(compared)] if compared is by_friction else []
    return Report(
        name,
        LINES[name].capitalize(),
        "\n\n".join(" ".join(text.split()) for text in (TEXTS[name], METHOD)),
        figures(case, solved),
        drawn,
        first.run,
        {"As published": PUBLISHED[name]},
    )


DEMOS = tuple(Demo(name, LINES[name], f"demo-{name}.png", partial(report, name)) for name in CASES)
