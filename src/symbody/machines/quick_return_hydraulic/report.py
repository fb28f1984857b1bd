"""The ram moved to and fro, with three ways to close its loops, compared with Publication I."""

from __future__ import annotations

from symbody.hydraulics.case import HydraulicCase
from symbody.hydraulics.report import UNTIL, mechanism_report, printed
from symbody.machines.quick_return_hydraulic.model import COMMAND, model
from symbody.visual.report import Report
from symbody.visual.report_options import ReportOptions

TITLE = "A ram moved to and fro by a cylinder, with three ways to close its loops"
TEXT = """Crank and slider move a lever, which moves a ram. The cylinder pulls from 1 to 4 s and pushes from 6.5 to 8 s
(Jaiswal 2021, Publication I)."""
CASE = HydraulicCase("quick-return-hydraulic", {"efficiency": model}, {"U_ref": COMMAND}, UNTIL)
PUBLISHED = printed(
    ("partitioning", "efficiency", 357.47, 0.06, 1.49, 3),
    ("augmented", "efficiency", 357.47, 0.06, 1.57, 6),
)


def report(options: ReportOptions) -> Report:
    """Our figures and the published ones."""
    return mechanism_report(CASE, TITLE, TEXT, PUBLISHED, options)
