"""Looks of the car in the studio, and its surroundings; rods, struts and anti-roll bars look as in any model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from symbody.machines.car.bodywork import TAIL, body, bonnet, chassis, roof, tail_lamps, windows
from symbody.vehicles.axles import HEIGHT, TRACK
from symbody.vehicles.corner import HALVES
from symbody.vehicles.road import LENGTH, WIDTH, Road
from symbody.vehicles.road_scenery import cones, gates, lanes, posts, trees
from symbody.vehicles.wheel_looks import carrier, steering_wheel, wheel
from symbody.visual.scene import Look, placed
from symbody.visual.surfaces import look

STOPPED, PANE = "#c9a227", "#39424b"


def looks() -> dict[str, Sequence[Look]]:
    """Looks by the bodies of `driven_car`."""
    wheels = {f"{half.name}_wheel": wheel(half.side) for half in HALVES}
    carriers = {f"{half.name}_carrier": carrier(half) for half in HALVES}
    return {"chassis": chassis(), "wheel": steering_wheel(), **wheels, **carriers}


def scenery(road: Road) -> list[Look]:
    """A road with its surroundings, and the obstacle with its cones."""
    return [*lanes(road), *posts(road), *trees(road), *cones(gates(road)), *stopped_car(road)]


def stopped_car(road: Road) -> list[Look]:
    """A stopped car of the size of the obstacle."""
    (begin, end), (right, left) = road.obstacle
    middle = np.array(((begin + end) / 2.0, (right + left) / 2.0, HEIGHT))
    size = np.diag(((end - begin) / LENGTH, (left - right) / WIDTH, 1.0))
    shell = [
        look(STOPPED, body(), bonnet(), roof()),
        look(PANE, *windows(), material="glass"),
        look(TAIL, tail_lamps(), material="glass"),
    ]
    wheels = [
        replace(part, place=placed(np.add(middle, (half.axle.x, half.side * TRACK, 0.0))))
        for half in HALVES
        for part in wheel(half.side)
    ]
    return [replace(part, place=np.column_stack([size, middle])) for part in shell] + wheels
