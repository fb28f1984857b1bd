"""Components on bodies and joints: links, cuts, sites, constraints, states, signals, inputs, sensors.

Most have a law, which a decorator attaches. Arguments and values of laws are in SI units.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from symbody.model.body import GROUND, ORIGIN
from symbody.model.formula import Number
from symbody.model.law import Law

L = TypeVar("L", bound=Law)

ROLLING_KINDS = ("wheel", "ball", "knife-edge")
CUT_KINDS = ("ball", "rod", "universal", "revolute", "solid", "planar-ball", "planar-solid")
SENSED = ("position", "rotation", "velocity", "omega", "acceleration", "omega_dot", "jacobian")
INERTIAL = ("gyro", "accelerometer")  # Rᵀω, Rᵀ(a − g): readings of an inertial unit, in the axes of its point


@dataclass
class Attached:
    """Base of components that can have a law; used as decorators."""

    law: Law | None = field(default=None, compare=False, repr=False, kw_only=True)

    def __call__(self, law: L) -> L:
        """Attach a law; used as a decorator."""
        self.law = law
        return law


@dataclass
class Link(Attached):
    """A force along the line between two points. Its law gives the tension (N) from length (m), rate (m/s), parameters.

    @m.link("strut", chassis["top"], arm["mid"])
    def strut(length, rate, p):
        return p.k * (length - p.l0) + p.c * rate
    """

    name: str
    a: str
    b: str


@dataclass
class Cut:
    """A loop, opened between two points and closed by constraints; `length` (m) for a rod, `axis` for a hinge."""

    name: str
    kind: str
    a: str
    b: str
    length: Number | None = None
    axis: int = 3  # of the frames of both points: hinge axis, or normal of the plane


@dataclass
class ForceSite(Attached):
    """A point where an external force and torque act. Its law gives them (N, N m, ground frame).

    @m.force_site("tyre", wheel["contact"])
    def tyre(at, p):  # at.position, at.rotation, at.velocity, at.omega, in the ground frame
        return 0, 0, -p.k * at.position[2]  # the force, or force and torque: three or six values
    """

    name: str
    point: str


@dataclass
class Interaction(Attached):
    """A force and a torque between two points. Its law gives those on the second (N, N m, ground frame).

    @m.interaction("knuckle", jack["tip"], hammer["roller"])
    def knuckle(a, b, p):  # a, b: position, rotation, velocity, omega, in the ground frame
        return 0, 0, -p.k * (b.position[2] - a.position[2])  # the first body gets the opposite, at the same place
    """

    name: str
    a: str
    b: str


@dataclass
class Coupling(Attached):
    """Forces on elementary joints that depend on the whole motion. The law gives one (N, N m) for each joint.

    @m.coupling("anti_roll", "left", "right")
    def anti_roll(s, p):
        twist = p.k * (s.q["left"] - s.q["right"])
        return -twist, twist
    """

    name: str
    joints: tuple[str, ...]


@dataclass
class Constraint(Attached):
    """Constraint equations h = 0 of the user. The law gives their values (`count` of them) from the motion.

    @m.constraint("gear")
    def gear(s, p):
        return s.q["wheel"] - p.ratio * s.q["pinion"]
    """

    name: str
    count: int = 1


@dataclass
class NonholonomicConstraint(Attached):
    """Equations between velocities, A(q) q̇ + b(q) = 0. The law gives their left sides (`count` of them).

    @m.nonholonomic("blade")
    def blade(s, p):
        return cos(s.q["heading"]) * s.qd["y"] - sin(s.q["heading"]) * s.qd["x"]
    """

    name: str
    count: int = 1


@dataclass
class RollingContact:
    """A body that touches a plane without slip. The plane's normal is axis 3 of the point `plane`.

    wheel: `point` is the centre and `axis` of its frame the axle; a disc, or a torus with a tube of radius `tube` (m).
    ball: `point` is the centre. Wheels and balls stay on the plane. knife-edge: `point` does not move across the blade,
    which is along `axis`; joints must keep it on the plane.
    """

    name: str
    kind: str
    point: str
    plane: str = f"{GROUND}.{ORIGIN}"
    radius: Number = 0.0  # m, of the outermost circle
    tube: Number = 0.0  # m
    axis: int = 2

    @property
    def touches(self) -> bool:
        """Whether it stays on the plane, which is an equation between coordinates."""
        return self.kind != "knife-edge"

    @property
    def count(self) -> int:
        """Number of its equations between velocities."""
        return 2 if self.touches else 1


@dataclass
class State(Attached):
    """A state of the user, for example a pressure or a controller. The law gives its rate from the motion.

    @m.state("pressure", start=1e5)
    def pressure(s, p):
        return p.bulk * (p.flow - p.area * s.qd["piston"]) / p.volume
    """

    name: str
    start: Number = 0.0
    scale: float = 1.0  # typical size for tolerances, for example 1e5 for a pressure
    unit: str = ""


@dataclass
class Signal(Attached):
    """An output of `count` numbers. The law gives them from the motion."""

    name: str
    count: int = 1
    unit: str = ""


@dataclass
class Limit(Attached):
    """A number that must stay positive; otherwise the run ends. The law gives it from the motion.

    @m.limit("lift.stroke")
    def stroke(s, p):
        return p.longest - s.length("lift")
    """

    name: str


@dataclass
class UserInput:
    """A number that is set from outside while the system runs, for laws to use: a command, a torque."""

    name: str
    value: float = 0.0  # initial value
    unit: str = ""
    low: float | None = None  # useful range
    high: float | None = None


@dataclass
class Sensor:
    """A point whose motion is an output: position (m), velocity (m/s) and others of `SENSED` and `INERTIAL`."""

    name: str
    point: str
    quantities: tuple[str, ...] = SENSED
