"""How the platform looks: rails, sliders, plates, legs, and a skier who sits on it."""

from __future__ import annotations

import numpy as np

from symbody.machines.platform.data import LEGS, Array, PlatformData
from symbody.visual.scene import Look
from symbody.visual.surfaces import bar, block, cushion, look, solid

RAIL, SLIDER, PLATE, TUBE, ROD, JOINT = "#8d959e", "#3f6ea8", "#4b5560", "#d08a2c", "#c9ced4", "#2c3138"
SEAT, SUIT, FACE, SKI = "#2f3a45", "#b3312a", "#e8c9a8", "#e6e2d3"
THICK = 0.012  # m, of the plates
FLOOR = -0.14  # m, below O_l
TUBE_LENGTH, ROD_LENGTH = 0.25, 0.42  # m; the rod reaches into the tube in all of the usual range


def looks(data: PlatformData) -> dict[str, list[Look]]:
    """By body."""
    made = {"table_y": table_y(data), "table_x": table_x(data), "platform": platform(data)}
    for leg in LEGS:
        made |= {f"yoke{leg}": [look(JOINT, cushion((0.016, 0.016, 0.016)))], f"cylinder{leg}": cylinder(data)}
        made |= {f"rod{leg}": rod(data)}
    return made


def table_y(data: PlatformData) -> list[Look]:
    """A carriage that slides along y and carries the rails of X."""
    reach = data.limits["table.x"].high + 0.3
    rails = [bar((-reach, y, -0.075), (reach, y, -0.075), 0.014) for y in (-0.16, 0.16)]
    ends = [block((side * reach - 0.03, -0.22, -0.1), (side * reach + 0.03, 0.22, -0.055)) for side in (-1, 1)]
    feet = [block((side * reach - 0.05, -0.1, -0.125), (side * reach + 0.05, 0.1, -0.09)) for side in (-1, 1)]
    return [look(RAIL, *rails), look(SLIDER, *ends, *feet)]


def table_x(data: PlatformData) -> list[Look]:
    """The X slider with the lower plate and the joints' seats."""
    blocks = [
        block((x - 0.06, y - 0.035, -0.095), (x + 0.06, y + 0.035, -0.05)) for x in (-0.15, 0.15) for y in (-0.16, 0.16)
    ]
    return [look(SLIDER, *blocks), look(PLATE, plate(data.feet, -0.03))]


def plate(anchors: Array, top: float) -> Array:
    """A plate through the anchors, a little wider, below a height."""
    around = 1.12 * anchors[:, :2]
    return solid(np.vstack([np.column_stack([around, np.full(6, z)]) for z in (top - THICK, top)]))


def cylinder(data: PlatformData) -> list[Look]:
    """The tube along −y of its frame, with the motor beside its foot."""
    tube = bar((0.0, 0.0, 0.0), (0.0, -TUBE_LENGTH, 0.0), data.legs.radius)
    motor = bar((0.04, -0.02, 0.0), (0.04, -0.11, 0.0), 0.02)
    return [look(TUBE, tube), look(JOINT, motor)]


def rod(data: PlatformData) -> list[Look]:
    """The rod hangs below its ball."""
    return [
        look(ROD, bar((0.0, 0.0, 0.0), (0.0, 0.0, -ROD_LENGTH), 0.5 * data.legs.radius)),
        look(JOINT, cushion((0.014, 0.014, 0.014))),
    ]


def platform(data: PlatformData) -> list[Look]:
    """The upper plate, a seat, a skier of the humanoid's size that stands in for a person, and skis; x is ahead."""
    seat = [cushion((0.1, 0.1, 0.03), (-0.02, 0.0, 0.09)), cushion((0.02, 0.1, 0.12), (-0.12, 0.0, 0.2))]
    skis = [cushion((0.22, 0.02, 0.008), (0.05, y, 0.035)) for y in (-0.07, 0.07)]
    legs = [bar((-0.02, y, 0.14), (0.14, 0.8 * y, 0.14), 0.03) for y in (-0.06, 0.06)]
    legs += [bar((0.14, 0.8 * y, 0.14), (0.15, y, 0.045), 0.025) for y in (-0.06, 0.06)]
    arms = [bar((-0.06, y, 0.3), (0.1, 1.3 * y, 0.23), 0.02) for y in (-0.1, 0.1)]
    body = cushion((0.06, 0.085, 0.11), (-0.06, 0.0, 0.24))
    return [
        look(PLATE, plate(data.tops, 0.02)),
        look(SEAT, *seat),
        look(SKI, *skis),
        look(SUIT, body, *legs, *arms),
        look(FACE, cushion((0.05, 0.045, 0.055), (-0.05, 0.0, 0.41))),
    ]


def scenery(data: PlatformData) -> list[Look]:
    """Rails of Y on the floor."""
    x, reach = data.limits["table.x"].high + 0.3, data.limits["table.y"].high + 0.25
    rails = [bar((side * x, -reach, -0.115), (side * x, reach, -0.115), 0.014) for side in (-1, 1)]
    sills = [block((side * x - 0.04, -reach, FLOOR), (side * x + 0.04, reach, -0.125)) for side in (-1, 1)]
    return [look(RAIL, *rails), look(PLATE, *sills)]
