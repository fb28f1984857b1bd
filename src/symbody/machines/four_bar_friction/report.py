"""The linkage tilted out and in with four friction laws, compared with Publication II."""

from __future__ import annotations

from functools import partial

from symbody.hydraulics.case import HydraulicCase
from symbody.hydraulics.cylinder_drive import COMMAND
from symbody.hydraulics.report import UNTIL, mechanism_report, printed
from symbody.hydraulics.tilted_four_bar import SEALS
from symbody.machines.four_bar_friction.model import model
from symbody.visual.report import Report
from symbody.visual.report_options import ReportOptions

TITLE = "A linkage on a cylinder with four friction laws of the seals"
TEXT = """A cylinder tilts a four-bar linkage out from 1 to 2.5 s and in from 5 to 8 s. Its seals have friction, by four
laws (Jaiswal 2021, Publication II). The cylinder absorbs work while the linkage tilts out."""
CASE = HydraulicCase(
    "four-bar-friction",
    {name: partial(model, name) for name in SEALS},
    {"U_ref": COMMAND},
    UNTIL,
    sense=-1.0,  # work is absorbed while the linkage tilts out
)
PUBLISHED = printed(
    ("augmented", "brown-mcphee", 120.99, 0.37, 1.42, 3),
    ("augmented", "bengisu-akay", 121.02, 0.37, 1.43, 3),
    ("augmented", "lugre", 120.94, 0.36, 1.60, 3),
    ("augmented", "modified-lugre", 120.97, 0.36, 1.62, 5),
)


def report(options: ReportOptions) -> Report:
    """Our figures and the published ones."""
    return mechanism_report(CASE, TITLE, TEXT, PUBLISHED, options)
