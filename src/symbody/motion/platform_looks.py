"""Looks of the platform, from its data: rails, sliders, plates, telescopic legs, and a skier on a seat."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from symbody.motion.data import LEGS, Array, PlatformData
from symbody.visual.scene import Look, StretchedLook
from symbody.visual.surfaces import bar, block, cushion, look, solid

RAIL, SLIDER, PLATE, TUBE, SLEEVE, ROD, JOINT = (
    "#8d959e", "#3f6ea8", "#4b5560", "#d08a2c", "#a9b0b8", "#c9ced4", "#2c3138",
)  # fmt: skip
SEAT, SUIT, FACE, SKI = "#2f3a45", "#b3312a", "#e8c9a8", "#e6e2d3"
THICK = 0.012  # m, of the plates
RAIL_RADIUS = 0.014  # m
RAIL_X, RAIL_Y = -0.075, -0.115  # m, heights of the rails along x and y, from O_l
FLOOR = -0.14  # m, from O_l
# A leg is a telescope of tube, sleeve and rod. Lengths are shares of the shortest leg: the rod never reaches the
# foot, and both ends of the sleeve stay inside of tube and rod at every length.
TUBE_SHARE, SLEEVE_SHARE, ROD_SHARE = 0.9, 0.45, 0.5


def looks(data: PlatformData) -> dict[str, list[Look]]:
    """Looks by body."""
    made = {"table_y": table_y(data), "table_x": table_x(data), "platform": platform(data)}
    for leg in LEGS:
        made |= {f"yoke{leg}": [look(JOINT, joint(data), material="steel")], f"cylinder{leg}": cylinder(data)}
        made |= {f"rod{leg}": rod(data, f"cylinder{leg}")}
    return made


def radius(anchors: Array) -> float:
    """Radius of the circle of anchors (m)."""
    return float(np.hypot(anchors[:, 0], anchors[:, 1]).max())


def joint_size(data: PlatformData) -> float:
    """Half edge of a universal joint or a ball joint (m)."""
    return 0.8 * data.legs.radius


def joint(data: PlatformData) -> Array:
    """A joint of a leg, about the origin."""
    return cushion(np.full(3, joint_size(data)))


def rail_end(data: PlatformData) -> float:
    """Half length of the X rails (m): the stroke, and the X slider."""
    return data.limits["table.x"].high + 1.2 * radius(data.feet)


def rail_sides(data: PlatformData) -> tuple[float, float]:
    """Positions y of the two X rails (m)."""
    return -0.64 * radius(data.feet), 0.64 * radius(data.feet)


def table_y(data: PlatformData) -> list[Look]:
    """The Y slider, with the rails of X."""
    end, sides = rail_end(data), rail_sides(data)
    rails = [bar((-end, y, RAIL_X), (end, y, RAIL_X), RAIL_RADIUS) for y in sides]
    wide = sides[1] + 0.06
    ends = [block((side * end - 0.03, -wide, -0.1), (side * end + 0.03, wide, -0.055)) for side in (-1, 1)]
    feet = [block((side * end - 0.05, -0.1, -0.125), (side * end + 0.05, 0.1, -0.09)) for side in (-1, 1)]
    return [look(RAIL, *rails, material="steel"), look(SLIDER, *ends, *feet)]


def table_x(data: PlatformData) -> list[Look]:
    """The X slider: carriages on the rails, and the lower plate under the joints of the legs."""
    top = -joint_size(data)
    along = 0.6 * radius(data.feet)
    carriages = [
        block((x - 0.06, y - 0.035, RAIL_X - 0.02), (x + 0.06, y + 0.035, top - THICK))
        for x in (-along, along)
        for y in rail_sides(data)
    ]
    return [look(SLIDER, *carriages), look(PLATE, plate(data.feet, top))]


def plate(anchors: Array, top: float) -> Array:
    """A plate below a height (m), a little wider than the anchors."""
    around = 1.12 * anchors[:, :2]
    return solid(np.vstack([np.column_stack([around, np.full(6, z)]) for z in (top - THICK, top)]))


def cylinder(data: PlatformData) -> list[Look]:
    """The tube along −y of its frame, with the motor beside its foot."""
    r, shortest = data.legs.radius, data.legs.shortest
    tube = bar((0.0, 0.0, 0.0), (0.0, -TUBE_SHARE * shortest, 0.0), r)
    motor = bar((2.0 * r, -0.07 * shortest, 0.0), (2.0 * r, -0.4 * shortest, 0.0), r)
    return [look(TUBE, tube), look(JOINT, motor, material="plastic")]


def rod(data: PlatformData, carrier: str) -> list[Look]:
    """The rod below its ball, and the sleeve from the tube to the rod."""
    r, shortest = data.legs.radius, data.legs.shortest
    ends = np.array([(0.0, 0.0, -SLEEVE_SHARE * shortest), (0.0, -SLEEVE_SHARE * shortest, 0.0)])
    return [
        look(ROD, bar((0.0, 0.0, 0.0), (0.0, 0.0, -ROD_SHARE * shortest), 0.5 * r), material="steel"),
        look(JOINT, joint(data), material="steel"),
        StretchedLook("cylinder", ends, SLEEVE, material="steel", other=carrier, radius=0.75 * r),
    ]


@cache
def skier() -> tuple[Look, ...]:
    """A seat on a post, a person as small as a humanoid robot, and skis, from the top of the plate upwards."""
    post = bar((-0.02, 0.0, 0.0), (-0.02, 0.0, 0.05), 0.025)
    seat = [cushion((0.1, 0.1, 0.03), (-0.02, 0.0, 0.07)), cushion((0.02, 0.1, 0.12), (-0.12, 0.0, 0.18))]
    skis = [cushion((0.22, 0.02, 0.008), (0.05, y, 0.008)) for y in (-0.07, 0.07)]
    legs = [bar((-0.02, y, 0.12), (0.14, 0.8 * y, 0.12), 0.03) for y in (-0.06, 0.06)]
    legs += [bar((0.14, 0.8 * y, 0.12), (0.15, y, 0.015), 0.025) for y in (-0.06, 0.06)]
    arms = [bar((-0.06, y, 0.28), (0.1, 1.3 * y, 0.21), 0.02) for y in (-0.1, 0.1)]
    body = cushion((0.06, 0.085, 0.11), (-0.06, 0.0, 0.22))
    head = cushion((0.05, 0.045, 0.055), (-0.05, 0.0, 0.38))
    return (
        look(SEAT, post, *seat, material="plastic"),
        look(SKI, *skis),
        look(SUIT, body, *legs, *arms, material="felt"),
        look(FACE, head, material="plastic"),
    )


def platform(data: PlatformData) -> list[Look]:
    """The upper plate on the balls of the legs, and the skier."""
    top = 0.5 * joint_size(data) + THICK
    lifted = np.array([[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, top]])
    person = [replace(part, place=part.place + lifted) for part in skier()]
    return [look(PLATE, plate(data.tops, top)), *person]


def scenery(data: PlatformData) -> list[Look]:
    """Rails of Y on the floor."""
    x, reach = rail_end(data), data.limits["table.y"].high + radius(data.feet)
    rails = [bar((side * x, -reach, RAIL_Y), (side * x, reach, RAIL_Y), RAIL_RADIUS) for side in (-1, 1)]
    sills = [block((side * x - 0.04, -reach, FLOOR), (side * x + 0.04, reach, -0.125)) for side in (-1, 1)]
    return [look(RAIL, *rails, material="steel"), look(PLATE, *sills)]
