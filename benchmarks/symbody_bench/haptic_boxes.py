"""Boxes on a floor, one of them in the hand: many simultaneous contacts, for timing."""

from __future__ import annotations

from symbody.haptics.objects import HapticBody
from symbody.haptics.scene import HapticScene
from symbody.haptics.settings import Rendering
from symbody.haptics.shapes import box
from symbody.model.plain_numbers import GRAVITY

EDGE, MASS = 0.04, 0.5  # m, kg
APART = 0.05  # m, from middle to middle
ROW = 4
COUNT = 13  # with four contacts each: 52
PUSH = (0.0, 0.0, -2.0, 0.0, 0.0, 0.0)  # N: the hand presses the last one down


def places(count: int = COUNT) -> list[tuple[float, float, float]]:
    """Middles of the boxes (m)."""
    return [(APART * (k % ROW), APART * (k // ROW), EDGE / 2) for k in range(count)]


def boxes(count: int = COUNT, rate: float = 1000.0, rendering: Rendering | None = None) -> HapticScene:
    """The scene at rest."""
    inertia = (MASS * EDGE**2 / 6.0,) * 3
    bodies = [HapticBody(f"box{k}", box(EDGE, EDGE, EDGE), MASS, inertia, at) for k, at in enumerate(places(count))]
    floor = {"floor": box(2.0, 2.0, 0.1, (0.0, 0.0, -0.05))}
    down = (0.0, 0.0, -GRAVITY)
    return HapticScene(bodies, floor, tool=bodies[-1].name, rate=rate, rendering=rendering, gravity=down)
