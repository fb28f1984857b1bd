"""A point mass on a massless bar, in the plane of axes 1 and 2: one degree of freedom."""

from __future__ import annotations

from math import pi

from symbody.model.body import Joint
from symbody.model.formula import Formula
from symbody.model.model import Model

STUDIO = {
    "start": "Pull the mass and let it go.",
    "labels": {"length": "Bar", "mass": "Mass"},
}

# Problem A01 of the IFToMM library of benchmarks.


def model() -> Model:
    """A point mass on a massless bar, released at rest from the horizontal (benchmark A01)."""
    m = Model("pendulum", gravity=(0.0, -9.81, 0.0))
    m.parameter("length", 1.0, "m")
    m.parameter("mass", 1.0, "kg")
    bob = m.body("bob", joints=[Joint("bob", "R3", q0=(pi,))], mass=Formula("mass"), com=(Formula("length"), 0.0, 0.0))
    m.sensor("P", bob.point("mass", (Formula("length"), 0.0, 0.0)), ("position",))
    return m
