"""A row of four-bar linkages with equal bars, in the plane of axes 1 and 2: one degree of freedom, more when flat."""

from __future__ import annotations

from math import pi

from symbody.model.body import Body, Joint
from symbody.model.model import Model

STEPS = {"closure": "augmented"}  # it goes through singular positions
STUDIO = {"start": "Pull a bar: all linkages of the row move together. Once the row lies flat, it can fold either way."}

# Problem A02 of the IFToMM library of benchmarks: slender rods of 1 m and 1 kg, upright, the tops moving to the right.
# Each crank stands on its own base and carries the coupler to the next one: matrices are banded, however long the row.
_LENGTH = 1.0  # m
_MASS = 1.0  # kg
_SPEED = 1.0  # m/s


def model(n: int = 2) -> Model:
    """Windows of equal bars, side by side; lying flat, each may fold on its own (benchmark A02)."""
    m = Model("n-four-bar", gravity=(0.0, -9.81, 0.0))
    crank = _bar(m.body("crank0", joints=[Joint("crank0", "R3", q0=(pi / 2,), v0=(-_SPEED / _LENGTH,))]))
    m.sensor("B0", crank["tip"], ("position",))
    for i in range(1, n + 1):
        coupler = _bar(m.body(f"coupler{i}", crank["tip"], [Joint(f"coupler{i}", "R3", "dependent", q0=(-pi / 2,))]))
        base = m.ground.point(f"A{i}", (i * _LENGTH, 0.0, 0.0))
        crank = _bar(m.body(f"crank{i}", base, [Joint(f"crank{i}", "R3", "dependent", q0=(pi / 2,))]))
        m.cut(f"B{i}", "planar-ball", coupler["tip"], crank["tip"], axis=3)
    return m


def _bar(body: Body) -> Body:
    """Make a body a slender rod along its axis 1, with a point at its end."""
    across = _MASS * _LENGTH**2 / 12
    body.mass, body.com = _MASS, (_LENGTH / 2, 0.0, 0.0)
    body.inertia = (0.0, across, across, 0.0, 0.0, 0.0)
    body.point("tip", (_LENGTH, 0.0, 0.0))
    return body
