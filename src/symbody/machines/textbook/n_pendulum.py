"""A chain of equal rods hanging from a point, in the plane of axes 1 and 3."""

from __future__ import annotations

from math import pi

from symbody.model.body import Joint
from symbody.model.formula import Formula
from symbody.model.model import Model

STUDIO = {
    "start": "Pull a rod and let it go.",
    "labels": {"length": "Rods", "mass": "Mass of a rod"},
}


def model(n: int = 3) -> Model:
    """A chain of n equal slender rods, released from the horizontal; chaotic for n > 1."""
    m = Model("n-pendulum")
    m.parameter("length", 0.5, "m")
    m.parameter("mass", 1.0, "kg")
    across, on = Formula("mass*length*length/12"), m.ground["origin"]
    for i in range(1, n + 1):
        joints = [Joint(f"rod{i}", "R2", q0=(pi / 2 if i == 1 else 0.0,))]
        com = (0.0, 0.0, Formula("-length/2"))
        rod = m.body(f"rod{i}", on, joints, Formula("mass"), com, (across, across, 0.0))
        on = rod.point("tip", (0.0, 0.0, Formula("-length")))
    m.sensor("tip", on, ("position", "velocity"))
    return m
