"""A four-bar linkage lifted by one hydraulic cylinder: the first example of Jaiswal's dissertation (Publication I)."""

from __future__ import annotations

from symbody.hydraulics.beam import AXIS, beam
from symbody.hydraulics.cylinder_drive import LOSSES, hydraulic_drive
from symbody.model.model import Model

HELD = 5.0243e6  # Pa, which holds the boom at its start


def four_bar_mechanism() -> Model:
    """A boom of 9 m on a link and a rocker; the cylinder acts between `ground.foot` and `rocker.mid`."""
    m = Model("four-bar-hydraulic")
    pivot = m.ground.point("pivot", (0.0, 0.0, -1.0))
    m.ground.point("foot", (0.0, 0.0, -2.0))
    boom = beam(m, "boom", m.ground["origin"], 0.0, 9.0, 225.0)
    link = beam(m, "link", boom.point("third", (0.0, 3.0, 0.0)), -135.0, 2.0**0.5, 35.0)
    rocker = beam(m, "rocker", link["tip"], -45.0, 2.0, 50.0, "independent")
    m.cut("loop", "planar-ball", rocker["tip"], pivot, axis=AXIS)
    return m


def model() -> Model:
    """The boom on its cylinder; the input `U_ref` (V) moves the valve."""
    m = four_bar_mechanism()
    hydraulic_drive(m, "ground.foot", "rocker.mid", LOSSES, HELD)
    return m
