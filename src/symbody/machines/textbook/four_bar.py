"""A four-bar linkage, in the plane of axes 1 and 3: one degree of freedom."""

from __future__ import annotations

from typing import Any

from symbody.model.body import Body, Joint, Point
from symbody.model.formula import Formula
from symbody.model.model import Model

STUDIO = {
    "start": "Turn the crank: set its torque, or pull a bar.",
    "labels": {
        "torque": "Torque on the crank",
        "base": "Base",
        "crank_length": "Crank",
        "coupler_length": "Coupler",
        "rocker_length": "Rocker",
        "density": "Mass per length",
        "friction": "Friction",
    },
    "plots": ["crank.q", "rocker.q"],
}

# A crank-rocker of laboratory size (Grashof: shortest and longest bar together are shorter than the other two), its
# bars of flat steel 20 mm x 5 mm, 0.78 kg/m, as slender rods.
_ABOUT_ITSELF = 3.0e-5  # kg m², about a bar's own axis


def model() -> Model:
    """Crank, coupler and rocker on a fixed base; the crank takes the input `torque` (N m) against viscous friction."""
    m = Model("four-bar")
    m.parameter("base", 0.22, "m")
    m.parameter("crank_length", 0.1, "m")
    m.parameter("coupler_length", 0.25, "m")
    m.parameter("rocker_length", 0.2, "m")
    m.parameter("density", 0.78, "kg/m")
    m.parameter("friction", 0.005, "N m s/rad")
    m.input("torque", 0.0, "N m", low=-0.5, high=0.5)
    pivot = m.ground.point("pivot", (Formula("base"), 0.0, 0.0))
    crank = m.body("crank", joints=[Joint("crank", "R2", q0=(-1.0,))])
    coupler = m.body("coupler", _bar(crank), [Joint("coupler", "R2", "dependent", q0=(0.56,))])
    rocker = m.body("rocker", pivot, [Joint("rocker", "R2", "dependent", q0=(-1.265,))])
    m.cut("loop", "planar-ball", _bar(coupler), _bar(rocker), axis=2)

    @m.joint_force("crank")
    def drive(q: Any, qd: Any, p: Any) -> Any:
        return p.torque - p.friction * qd

    return m


def _bar(body: Body) -> Point:
    """Make a body a slender rod along its axis 1, and give the point at its end."""
    length = f"{body.name}_length"
    across = Formula(f"density*{length}*{length}*{length}/12")
    body.mass = Formula(f"density*{length}")
    body.com = (Formula(f"{length}/2"), 0.0, 0.0)
    body.inertia = (_ABOUT_ITSELF, across, across, 0.0, 0.0, 0.0)
    return body.point("tip", (Formula(length), 0.0, 0.0))
