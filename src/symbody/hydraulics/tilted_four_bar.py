"""A four-bar linkage on a cylinder with friction of its seals: the example of Jaiswal's Publications II, III."""

from __future__ import annotations

from symbody.elements.friction import FRICTION, Friction
from symbody.errors import ModelError
from symbody.hydraulics.beam import AXIS, beam
from symbody.hydraulics.cylinder_drive import hydraulic_drive
from symbody.model.model import Model

HELD = 2.75328e6  # Pa, which holds the linkage at its start
SEALS = ("brown-mcphee", "bengisu-akay", "lugre", "modified-lugre")  # friction laws, the cheapest first


def tilted_four_bar_mechanism() -> Model:
    """Crank, coupler and rocker between pivots 10 m apart; the cylinder acts between `ground.foot` and `crank.mid`."""
    m = Model("four-bar-friction")
    pivot = m.ground.point("pivot", (0.0, 10.0, 0.0))
    m.ground.point("foot", (0.0, -1.0, 0.0))
    crank = beam(m, "crank", m.ground["origin"], 60.0, 2.0, 16.0, "independent")
    coupler = beam(m, "coupler", crank["tip"], -37.90438, 8.0, 64.0)
    rocker = beam(m, "rocker", coupler["tip"], -93.58332, 5.0, 40.0)
    m.cut("loop", "planar-ball", rocker["tip"], pivot, axis=AXIS)
    return m


def tilted_four_bar(seals: str | Friction = SEALS[0]) -> Model:
    """The mechanism on its cylinder, with a friction law of the seals; the input `U_ref` (V) moves the valve."""
    if isinstance(seals, str) and seals not in FRICTION:
        raise ModelError("unknown friction law", element=seals, cure=f"use {', '.join(FRICTION)}")
    m = tilted_four_bar_mechanism()
    law = FRICTION[seals]() if isinstance(seals, str) else seals
    hydraulic_drive(m, "ground.foot", "crank.mid", law, HELD)
    return m
