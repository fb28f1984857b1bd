"""Looks of wheels with marks that show their rotation, of wheel carriers with brakes, and of a steering wheel."""

from __future__ import annotations

import numpy as np

from symbody.elements.tyre_slip import Tyre
from symbody.files.mesh import Array
from symbody.vehicles.axles import FRONT, TRACK
from symbody.vehicles.corner import Half
from symbody.visual.materials import Material
from symbody.visual.scene import Look
from symbody.visual.surfaces import about_y, bar, cushion, look, mirrored, moved, solid, turned

RUBBER, METAL, CAST, CALIPER, MARK, TRIM = "#26282b", "#c6ccd3", "#8b939c", "#c8452f", "#e8c547", "#2c3138"
TYRE = Tyre().radius
RIM, WIDE = 0.216, 0.10  # m: 17 inches; half of the width
SPOKES = 5
DISC = [(0.05, -0.045), (0.15, -0.045), (0.15, -0.02), (0.05, -0.02)]  # m: radii and places along the axle
CAP = [(0.0, 0.05), (0.055, 0.05), (0.055, 0.082), (0.03, 0.09), (0.0, 0.09)]
GRASPED, THICK = 0.185, 0.0155  # m: the steering wheel's radius, and that of its rim
BEHIND = 0.25  # m, of the column
ONTO_AXIS_1 = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # from axis 2


def wheel(side: int) -> list[Look]:
    """Tyre with two marks, rim with spokes, brake disc; on the left (side 1) y > 0 is outside."""
    tread = [(RIM, 1.0), ((RIM + TYRE) / 2.0, 1.12), (0.94 * TYRE, 1.05), (0.985 * TYRE, 0.86), (TYRE, 0.5)]
    tyre = turned([(r, -WIDE * y) for r, y in tread] + [(r, WIDE * y) for r, y in tread[::-1]])
    inside = turned([(RIM + 0.008, WIDE), (RIM - 0.012, 0.96 * WIDE), (RIM - 0.016, -WIDE)])
    spokes = [moved(spoke(), (0.0, 0.0, 0.0), about_y(turn)) for turn in 2.0 * np.pi * np.arange(SPOKES) / SPOKES]
    mark = bar((0.24, 1.06 * WIDE, 0.0), (0.285, 1.07 * WIDE, 0.0), 0.014)
    marks = [mark, mark * (-1.0, 1.0, -1.0)]
    made: list[tuple[str, Material, list[Array]]] = [
        (RUBBER, "rubber", [tyre]),
        (METAL, "steel", [inside, turned(CAP, 20), *spokes]),
        (CAST, "steel", [turned(DISC)]),
        (MARK, "paint", marks),
    ]
    return [
        look(colour, *(s if side > 0 else mirrored(s) for s in all_of), material=material)
        for colour, material, all_of in made
    ]


def spoke() -> Array:
    """From the cap to the rim, thinner outside."""
    ends = ((0.03, 0.055, 0.028, 0.022), (0.203, 0.067, 0.02, 0.016))  # radius, y, half the width, thickness
    places = [[(r, y, w), (r, y, -w), (r, y + t, 0.78 * w), (r, y + t, -0.78 * w)] for r, y, w, t in ends]
    return solid(np.concatenate(places))


def carrier(half: Half) -> list[Look]:
    """A forged knuckle with arms from the bearing to all joints, and the brake caliper."""
    inner, outer = (half.on_carrier((0.0, TRACK - inside, 0.0)) for inside in (0.12, 0.04))
    rods = [half.axle.spring_link, *half.axle.rods.values()]
    arms = [bar(inner, half.on_carrier(rod.outer), 0.03, 0.55) for rod in rods]
    along = -1.0 if half.axle is FRONT else 1.0
    pads = moved(
        cushion((0.035, 0.035, 0.075)), half.on_carrier((0.125 * along, TRACK - 0.033, 0.07)), about_y(-0.5 * along)
    )
    return [look(CAST, *arms, bar(inner, outer, 0.05), material="steel"), look(CALIPER, pads)]


def steering_wheel() -> list[Look]:
    """Rim, three spokes, hub, column and a mark at the top, about axis 1, which points at the driver."""
    round_ = np.linspace(-np.pi / 2.0, 1.5 * np.pi, 13)
    rim = turned([(GRASPED + THICK * np.cos(a), THICK * np.sin(a)) for a in round_], 40)
    spokes = [_wheel_spoke(a) for a in (0.0, np.pi, -np.pi / 2.0)]
    hub = cushion((0.028, 0.075, 0.055), (-0.006, 0.0, 0.0))
    mark = bar((0.0, -0.012, GRASPED), (0.0, 0.012, GRASPED), 1.25 * THICK)
    column = bar((0.0, 0.0, 0.0), (-BEHIND, 0.0, 0.0), 0.022)
    return [
        look(TRIM, moved(rim, (0.0, 0.0, 0.0), ONTO_AXIS_1), hub, column, material="rubber"),
        look(METAL, *spokes, material="steel"),
        look(MARK, mark),
    ]


def _wheel_spoke(angle: float) -> Array:
    out, across = np.array((0.0, np.cos(angle), np.sin(angle))), np.array((0.0, np.sin(angle), -np.cos(angle)))
    ends = ((0.045, 0.028, (-0.012, 0.0)), (GRASPED, 0.014, (-0.008, 0.004)))  # radius, half the width, thickness
    return solid([r * out + side * w * across + (x, 0.0, 0.0) for r, w, t in ends for x in t for side in (1.0, -1.0)])
