"""The report of a mechanism of Jaiswal's Publications I and II: our figures and the published ones."""

from __future__ import annotations

from collections.abc import Sequence

from symbody.hydraulics.case import HydraulicCase, figures, solve_all
from symbody.hydraulics.cylinder_plots import friction_plot, pressures_plot
from symbody.hydraulics.plots import angles_plot, effort_plot, energies_plot, gaps_plot, keyed
from symbody.visual.report import Record, Report, paragraphs
from symbody.visual.report_options import ReportOptions
from symbody.visual.report_plots import frames_plot

UNTIL = 10.0  # s
METHOD = """The trapezoidal rule with steps of 1 ms solves for positions, pressures, spool and friction states together,
by Newton's method with the exact tangent. Drift is the energy of the bodies minus the work of the cylinder force,
integrated over the recorded steps, relative to the largest work."""


def printed(*rows: tuple[str, str, float, float, float, int]) -> list[Record]:
    """Published values, with the names of our figures."""
    keys = ("closure", "friction", "work_J", "drift_percent", "iterations_mean", "iterations_max")
    return [dict(zip(keys, row, strict=True)) for row in rows]


def mechanism_report(
    case: HydraulicCase, title: str, text: str, published: Sequence[Record], options: ReportOptions
) -> Report:
    """The report of a case; it compares friction laws if there are several, else closures."""
    solved = solve_all(case, options)
    by_closure, by_friction = keyed(solved, lambda one: one.closure), keyed(solved, lambda one: one.friction)
    first, compared = solved[0], by_friction if len(by_friction) > 1 else by_closure
    drawn = [frames_plot(first.run), angles_plot(case, first.run, list(first.run.model.coordinates))]
    drawn += [pressures_plot(compared), energies_plot(first), gaps_plot(by_closure), effort_plot(compared)]
    drawn += [friction_plot(compared)] if compared is by_friction else []
    records, tables = figures(case, solved), {"As published": published}
    return Report(case.name, title, paragraphs(text, METHOD), records, drawn, first.run, tables)
