"""Electric drives on elementary joints: a DC motor, a brushless servo drive, and an encoder.

A drive acts through a gear: the motor turns `ratio` times (rad per rad, or rad per m of a slide) for each turn of the
joint. The rotor inertia J belongs to the body: add J ratio² about the joint's axis. Attach further friction of bearings
and gears separately (`on_joint`). Braking returns power to the supply, so supplied may be negative.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi
from typing import Any

from symbody.elements.element import Motion, Named, account, declared
from symbody.elements.friction_static import Efficiency
from symbody.elements.numbers import Scalar, require_ordered, require_positive
from symbody.errors import ModelError
from symbody.expr.functions import atan, clip, tan
from symbody.model.formula import Formula
from symbody.model.model import Model

UNLIMITED = 1e9  # A


@dataclass(frozen=True, kw_only=True)
class Geared:
    """Base of drives: winding resistance, torque constant, gear."""

    resistance: float = field(metadata={"unit": "Ohm"})  # R
    torque_constant: float = field(metadata={"unit": "N m/A"})  # k, also the back-EMF constant, V s/rad
    ratio: float = 1.0
    efficiency: float = 1.0  # of the gear
    turning: float = field(default=0.1, metadata={"unit": "rad/s"})  # joint speed of complete gear losses

    def lost_in_gear(self, torque: Scalar, speed: Scalar) -> Scalar:
        """(1 − η)|τ| tanh(ω/ω₀) at the joint (N m), against the motion."""
        return Efficiency(eta=self.efficiency, v0=self.turning).force(speed, (), self.ratio * torque)

    def effort(self, torque: Scalar, speed: Scalar) -> Scalar:
        """Torque on the joint (N m), from the motor's torque (N m) and the joint's speed (rad/s)."""
        return self.ratio * torque - self.lost_in_gear(torque, speed)

    def dissipated(self, torque: Scalar, speed: Scalar) -> Scalar:
        """R i² and the gear's loss (W)."""
        current = torque / self.torque_constant
        return self.resistance * current * current + self.lost_in_gear(torque, speed) * speed

    def check(self, name: str) -> None:
        require_positive(name, self, "resistance", "torque_constant", "efficiency", "turning")
        if self.ratio == 0.0:
            raise ModelError("ratio is 0", element=name, cure="use the turns of the motor for one turn of the joint")
        if isinstance(self.efficiency, int | float) and self.efficiency > 1.0:
            raise ModelError(f"efficiency is {self.efficiency}", element=name, cure="use 1 or less")


@dataclass(frozen=True, kw_only=True)
class DcMotor(Geared):
    """L di/dt = u − R i − k n ω, τ = k i; without inductance i = (u − k n ω)/R.

    A converter limits the current: it keeps the terminal voltage where |u − k n ω| ≤ R i_max.

    Parameters
    ----------
    resistance : float
        R of the winding (Ohm).
    torque_constant : float
        k (N m/A), also the back-EMF constant (V s/rad).
    ratio : float
        Gear ratio n: motor to joint. Default 1.
    efficiency : float
        Of the gear, up to 1. Default 1.
    turning : float
        Joint speed at which the gear losses are complete (rad/s). Default 0.1.
    inductance : float
        L of the winding; 0: the current follows at once (H). Default 0.
    current_limit : float
        i_max of the converter (A). Default 1e9.
    """

    inductance: float = field(default=0.0, metadata={"unit": "H"})
    current_limit: float = field(default=UNLIMITED, metadata={"unit": "A"})

    def terminals(self, command: Scalar, speed: Scalar) -> Scalar:
        """Voltage (V) after the limit, at a speed of the joint (rad/s)."""
        induced, most = self.torque_constant * self.ratio * speed, self.resistance * self.current_limit
        return clip(command, induced - most, induced + most)

    def across(self, command: Scalar, speed: Scalar) -> Scalar:
        """u − k n ω (V), the voltage that drives the current."""
        return self.terminals(command, speed) - self.torque_constant * self.ratio * speed

    def check(self, name: str) -> None:
        """Raise ModelError if a number is invalid; `name` is the name of the element, for the message."""
        super().check(name)
        require_positive(name, self, "current_limit")
        require_positive(name, self, "inductance", zero=True)


@dataclass(frozen=True, kw_only=True)
class ServoDrive(Geared):
    """τ̇ = (τ_command − τ)/T: a brushless motor with current control, within its limits of torque and voltage.

    Up to the rated speed it gives its peak torque; above, less, down to zero at the no-load speed. It brakes with the
    peak torque at any speed. Torques and speeds are those of the motor.

    Parameters
    ----------
    resistance, torque_constant, ratio, efficiency, turning
        As in `DcMotor`.
    lag : float
        Time constant T of the torque (s). Default 0.001.
    peak_torque : float
        Largest torque of the motor (N m).
    rated_speed : float
        Speed up to which the peak torque is available (rad/s).
    no_load_speed : float
        Speed at which the torque is zero (rad/s).
    """

    lag: float = field(default=1e-3, metadata={"unit": "s"})
    peak_torque: float = field(metadata={"unit": "N m"})
    rated_speed: float = field(metadata={"unit": "rad/s"})
    no_load_speed: float = field(metadata={"unit": "rad/s"})

    def available(self, speed: Scalar) -> Scalar:
        """The largest torque (N m) at a speed of the motor (rad/s)."""
        falling = (self.no_load_speed - speed) / (self.no_load_speed - self.rated_speed)
        return self.peak_torque * clip(falling, 0.0, 1.0)

    def allowed(self, command: Scalar, speed: Scalar) -> Scalar:
        """The commanded torque (N m), limited at a speed of the joint (rad/s)."""
        turned = self.ratio * speed
        return clip(command, -self.available(-turned), self.available(turned))

    def check(self, name: str) -> None:
        """Raise ModelError if a number is invalid; `name` is the name of the element, for the message."""
        super().check(name)
        require_positive(name, self, "lag", "peak_torque", "rated_speed")
        require_ordered(name, self, "rated_speed", "no_load_speed")
        if self.rated_speed == self.no_load_speed:
            raise ModelError("rated_speed and no_load_speed are equal", element=name, cure="use a larger no_load_speed")


def dc_motor(m: Model, name: str, joint: str, motor: DcMotor) -> None:
    """Attach a DC motor to a joint: input NAME_voltage (V), state NAME_current (A) if it has inductance, energies.

    Parameters
    ----------
    m : Model
        The model, which gets the inputs, states and energies.
    name : str
        Prefix of their names.
    joint : str
        An elementary joint.
    motor : DcMotor
        The numbers of the motor.
    """
    prefix = name.replace(".", "_")
    own = declared(m, prefix, motor)
    voltage = m.input(f"{prefix}_voltage", 0.0, "V").name
    state = f"{prefix}_current"
    lagging = isinstance(motor.inductance, Formula) or motor.inductance > 0.0

    def across(s: Motion, p: Named) -> Scalar:
        return own(p).across(p[voltage], s.qd[joint])

    if lagging:
        m.state(state)(lambda s, p: (across(s, p) - own(p).resistance * p[state]) / own(p).inductance)

    def current(s: Motion, p: Named) -> Scalar:
        return p[state] if lagging else across(s, p) / own(p).resistance

    def torque(s: Motion, p: Named) -> Scalar:
        return own(p).torque_constant * current(s, p)

    m.signal(f"{name}.current", unit="A")(current)
    _attach(
        m, name, joint, own, torque,
        stored=lambda s, p: 0.5 * own(p).inductance * current(s, p) ** 2,
        supplied=lambda s, p: own(p).terminals(p[voltage], s.qd[joint]) * current(s, p),
    )  # fmt: skip


def servo_drive(m: Model, name: str, joint: str, drive: ServoDrive) -> None:
    """Attach a servo drive to a joint: input NAME_command (N m of the motor), state NAME_torque (N m), energies.

    Parameters
    ----------
    m : Model
        The model of the joint.
    name : str
        Prefix of input, state and energies.
    joint : str
        An elementary joint.
    drive : ServoDrive
        The numbers of the drive.
    """
    prefix = name.replace(".", "_")
    own = declared(m, prefix, drive)
    command = m.input(f"{prefix}_command", 0.0, "N m").name
    state = f"{prefix}_torque"
    m.state(state)(lambda s, p: (own(p).allowed(p[command], s.qd[joint]) - p[state]) / own(p).lag)

    def supplied(s: Motion, p: Named) -> Scalar:
        law, current = own(p), p[state] / own(p).torque_constant
        return law.resistance * current * current + law.ratio * p[state] * s.qd[joint]

    _attach(m, name, joint, own, lambda s, p: p[state], supplied=supplied)


def encoder(m: Model, name: str, joint: str, resolution: float = 2.0 * pi / 4096.0) -> None:
    """Add a signal NAME: a joint's coordinate rounded to whole steps.

    Parameters
    ----------
    m : Model
        The model of the joint.
    name : str
        Name of the signal.
    joint : str
        An elementary joint.
    resolution : float
        Step (rad, m). Default 2π/4096.
    """
    step = declared(m, name.replace(".", "_"), Resolution(resolution))
    m.signal(name)(lambda s, p: step(p).resolution * whole(s.q[joint] / step(p).resolution))


@dataclass(frozen=True)
class Resolution:
    """The step of an encoder (rad, m)."""

    resolution: float

    def check(self, name: str) -> None:
        require_positive(name, self, "resolution")


def whole(x: Scalar) -> Scalar:
    """The whole number nearest to x: x − atan(tan πx)/π, with zero slope."""
    return x - atan(tan(pi * x)) / pi


def _attach(m: Model, name: str, joint: str, own: Any, torque: Any, **energies: Any) -> None:
    """Add the coupling of a drive with its joint, from the motor's torque, a law (s, p), and its energies."""
    m.coupling(name, joint)(lambda s, p: own(p).effort(torque(s, p), s.qd[joint]))
    account(m, name, dissipated=lambda s, p: own(p).dissipated(torque(s, p), s.qd[joint]), **energies)
