"""A governor with two balls on a turning shaft (Watt); springs stand for the coupler rods and make it stiff."""

from __future__ import annotations

from math import pi
from typing import Any

from symbody.model.body import Joint
from symbody.model.formula import Formula
from symbody.model.model import Model

STEPS = {"method": "trapezoidal"}  # stiff
STUDIO = {
    "start": "Hold the shaft or a ball. As the shaft slows down, the balls and the slider sink.",
    "labels": {
        "ball": "Mass of a ball",
        "stiffness": "Stiffness of the rods",
        "damping": "Damping of the rods",
        "rest": "Length of the rods",
    },
    "dials": ("ball",),
    "plots": ["s.q", "shaft.qd"],
}

# Problem A05 of the IFToMM library of benchmarks: shaft and rods of 1 m x 10 mm x 10 mm, a cubic slider of 0.1 m, all
# of 3000 kg/m³; balls as point masses at the ends of the rods, 30° under the horizontal at the start; an upright shaft.
_ROD = 0.3  # kg
_LENGTH = 1.0  # m
_ACROSS, _ALONG = 0.0250025, 5e-6  # kg m²
_SLIDER = 3.0  # kg
_CUBE = 0.005  # kg m²


def model() -> Model:
    """Two balls on hinged rods lift a slider through stiff springs and dampers as the shaft turns (benchmark A05)."""
    m = Model("flyball")
    m.parameter("ball", 5.0, "kg")
    m.parameter("stiffness", 8e5, "N/m")
    m.parameter("damping", 4e4, "N s/m")
    m.parameter("rest", 0.5, "m")
    turning = [Joint("shaft", "R3", v0=(2 * pi,))]
    shaft = m.body("shaft", None, turning, _ROD, (0.0, 0.0, _LENGTH / 2), (_ACROSS, _ACROSS, _ALONG))
    slider = m.body("slider", shaft, [Joint("s", "T3", q0=(0.5,))], _SLIDER, inertia=(_CUBE, _CUBE, _CUBE))
    for name, side in (("right", 1.0), ("left", -1.0)):
        hinge = shaft.point(name, (0.05 * side, 0.0, _LENGTH))
        rod = m.body(name, hinge, [Joint(name, "R2", q0=(side * pi / 6,))], _ROD, (side * _LENGTH / 2, 0.0, 0.0))
        rod.inertia = (_ALONG, _ACROSS, _ACROSS, 0.0, 0.0, 0.0)
        m.body(f"{name}_ball", rod.point("end", (side * _LENGTH, 0.0, 0.0)), mass=Formula("ball"))
        ends = slider.point(name, (0.05 * side, 0.0, 0.0)), rod.point("middle", (side * _LENGTH / 2, 0.0, 0.0))
        m.link(f"{name}_spring", *ends)(_spring)
    return m


def _spring(length: Any, rate: Any, p: Any) -> Any:
    return p.stiffness * (length - p.rest) + p.damping * rate
