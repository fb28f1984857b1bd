"""A steered front suspension on two wishbones: two degrees of freedom; the wheel does not spin, the rack is given."""

from __future__ import annotations

from typing import Any

from symbody.model.body import Joint
from symbody.model.model import Model

STUDIO = {
    "start": "Lift the road and move the rack with the sliders, and watch the wheel steer, travel and lean.",
    "labels": {
        "road": "Road",
        "steer": "Steering rack",
        "k_strut": "Spring",
        "c_strut": "Damper",
        "l_strut": "Spring at rest",
        "k_tyre": "Stiffness of the tyre",
        "c_tyre": "Damping of the tyre",
        "radius": "Wheel",
    },
    "dials": ("road", "steer", "k_strut", "c_strut"),
    "plots": ["heave.q", "camber.q"],
}

# The left front corner of the same class of car as the quarter car, seen from the car's middle at the height of the
# wheel's centre: kingpin inclined by 7°, caster 6°, steering behind the axle, the rack at a height where the wheel
# steers little when it travels. All joints are at 0 in the design position. A .mbs file says the same, without laws.
_HEIGHT = 0.3  # m, of the wheel's centre under the static load


def mechanism() -> Model:
    """The suspension as its file has it, without laws."""
    m = Model("double-wishbone")
    m.ground.point("patch", (0.0, 0.76, 0.0))
    chassis = m.body("chassis", joints=[Joint("heave", "T3", q0=(_HEIGHT,))], mass=340.0)
    lower = m.body(
        "lower_arm",
        chassis.point("lower_pivot", (0.0, 0.36, -0.14)),
        [Joint("lower", "R1")],
        mass=4.5,
        com=(0.0, 0.19, -0.01),
        inertia=(0.055, 0.01, 0.06),
    )
    upper = m.body(
        "upper_arm",
        chassis.point("upper_pivot", (0.0, 0.435, 0.155)),
        [Joint("upper", "R1", "dependent")],
        mass=2.1,
        com=(-0.01, 0.12, 0.01),
        inertia=(0.016, 0.004, 0.018),
    )
    turns = [Joint(name, t, "dependent") for name, t in (("steer", "R3"), ("caster", "R2"), ("camber", "R1"))]
    knuckle = m.body(
        "knuckle",
        lower.point("tip", (0.01, 0.355, -0.02)),
        turns,
        mass=9.0,
        com=(-0.01, 0.01, 0.15),
        inertia=(0.082, 0.075, 0.025, 0.0, 0.001, 0.0),
    )
    wheel = m.body(
        "wheel",
        knuckle.point("hub", (-0.01, 0.045, 0.16)),
        [Joint("spin", "R2", "locked")],
        mass=20.0,
        inertia=(0.6, 1.05, 0.6),
    )
    rack = m.body("rack", chassis.point("rack", (-0.14, 0.0, -0.063)), [Joint("rack", "T2", "locked")], mass=2.5)
    m.cut("upper_ball", "ball", knuckle.point("top", (-0.035, -0.04, 0.33)), upper.point("tip", (-0.025, 0.24, 0.015)))
    tie = knuckle.point("steering_arm", (-0.14, -0.025, 0.09))
    m.cut("tie_rod", "rod", rack.point("end", (0.0, 0.35, 0.0)), tie, length=0.3402)
    m.link("strut", chassis.point("strut_top", (0.0, 0.56, 0.42)), lower.point("seat", (0.0, 0.25, 0.01)))
    m.sensor("wheel_centre", wheel, ("position", "velocity", "omega", "acceleration", "jacobian"))
    m.force_site("tyre", wheel)
    return m


def model() -> Model:
    """A wheel on two wishbones, strut and tyre under a bouncing chassis; the parameter `steer` (m) places the rack."""
    m = mechanism()
    # Strut: 1.1 Hz of bounce, a third of critical damping, at a ratio of 0.69 between strut and wheel; tyre as in the
    # quarter car.
    m.parameter("k_strut", 34000.0, "N/m")
    m.parameter("c_strut", 3250.0, "N s/m")
    m.parameter("l_strut", 0.696, "m")
    m.parameter("k_tyre", 200000.0, "N/m")
    m.parameter("c_tyre", 150.0, "N s/m")
    m.parameter("radius", 0.319, "m")
    m.parameter("steer", 0.0, "m", low=-0.05, high=0.05)
    m.input("road", 0.0, "m", low=-0.06, high=0.06)
    m.bodies["rack"].joints[0].nature = "driven"

    @m.trajectory("rack")
    def rack(t: Any, p: Any) -> Any:
        return p.steer

    @m.links["strut"]
    def strut(length: Any, rate: Any, p: Any) -> Any:
        return p.k_strut * (length - p.l_strut) + p.c_strut * rate

    @m.force_sites["tyre"]
    def tyre(at: Any, p: Any) -> Any:
        push = p.k_tyre * (p.radius + p.road - at.position[2]) - p.c_tyre * at.velocity[2]
        return 0.0, 0.0, push * (push > 0)  # a comparison is 0 or 1, of numbers and of expressions

    return m
