"""Multi-link axles of a mid-size car: positions and masses of rods, struts and anti-roll bars."""

from __future__ import annotations

from dataclasses import dataclass
from math import dist

from symbody.model.formula import Formula, Number, Vector

Place = tuple[float, float, float]


@dataclass(frozen=True)
class Rod:
    """A rod of the left side; positions from the middle of its axle, at the height of the wheel centres (m, kg)."""

    inner: Place  # at the chassis
    outer: Place  # at the carrier
    mass: float
    shift: Vector = (0.0, 0.0, 0.0)  # live parameters that shift the inner end
    longer: Number = 0.0  # live parameter, added to the length

    @property
    def length(self) -> float:
        """Of the drawing (m)."""
        return dist(self.inner, self.outer)


@dataclass(frozen=True)
class Axle:
    """The left half of an axle (m, kg); the right half is its mirror image."""

    name: str
    x: float  # of the wheel centres on the chassis
    spring_link: Rod  # carries the carrier, the strut and the drop link of the anti-roll bar
    rods: dict[str, Rod]  # the other four
    steered: str  # the rod on the rack, if any
    strut_top: Place
    strut_seat: float  # share of the spring link's length, from the chassis
    bar: Place  # the hinge of the anti-roll bar, in the middle
    bar_end: Place  # the end of its arm, with the drop link
    bar_seat: float  # position of the drop link, as a share of the spring link's length


TRACK = 0.76  # m, half of it
WHEELBASE = 2.7  # m
HEIGHT = 0.3  # m, of the wheel centres under the static load
_LIFT = (0.0, 0.0, Formula("roll_centre"))
_BACK = (-Formula("caster_shift"), 0.0, 0.0)

# A mid-size car of 1.5 t; x forward, y to the left, z up. Joints are where axles of this class have them. Front: two
# lower and two upper links, whose lines meet near a kingpin with 7° inclination, 6° caster and a small scrub radius,
# and a tie rod behind the axle at a height with little bump steer. Rear: the five rods of the quarter car. Rods are
# of forged steel or aluminium, with 3 to 6 kg per metre.
FRONT = Axle(
    "front",
    WHEELBASE / 2,
    Rod((-0.03, 0.34, -0.14), (0.01, 0.715, -0.16), 3.0, _LIFT),
    {
        "lower_front": Rod((0.27, 0.42, -0.12), (0.04, 0.70, -0.15), 2.0, _LIFT),
        "upper_front": Rod((0.10, 0.43, 0.15), (-0.01, 0.67, 0.175), 1.0, _BACK),
        "upper_rear": Rod((-0.15, 0.43, 0.14), (-0.04, 0.67, 0.165), 1.0, _BACK),
        "tie": Rod((-0.14, 0.35, -0.063), (-0.13, 0.69, -0.07), 0.8, longer=Formula("toe_front")),
    },
    "tie",
    (0.0, 0.58, 0.42),
    0.75,
    (0.15, 0.0, -0.02),
    (-0.02, 0.47, -0.02),
    0.65,
)
REAR = Axle(
    "rear",
    -WHEELBASE / 2,
    Rod((-0.09, 0.28, -0.13), (-0.03, 0.71, -0.14), 3.5, _LIFT),
    {
        "lower_front": Rod((0.32, 0.44, -0.08), (0.06, 0.69, -0.12), 2.0, _LIFT),
        "upper_front": Rod((0.11, 0.40, 0.15), (0.03, 0.67, 0.17), 1.0),
        "upper_rear": Rod((-0.17, 0.38, 0.13), (-0.04, 0.67, 0.16), 1.2),
        "toe": Rod((-0.21, 0.29, -0.063), (-0.15, 0.67, -0.06), 1.0, longer=Formula("toe_rear")),
    },
    "",
    (-0.06, 0.56, 0.40),
    0.75,
    (0.13, 0.0, 0.0),
    (-0.05, 0.50, 0.0),
    0.55,
)
