"""The boom lifted and lowered: three ways to close its loop, beside Publication I."""

from __future__ import annotations

from symbody.machines.four_bar_hydraulic.model import COMMAND, model
from symbody.machines.hydraulics.case import HydraulicCase
from symbody.machines.hydraulics.report import UNTIL, mechanism_report, printed
from symbody.machines.report_options import ReportOptions
from symbody.visual.report import Report

TITLE = "A boom lifted and lowered by one cylinder, with three ways to close its loop"
TEXT = """A boom of 9 m on a link and a rocker is lifted from 1 to 2.5 s and lowered from 5 to 8 s by one cylinder
(Jaiswal 2021, Publication I)."""
CASE = HydraulicCase("four-bar-hydraulic", {"efficiency": model}, {"U_ref": COMMAND}, UNTIL)
PUBLISHED = printed(
    ("partitioning", "efficiency", 982.95, 0.09, 1.39, 3),
    ("augmented", "efficiency", 982.95, 0.09, 1.56, 4),
)


def report(options: ReportOptions) -> Report:
    """Computed anew, beside the publication."""
    return mechanism_report(CASE, TITLE, TEXT, PUBLISHED, options)
