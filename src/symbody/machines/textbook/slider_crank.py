"""A piston engine's mechanism, in the plane of axes 1 and 3: one degree of freedom."""

from __future__ import annotations

from typing import Any

from symbody.model.body import Joint
from symbody.model.formula import Formula
from symbody.model.model import Model

STUDIO = {
    "start": "Turn the crank: set its torque, or pull the piston.",
    "labels": {"torque": "Torque on the crank", "throw": "Crank", "rod_length": "Rod", "friction": "Friction"},
    "plots": ["crank.q", "piston.q"],
}

# A single cylinder of 0.4 litre: stroke 86 mm, rod ratio 0.30; masses of a cast piston with its pin, a forged rod
# (a third of the way up from its big end) and a balanced crank with a small flywheel.
_CRANK_START = 0.6  # rad after top dead centre
_ROD_START = -0.77  # rad, against the crank
_PISTON_START = 0.176  # m above the crank's axis


def model() -> Model:
    """Crank, connecting rod and piston; the crank takes the input `torque` (N m) against viscous friction."""
    m = Model("slider-crank")
    m.parameter("throw", 0.043, "m")
    m.parameter("rod_length", 0.143, "m")
    m.parameter("friction", 0.02, "N m s/rad")
    m.input("torque", 0.0, "N m", low=-5.0, high=5.0)
    crank = m.body(
        "crank",
        joints=[Joint("crank", "R2", q0=(_CRANK_START,))],
        mass=3.2,
        inertia=(0.011, 0.018, 0.011),
    )
    rod = m.body(
        "rod",
        crank.point("pin", (0.0, 0.0, Formula("throw"))),
        [Joint("rod", "R2", "dependent", q0=(_ROD_START,))],
        mass=0.56,
        com=(0.0, 0.0, Formula("rod_length/3")),
        inertia=(1.6e-3, 1.7e-3, 1.5e-4),
    )
    piston = m.body(
        "piston",
        joints=[Joint("piston", "T3", "dependent", q0=(_PISTON_START,))],
        mass=0.42,
        inertia=(3.5e-4, 3.5e-4, 4.0e-4),
    )
    m.cut("piston_pin", "planar-ball", rod.point("eye", (0.0, 0.0, Formula("rod_length"))), piston, axis=2)

    @m.joint_force("crank")
    def drive(q: Any, qd: Any, p: Any) -> Any:
        return p.torque - p.friction * qd

    return m
