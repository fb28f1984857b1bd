"""A corner of a multi-link car: wheel and carrier on five rods, strut, drop link of the anti-roll bar; six loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import asin, atan2, dist
from typing import Any

from symbody.model.body import Body, Joint
from symbody.model.formula import Formula, Number, Vector
from symbody.model.model import Model
from symbody.vehicles.axles import FRONT, HEIGHT, REAR, TRACK, Axle, Place, Rod
from symbody.vehicles.chassis import corner_name
from symbody.vehicles.tyre import tyre

# A rod has two hinges at its carrier and a ball at its tip. At zero its frame is parallel to the chassis and it
# points sideways (struts and drop links: downwards); the start values turn it into its position. The spring link is
# the branch of the tree that leads to the wheel. Cuts close the other rods, the strut and the drop link; their angles
# are dependent.


Fit = Callable[[Model, str, Body], None]  # adds a tyre with a name to a wheel


@dataclass(frozen=True)
class Half:
    """The left (side 1) or the right (side −1) half of an axle, and its positions on the chassis."""

    axle: Axle
    side: int

    @property
    def name(self) -> str:
        """For example front_left."""
        return corner_name(self.axle.name, self.side)

    def place(self, place: Place) -> Place:
        """A position of the left half, on the chassis."""
        return self.axle.x + place[0], self.side * place[1], place[2]

    def inner(self, rod: Rod) -> Vector:
        """The inner end of a rod, with its shift."""
        x, y, z = (_sum(a, b) for a, b in zip(self.place(rod.inner), rod.shift, strict=True))
        return x, y, z

    def on_carrier(self, place: Place) -> Place:
        """A position relative to the tip of the spring link, which is the origin of the carrier."""
        x, y, z = (a - b for a, b in zip(place, self.axle.spring_link.outer, strict=True))
        return x, self.side * y, z

    def on_link(self, share: float) -> Place:
        """A position on the spring link, in its frame."""
        return 0.0, self.side * share * self.axle.spring_link.length, 0.0

    def along_link(self, share: float) -> Place:
        """The same position, on the chassis."""
        ends = self.place(self.axle.spring_link.inner), self.place(self.axle.spring_link.outer)
        x, y, z = (a + share * (b - a) for a, b in zip(*ends, strict=True))
        return x, y, z

    @property
    def strut(self) -> float:
        """Length of the strut in the drawing (m)."""
        return dist(self.place(self.axle.strut_top), self.along_link(self.axle.strut_seat))


HALVES = [Half(axle, side) for axle in (FRONT, REAR) for side in (1, -1)]


def slip_tyre(m: Model, name: str, wheel: Body) -> None:
    """Add the tyre for small camber angles."""
    m.force_site(name, wheel)(tyre)


def corner(m: Model, half: Half, chassis: Body, rack: Body, bar_arm: Body, fit: Fit = slip_tyre) -> None:
    """Add a corner, with its steered rod on the rack and its drop link on an arm of the anti-roll bar."""
    name, axle = half.name, half.axle
    link, (lift, sweep) = _rod(m, half, "spring_link", axle.spring_link, chassis)
    travel = link.joints[0]
    travel.name, travel.nature = f"{name}.travel", "independent"
    turns = (("steer", "R3", -sweep), ("caster", "R2", 0.0), ("camber", "R1", -lift))
    carrier = m.body(
        f"{name}_carrier",
        link.point("tip", half.on_link(1.0)),
        [_dependent(f"{name}.{turn}", kind, start) for turn, kind, start in turns],
        mass=16.0,  # a cast knuckle with bearing and brake
        com=half.on_carrier((0.0, TRACK - 0.06, 0.0)),
        inertia=(0.16, 0.21, 0.17),
    )
    hub = carrier.point("hub", half.on_carrier((0.0, TRACK, 0.0)))
    spin = Joint(f"{name}.spin", "R2", v0=(Formula("speed") / HEIGHT,))
    wheel = m.body(f"{name}_wheel", hub, [spin], mass=Formula("wheel_mass"), inertia=(0.6, 1.05, 0.6))
    fit(m, f"{name}.tyre", wheel)
    for key, rod in axle.rods.items():
        body, _ = _rod(m, half, key, rod, rack if key == axle.steered else chassis)
        tip = body.point("tip", (0.0, half.side * _sum(rod.length, rod.longer), 0.0))
        m.cut(f"{name}.{key}", "ball", tip, carrier.point(key, half.on_carrier(rod.outer)))
    _strut(m, half, chassis, link)
    _drop_link(m, half, bar_arm, link)


def _rod(m: Model, half: Half, key: str, rod: Rod, on: Body) -> tuple[Body, tuple[float, float]]:
    """A slender rod that points sideways at zero, and its start angles."""
    start, end = half.place(rod.inner), half.place(rod.outer)
    x, y, z = (half.side * (b - a) / rod.length for a, b in zip(start, end, strict=True))
    angles = atan2(z, y), asin(-x)
    name = f"{half.name}_{key}"
    inner: Vector = (0.0, start[1], 0.0) if key == half.axle.steered else half.inner(rod)
    across = rod.mass * rod.length**2 / 12.0
    body = m.body(
        name,
        on.point(name, inner),
        [_dependent(f"{half.name}.{key}.{kind}", kind, a) for kind, a in zip(("R1", "R3"), angles, strict=True)],
        mass=rod.mass,
        com=(0.0, half.side * rod.length / 2.0, 0.0),
        inertia=(across, 1e-4 * rod.mass, across),  # about 15 mm thick
    )
    return body, angles


def _strut(m: Model, half: Half, chassis: Body, link: Body) -> None:
    """A damper with its tube on the chassis and its piston rod on the spring link, and a spring around it."""
    name, axle = half.name, half.axle
    top, seat = half.place(axle.strut_top), half.along_link(axle.strut_seat)
    length = half.strut
    # 5 kg with the spring, more of it above
    tube = m.body(
        f"{name}_tube",
        chassis.point(f"{name}_strut", top),
        _hanging(f"{name}.strut", top, seat),
        mass=3.0,
        com=(0.0, 0.0, -0.15),
        inertia=(0.03, 0.03, 0.004),
    )
    slide = _dependent(f"{name}.strut", "T3", -length)
    piston = m.body(f"{name}_piston", tube, [slide], mass=2.0, com=(0.0, 0.0, 0.15), inertia=(0.015, 0.015, 0.001))
    m.cut(f"{name}.strut", "ball", piston, link.point("strut", half.on_link(axle.strut_seat)))

    @m.joint_force(f"{name}.strut")
    def strut(q: Any, qd: Any, p: Any) -> Any:
        """Force of spring and damper; −q is the length of the strut."""
        preload, rate, damping = (getattr(p, f"{what}_{axle.name}") for what in ("preload", "spring", "damper"))
        return -preload - rate * (length + q) - damping * qd


def _drop_link(m: Model, half: Half, bar_arm: Body, link: Body) -> None:
    """The rod from the anti-roll bar's arm down to the spring link."""
    name, share = half.name, half.axle.bar_seat
    start, seat = half.place(half.axle.bar_end), half.along_link(share)
    length, mass = dist(start, seat), 0.4
    across = mass * length**2 / 12.0
    joints, middle = _hanging(f"{name}.drop", start, seat), (0.0, 0.0, -length / 2.0)
    body = m.body(f"{name}_drop", bar_arm["end"], joints, mass, middle, (across, across, 1e-4 * mass))
    m.cut(f"{name}.drop", "ball", body.point("tip", (0.0, 0.0, -length)), link.point("drop", half.on_link(share)))


def _hanging(name: str, start: Place, end: Place) -> list[Joint]:
    """Two hinges that turn a hanging rod into the direction of its end."""
    x, y, z = ((b - a) / dist(start, end) for a, b in zip(start, end, strict=True))
    return [_dependent(f"{name}.R1", "R1", atan2(y, -z)), _dependent(f"{name}.R2", "R2", asin(-x))]


def _dependent(name: str, kind: str, start: float) -> Joint:
    return Joint(name, kind, "dependent", q0=(round(start, 6),))


def _sum(a: float, b: Number) -> Number:
    return a + b if b else a
