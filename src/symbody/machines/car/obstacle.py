"""The obstacle of a road as something that can be hit: the car's front crumples against it.

The car's front is a line of its width, the obstacle a box beside the road's axes. How far one is in the other along the
road (d) and across it (w) decides which face is hit; with p the smaller of both, the push is by Hunt and Crossley

    F = k p (1 + a ṗ), never a pull,

at the front's middle along the road, or across it at the same place. Corners that turn into the obstacle are left out.
"""

from __future__ import annotations

from typing import Any

from symbody.elements.numbers import Scalar
from symbody.expr.functions import maximum, minimum, where
from symbody.machines.car.road import LENGTH, WIDTH, Road
from symbody.model.model import Model

STIFFNESS = 4e5  # N/m: 75 km/h crumple some 0.7 m
DAMPING = 0.15  # a, s/m: it hardly springs back
BUMPER = 0.25  # m above the chassis' origin
LOAD = "crash.load"  # a signal: N
FIRM = 0.2  # m of overlap from which on a face bears


def add_obstacle(m: Model, road: Road) -> None:
    """A force site `crash` at the middle of the front, and the signal `LOAD`."""
    front = m.bodies["chassis"].point("front", (LENGTH / 2.0, 0.0, BUMPER))
    m.force_site("crash", front)(lambda at, p: crash_force(road, at.position, at.velocity))

    @m.signal(LOAD)
    def load(s: Any, p: Any) -> Scalar:
        at = s.point(front.path)
        along, across, *_ = crash_force(road, at.position, at.velocity)
        return abs(along) + abs(across)


def crash_force(road: Road, position: Any, velocity: Any) -> tuple[Scalar, Scalar, Scalar]:
    """What pushes the front back (N, along x, y, z of the road) where it is in the obstacle."""
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
