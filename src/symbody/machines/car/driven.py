"""The car with a steering wheel and pedals: the wheel is a driven joint, and its effort is the steering torque.

The torsion bar of a power steering connects wheel and rack. With the wheel angle θ (positive to the left) and the
travel y of the rack, which turns the pinion by −y/r, the twist of the bar is φ = θ + y/r:

    T = k φ + c φ̇ on the wheel,      F = −(1 + a) T/r on the rack, where a is the assistance.
"""

from __future__ import annotations

from functools import reduce
from math import pi, radians
from typing import Any

from symbody.elements.attach import on_joint
from symbody.elements.element import Motion, Named, account, declared
from symbody.elements.friction_static import Coulomb
from symbody.elements.numbers import Scalar
from symbody.elements.tyre_patch import patch
from symbody.elements.tyre_slip import SaturatingTyre
from symbody.elements.tyres import tyre
from symbody.expr.functions import hypot, maximum
from symbody.model.body import Body, Joint
from symbody.model.formula import Formula
from symbody.model.model import Model
from symbody.vehicles.multi_link_car import car_bodies, car_parameters
from symbody.vehicles.pedals import SPEED, add_air, add_brakes, add_motor, pedal_parameters
from symbody.vehicles.suspension_energy import account_suspension
from symbody.vehicles.tyre import SHARED, tyre_parameters

LOCK = 1.35 * 2.0 * pi  # rad to each side: 59 mm of the rack, 27° and 31° of the front wheels
COLUMN = (0.35, 0.35, 0.45), (0.0, -radians(25.0), pi)  # the wheel before the seat; its axis points at the driver
WHEEL = 0.035  # kg m², of rim, spokes and column; their mass is part of the chassis'
# Below this speed the slip forces of the tyres are viscous. At rest the eigenvalue of a wheel is then −1230/s, with
# its brake −1630/s; explicit steps of 1 ms are stable to −2780/s.
SLOW = 5.0  # m/s
LEVEL = 0.300226, -8.48e-5  # m, rad: height and pitch at that speed, with drive on the rear wheels
BORE = 0.04  # m, for the resistance of a wheel that is steered at rest
NUMBERS: dict[str, Any] = {field: Formula(text) for field, text in (SHARED | {"sag": "1", "bore": str(BORE)}).items()}
TYRE = SaturatingTyre(**NUMBERS)  # all wheels share its numbers


def driven_car() -> Model:
    """A car at 75 km/h: inputs `wheel.q` (rad, left is positive), `throttle` and `brake` (0 to 1)."""
    m = Model("driven-car")
    car_parameters(m)
    tyre_parameters(m)
    pedal_parameters(m)
    m.parameters["speed"].value, m.parameters["slow"].value = SPEED, SLOW
    chassis = car_bodies(m, Joint("rack", "T2"), _fit)
    for joint, start in zip(chassis.joints[2:5:2], LEVEL, strict=True):
        joint.q0 = (start,)
    _add_steering(m, chassis)
    add_motor(m)
    add_brakes(m)
    add_air(m, chassis)
    account_suspension(m)
    _add_instruments(m, chassis)
    return m


def _fit(m: Model, name: str, wheel: Body) -> None:
    """Add a tyre with energy signals, for any camber."""
    tyre(m, name, wheel, TYRE)


def _add_steering(m: Model, chassis: Body) -> None:
    """Add the steering wheel on its column, its friction, and the torsion bar to the rack."""
    m.parameter("pinion", 0.007, "m")  # r: the front wheels turn by a degree for 15 of the steering wheel
    m.parameter("torsion_bar", 150.0, "N m/rad")  # k: 2.6 N m per degree, as power steerings have
    m.parameter("torsion_damping", 0.4, "N m s/rad")  # c
    m.parameter("assist", 0.0, low=0.0, high=4.0)  # a
    on = chassis.point("column", *COLUMN)
    m.body("wheel", on, [Joint("wheel", "R1", "driven")], inertia=(WHEEL, WHEEL / 2.0, WHEEL / 2.0))
    m.trajectory("wheel")(lambda t, p: 0.0 * t)  # straight ahead, unless the input `wheel.q` moves it
    on_joint(m, "column", "wheel", Coulomb(Fc=0.4, v0=0.1, sigma2=0.02))  # bearings, seals and joints

    def twist(s: Motion, p: Named) -> Scalar:
        return s.q["wheel"] + s.q["rack"] / p.pinion

    def rate(s: Motion, p: Named) -> Scalar:
        return s.qd["wheel"] + s.qd["rack"] / p.pinion

    def torque(s: Motion, p: Named) -> Scalar:
        return p.torsion_bar * twist(s, p) + p.torsion_damping * rate(s, p)

    @m.coupling("torsion_bar", "wheel", "rack")
    def bar(s: Motion, p: Named) -> tuple[Scalar, Scalar]:
        return -torque(s, p), -(1.0 + p.assist) * torque(s, p) / p.pinion

    account(
        m,
        "torsion_bar",
        stored=lambda s, p: 0.5 * p.torsion_bar * twist(s, p) ** 2,
        dissipated=lambda s, p: p.torsion_damping * rate(s, p) ** 2,
        supplied=lambda s, p: -p.assist * torque(s, p) / p.pinion * s.qd["rack"],
    )


def _add_instruments(m: Model, chassis: Body) -> None:
    """Add signals: car.speed (m/s, forwards), and tyres.use, the largest used share of a friction circle."""
    law = declared(m, "tyres", TYRE)
    centres = [site.point for name, site in m.force_sites.items() if name.endswith(".tyre")]

    @m.signal("car.speed", unit="m/s")
    def speed(s: Motion, p: Named) -> Scalar:
        at = s.point(f"{chassis.name}.origin")
        return sum(row[0] * v for row, v in zip(at.rotation, at.velocity, strict=True))

    @m.signal("tyres.use")
    def use(s: Motion, p: Named) -> Scalar:
        return reduce(maximum, (_share(law(p), s.point(centre)) for centre in centres))


def _share(law: SaturatingTyre, at: Any) -> Scalar:
    """√(F_x² + F_y²)/(μ N) of a tyre; zero off the road."""
    road = law.road(patch(at, law.radius, law.sag))
    return hypot(road.along, road.aside) / (law.friction * maximum(road.load, 1.0))
