"""A tyre with slip forces inside the friction circle, and live parameters that all wheels share."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from symbody.elements.tyre_patch import Patch, patch, wrench
from symbody.elements.tyre_slip import SaturatingTyre
from symbody.model.model import Model

SHARED = {  # fields of the law, and the names of the shared parameters
    "radius": "radius", "stiffness": "k_tyre", "damping": "c_tyre", "friction": "friction", "cornering": "cornering",
    "traction": "traction", "load_scale": "load_scale", "trail": "trail", "rolling_drag": "rolling_drag",
    "slow": "slow",
}  # fmt: skip
RANGES = {"friction": (0.2, 1.4)}  # from ice with sand to a racing tyre


def tyre_parameters(m: Model) -> None:
    """Live parameters of the tyre law."""
    units = {f.name: f.metadata.get("unit", "") for f in fields(SaturatingTyre)}
    for field, name in SHARED.items():
        low, high = RANGES.get(name, (None, None))
        m.parameter(name, getattr(SaturatingTyre(), field), units[field], low, high)


class SmallCamber(SaturatingTyre):
    """For nearly upright wheels: the load is the radial force, damped by the velocity of the centre."""

    def load(self, at: Patch) -> Any:
        push = self.stiffness * (self.radius - at.height) - self.damping * at.lifting
        return push * (push > 0)

    def drag(self, at: Patch, load: Any) -> Any:
        return -self.rolling_drag * self.radius * load * at.rolling / self.speed(at)


def tyre(at: Any, p: Any) -> Any:
    """Force (N) and torque (N m) on the centre of a wheel with spin axis 2; the road is z = 0."""
    law = SmallCamber(**{field: getattr(p, name) for field, name in SHARED.items()}, sag=1.0, bore=0.0)
    met = patch(at, law.radius, law.sag)._replace(lifting=at.velocity[2])
    return wrench(met, law.road(met))
