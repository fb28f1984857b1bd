"""Models whose motions are known in closed form: disc, wheel, ball, knife edge and sleigh, rolling without slip."""

import math

import symbody as sb
from symbody.model import Formula

G = 9.81
MASS, RADIUS, ACROSS, ALONG = 2.0, 0.3, 0.02, 0.04  # of the disc: kg, m, kg m² about a diameter and the axle


def disc(lean: float = 0.2, yaw_rate: float = 1.0, lean_rate: float = 0.0, spin: float = 8.0, tube: float = 0.0):
    """A disc on the ground, by yaw, lean and spin."""
    m = sb.Model("disc")
    place = [sb.Joint("x", "T1"), sb.Joint("y", "T2"), sb.Joint("z", "T3", q0=(RADIUS * math.cos(lean),))]
    turns = [("yaw", "R3", 0.0, yaw_rate), ("lean", "R1", lean, lean_rate), ("spin", "R2", 0.0, spin)]
    place[2].nature = "dependent"  # the disc stands higher rather than more upright
    joints = place + [sb.Joint(name, kind, q0=(q,), v0=(v,)) for name, kind, q, v in turns]
    body = m.body("disc", joints=joints, mass=MASS, inertia=(ACROSS, ALONG, ACROSS))
    m.rolling("contact", "wheel", body, radius=RADIUS, tube=tube)
    return m


def slope(m: sb.Model, angle: float):
    """A point of the ground whose axis 1 goes down by an angle (rad), axis 3 being the normal."""
    return m.ground.point("slope", (0.0, 0.0, 0.0), (0.0, angle, 0.0))


def wheel_on_slope(angle: float = 0.3, kind: str = "wheel"):
    """A wheel that rolls straight down."""
    m = sb.Model("wheel on a slope")
    m.parameter("J", ALONG, "kg m2")
    plane = slope(m, angle)
    joints = [sb.Joint("along", "T1"), sb.Joint("off", "T3", q0=(RADIUS,)), sb.Joint("spin", "R2")]
    body = m.body("wheel", plane, joints, mass=MASS, inertia=(ACROSS, Formula("J"), ACROSS))
    m.rolling("contact", kind, body, plane, radius=RADIUS)
    return m


def ball_on_turntable(rate: float = 3.0):
    """A ball on a table that turns at a rate (rad/s); its spin makes the centre move at (0.2, 0.4) m/s."""
    m = sb.Model("turntable")
    m.parameter("rate", rate, "rad/s")
    table = m.body("table", joints=[sb.Joint("table", "R3", "driven")])

    @m.trajectory("table")
    def turning(t, p):
        return p.rate * t

    start = sb.Joint("ball", "free", q0=(0.5, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0), v0=(0.0, 0.0, 0.0, 11.0, 2.0, 0.7))
    ball = m.body("ball", joints=[start], mass=1.0, inertia=(0.004,) * 3)
    m.rolling("contact", "ball", ball, table, radius=0.1)
    return m


def sled(com: float = 0.0, v0=(0.0, 0.0, 0.0), angle: float = 0.0, by_law: bool = False):
    """A sled in a plane on one blade; its centre of mass is ahead of the blade by `com` (m)."""
    m = sb.Model("sled")
    plane = slope(m, angle)
    joints = [sb.Joint(n, k, v0=(v,)) for n, k, v in zip(("x", "y", "heading"), ("T1", "T2", "R3"), v0, strict=True)]
    body = m.body("sled", plane, joints, mass=3.0, com=(com, 0.0, 0.0), inertia=(0.1, 0.1, 0.5))
    if not by_law:
        m.rolling("blade", "knife-edge", body, plane)
        return m

    @m.nonholonomic("blade")
    def blade(s, p):
        theta = s.q["heading"]
        return sb.functions.cos(theta) * s.qd["y"] - sb.functions.sin(theta) * s.qd["x"]

    return m
