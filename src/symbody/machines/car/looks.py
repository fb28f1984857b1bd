"""How the car looks in the studio; its rods, struts and anti-roll bars look as those of any model."""

from __future__ import annotations

from collections.abc import Sequence

from symbody.machines.car.bodywork import chassis
from symbody.machines.car.corner import HALVES
from symbody.machines.car.wheels import carrier, steering_wheel, wheel
from symbody.visual.scene import Look


def looks() -> dict[str, Sequence[Look]]:
    """By the bodies of `driven_car`."""
    wheels = {f"{half.name}_wheel": wheel(half.side) for half in HALVES}
    carriers = {f"{half.name}_carrier": carrier(half) for half in HALVES}
    return {"chassis": chassis(), "wheel": steering_wheel(), **wheels, **carriers}
