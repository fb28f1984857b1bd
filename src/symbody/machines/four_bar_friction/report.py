"""The linkage tilted out and in by four laws of friction, beside Publication II."""

from __future__ import annotations

from functools import partial

from symbody.machines.four_bar_friction.model import COMMAND, SEALS, model
from symbody.machines.hydraulics.case import HydraulicCase
from symbody.machines.hydraulics.report import UNTIL, mechanism_report, printed
from symbody.machines.report_options import ReportOptions
from symbody.visual.report import Report

TITLE = "A linkage on a cylinder whose seals rub, by four laws of friction"
TEXT = """A four-bar linkage is tilted out from 1 to 2.5 s and in from 5 to 8 s by a cylinder whose seals rub, by four
laws of friction (Jaiswal 2021, Publication II). The cylinder takes up work while the linkage tilts out."""
CASE = HydraulicCase(
    "four-bar-friction",
    {name: partial(model, name) for name in SEALS},
    {"U_ref": COMMAND},
    UNTIL,
    sense=-1.0,  # it is taken up while the linkage tilts out
)
PUBLISHED = printed(
    ("augmented", "brown-mcphee", 120.99, 0.37, 1.42, 3),
    ("augmented", "bengisu-akay", 121.02, 0.37, 1.43, 3),
    ("augmented", "lugre", 120.94, 0.36, 1.60, 3),
    ("augmented", "modified-lugre", 120.97, 0.36, 1.62, 5),
)


def report(options: ReportOptions) -> Report:
    """Computed anew, beside the publication."""
    return mechanism_report(CASE, TITLE, TEXT, PUBLISHED, options)
