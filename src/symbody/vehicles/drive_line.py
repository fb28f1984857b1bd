"""A diesel engine with governor and fuel, a wet clutch, gears, and brakes on wheels.

    J ω̇ = T_engine − T_clutch − T_load,   T_engine = clip(G (ω_lever − ω), 0, T_full(ω)) − T_drag
    T_clutch = T_c (1 − pedal) tanh(2 (ω − n Σ w_k ω_k)/ω_slip) on the engine, n w_k T_clutch on wheel k

with the ratio n of the gear and shares w_k of the wheels: a differential between all wheels, which keeps the power.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symbody.elements.element import Energy, Motion, Named, account
from symbody.elements.friction_static import Coulomb
from symbody.elements.numbers import Scalar, require_ordered, require_positive
from symbody.expr.functions import clip, maximum, minimum, table, tanh
from symbody.model.model import Model


@dataclass(frozen=True, kw_only=True)
class Diesel:
    """A governed diesel: full-load torques (N m) over speeds (rad/s), fuel in kg.

    idle, rated: speeds that the lever sets. governor: N m per rad/s. drag: N m. consumption: kg/J at the crank shaft.
    """

    speeds: Sequence[float]
    torques: Sequence[float]
    idle: float
    rated: float
    governor: float
    drag: float
    inertia: float
    consumption: float
    idle_fuel: float
    tank: float

    def burnt(self, throttle: Scalar, speed: Scalar) -> Scalar:
        """Torque of combustion (N m)."""
        lever = self.idle + (self.rated - self.idle) * clip(throttle, 0.0, 1.0)
        full = table(speed, self.speeds, self.torques)
        return minimum(maximum(self.governor * (lever - speed) + self.drag, 0.0), full + self.drag)

    def fuel_flow(self, torque: Scalar, speed: Scalar) -> Scalar:
        """kg/s: at idle, and by power."""
        return self.idle_fuel + self.consumption * torque * speed

    def check(self, name: str) -> None:
        """Raise ModelError if a number is invalid."""
        require_positive(name, self, "idle", "governor", "inertia", "tank")
        require_positive(name, self, "drag", "consumption", "idle_fuel", zero=True)
        require_ordered(name, self, "idle", "rated")


@dataclass(frozen=True, kw_only=True)
class DriveLine:
    """Gears and their ratios (turns of the engine for one of the wheels), clutch (N m, rad/s of slip), brakes (N m).

    wheels: shares w_k by spin joint. brakes: torque by spin joint. brake_slow: rad/s below which brakes are viscous.
    """

    gears: Sequence[float]
    ratios: Sequence[float]
    clutch: float
    slip: float
    wheels: Mapping[str, float]
    brakes: Mapping[str, float]
    brake_slow: float

    def check(self, name: str) -> None:
        """Raise ModelError if a number is invalid."""
        require_positive(name, self, "clutch", "slip", "brake_slow")


def drive_line(m: Model, engine: Diesel, line: DriveLine, load: Energy | None = None) -> None:
    """Add both with inputs `throttle`, `clutch`, `brake` (0 to 1; 1 is a pressed pedal) and `gear`.

    States: `engine_speed` (rad/s) and `fuel` (kg). load: further torque (N m) that the engine drives, a law (s, p).
    Without fuel the engine stops.
    """
    engine.check("engine")
    line.check("drive_line")
    for name, rest in (("throttle", 0.0), ("clutch", 1.0), ("brake", 1.0), ("gear", 0.0)):
        m.input(name, rest)
    spins = list(line.wheels)

    def ratio(p: Named) -> Scalar:
        return table(p.gear, line.gears, line.ratios)

    def passed(s: Motion, p: Named) -> Scalar:
        """Torque of the clutch (N m); none in neutral."""
        shaft = ratio(p) * sum(share * s.qd[spin] for spin, share in line.wheels.items())
        engaged = (1.0 - clip(p.clutch, 0.0, 1.0)) * minimum(ratio(p) * ratio(p), 1.0)
        return line.clutch * engaged * tanh(2.0 * (p.engine_speed - shaft) / line.slip)

    def burnt(p: Named) -> Scalar:
        return engine.burnt(p.throttle, p.engine_speed) * clip(1e3 * p.fuel, 0.0, 1.0)

    def drag(p: Named) -> Scalar:
        return engine.drag * tanh(p.engine_speed / 5.0)

    m.state("engine_speed", engine.idle, scale=100.0)(
        lambda s, p: (burnt(p) - drag(p) - passed(s, p) - (load(s, p) if load else 0.0)) / engine.inertia
    )
    m.state("fuel", engine.tank, scale=1.0)(
        lambda s, p: -engine.fuel_flow(burnt(p), p.engine_speed) * clip(1e3 * p.fuel, 0.0, 1.0)
    )
    m.coupling("drive_line", *spins)(
        lambda s, p: tuple(share * ratio(p) * passed(s, p) for share in line.wheels.values())
    )

    def friction(s: Motion, p: Named, spin: str) -> Scalar:
        pressed: Any = clip(p.brake, 0.0, 1.0) * line.brakes[spin]
        return Coulomb(Fc=pressed, v0=line.brake_slow, sigma2=0.0).force(s.qd[spin])

    m.coupling("brakes", *line.brakes)(lambda s, p: tuple(-friction(s, p, spin) for spin in line.brakes))
    m.signal("engine.torque", unit="N m")(lambda s, p: burnt(p))
    m.signal("engine.power", unit="W")(lambda s, p: burnt(p) * p.engine_speed)

    def supplied(s: Motion, p: Named) -> Scalar:
        shaft = ratio(p) * sum(share * s.qd[spin] for spin, share in line.wheels.items())
        return passed(s, p) * shaft

    account(m, "drive_line", supplied=supplied)
    account(m, "brakes", dissipated=lambda s, p: sum(friction(s, p, spin) * s.qd[spin] for spin in line.brakes))
