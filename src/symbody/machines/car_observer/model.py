"""A two-track model of the car: planar motion and roll, four wheels with spin and slip; no pitch, no heave.

A filter needs only states that its sensors can observe. Numbers are those of the multi-link car, with the same tyre
law; the roll axis is on the road. Axes: x forwards, y to the left, z up.
"""

from __future__ import annotations

from dataclasses import dataclass

from symbody.elements.element import Motion, Named
from symbody.elements.numbers import Scalar
from symbody.elements.tyre_patch import Patch, PatchForces
from symbody.elements.tyre_slip import SaturatingTyre
from symbody.expr.functions import atan2
from symbody.expr.node import cos, sin
from symbody.model.body import Joint
from symbody.model.formula import Formula
from symbody.model.model import Model
from symbody.model.plain_numbers import GRAVITY
from symbody.vehicles.axles import FRONT, HEIGHT, REAR, TRACK, WHEELBASE
from symbody.vehicles.chassis import corner_name

AXLES = {"front": FRONT.x, "rear": REAR.x}
WHEELS = {corner_name(axle, side): (x, side * TRACK) for axle, x in AXLES.items() for side in (1.0, -1.0)}
SPEED = 20.0  # m/s
UNSPRUNG, SPIN_INERTIA = 210.0, 1.05  # kg: wheels, carriers, halves of the rods; kg m² of a wheel
CENTRE = 0.06  # m, of the body's mass ahead of the middle
X, Y, DOWN = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -HEIGHT)
FLAT = Patch(Y, X, Y, 1.0, HEIGHT, DOWN, DOWN, *[0.0] * 6)  # of an upright wheel at rest


@dataclass(frozen=True, kw_only=True)
class LoadedTyre(SaturatingTyre):
    """The tyre law with a given load."""

    given: float = 0.0  # N

    def load(self, at: Patch) -> Scalar:
        return self.given


def model() -> Model:
    """Inputs `steer` (rad, of the front wheels) and `drive` (N m, on each rear wheel)."""
    m = Model("car-observer")
    m.input("steer", 0.0, "rad", low=-0.1, high=0.1)
    m.input("drive", 25.0, "N m", low=-500.0, high=300.0)  # holds the speed
    m.parameter("body_mass", 1270.0, "kg")
    m.parameter("body_height", 0.55, "m")  # of its centre of mass, above the road
    m.parameter("roll_stiffness", 63e3, "N m/rad")  # springs and anti-roll bars: 1.1 kN m per degree
    m.parameter("roll_damping", 5e3, "N m s/rad")
    m.parameter("roll_front", 0.55)  # share of the front axle in both
    for name in ("friction", "cornering", "traction"):
        m.parameter(name, getattr(LoadedTyre(), name))
    m.parameters["friction"].low, m.parameters["friction"].high = 0.2, 1.2
    joints = [Joint("x", "T1", v0=(SPEED,)), Joint("y", "T2"), Joint("yaw", "R3")]
    wheels = m.body("wheels", None, joints, UNSPRUNG, (0.0, 0.0, HEIGHT), (100.0, 350.0, 450.0))
    mass = Formula("body_mass")
    centre = (CENTRE, 0.0, Formula("body_height"))
    body = m.body("body", wheels, [Joint("roll", "R1")], mass, centre, (0.36 * mass, 1.5 * mass, 1.6 * mass))
    m.joint_force("roll")(lambda q, qd, p: -roll_moment(q, qd, p))
    for name in WHEELS:
        m.state(f"{name}_spin", SPEED / HEIGHT, scale=10.0, unit="rad/s")(
            lambda s, p, name=name: _spinning_up(s, p, name)
        )

    @m.coupling("tyres", "x", "y", "yaw")
    def tyres(s: Motion, p: Named) -> tuple[Scalar, ...]:
        along, aside, turning = 0.0, 0.0, 0.0
        for name, (x, y) in WHEELS.items():
            f_x, f_y = forces(s, p, name)
            along, aside, turning = along + f_x, aside + f_y, turning + x * f_y - y * f_x
        c, d = cos(s.q["yaw"]), sin(s.q["yaw"])
        return c * along - d * aside, d * along + c * aside, turning

    m.parameter("mount", 0.0, "rad")  # roll angle at which the inertial unit is mounted
    m.sensor("unit", body.point("unit", (0.0, 0.0, 0.4), (Formula("mount"), 0.0, 0.0)), ("gyro", "accelerometer"))
    m.signal("slip", unit="rad")(lambda s, p: atan2(*reversed(_velocity(s))))
    for name in WHEELS:
        m.signal(f"{name}.side", unit="N")(lambda s, p, name=name: forces(s, p, name)[1])
    for axle in AXLES:
        m.signal(f"{axle}.side", unit="N")(
            lambda s, p, axle=axle: sum(forces(s, p, n)[1] for n in WHEELS if n.startswith(axle))
        )
    m.signal("tyres.use")(_use)
    return m


def roll_moment(q: Scalar, qd: Scalar, p: Named) -> Scalar:
    """K φ + C φ̇ of springs, dampers and anti-roll bars (N m)."""
    return p.roll_stiffness * q + p.roll_damping * qd


def load(s: Motion, p: Named, name: str) -> Scalar:
    """Load of a wheel (N): its share of the weight and of the roll moment."""
    x, y = WHEELS[name]
    ahead = p.body_mass * CENTRE / (p.body_mass + UNSPRUNG)  # of the whole car's centre
    weight = GRAVITY * (p.body_mass + UNSPRUNG) * (0.5 + (ahead if x > 0.0 else -ahead) / WHEELBASE)
    share = p.roll_front if x > 0.0 else 1.0 - p.roll_front
    return 0.5 * weight - share * roll_moment(s.q["roll"], s.qd["roll"], p) / (2.0 * y)


def _velocity(s: Motion) -> tuple[Scalar, Scalar]:
    """Velocity of the middle of the car, forwards and to the left (m/s)."""
    c, d = cos(s.q["yaw"]), sin(s.q["yaw"])
    return c * s.qd["x"] + d * s.qd["y"], c * s.qd["y"] - d * s.qd["x"]


def _steer(p: Named, name: str) -> Scalar:
    return p.steer if name.startswith("front") else 0.0


def road(s: Motion, p: Named, name: str) -> PatchForces:
    """Forces of the road on a wheel, in wheel axes."""
    (x, y), (u, v), r = WHEELS[name], _velocity(s), s.qd["yaw"]
    c, d = cos(_steer(p, name)), sin(_steer(p, name))
    along, aside = u - y * r, v + x * r
    rolling = c * along + d * aside
    spin = p[f"{name}_spin"]
    at = FLAT._replace(rolling=rolling, along=rolling - HEIGHT * spin, aside=c * aside - d * along, spin=spin)
    law = LoadedTyre(friction=p.friction, cornering=p.cornering, traction=p.traction, given=load(s, p, name))
    return law.road(at)


def forces(s: Motion, p: Named, name: str) -> tuple[Scalar, Scalar]:
    """Forces on a wheel, forwards and to the left of the car (N)."""
    at, c, d = road(s, p, name), cos(_steer(p, name)), sin(_steer(p, name))
    return c * at.along - d * at.aside, d * at.along + c * at.aside


def _spinning_up(s: Motion, p: Named, name: str) -> Scalar:
    """ω̇ of a wheel (rad/s²) from its drive, the road and rolling resistance."""
    at, drive = road(s, p, name), p.drive if name.startswith("rear") else 0.0
    return (drive - HEIGHT * at.along + at.drag) / SPIN_INERTIA


def _use(s: Motion, p: Named) -> Scalar:
    """Side forces of the front axle, relative to the friction limit."""
    front = [name for name in WHEELS if name.startswith("front")]
    return sum(road(s, p, n).aside for n in front) / (p.friction * sum(load(s, p, n) for n in front))
