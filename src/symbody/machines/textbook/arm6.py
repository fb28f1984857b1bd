"""A six-axis arm with 0.9 m of reach; the same as the file `arm6.urdf`, frame by frame."""

from __future__ import annotations

from math import pi

from symbody.model.body import Body, Joint
from symbody.model.joint_limits import UNLIMITED, JointLimits
from symbody.model.model import Model

STUDIO = {
    "start": "Move the sliders: each joint goes where its slider says; pull the arm, and it comes back.",
    "presets": {
        "Stretched": {},
        "Folded": {"target_lift": -1.2, "target_elbow": 1.6, "target_bend": 1.0},
        "Reaching down": {"target_lift": 0.6, "target_elbow": 0.5, "target_bend": 0.6},
        "Servos off": {"servo_share": 0.0},
    },
    "plots": ["lift.q", "elbow.q"],
}

# An arm of our own, in the proportions of small industrial ones. Each row: body, its joint, where that sits on the body
# before and how it is turned there, mass, centre of mass, principal inertia. Axis 1 of `wrist_1` points backwards, as
# in the file, so that what it carries is turned by π.
_ARM = (
    ("shoulder", "pan", "R3", (0.0, 0.0, 0.18), (0.0, 0.0, 0.0), 6.2, (0.0, -0.02, 0.11), (0.032, 0.028, 0.02)),
    ("upper_arm", "lift", "R2", (0.0, -0.12, 0.12), (0.0, 0.0, 0.0), 9.4, (0.21, 0.0, 0.12), (0.03, 0.26, 0.25)),
    ("forearm", "elbow", "R2", (0.42, 0.02, 0.0), (0.0, pi / 2, 0.0), 4.1, (0.18, 0.0, 0.02), (0.008, 0.09, 0.088)),
    ("wrist_1", "roll", "R1", (0.38, 0.0, 0.0), (pi, 0.0, pi), 1.6, (0.0, -0.01, -0.03), (0.0028, 0.0025, 0.0019)),
    ("wrist_2", "bend", "R3", (-0.06, 0.0, 0.0), (pi / 2, 0.0, pi), 1.4, (0.0, 0.01, 0.025), (0.0024, 0.0022, 0.0018)),
    ("flange", "turn", "R1", (0.09, 0.0, 0.0), (0.0, 0.0, 0.0), 0.4, (0.0, 0.0, 0.015), (0.0004, 0.0004, 0.0005)),
)
_LIMITS = JointLimits(-2.9, 2.9, velocity=3.1, effort=150.0)
_ENDLESS = ("roll", "turn")


def model() -> Model:
    """An industrial arm with axes z y y x y x and a tool on its flange."""
    m = Model("arm6")
    carrier = _linked(m.body("base", mass=8.0, com=(0.0, 0.0, 0.09), inertia=(0.05, 0.05, 0.04)))
    for name, joint, kind, position, rotation, mass, com, inertia in _ARM:
        seat = carrier.point(joint, position, rotation)
        limits = UNLIMITED if joint in _ENDLESS else _LIMITS
        carrier = _linked(m.body(name, seat, [Joint(joint, kind, limits=limits)], mass, com, inertia))
    _linked(m.body("tool", carrier.point("mount", (0.12, 0.0, 0.0), (0.0, pi / 2, 0.0))))
    return m


def _linked(body: Body) -> Body:
    """Add the frame that a URDF gives to each link, parallel to ours except on the axis that points backwards."""
    body.point("link", (0.0, 0.0, 0.0), (pi, 0.0, pi) if body.name == "wrist_1" else (0.0, 0.0, 0.0))
    return body
