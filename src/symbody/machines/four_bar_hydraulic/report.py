"""The boom lifted and lowered, with three ways to close its loop, compared with Publication I."""

from __future__ import annotations

from symbody.hydraulics.case import HydraulicCase
from symbody.hydraulics.cylinder_drive import COMMAND
from symbody.hydraulics.report import UNTIL, mechanism_report, printed
from symbody.machines.four_bar_hydraulic.model import model
from symbody.visual.report import Report
from symbody.visual.report_options import ReportOptions

TITLE = "A boom lifted and lowered by one cylinder, with three ways to close its loop"
TEXT = """One cylinder lifts a boom of 9 m on a link and a rocker from 1 to 2.5 s, and lowers it from 5 to 8 s (Jaiswal
2021, Publication I)."""
CASE = HydraulicCase("four-bar-hydraulic", {"efficiency": model}, {"U_ref": COMMAND}, UNTIL)
PUBLISHED = printed(
    ("partitioning", "efficiency", 982.95, 0.09, 1.39, 3),
    ("augmented", "efficiency", 982.95, 0.09, 1.56, 4),
)


def report(options: ReportOptions) -> Report:
    """Our figures and the published ones."""
    return mechanism_report(CASE, TITLE, TEXT, PUBLISHED, options)
