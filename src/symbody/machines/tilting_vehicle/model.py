"""A vehicle one metre wide: a frame with four wheels that rolls on its springs, and on it a cabin that a motor tilts.

Axes: x forwards, y to the left, z up; the roll axis is on the road, between the contacts of both axles. Numbers are
those of tandem two-seaters of the class (CLEVER, 2006: 2.4 m between axles, 1 m wide, some 400 kg with a driver).
"""

from __future__ import annotations

from symbody.elements.element import Motion, Named
from symbody.elements.numbers import Scalar
from symbody.elements.vectors import columns, dot
from symbody.machines.tilting_vehicle.laws import (
    balanced_lean,
    drive_force,
    heading,
    lean,
    side_force,
    tilt_torque,
)
from symbody.model.body import Body, Joint
from symbody.model.formula import Formula
from symbody.model.model import Model
from symbody.model.plain_numbers import GRAVITY

FRONT, REAR = 1.3, 1.1  # m, from the origin to the axles
SHAFT = 0.22  # m, height of the tilting shaft
FRAME_MASS = 130.0  # kg, with wheels and motor
UNIT = (0.2, 0.0, 0.5)  # m, place of the inertial unit in the cabin


def model() -> Model:
    """Inputs: `steer` (rad, of the front wheels), `bank` of the road (rad), `motor` (N m, beside the controller's)."""
    m = Model("tilting-vehicle")
    m.input("steer", 0.0, "rad", low=-0.12, high=0.12)
    m.input("bank", 0.0, "rad", low=-0.1, high=0.1)
    m.input("motor", 0.0, "N m", low=-500.0, high=500.0)
    m.parameter("speed", 12.0, "m/s", low=4.0, high=20.0)
    m.parameter("pull", 400.0, "N s/m")  # of the drive
    m.parameter("cabin_mass", 290.0, "kg", low=200.0, high=400.0)  # with a driver of 80 kg
    m.parameter("cabin_height", 0.5, "m")  # of its centre of mass above the shaft
    m.parameter("cornering_front", 26e3, "N/rad")  # 12 to 14 times the load, as small tyres have it
    m.parameter("cornering_rear", 31e3, "N/rad")
    m.parameter("roll_stiffness", 20e3, "N m/rad")  # springs and tyres: four of 40 kN/m, 0.7 m apart
    m.parameter("roll_damping", 900.0, "N m s/rad")
    m.parameter("track", 0.7, "m")
    m.parameter("stiffness", 6000.0, "N m/rad")  # of the controller; gravity takes 1420
    m.parameter("damping", 1100.0, "N m s/rad")
    m.parameter("transmitted", 1.0)  # share of the motor's torque that its gear brings to the shaft
    m.parameter("leaning", 1.0)  # share of the balanced lean that the controller aims at
    frame = _frame(m)
    cabin = _cabin(m, frame)
    _add_sensors(m, cabin)
    return m


def _frame(m: Model) -> Body:
    joints = [Joint("x", "T1", v0=(12.0,)), Joint("y", "T2"), Joint("yaw", "R3"), Joint("roll", "R1")]
    frame = m.body("frame", None, joints, FRAME_MASS, (0.0, 0.0, 0.33), (12.0, 60.0, 65.0))
    front, rear = frame.point("front", (FRONT, 0.0, 0.0)), frame.point("rear", (-REAR, 0.0, 0.0))
    m.force_site("front_axle", front)(lambda at, p: side_force(at, p.cornering_front, p.steer))
    m.force_site("rear_axle", rear)(lambda at, p: side_force(at, p.cornering_rear, 0.0))
    m.force_site("drive", frame)(drive_force)
    m.joint_force("roll")(lambda q, qd, p: -_springs(q, qd, p))
    return frame


def _springs(q: Scalar, qd: Scalar, p: Named) -> Scalar:
    """Moment of the wheels against roll (N m); the road may be banked."""
    return p.roll_stiffness * (q - p.bank) + p.roll_damping * qd


def _cabin(m: Model, frame: Body) -> Body:
    mass, height = Formula("cabin_mass"), Formula("cabin_height")
    on, joint = frame.point("shaft", (0.0, 0.0, SHAFT)), Joint("tilt", "R1")
    inertia = (0.14 * mass, 0.35 * mass, 0.35 * mass)  # radii of gyration of 0.37 and 0.6 m
    cabin = m.body("cabin", on, [joint], mass, (0.1, 0.0, height), inertia)

    m.coupling("controller", "tilt")(lambda s, p: (_shaft_torque(s, p),))
    return cabin


def _shaft_torque(s: Motion, p: Named) -> Scalar:
    """Torque between frame and cabin (N m): of the controller and of the input, less what the gear loses."""
    wanted = p.leaning * balanced_lean(_speed(s), s.qd["yaw"])
    return p.transmitted * (tilt_torque(p, lean(s), s.qd["tilt"], wanted) + p.motor)


def _speed(s: Motion) -> Scalar:
    """Forwards (m/s)."""
    at = s.point("frame.origin")
    return dot(at.velocity, heading(at)[0])


def _add_sensors(m: Model, cabin: Body) -> None:
    """The two sensors of the source, a potentiometer and a strain gauge for the torque, both at the tilting shaft.

    Added: an inertial unit that is mounted askew and whose gyroscopes are biased, and the speed of a wheel.
    """
    for name in ("mount", "offset"):
        m.parameter(name, 0.0, "rad")
    for name in ("roll_bias", "yaw_bias"):
        m.parameter(name, 0.0, "rad/s")
    m.sensor("unit", cabin.point("unit", UNIT, (Formula("mount"), 0.0, 0.0)), ("accelerometer",))

    def turning(s: Motion, axis: int) -> Scalar:
        at = s.point("cabin.unit")
        return dot(at.omega, columns(at.rotation)[axis])

    m.signal("unit.roll_rate", unit="rad/s")(lambda s, p: turning(s, 0) + p.roll_bias)
    m.signal("unit.yaw_rate", unit="rad/s")(lambda s, p: turning(s, 2) + p.yaw_bias)
    m.signal("potentiometer", unit="rad")(lambda s, p: s.q["tilt"] + p.offset)
    m.signal("shaft.torque", unit="N m")(_shaft_torque)
    m.signal("wheel.speed", unit="m/s")(lambda s, p: _speed(s))
    m.signal("lean", unit="rad")(lambda s, p: lean(s))

    @m.signal("load_transfer")
    def load_transfer(s: Motion, p: Named) -> Scalar:
        """Of the load that inner wheels carry at rest; at 1 they lift off."""
        weight = GRAVITY * (FRAME_MASS + p.cabin_mass)
        return _springs(s.q["roll"], s.qd["roll"], p) / (0.5 * p.track * weight)
