"""Looks of the excavator and of its site: boxes in the sizes of the model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import atan2, cos, hypot, pi, sin

import numpy as np

from symbody.machines.excavator.model import BOOM, DIPPER, DIPPER_ROD, EYE, HINGE, LINK, PINS, ROCKER
from symbody.machines.excavator.obstacles import FLOOR, INSIDE, PLACE, POLE, RIM, WALL, hopper_centre
from symbody.machines.excavator.options import BUCKETS
from symbody.machines.excavator.site import BELT, WHEEL, WHEELS
from symbody.visual.scene import Look, StretchedLook

YELLOW, DARK, STEEL, GLASS, CHROME = "#e2a51c", "#33373b", "#6f757b", "#22303a", "#c3c9cf"


def block(
    size: Sequence[float], centre: Sequence[float], colour: str, pitch: float = 0.0, yaw: float = 0.0, **more: str
) -> Look:
    """A box of full lengths (m) around a centre, turned about axis 2, then about axis 3."""
    turn = np.array([[cos(pitch), 0.0, sin(pitch)], [0.0, 1.0, 0.0], [-sin(pitch), 0.0, cos(pitch)]])
    about = np.array([[cos(yaw), -sin(yaw), 0.0], [sin(yaw), cos(yaw), 0.0], [0.0, 0.0, 1.0]])
    return Look("box", np.column_stack([about @ turn * np.asarray(size), centre]), colour, **more)  # type: ignore[arg-type]


def beam(ends: Sequence[tuple[float, float]], wide: float, tall: float, colour: str, y: float = 0.0) -> list[Look]:
    """Boxes along a line of points (x, z)."""
    return [
        block(
            (hypot(x1 - x0, z1 - z0) + 0.1, wide, tall),
            ((x0 + x1) / 2, y, (z0 + z1) / 2),
            colour,
            -atan2(z1 - z0, x1 - x0),
        )
        for (x0, z0), (x1, z1) in pairwise(ends)
    ]


def looks() -> dict[str, Sequence[Look]]:
    """Looks by body."""
    crawler = [
        block((WHEELS[-1] - WHEELS[0], BELT, 2 * WHEEL), (0.0, 0.0, 0.0), DARK),
        *(wheel_look(x) for x in (WHEELS[0], WHEELS[-1])),
    ]
    boom = [(0.0, 0.0), (1.7, 0.45), (2.8, 0.55), (BOOM, 0.0)]
    return {
        "undercarriage": [
            block((1.8, 2.0, 0.35), (0.0, 0.0, 0.15), DARK),
            block((1.0, 1.0, 0.3), (0.0, 0.0, 0.42), STEEL),
        ],
        "left_crawler": crawler,
        "right_crawler": crawler,
        "upper": [
            block((3.2, 2.3, 0.35), (-0.7, 0.0, 0.2), DARK),
            block((1.7, 2.3, 0.9), (-1.4, 0.0, 0.8), YELLOW),
            block((0.5, 2.3, 0.9), (-2.2, 0.0, 0.75), STEEL),
            block((1.3, 0.85, 1.35), (0.35, 0.72, 1.0), YELLOW),
            block((1.0, 0.9, 0.7), (0.45, 0.72, 1.25), GLASS, material="glass"),
            block((0.6, 0.5, 0.6), (HINGE[0], 0.0, 0.45), YELLOW),
        ],
        "boom": [*beam(boom, 0.36, 0.4, YELLOW), *cylinders("boom")],
        "dipper": [*beam([(-0.62, 0.12), (0.0, 0.12), (DIPPER, 0.0)], 0.28, 0.32, YELLOW), *cylinders("dipper")],
        "rocker": [*beam([(0.0, 0.0), (ROCKER, 0.0)], 0.36, 0.08, STEEL), *cylinders("bucket")],
        "link": beam([(0.0, 0.0), (LINK, 0.0)], 0.22, 0.09, STEEL),
        "bucket": bucket_looks(),
    }


def bucket_looks() -> list[Look]:
    """The plates of the large bucket, its ears and teeth."""
    plates = [Look("box", np.column_stack([one.rotation * one.size, one.centre]), STEEL) for one in BUCKETS["L"].boxes]
    ears = [*beam([(0.0, 0.0), EYE, (0.15, 0.4), (0.0, 0.0)], 0.3, 0.08, STEEL)]
    teeth = [block((0.2, 0.1, 0.06), (1.2, y, -0.03), CHROME) for y in np.linspace(-0.5, 0.5, 5)]
    return [*plates, *ears, *teeth]


def wheel_look(x: float) -> Look:
    """An end of a crawler: a cylinder along axis 2."""
    turned = np.array([[WHEEL, 0.0, 0.0], [0.0, 0.0, BELT], [0.0, -WHEEL, 0.0]])
    return Look("cylinder", np.column_stack([turned, (x, 0.0, 0.0)]), DARK)


def cylinders(name: str) -> list[Look]:
    """Tube and rod of both cylinders of a function, on the body of their eyes."""
    (other, foot), (_, eye) = PINS[name]
    made: list[Look] = []
    for sign in (1.0, -1.0):
        ends = np.array([(eye[0], sign * eye[1], eye[2]), (foot[0], sign * foot[1], foot[2])])
        made.append(StretchedLook("cylinder", ends, CHROME, other=other, radius=DIPPER_ROD / 2))
    return made


def scenery() -> list[Look]:
    """The hopper on its legs, and the pole."""
    x, y = hopper_centre()
    way, tall, out = PLACE[1], RIM - FLOOR, INSIDE / 2 + WALL / 2
    ahead, aside = np.array([cos(way), sin(way)]), np.array([-sin(way), cos(way)])

    def at(u: float, v: float, z: float) -> tuple[float, float, float]:
        return x + u * ahead[0] + v * aside[0], y + u * ahead[1] + v * aside[1], z

    middle = FLOOR + tall / 2
    parts = [block((INSIDE, INSIDE, WALL), at(0.0, 0.0, FLOOR - WALL / 2), STEEL, yaw=way)]
    for sign in (-1.0, 1.0):
        parts.append(block((WALL, INSIDE + 2 * WALL, tall), at(sign * out, 0.0, middle), "#b5482f", yaw=way))
        parts.append(block((INSIDE, WALL, tall), at(0.0, sign * out, middle), "#b5482f", yaw=way))
        for other in (-1.0, 1.0):
            parts.append(block((0.15, 0.15, FLOOR), at(sign * 1.1, other * 1.1, FLOOR / 2), DARK, yaw=way))
    (far, turn), half, high = POLE
    pole = block((2 * half, 2 * half, high), (far * cos(turn), far * sin(turn), high / 2), "#8a6b45")
    bar = block((2 * half, 1.6, 0.12), (far * cos(turn), far * sin(turn), high - 0.4), "#8a6b45", yaw=turn + pi / 2)
    return [*parts, pole, bar]
