"""Looks of the crash: the truck, rows of honeycomb, and a car or a bus whose front consists of the cells that crush."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symbody.machines.crash.vehicle import AXLE, CELLS, ROWS, VEHICLES, Vehicle
from symbody.model.model import Model
from symbody.vehicles.attenuator import SPACING
from symbody.vehicles.attenuator_looks import honeycomb
from symbody.visual.scene import Look, along, cuboid

BED, CAB = ((4.5, 2.4, 0.5), (2.25, 0.0, 0.95)), ((1.9, 2.4, 2.2), (5.6, 0.0, 1.8))  # edges and middle (m) of the truck
BOARD = (0.1, 2.4, 1.6), (0.05, 0.0, 1.9)  # the warning board behind the bed
TRUCK_WHEELS = 0.5, 0.3, (1.0, 2.2, 5.6), 1.0  # radius, width, places ahead of the rear end, half of the track (m)
WIDE = 0.32  # m, of a wheel of the vehicle, which stands out of the body
FLOOR, NOSE = 0.2, 0.6  # m, of the vehicle above the road, and the height of a cell of its front
AMBER, WHITE, RUBBER, GLASS = "#e0962a", "#e4e7ea", "#2b2e33", "#4a5b6b"
PAINTS = ("#2f6fb0", "#3c7fc2")  # of the vehicle, and of cells in turn
Y = np.array([0.0, 1.0, 0.0])


def looks(model: Model) -> Mapping[str, Sequence[Look]]:
    """Looks by body."""
    rows = [[body for name, body in model.bodies.items() if name.startswith(f"row{k + 1}_")] for k in range(ROWS)]
    corners = {name: np.array(point.position) for name, point in model.bodies["vehicle"].points.items() if "_" in name}
    front = max(float(place[0]) for place in corners.values())
    vehicle = next(one for one in VEHICLES.values() if one.axles[0] == front)
    made = {name: look for row in rows for name, look in honeycomb(row, SPACING).items()}
    return made | {"truck": truck(), "vehicle": body(vehicle, list(corners.values()))} | members(model, vehicle)


def truck() -> list[Look]:
    """Bed, cabin and warning board; the origin is at the rear end, on the road."""
    radius, wide, places, aside = TRUCK_WHEELS
    middles = [np.array([x, side * aside, radius]) for x in places for side in (-1, 1)]
    parts = [Look("box", cuboid(*BED), RUBBER), Look("box", cuboid(*CAB), WHITE), Look("box", cuboid(*BOARD), AMBER)]
    return parts + [wheel(middle, radius, wide) for middle in middles]


def body(v: Vehicle, corners: Sequence[np.ndarray]) -> list[Look]:
    """The part that does not crush, with its wheels; the origin is the centre of mass."""
    low, high = FLOOR - v.centre, v.roof - v.centre
    belt = low + 0.5 * (high - low)
    ends = -v.axles[1] - v.tail, v.front - v.crush
    length, middle, wide = ends[1] - ends[0], 0.5 * sum(ends), ROWS * SPACING
    lower = Look("box", cuboid((length, wide, belt - low), (middle, 0.0, 0.5 * (low + belt))), PAINTS[0])
    cabin = Look(
        "box",
        cuboid((length - v.bonnet, 0.9 * wide, high - belt), (middle - 0.5 * v.bonnet, 0.0, 0.5 * (belt + high))),
        GLASS,
    )
    return [lower, cabin, *(wheel(place, AXLE, WIDE) for place in corners)]


def members(model: Model, v: Vehicle) -> dict[str, list[Look]]:
    """Cells of the front: each reaches from its body back to the one before."""
    cells = [one for name, one in model.bodies.items() if name.startswith("member")]
    long = v.crush / CELLS
    place = (-0.5 * long, 0.0, 0.0)
    return {
        cell.name: [Look("box", cuboid((long, SPACING, NOSE), place), PAINTS[k % 2])] for k, cell in enumerate(cells)
    }


def wheel(middle: np.ndarray, radius: float, wide: float) -> Look:
    """A wheel with its axle along y."""
    return Look("cylinder", along(Y, middle - 0.5 * wide * Y, radius, wide), RUBBER)
