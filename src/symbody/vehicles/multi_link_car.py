"""A car on four multi-link suspensions: 87 coordinates, 24 loops, 14 degrees of freedom."""

from __future__ import annotations

from symbody.model.body import Body, Joint
from symbody.model.formula import Formula
from symbody.model.model import Model
from symbody.vehicles.axles import FRONT, HEIGHT, REAR, Axle
from symbody.vehicles.chassis import chassis_joints
from symbody.vehicles.corner import Fit, Half, corner, slip_tyre

BAR_LAG = 0.005  # s, damping of an anti-roll bar relative to its stiffness


def car_bodies(m: Model, steering: Joint, fit: Fit = slip_tyre) -> Body:
    """Add chassis, rack on its joint, anti-roll bars and four corners, with tyres by `fit`; returns the chassis."""
    chassis = _chassis(m)
    tie = FRONT.rods[FRONT.steered].inner
    on = chassis.point("rack", (FRONT.x + tie[0], 0.0, tie[2]))
    rack = m.body("rack", on, [steering], mass=2.5)
    for axle in (FRONT, REAR):
        for side, arm in zip((-1, 1), anti_roll_bar(m, axle, chassis), strict=True):
            corner(m, Half(axle, side), chassis, rack, arm, fit)
    m.sensor("seat", chassis.point("seat", (-0.2, 0.35, 0.3)), ("position", "velocity", "acceleration"))
    return chassis


def car_parameters(m: Model) -> None:
    """Live parameters of the car."""
    m.parameter("speed", 10.0, "m/s")  # at the start
    m.parameter("chassis_mass", 1270.0, "kg")
    m.parameter("chassis_height", 0.55, "m", low=0.4, high=0.9)  # of its centre of mass, above the road
    m.parameter("wheel_mass", 20.0, "kg")  # 17 inches, with the tyre
    # Struts: bounce of 1.2 Hz and a third of critical damping at a ratio of 0.73 between strut and wheel. Preloads
    # are the static forces of the struts.
    for name, preload in (("front", 4616.0), ("rear", 4169.0)):
        m.parameter(f"spring_{name}", 34e3, "N/m")
        m.parameter(f"damper_{name}", 3200.0, "N s/m")
        m.parameter(f"preload_{name}", preload, "N")
    # Anti-roll bars: moment by twist, of steel rods of about 20 mm; with the springs 1.1 kN m per degree of roll.
    m.parameter("bar_front", 700.0, "N m/rad", low=0.0, high=3000.0)
    m.parameter("bar_rear", 300.0, "N m/rad", low=0.0, high=3000.0)
    # Alignment, as shifts relative to the drawing.
    m.parameter("toe_front", 0.0, "m", low=-0.002, high=0.002)  # longer tie rods: toe-in
    m.parameter("toe_rear", 0.0, "m", low=-0.002, high=0.002)
    m.parameter("caster_shift", 0.0, "m", low=-0.02, high=0.02)  # of the front upper rods, rearwards: more caster
    m.parameter("roll_centre", 0.0, "m", low=-0.02, high=0.02)  # lifts the inner ends of the lower rods


def _chassis(m: Model) -> Body:
    """Body, engine, seats and two people; their centre is a little ahead of the middle."""
    joints = chassis_joints(z=0.29985, pitch=0.00049)  # the front tyres carry more
    mass = Formula("chassis_mass")
    inertia = (0.36 * mass, 1.5 * mass, 1.6 * mass)  # radii of gyration of 0.6, 1.2 and 1.3 m
    return m.body("chassis", None, joints, mass, (0.06, 0.0, Formula("chassis_height") - HEIGHT), inertia)


def anti_roll_bar(m: Model, axle: Axle, chassis: Body) -> tuple[Body, Body]:
    """A bar in two halves: the right one is hinged on the chassis, the left one twists relative to it."""
    name = f"{axle.name}_bar"
    x, y, z = (b - a for a, b in zip(axle.bar, axle.bar_end, strict=True))
    hinge = chassis.point(name, (axle.x + axle.bar[0], 0.0, axle.bar[2]))
    inertia = (0.05, 0.008, 0.05)
    right = m.body(f"{name}_right", hinge, [Joint(name, "R2", "dependent")], 2.2, (x / 4, -y / 2, 0.0), inertia)
    twist = Joint(f"{name}.twist", "R2", "dependent")
    left = m.body(f"{name}_left", right, [twist], 2.2, (x / 4, y / 2, 0.0), inertia)
    right.point("end", (x, -y, z))
    left.point("end", (x, y, z))
    m.joint_force(twist.name)(lambda q, qd, p: -getattr(p, f"bar_{axle.name}") * (q + BAR_LAG * qd))
    return right, left
