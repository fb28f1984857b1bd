"""The tyre of the car: slip forces that saturate within the friction circle, with numbers that all wheels share."""

from __future__ import annotations

from typing import Any

from symbody.elements.tyre_patch import Patch, patch, wrench
from symbody.elements.tyre_slip import SaturatingTyre
from symbody.model.model import Model


def tyre_parameters(m: Model) -> None:
    """What the law of the tyres reads; all stay live."""
    usual = SaturatingTyre()
    m.parameter("radius", usual.radius, "m")
    m.parameter("k_tyre", usual.stiffness, "N/m")
    m.parameter("c_tyre", usual.damping, "N s/m")
    m.parameter("friction", usual.friction)
    m.parameter("cornering", usual.cornering, "1/rad")
    m.parameter("traction", usual.traction)
    m.parameter("load_scale", usual.load_scale, "N")
    m.parameter("trail", usual.trail, "m")
    m.parameter("rolling_drag", usual.rolling_drag)
    m.parameter("slow", usual.slow, "m/s")


class SmallCamber(SaturatingTyre):
    """For wheels that stay nearly upright: the load is the radial force, damped by the centre's velocity."""

    def load(self, at: Patch) -> Any:
        push = self.stiffness * (self.radius - at.height) - self.damping * at.lifting
        return push * (push > 0)

    def drag(self, at: Patch, load: Any) -> Any:
        return -self.rolling_drag * self.radius * load * at.rolling / self.speed(at)


def tyre(at: Any, p: Any) -> Any:
    """Force (N) and torque (N m) on the centre of a wheel that turns about its axis 2; the road is z = 0."""
    law = SmallCamber(
        radius=p.radius, stiffness=p.k_tyre, damping=p.c_tyre, friction=p.friction, cornering=p.cornering,
        traction=p.traction, load_scale=p.load_scale, trail=p.trail, rolling_drag=p.rolling_drag, slow=p.slow,
        sag=1.0, bore=0.0,
    )  # fmt: skip
    met = patch(at, law.radius, law.sag)._replace(lifting=at.velocity[2])
    return wrench(met, law.road(met))
