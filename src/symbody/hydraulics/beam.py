"""Slender beams on hinges in the plane of axes 2 and 3, for planar mechanisms; axis 3 is up."""

from __future__ import annotations

import math

from symbody.model.body import Body, Joint, Point
from symbody.model.model import Model

AXIS = 1  # of all hinges; angles are positive from axis 2 to axis 3


def beam(
    m: Model, name: str, on: Point, angle: float, length: float, mass: float, nature: str = "dependent", share: int = 12
) -> Body:
    """A homogeneous beam (m, kg) hinged at its origin, at an angle (°) to its carrier, with points `mid` and `tip`.

    Its moment of inertia about the middle is m L²/share: 12 for a thin beam, 6 for a square cuboid.
    """
    across = mass * length**2 / share
    hinge = Joint(name, f"R{AXIS}", nature, q0=(math.radians(angle),))
    body = m.body(name, on, [hinge], mass, (0.0, length / 2, 0.0), (across, 0.0, across))
    body.point("mid", (0.0, length / 2, 0.0))
    body.point("tip", (0.0, length, 0.0))
    return body
