"""A four-bar linkage tilted by a cylinder whose seals rub: the example of Jaiswal's Publication II."""

from __future__ import annotations

from symbody.elements.friction import FRICTION, Friction
from symbody.errors import ModelError
from symbody.machines.four_bar_hydraulic.model import COMMAND as COMMAND
from symbody.machines.hydraulics.beam import AXIS, beam
from symbody.machines.hydraulics.drive import hydraulic_drive
from symbody.model.model import Model

HELD = 2.75328e6  # Pa, with which it holds the linkage where it starts
SEALS = ("brown-mcphee", "bengisu-akay", "lugre", "modified-lugre")  # laws of friction, the cheapest first


def four_bar_friction_mechanism() -> Model:
    """Crank, coupler and rocker between pivots 10 m apart; its cylinder sits between `ground.foot` and `crank.mid`."""
    m = Model("four-bar-friction")
    pivot = m.ground.point("pivot", (0.0, 10.0, 0.0))
    m.ground.point("foot", (0.0, -1.0, 0.0))
    crank = beam(m, "crank", m.ground["origin"], 60.0, 2.0, 16.0, "independent")
    coupler = beam(m, "coupler", crank["tip"], -37.90438, 8.0, 64.0)
    rocker = beam(m, "rocker", coupler["tip"], -93.58332, 5.0, 40.0)
    m.cut("loop", "planar-ball", rocker["tip"], pivot, axis=AXIS)
    return m


def model(seals: str | Friction = SEALS[0]) -> Model:
    """The mechanism on its cylinder, its seals rubbing by a law; the input `U_ref` (V) moves the valve."""
    if isinstance(seals, str) and seals not in FRICTION:
        raise ModelError("no such law of friction", element=seals, cure=f"use {', '.join(FRICTION)}")
    m = four_bar_friction_mechanism()
    law = FRICTION[seals]() if isinstance(seals, str) else seals
    hydraulic_drive(m, "ground.foot", "crank.mid", law, HELD)
    return m
