"""A four-bar linkage that one hydraulic cylinder lifts: the first example of Jaiswal's dissertation (Publication I)."""

from __future__ import annotations

from symbody.elements.friction_static import Efficiency
from symbody.machines.hydraulics.beam import AXIS, beam
from symbody.machines.hydraulics.drive import FULL, hydraulic_drive, pulses
from symbody.model.model import Model

LOSSES = Efficiency()  # of the cylinder, 0.88; the law itself is not printed
HELD = 5.0243e6  # Pa, with which it holds the boom where it starts
COMMAND = pulses((1.0, 2.5, FULL), (5.0, 8.0, -FULL))  # it lifts, and lowers


def four_bar_mechanism() -> Model:
    """A boom of 9 m on a link and a rocker; `ground.foot` to `rocker.mid` is where its cylinder pushes."""
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
