"""A squeezer of seven bodies in the plane of axes 1 and 2 (Andrews): one degree of freedom, very fast."""

from __future__ import annotations

from typing import Any

from symbody.model.body import Joint
from symbody.model.model import Model

STEPS = {"until": 0.03, "dt": 1e-5}
STUDIO = {
    "start": "Turn the crank with its slider, and watch seven bodies follow.",
    "strokes": {"beta": 3.14},
    "servo_frequency": 2000.0,  # ω² I = 9 N m/rad: the spring turns the crank with 0.2 N m
    "dt": 1e-4,
    "labels": {
        "target_beta": "Crank",
        "torque": "Torque beside the servo",
        "stiffness": "Spring",
        "rest": "Spring at rest",
    },
    "plots": ["beta.q", ("F.position.x", "F.position.y")],
}

# E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, VI.9 and VII.7; also problem A03 of the IFToMM
# library. No gravity. Each row: body, its joint and initial angle, the point that carries it, mass, moment of inertia,
# centre of mass and end, both in the body's own frame.
_BODIES = (
    ("K1", "beta", -0.0617138900142764496, "ground.O", 0.04325, 2.194e-6, (0.00092, 0.0), (0.007, 0.0)),
    ("K2", "Theta", 0.0, "K1.end", 0.00365, 4.410e-7, (-0.0115, 0.0), (-0.028, 0.0)),
    ("K3", "gamma", 0.455279819163070380, "ground.B", 0.02373, 5.255e-6, (0.01043, -0.01874), (0.0, -0.035)),
    ("K5", "delta", 0.487364979543842550, "ground.A", 0.07050, 1.169e-5, (0.02308, 0.00916), (0.04, 0.0)),
    ("K4", "Phi", 0.222668390165885885, "K5.end", 0.00706, 5.667e-7, (0.0, -0.00579), (0.0, -0.02)),
    ("K7", "epsilon", 1.23054744454982119, "ground.A", 0.05498, 1.912e-5, (-0.00449, -0.01228), (0.0, -0.04)),
    ("K6", "Omega", -0.222668390165885885, "K7.end", 0.00706, 5.667e-7, (0.00579, 0.0), (0.02, 0.0)),
)
_BASES = {"O": (0.0, 0.0), "A": (-0.06934, -0.00227), "B": (-0.03635, 0.03273), "C": (0.014, 0.072)}


def model() -> Model:
    """Seven bodies, three loops, a spring and a constant `torque` on a small crank (benchmark A03)."""
    m = Model("andrews", gravity=(0.0, 0.0, 0.0))
    m.parameter("torque", 0.033, "N m")
    m.parameter("stiffness", 4530.0, "N/m")
    m.parameter("rest", 0.07785, "m")
    for name, (x, y) in _BASES.items():
        m.ground.point(name, (x, y, 0.0))
    for name, joint, start, on, mass, inertia, com, end in _BODIES:
        nature = "independent" if joint == "beta" else "dependent"
        made = [Joint(joint, "R3", nature, q0=(start,))]
        body = m.body(name, on, made, mass, (*com, 0.0), (0.0, inertia, inertia))  # flat: xx is of no account
        body.point("end", (*end, 0.0))
    for name in ("K3", "K4", "K6"):
        m.cut(f"E{name[1]}", "planar-ball", "K2.end", f"{name}.end", axis=3)
    m.sensor("F", "K1.end", ("position",))

    @m.link("spring", "ground.C", m.bodies["K3"].point("D", (0.02, -0.018, 0.0)))
    def spring(length: Any, rate: Any, p: Any) -> Any:
        return p.stiffness * (length - p.rest)

    @m.joint_force("beta")
    def motor(q: Any, qd: Any, p: Any) -> Any:
        return p.torque

    return m
