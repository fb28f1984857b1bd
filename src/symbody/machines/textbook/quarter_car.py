"""A quarter of a car on a five-link suspension: two degrees of freedom, the chassis' bounce and the wheel's travel."""

from __future__ import annotations

from typing import Any

from symbody.model.body import Joint
from symbody.model.formula import Formula
from symbody.model.model import Model

STUDIO = {
    "start": "Lift the road with its slider, or pull the chassis, and watch the wheel.",
    "labels": {
        "road": "Road",
        "drop": "Height of the fall",
        "k_strut": "Spring",
        "c_strut": "Damper",
        "l_strut": "Spring at rest",
        "k_tyre": "Stiffness of the tyre",
        "c_tyre": "Damping of the tyre",
        "radius": "Wheel",
    },
    "dials": ("road", "k_strut", "c_strut", "k_tyre"),
    "presets": {
        "As it is": {},
        "Soft spring": {"k_strut": 11000.0},
        "Worn damper": {"c_strut": 300.0},
        "Stiff as a racer": {"c_strut": 3400.0},
    },
    "plots": ["heave.q", "travel.q"],
}

# The left rear corner of a car of 1.5 t with a track of 1.52 m, x forward, y outboard, z up, seen from the car's middle
# at the height of the wheel's centre. Joints of the five rods where axles of this class have them, tuned for little toe
# change with travel and for camber that follows roll. Lengths rounded to 0.1 mm: assembling closes what is left.
_TRACK = 0.76  # m, half of it
_HEIGHT = 0.3  # m, of the wheel's centre under the static load
_RODS = (  # at the chassis, at the carrier (from the wheel's centre), length
    ("upper_front", (0.11, 0.4, 0.15), (0.03, -0.09, 0.17), 0.2823),
    ("upper_rear", (-0.17, 0.38, 0.13), (-0.04, -0.09, 0.16), 0.3192),
    ("lower_front", (0.32, 0.44, -0.08), (0.06, -0.07, -0.12), 0.3629),
    ("lower_rear", (-0.09, 0.28, -0.13), (-0.03, -0.05, -0.14), 0.4343),
    ("toe", (-0.21, 0.29, -0.063), (-0.15, -0.09, -0.06), 0.3847),
)


def model() -> Model:
    """A wheel on five rods, strut and tyre under a bouncing chassis; the input `road` (m) lifts the ground."""
    m = Model("quarter-car")
    # Masses: a quarter of the body; a cast carrier with brake and half of the rods; a wheel of 17 inches.
    # Strut: 1.2 Hz of bounce and a third of critical damping at a ratio of 0.96 between strut and wheel.
    # Tyre: 200 kN/m and little damping; it cannot pull.
    m.parameter("drop", 0.06, "m", low=0.0, high=0.1)
    m.parameter("k_strut", 21500.0, "N/m")
    m.parameter("c_strut", 1700.0, "N s/m")
    m.parameter("l_strut", 0.67, "m")
    m.parameter("k_tyre", 200000.0, "N/m")
    m.parameter("c_tyre", 150.0, "N s/m")
    m.parameter("radius", 0.319, "m")
    m.input("road", 0.0, "m", low=-0.08, high=0.08)
    ride = m.ground.point("ride", (0.0, 0.0, _HEIGHT))
    chassis = m.body("chassis", ride, [Joint("heave", "T3", q0=(Formula("drop"),))], mass=350.0)
    joints = [
        *(Joint(f"carrier.{t}", t, "dependent") for t in ("T1", "T2")),
        Joint("travel", "T3"),
        *(Joint(name, t, "dependent") for name, t in (("toe", "R3"), ("caster", "R2"), ("camber", "R1"))),
    ]
    carrier = m.body(
        "carrier",
        chassis.point("wheel", (0.0, _TRACK, 0.0)),
        joints,
        mass=16.0,
        com=(-0.02, -0.06, 0.0),
        inertia=(0.16, 0.21, 0.17),
    )
    wheel = m.body("wheel", carrier, mass=20.0, inertia=(0.6, 1.05, 0.6))
    for name, inner, outer, length in _RODS:
        m.cut(name, "rod", chassis.point(name, inner), carrier.point(name, outer), length=length)
    m.sensor("wheel_centre", wheel, ("position", "velocity"))

    @m.link("strut", chassis.point("strut", (-0.04, 0.6, 0.4)), carrier.point("strut", (-0.03, -0.1, -0.1)))
    def strut(length: Any, rate: Any, p: Any) -> Any:
        return p.k_strut * (length - p.l_strut) + p.c_strut * rate

    @m.force_site("tyre", wheel)
    def tyre(at: Any, p: Any) -> Any:
        push = p.k_tyre * (p.radius + p.road - at.position[2]) - p.c_tyre * at.velocity[2]
        return 0.0, 0.0, push * (push > 0)  # a comparison is 0 or 1, of numbers and of expressions

    return m
