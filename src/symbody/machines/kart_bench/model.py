"""A small kart on a moving belt, pinned at its nose to a load cell: it is held along and aside, and free to yaw.

After a bench that students built (in a review of haptic devices on multibody models, 2021, which prints no numbers): a
load cell of two axes between bench and kart, an optical sensor at the belt, a steering wheel over cables. A
potentiometer at the pin is added here: without it nobody could tell the front axle's force from the rear's.

Axes: x forwards, y to the left. Loads of the wheels stay as at rest.
"""

from __future__ import annotations

from typing import Any

from symbody.elements.element import Named
from symbody.elements.numbers import Scalar
from symbody.elements.tyre_slip import friction_circle
from symbody.elements.vectors import Triple, columns, dot, length, plus, scaled
from symbody.errors import ModelError
from symbody.expr.node import cos, sin
from symbody.model.body import Body, Joint
from symbody.model.model import Model
from symbody.model.plain_numbers import GRAVITY

MASS, YAW_INERTIA = 18.0, 0.95  # kg, kg m²: a frame of tubes, 0.55 m between axles
FRONT, REAR, CENTRE = -0.15, -0.70, -0.45  # m, axles and centre of mass behind the pin
HALF_TRACK = 0.2  # m
WEIGHT = GRAVITY * MASS  # N
SLOW = 0.2  # m/s: below it slip angles become viscous
WHEELS = {  # place (m), share of the weight, whether it is steered, sign of its toe
    "front_left": (FRONT, HALF_TRACK, (CENTRE - REAR) / (FRONT - REAR) / 2.0, 1.0, -1.0),
    "front_right": (FRONT, -HALF_TRACK, (CENTRE - REAR) / (FRONT - REAR) / 2.0, 1.0, 1.0),
    "rear_left": (REAR, HALF_TRACK, (FRONT - CENTRE) / (FRONT - REAR) / 2.0, 0.0, 0.0),
    "rear_right": (REAR, -HALF_TRACK, (FRONT - CENTRE) / (FRONT - REAR) / 2.0, 0.0, 0.0),
}
AXLES = {"front": FRONT, "rear": REAR}
KINDS = ("law", "unknown")


def model(tyres: str = "law") -> Model:
    """Inputs `steer` (rad) and `belt_command` (m/s); `unknown`: no law of tyres, but axle forces as inputs (N)."""
    if tyres not in KINDS:
        raise ModelError("no such tyres", element=str(tyres), cure=f"use {' or '.join(KINDS)}")
    m = Model("kart-bench" if tyres == "law" else f"kart-bench-{tyres}")
    m.input("steer", 0.0, "rad", low=-0.25, high=0.25)
    m.input("belt_command", 3.0, "m/s", low=0.5, high=6.0)
    m.parameter("cell_stiffness", 4e4, "N/m")  # a binocular beam: 0.1 mm at 4 N
    m.parameter("cell_damping", 150.0, "N s/m")
    m.parameter("pin_friction", 0.05, "N m s/rad")
    m.parameter("drag", 0.02)  # of rolling, by the weight
    kart = m.body(
        "kart", None, [Joint("along", "T1"), Joint("aside", "T2"), Joint("yaw", "R3")], MASS,
        (CENTRE, 0.0, 0.08), (0.4, 0.8, YAW_INERTIA),
    )  # fmt: skip
    for joint in ("along", "aside"):
        m.joint_force(joint)(lambda q, qd, p: -p.cell_stiffness * q - p.cell_damping * qd)
    m.joint_force("yaw")(lambda q, qd, p: -p.pin_friction * qd)
    _add_belt(m)
    m.signal("cell.along", unit="N")(lambda s, p: p.cell_stiffness * s.q["along"])  # measured by its strain gauges
    m.signal("cell.aside", unit="N")(lambda s, p: p.cell_stiffness * s.q["aside"])
    if tyres == "law":
        _add_tyres(m, kart)
    else:
        _add_axle_forces(m, kart)
    return m


def _add_belt(m: Model) -> None:
    """A belt whose motor follows a command: state `belt_speed` (m/s), backwards under the kart."""
    m.parameter("belt_lag", 0.5, "s")
    m.state("belt_speed", 3.0, unit="m/s")(lambda s, p: (p.belt_command - p.belt_speed) / p.belt_lag)


def _add_tyres(m: Model, kart: Body) -> None:
    """Four tyres that slip aside, within their friction; free rolling with a drag."""
    m.parameter("cornering", 9.0, "1/rad", low=3.0, high=15.0)  # stiffness by load: small rubber tyres
    m.parameter("friction", 0.8, low=0.2, high=1.2)
    m.parameter("toe_front", 0.0, "rad", low=-0.05, high=0.05)  # toe-in
    m.parameter("cable_offset", 0.0, "rad", low=-0.02, high=0.02)
    for name, (x, y, share, *_) in WHEELS.items():
        site = m.force_site(f"{name}_tyre", kart.point(name, (x, y, 0.0)))
        site(
            lambda at, p, name=name, share=share: on_belt(
                at, -p.drag * share * WEIGHT, side(at, p, name), angle(p, name)
            )
        )
        m.signal(f"{name}.side", unit="N")(lambda s, p, name=name: side(s.point(f"kart.{name}"), p, name))
    for axle in AXLES:
        pair = [name for name in WHEELS if name.startswith(axle)]
        m.signal(f"{axle}.side", unit="N")(
            lambda s, p, pair=pair: sum(side(s.point(f"kart.{n}"), p, n) * cos(angle(p, n)) for n in pair)
        )


def angle(p: Named, name: str) -> Scalar:
    """Angle of a wheel in the kart (rad): steering through cables with an error, and toe-in."""
    *_, steered, toe = WHEELS[name]
    return steered * (p.steer + p.cable_offset) + toe * p.toe_front


def side(at: Any, p: Named, name: str) -> Scalar:
    """Force of the belt on a tyre to its left (N): u = C α/μ, F = −μ N u/√(1 + u²), α being its slip angle."""
    share = WHEELS[name][2]
    forward, left = wheel_axes(at, angle(p, name))
    slip = plus(at.velocity, (p.belt_speed, 0.0, 0.0))
    alpha = dot(slip, left) / length((dot(slip, forward), 0.0, 0.0), SLOW)
    u = p.cornering * alpha / p.friction
    return -friction_circle(p.friction * share * WEIGHT, 0.0, u)[0] * u


def wheel_axes(at: Any, steer: Scalar) -> tuple[Triple, Triple]:
    """Forwards and to the left of a wheel that is steered on the kart."""
    x, y, _ = columns(at.rotation)
    c, s = cos(steer), sin(steer)
    return plus(scaled(c, x), scaled(s, y)), plus(scaled(-s, x), scaled(c, y))


def on_belt(at: Any, along: Scalar, aside: Scalar, steer: Scalar) -> Triple:
    """A force along and aside of a wheel, in the axes of the ground (N)."""
    forward, left = wheel_axes(at, steer)
    return plus(scaled(along, forward), scaled(aside, left))


def _add_axle_forces(m: Model, kart: Body) -> None:
    """Unknown forces: lateral at each axle, in the axes of the kart, and one along it (N)."""
    m.input("along_force", 0.0, "N")
    m.force_site("along_force", kart)(lambda at, p: on_belt(at, p.along_force, 0.0, 0.0))
    for axle, x in AXLES.items():
        m.input(f"{axle}_side", 0.0, "N")
        site = m.force_site(f"{axle}_axle", kart.point(axle, (x, 0.0, 0.0)))
        site(lambda at, p, axle=axle: on_belt(at, -0.5 * p.drag * WEIGHT, p[f"{axle}_side"], 0.0))
        m.signal(f"{axle}.side")(lambda s, p, axle=axle: p[f"{axle}_side"])
