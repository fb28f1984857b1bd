"""The benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab (2007): knife-edge wheels that roll without slip.

Numbers of their table 1, in axes with z upwards (theirs points down, so that products of inertia change sign). The
steering axis meets the ground at w + c and leans back by λ. Uncontrolled, it is stable from 4.29 to 6.02 m/s.
"""

from __future__ import annotations

import math

from symbody.model.body import Joint
from symbody.model.model import Model

STUDIO = {
    "start": "Pull the bicycle sideways: at this speed it rights itself.",
    "labels": {"speed": "Speed at the start", "lean_rate": "Push at the start"},
}

WHEELBASE, TRAIL, TILT = 1.02, 0.08, math.pi / 10  # m, m, rad
REAR_RADIUS, FRONT_RADIUS = 0.3, 0.35  # m
HEAD = 0.9  # m, height of the joint on the steering axis; it could be anywhere on it


def model(speed: float = 5.0, lean_rate: float = 0.0) -> Model:
    """The bicycle upright and straight ahead at a speed (m/s), with a lean rate (rad/s) as its disturbance."""
    m = Model("bicycle")
    v, push = m.parameter("speed", speed, "m/s"), m.parameter("lean_rate", lean_rate, "rad/s")
    place = [Joint("x", "T1"), Joint("y", "T2"), Joint("z", "T3", "dependent", q0=(REAR_RADIUS,))]
    attitude = [Joint("yaw", "R3"), Joint("lean", "R1", v0=(push,)), Joint("pitch", "R2", "dependent")]
    rear = m.body(  # the rear frame with its rider, from the rear hub
        "rear_frame", joints=place + attitude, mass=85.0, com=(0.3, 0.0, 0.9 - REAR_RADIUS),
        inertia=(9.2, 11.0, 2.8, 0.0, -2.4, 0.0),
    )  # fmt: skip
    ahead = WHEELBASE + TRAIL - HEAD * math.tan(TILT)
    head = rear.point("head", (ahead, 0.0, HEAD - REAR_RADIUS), (0.0, -TILT, 0.0))
    rear.point("saddle", (0.15, 0.0, 0.6))
    fork = m.body("fork", on=head, joints=[Joint("steer", "R3")])
    front = m.body(  # in axes parallel to those of the rear frame, from its head
        "front_frame", on=fork.point("upright", (0.0, 0.0, 0.0), (0.0, TILT, 0.0)), mass=4.0,
        com=(0.9 - ahead, 0.0, 0.7 - HEAD), inertia=(0.05892, 0.06, 0.00708, 0.0, 0.00756, 0.0),
    )  # fmt: skip
    hub = front.point("hub", (WHEELBASE - ahead, 0.0, FRONT_RADIUS - HEAD))
    spin = Joint("rear_wheel", "R2", v0=(v / REAR_RADIUS,))
    rear_wheel = m.body("rear_wheel", rear, [spin], mass=2.0, inertia=(0.0603, 0.12, 0.0603))
    front_wheel = m.body("front_wheel", hub, "R2", mass=3.0, inertia=(0.1405, 0.28, 0.1405))
    m.rolling("rear_contact", "wheel", rear_wheel, radius=REAR_RADIUS)
    m.rolling("front_contact", "wheel", front_wheel, radius=FRONT_RADIUS)
    return m
