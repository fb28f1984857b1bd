"""A motion platform on six legs (Gough and Stewart): six degrees of freedom, those of the platform."""

from __future__ import annotations

from collections.abc import Callable
from math import asin, atan2, cos, dist, radians, sin
from typing import Any

from symbody.model.body import Joint
from symbody.model.model import Model

STUDIO = {
    "start": "Move the sliders: six servos hold the platform, one in each leg.",
    "strokes": {"rod1": 0.2, "rod2": 0.2, "rod3": 0.2, "rod4": 0.2, "rod5": 0.2, "rod6": 0.2},
    "labels": {
        "target_rod1": "Leg 1",
        "target_rod2": "Leg 2",
        "target_rod3": "Leg 3",
        "target_rod4": "Leg 4",
        "target_rod5": "Leg 5",
        "target_rod6": "Leg 6",
        "f1": "Push of leg 1",
        "f2": "Push of leg 2",
        "f3": "Push of leg 3",
        "f4": "Push of leg 4",
        "f5": "Push of leg 5",
        "f6": "Push of leg 6",
        "platform.z.q": "height of the platform",
    },
    "dials": ("servo_share",),
    "plots": ["rod1.q", "rod1.qd"],
}

# A simulator for one seat: anchors in pairs on circles of 1.2 m and 0.8 m, half a metre of stroke about a neutral
# height of 1.1 m, electric screws of the size that carries 300 kg. Places are rounded to 0.1 mm: assembling closes
# the rest.
_BASE = (1.2, (10.0, 110.0, 130.0, 230.0, 250.0, 350.0))  # radius (m), places of the feet (degrees)
_TOP = (0.8, (50.0, 70.0, 170.0, 190.0, 290.0, 310.0))
_HEIGHT = 1.1  # m
_HOLDING = 719.0  # N, close to what each leg carries in the neutral position


def model() -> Model:
    """A platform on six legs of universal joint, slide and ball; the inputs `f1` … `f6` (N) push the slides out."""
    m = Model("stewart")
    place = Joint("platform", "free", q0=(0.0, 0.0, _HEIGHT, 1.0, 0.0, 0.0, 0.0))
    platform = m.body("platform", joints=[place], mass=300.0, com=(0.0, 0.0, 0.2), inertia=(55.0, 55.0, 70.0))
    for i in range(6):
        name = f"{i + 1}"
        foot, top = _anchor(_BASE, i), _anchor(_TOP, i)
        x, y, z = top[0] - foot[0], top[1] - foot[1], _HEIGHT
        length = dist((x, y, z), (0.0, 0.0, 0.0))
        turns = (
            _dependent(f"cylinder{name}.R1", "R1", atan2(-y, z)),
            _dependent(f"cylinder{name}.R2", "R2", asin(x / length)),
        )
        cylinder = m.body(
            f"cylinder{name}",
            m.ground.point(f"foot{name}", foot),
            turns,
            mass=18.0,
            com=(0.0, 0.0, 0.35),
            inertia=(0.75, 0.75, 0.04),
        )
        slide = _dependent(f"rod{name}", "T3", length)
        rod = m.body(f"rod{name}", cylinder, [slide], mass=9.0, com=(0.0, 0.0, -0.35), inertia=(0.4, 0.4, 0.005))
        m.cut(f"ball{name}", "ball", rod, platform.point(f"top{name}", top))
        m.input(f"f{name}", _HOLDING, "N")
        m.joint_force(rod.name)(_pushed_by(f"f{name}"))
    return m


def _anchor(circle: tuple[float, tuple[float, ...]], i: int) -> tuple[float, float, float]:
    radius, places = circle
    return round(radius * cos(radians(places[i])), 4), round(radius * sin(radians(places[i])), 4), 0.0


def _dependent(name: str, kind: str, start: float) -> Joint:
    return Joint(name, kind, "dependent", q0=(round(start, 4),))


def _pushed_by(name: str) -> Callable[[Any, Any, Any], Any]:
    return lambda q, qd, p: getattr(p, name)
