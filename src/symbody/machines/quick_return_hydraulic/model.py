"""A quick-return mechanism driven by one hydraulic cylinder: the second example of Jaiswal's Publication I."""

from __future__ import annotations

import math
from typing import Any

from symbody.hydraulics.beam import beam
from symbody.hydraulics.cylinder_drive import FULL, LOSSES, hydraulic_drive, pulses
from symbody.model.model import Model

COMMAND = pulses((1.0, 4.0, -FULL), (6.5, 8.0, FULL))  # pull, and push
HELD = 2.00413e6  # Pa, which holds the crank at its start
RAIL = 5.0  # m, height of the ram


def quick_return_mechanism() -> Model:
    """Crank and slider move a lever, whose rod moves a ram; the cylinder acts between `ground.foot` and `crank.mid`."""
    m = Model("quick-return-hydraulic")
    m.ground.point("foot", (0.0, -0.96, 3.0))
    hub = m.ground.point("hub", (0.0, 0.0, 3.0))
    lever = beam(m, "lever", m.ground["origin"], 76.21579, 5.0, 25.0)
    rod = beam(m, "rod", lever["tip"], 96.89210, 1.2, 12.0)
    beam(m, "ram", rod["tip"], 6.89210, 0.3, 3.0, share=6)
    crank = beam(m, "crank", hub, 30.58921, 1.0, 100.0, "independent")
    slider = beam(m, "slider", crank["tip"], 45.62658, 0.3, 30.0, share=6)
    slider.com = (0.0, 0.0, 0.0)  # pinned at its middle

    @m.constraint("rail", count=2)
    def rail(s: Any, p: Any) -> Any:
        """The ram keeps its height and its orientation."""
        turned = s.q["lever"] + s.q["rod"] + s.q["ram"]
        return s.point("ram.origin").position[2] - RAIL, turned - math.pi

    @m.constraint("slot", count=2)
    def slot(s: Any, p: Any) -> Any:
        """The slider stays on the lever, and parallel with it."""
        y, z = s.point("slider.origin").position[1:]
        along = s.point("lever.origin").rotation
        return along[1][2] * y + along[2][2] * z, s.q["crank"] + s.q["slider"] - s.q["lever"]

    return m


def model() -> Model:
    """The mechanism on its cylinder; the input `U_ref` (V) moves the valve."""
    m = quick_return_mechanism()
    hydraulic_drive(m, "ground.foot", "crank.mid", LOSSES, HELD)
    return m
