"""Looks of the tractor: bonnet, cabin, axles, wheels, and the loader with its bucket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symbody.files.mesh import Array
from symbody.machines.tractor.model import AXLES, SIDES, bucket_boxes, numbers
from symbody.vehicles.chassis import corner_name
from symbody.visual.scene import Look
from symbody.visual.surfaces import about_y, bar, block, look, moved, solid, turned

PAINT, STEEL, DARK, GLASS, RUBBER, RIM, TOOL = (
    "#2f7d3b",
    "#8b939c",
    "#2c3138",
    "#b9d4e6",
    "#26282b",
    "#d9b02c",
    "#565c62",
)
LUGS = 18
Point = Sequence[float] | Array


def looks() -> Mapping[str, Sequence[Look]]:
    """Looks by body."""
    of = numbers()["bodies"]
    wheels = {corner_name(axle, side): wheel(axle) for axle in AXLES for side in SIDES}
    return {
        "frame": frame(), "cabin": cabin(), "front_axle": front_axle(), "arm": arm(), **wheels,
        "tie_rod": [look(STEEL, bar((0.0, 0.0, 0.0), of["pivot_right"]["at"], 0.025), material="steel")],
        "pivot_left": [knuckle((0.0, 0.0, 0.0), of["tie_rod"]["at"], 1)],
        "pivot_right": [knuckle(numbers()["points"]["pivot_right.king_pin"], (0.0, 0.0, 0.0), -1)],
        "cross_tube": [look(PAINT, bar((0.0, -0.5, 0.0), (0.0, 0.5, 0.0), 0.08))],
        "plate": [pair(STEEL, [(0.0, 0.0, -0.05), of["levelling_rod"]["at"], (0.2, 0.0, 0.33)], 0.40, 0.025)],
        "levelling_rod": [rods(STEEL, (0.0, 0.0, 0.0), numbers()["points"]["levelling_rod.pin"], 0.40)],
        "rocker": [pair(PAINT, [(0.0, 0.0, -0.04), of["coupler"]["at"], (0.2, 0.0, 0.33)], 0.40, 0.03)],
        "coupler": [rods(STEEL, (0.0, 0.0, 0.0), of["bucket"]["at"], 0.36, 0.03)],
        "bucket": bucket(),
    }  # fmt: skip


def rods(colour: str, start: Point, end: Point, aside: float, radius: float = 0.03) -> Look:
    """Bars on both sides."""
    made = [bar(np.add(start, (0.0, y, 0.0)), np.add(end, (0.0, y, 0.0)), radius) for y in (aside, -aside)]
    return look(colour, *made, material="steel")


def pair(colour: str, corners: Sequence[Point], aside: float, half: float) -> Look:
    """Flat plates with these corners on both sides."""
    made = [solid([np.add(c, (0.0, y + s * half, 0.0)) for c in corners for s in SIDES]) for y in (aside, -aside)]
    return look(colour, *made)


def frame() -> list[Look]:
    """Gear box, bonnet with grille and exhaust, masts of the loader, fenders."""
    bonnet = [(0.85, y, z) for y in (-0.36, 0.36) for z in (0.05, 0.82)] + [
        (2.75, y, z) for y in (-0.3, 0.3) for z in (0.0, 0.66)
    ]
    masts = [block((0.95, y - 0.06, 0.0), (1.35, y + 0.06, 1.12)) for y in (-0.5, 0.5)]
    beam = block((0.95, -0.56, -0.05), (1.35, 0.56, 0.08))
    feet = bar((1.3, -0.5, 0.1), (1.3, 0.5, 0.1), 0.04)
    fenders = [solid(fender(y)) for y in (-0.83, 0.83)]
    axle = bar((0.0, -0.6, 0.0), (0.0, 0.6, 0.0), 0.14)
    return [
        look(PAINT, solid(bonnet), *fenders),
        look(DARK, block((-0.35, -0.28, -0.25), (2.6, 0.28, 0.12)), axle, material="steel"),
        look(PAINT, *masts, beam), look(STEEL, feet, bar((1.5, 0.36, 0.75), (1.5, 0.36, 1.6), 0.04), material="steel"),
        look(DARK, block((2.74, -0.26, 0.06), (2.78, 0.26, 0.58)), material="rubber"),
    ]  # fmt: skip


def fender(y: float) -> list[Array]:
    """An arch above a rear wheel."""
    r, half = 1.02 * numbers()["wheels"]["rear"]["radius"], numbers()["wheels"]["rear"]["width"] / 2.0
    turn = np.linspace(0.25 * np.pi, 0.8 * np.pi, 8)
    return [
        np.array((k * r * np.cos(a), y + s * half, k * r * np.sin(a)))
        for a in turn
        for s in SIDES
        for k in (1.02, 1.06)
    ]


def cabin() -> list[Look]:
    """Posts, roof, panes, seat and floor."""
    x, y, z = (-0.75, 0.65), 0.62, (-0.1, 1.42)
    posts = [bar((a, s * y, z[0]), (0.92 * a, 0.95 * s * y, z[1]), 0.04) for a in x for s in SIDES]
    roof = block((-0.85, -0.68, z[1]), (0.75, 0.68, z[1] + 0.1))
    panes = [block((-0.72, s * y - 0.005, 0.25), (0.62, s * y + 0.005, z[1])) for s in SIDES]
    seat = [block((-0.45, -0.24, 0.3), (0.05, 0.24, 0.4)), block((-0.5, -0.24, 0.35), (-0.4, 0.24, 0.95))]
    column = bar((0.55, 0.0, 0.15), (0.38, 0.0, 0.62), 0.03)
    return [
        look(DARK, *posts, block((-0.75, -0.5, -0.12), (0.7, 0.5, 0.0)), *seat, column, material="rubber"),
        look(PAINT, roof),
        look(GLASS, *panes, material="glass"),
    ]


def front_axle() -> list[Look]:
    """A beam between the king pins, and its bearing under the frame."""
    half = numbers()["bodies"]["pivot_left"]["at"][1]
    return [
        look(
            DARK,
            bar((0.0, -half, 0.0), (0.0, half, 0.0), 0.09),
            block((-0.15, -0.2, -0.08), (0.15, 0.2, 0.2)),
            material="steel",
        )
    ]


def knuckle(pin: Point, lever: Point, side: int) -> Look:
    """King pin, stub axle and steering arm."""
    out = numbers()["wheels"]["front"]["track"] / 2.0 - numbers()["bodies"]["pivot_left"]["at"][1]
    upright = bar(np.add(pin, (0.0, 0.0, -0.14)), np.add(pin, (0.0, 0.0, 0.14)), 0.06)
    return look(
        STEEL, upright, bar(pin, np.add(pin, (0.0, side * out, 0.0)), 0.06), bar(pin, lever, 0.03), material="steel"
    )


def arm() -> list[Look]:
    """Two arms with a knee, from the masts to the bucket."""
    of, points = numbers(), numbers()["points"]
    knee, tip = (1.5, 0.0, -0.25), points["arm.bucket_pin"]
    hinge, rocker, eye = (0.0, 0.0, 0.0), of["bodies"]["rocker"]["at"], of["cylinders"]["lift"]["eye"][1]
    upper = pair(PAINT, [np.add(c, (0.0, 0.0, dz)) for c in (hinge, knee) for dz in (-0.09, 0.09)], 0.48, 0.04)
    lower = pair(PAINT, [np.add(c, (dx, 0.0, 0.0)) for c in (knee, tip) for dx in (-0.1, 0.1)], 0.48, 0.04)
    lugs = pair(PAINT, [rocker, np.add(rocker, (-0.15, 0.0, 0.25)), np.add(rocker, (0.15, 0.0, -0.1))], 0.46, 0.03)
    return [upper, lower, lugs, pair(STEEL, [eye, (1.0, 0.0, -0.15), (1.4, 0.0, -0.2)], 0.46, 0.03)]


def bucket() -> list[Look]:
    """The plates that the soil meets, the edge, and the ears of the pins."""
    made = [
        Look("box", np.column_stack([box.rotation * box.size, box.centre]), TOOL, material="steel")
        for box in bucket_boxes()
    ]
    pin = numbers()["points"]["bucket.pin"]
    return [
        *made,
        pair(
            TOOL,
            [(-0.02, 0.0, 0.04), (-0.06, 0.0, 0.0), np.add(pin, (-0.05, 0.0, 0.0)), np.add(pin, (0.03, 0.0, -0.05))],
            0.44,
            0.03,
        ),
    ]


def wheel(axle: str) -> list[Look]:
    """A tyre with lugs on a rim."""
    size = numbers()["wheels"][axle]
    r, half = size["radius"], size["width"] / 2.0
    rim = 0.58 * r
    profile = [
        (rim, -0.9 * half),
        (0.8 * r, -1.05 * half),
        (0.94 * r, -half),
        (0.95 * r, half),
        (0.8 * r, 1.05 * half),
        (rim, 0.9 * half),
    ]
    lug = [
        solid([(0.02 * r * s, y * half, z * r) for s in (-1.0, 1.0) for z in (0.93, 1.0) for y in ys])
        for ys in ((0.05, 1.0), (-1.0, -0.05))
    ]
    step = 2.0 * np.pi / LUGS
    lugs = [moved(lug[side], (0.0, 0.0, 0.0), about_y((k + 0.5 * side) * step)) for k in range(LUGS) for side in (0, 1)]
    disc = turned([(0.0, -0.3 * half), (rim, -0.6 * half), (rim, 0.6 * half), (0.0, 0.3 * half)])
    return [look(RUBBER, turned(profile), *lugs, material="rubber"), look(RIM, disc)]
