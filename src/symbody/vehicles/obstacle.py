"""Contact of a car's front with the obstacle of a road.

The front is a line of the car's width, the obstacle is a box parallel to the road. The smaller of the penetrations
along the road and across it decides which face is hit. With this penetration p the force is that of Hunt and Crossley

    F = k p (1 + a ṗ) ≥ 0

at the middle of the front, along the road or across it. Corners of the car that turn into the obstacle are neglected.
"""

from __future__ import annotations

from typing import Any

from symbody.elements.numbers import Scalar
from symbody.expr.functions import maximum, minimum, where
from symbody.model.model import Model
from symbody.vehicles.road import LENGTH, WIDTH, Road

STIFFNESS = 4e5  # N/m: about 0.7 m of penetration at 75 km/h
DAMPING = 0.15  # a, s/m: hardly any rebound
BUMPER = 0.25  # m above the origin of the chassis
LOAD = "crash.load"  # signal (N)
FIRM = 0.2  # m of overlap at which a face has its full stiffness


def add_obstacle(m: Model, road: Road) -> None:
    """Add a force site `crash` at the middle of the front, and the signal `LOAD`."""
    front = m.bodies["chassis"].point("front", (LENGTH / 2.0, 0.0, BUMPER))
    m.force_site("crash", front)(lambda at, p: crash_force(road, at.position, at.velocity))

    @m.signal(LOAD, unit="N")
    def load(s: Any, p: Any) -> Scalar:
        at = s.point(front.path)
        along, across, *_ = crash_force(road, at.position, at.velocity)
        return abs(along) + abs(across)


def crash_force(road: Road, position: Any, velocity: Any) -> tuple[Scalar, Scalar, Scalar]:
    """Contact force on the front (N, along x, y, z of the road)."""
    (begin, end), (right, left) = road.obstacle
    x, y, *_ = position
    depth, left_over = x - begin, end + LENGTH - x  # the whole car passes by
    overlap = minimum(left + WIDTH / 2.0 - y, y + WIDTH / 2.0 - right)
    side = where(y > (left + right) / 2.0, 1.0, -1.0)
    ahead = depth < overlap
    push = _push(where(ahead, depth, overlap), where(ahead, velocity[0], -side * velocity[1]))
    bears = minimum(maximum(overlap / FIRM, 0.0), 1.0)
    hit = where(minimum(depth, left_over) > 0.0, bears * push, 0.0)
    return where(ahead, -hit, 0.0), where(ahead, 0.0, side * hit), 0.0


def _push(depth: Scalar, rate: Scalar) -> Scalar:
    return maximum(STIFFNESS * depth * (1.0 + DAMPING * rate), 0.0)
