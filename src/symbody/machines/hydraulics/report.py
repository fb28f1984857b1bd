"""The report of a mechanism of Jaiswal's Publications I and II, computed anew beside what they print."""

from __future__ import annotations

from collections.abc import Sequence

from symbody.machines.hydraulics.case import HydraulicCase, figures, solve_all
from symbody.machines.hydraulics.cylinder_plots import friction_plot, pressures_plot
from symbody.machines.hydraulics.plots import angles_plot, effort_plot, energies_plot, gaps_plot, keyed
from symbody.machines.report_options import ReportOptions
from symbody.visual.report import Record, Report, paragraphs
from symbody.visual.report_plots import frames_plot

UNTIL = 10.0  # s
METHOD = """All unknowns of a step, positions, pressures, spool and the states of friction, are solved for together by
the trapezoidal rule and Newton's method with the exact tangent, at 1 ms. Drift is the energy of the bodies less the
work of the cylinder's force, integrated over the recorded steps, relative to the largest work."""


def printed(*rows: tuple[str, str, float, float, float, int]) -> list[Record]:
    """What the publications print, in the words of our figures."""
    keys = ("closure", "friction", "work_J", "drift_percent", "iterations_mean", "iterations_max")
    return [dict(zip(keys, row, strict=True)) for row in rows]


def mechanism_report(
    case: HydraulicCase, title: str, text: str, published: Sequence[Record], options: ReportOptions
) -> Report:
    """The report of a case; where friction laws differ they are compared, else the closures."""
    solved = solve_all(case, options)
    by_closure, by_friction = keyed(solved, lambda one: one.closure), keyed(solved, lambda one: one.friction)
    first, compared = solved[0], by_friction if len(by_friction) > 1 else by_closure
    drawn = [frames_plot(first.run), angles_plot(case, first.run, list(first.run.model.coordinates))]
    drawn += [pressures_plot(compared), energies_plot(first), gaps_plot(by_closure), effort_plot(compared)]
    drawn += [friction_plot(compared)] if compared is by_friction else []
    records, tables = figures(case, solved), {"As published": published}
    return Report(case.name, title, paragraphs(text, METHOD), records, drawn, first.run, tables)
