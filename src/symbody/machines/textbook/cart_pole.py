"""A pole on a cart, in the plane of axes 1 and 3: two degrees of freedom, one force."""

from __future__ import annotations

from typing import Any

from symbody.model.body import Joint
from symbody.model.formula import Formula
from symbody.model.model import Model

STUDIO = {
    "start": "Balance the pole: push the cart with the slider of the force, or pull it.",
    "labels": {
        "force": "Force on the cart",
        "cart": "Mass of the cart",
        "pole": "Mass of the pole",
        "length": "Pole",
        "friction": "Friction",
    },
    "plots": ["tilt.q", "x.q"],
}

# The size that the learning community uses (Barto, Sutton, Anderson 1983): a cart of 1 kg, a pole of 1 m and 0.1 kg.


def model() -> Model:
    """A pole to be balanced, upright on a cart that takes the input `force` (N) against viscous friction."""
    m = Model("cart-pole")
    m.parameter("cart", 1.0, "kg")
    m.parameter("pole", 0.1, "kg")
    m.parameter("length", 1.0, "m")
    m.parameter("friction", 0.0, "N s/m", low=0.0, high=2.0)
    m.input("force", 0.0, "N", low=-10.0, high=10.0)
    across = Formula("pole*length*length/12")
    cart = m.body("cart", joints=[Joint("x", "T1")], mass=Formula("cart"))
    tilt = [Joint("tilt", "R2", q0=(0.05,))]
    pole = m.body("pole", cart, tilt, Formula("pole"), (0.0, 0.0, Formula("length/2")), (across, across, 0.0))
    m.sensor("tip", pole.point("tip", (0.0, 0.0, Formula("length"))), ("position",))

    @m.joint_force("x")
    def drive(q: Any, qd: Any, p: Any) -> Any:
        return p.force - p.friction * qd

    return m
