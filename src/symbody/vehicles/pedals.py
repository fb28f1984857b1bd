"""Pedals of a car: motor and brakes; and air drag."""

from __future__ import annotations

from symbody.elements.element import Motion, Named, account
from symbody.elements.friction_static import Coulomb
from symbody.elements.numbers import Scalar
from symbody.elements.vectors import Triple, length, scaled
from symbody.expr.functions import clip
from symbody.model.body import Body
from symbody.model.model import Model
from symbody.vehicles.axles import FRONT, REAR
from symbody.vehicles.corner import Half

DRIVEN = [f"{Half(REAR, side).name}.spin" for side in (1, -1)]
BRAKED = [f"{Half(axle, side).name}.spin" for axle in (FRONT, REAR) for side in (1, -1)]
SPEED, HOLDING = 75.0 / 3.6, 0.08645  # m/s, and the throttle that holds this speed
STILL = 0.01  # m/s, below which air drag is viscous


def pedal_parameters(m: Model) -> None:
    """Add inputs `throttle` (its default holds 75 km/h) and `brake`, and live parameters of motor, brakes and air."""
    m.input("throttle", HOLDING)
    m.input("brake", 0.0)
    # An electric motor with one gear: from 0 to 100 km/h in 10 s.
    m.parameter("motor_torque", 1800.0, "N m")  # at the wheels
    m.parameter("motor_power", 1e5, "W")
    m.parameter("reduction", 9.0)
    # 8 m/s² at full pressure, most of it in front; on a dry road no wheel locks.
    m.parameter("brake_torque", 3600.0, "N m")  # of all four
    m.parameter("brake_front", 0.7)
    m.parameter("brake_slow", 3.0, "rad/s")  # wheel speed below which a brake is viscous
    # ½ρ c_d A with A = 2.2 m² and c_d = 0.3.
    m.parameter("air_drag", 0.4, "N s²/m²")


def add_motor(m: Model) -> None:
    """Add a motor on the rear axle with a differential: T = throttle · T₀/√(1 + (T₀ω/P)²), at most T₀ and P/ω."""

    def speed(s: Motion) -> Scalar:
        return sum(s.qd[spin] for spin in DRIVEN) / len(DRIVEN)

    @m.coupling("motor", *DRIVEN)
    def torque(s: Motion, p: Named) -> tuple[Scalar, ...]:
        weaker = (1.0 + (p.motor_torque * speed(s) / p.motor_power) ** 2) ** 0.5
        return (clip(p.throttle, 0.0, 1.0) * p.motor_torque / weaker / len(DRIVEN),) * len(DRIVEN)

    account(m, "motor", supplied=lambda s, p: sum(torque(s, p)) * speed(s))
    m.signal("motor.speed", unit="rad/s")(lambda s, p: p.reduction * speed(s))  # rad/s


def add_brakes(m: Model) -> None:
    """Add friction on all wheels, smooth through rest; on a level road a stopped car stays."""

    def friction(s: Motion, p: Named, spin: str) -> Scalar:
        share = p.brake_front if spin.startswith(FRONT.name) else 1.0 - p.brake_front
        pressed = Coulomb(Fc=clip(p.brake, 0.0, 1.0) * p.brake_torque * share / 2.0, v0=p.brake_slow, sigma2=0.0)
        return pressed.force(s.qd[spin])

    m.coupling("brakes", *BRAKED)(lambda s, p: tuple(-friction(s, p, spin) for spin in BRAKED))
    account(m, "brakes", dissipated=lambda s, p: sum(friction(s, p, spin) * s.qd[spin] for spin in BRAKED))


def add_air(m: Model, chassis: Body) -> None:
    """Add air drag F = −½ρ c_d A |v| v on the body."""
    site = m.force_site("air", chassis.point("air", (0.0, 0.0, 0.3)))

    @site
    def drag(at: Motion, p: Named) -> Triple:
        return scaled(-p.air_drag * length(at.velocity, STILL), at.velocity)

    @m.signal("air.dissipated")
    def dissipated(s: Motion, p: Named) -> Scalar:
        v = s.point(site.point).velocity
        return p.air_drag * length(v, STILL) * length(v) ** 2
