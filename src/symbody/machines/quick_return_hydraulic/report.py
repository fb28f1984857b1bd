"""The ram moved to and fro: three ways to close its loops, beside Publication I."""

from __future__ import annotations

from symbody.machines.hydraulics.case import HydraulicCase
from symbody.machines.hydraulics.report import UNTIL, mechanism_report, printed
from symbody.machines.quick_return_hydraulic.model import COMMAND, model
from symbody.machines.report_options import ReportOptions
from symbody.visual.report import Report

TITLE = "A ram moved to and fro by a cylinder, with three ways to close its loops"
TEXT = """Crank and slider swing a lever that moves a ram; the cylinder pulls from 1 to 4 s and pushes from 6.5 to 8 s
(Jaiswal 2021, Publication I)."""
CASE = HydraulicCase("quick-return-hydraulic", {"efficiency": model}, {"U_ref": COMMAND}, UNTIL)
PUBLISHED = printed(
    ("partitioning", "efficiency", 357.47, 0.06, 1.49, 3),
    ("augmented", "efficiency", 357.47, 0.06, 1.57, 6),
)


def report(options: ReportOptions) -> Report:
    """Computed anew, beside the publication."""
    return mechanism_report(CASE, TITLE, TEXT, PUBLISHED, options)
