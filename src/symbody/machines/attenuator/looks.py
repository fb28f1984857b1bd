"""Looks of the attenuator: a slice of honeycomb for each cell, the steel plate, and the impactor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symbody.model.model import Model
from symbody.vehicles.attenuator import BLOCKS, LENGTH
from symbody.visual.scene import Look, transform

WIDE, HIGH = 1.4, 1.0  # m, of a cartridge of 1.4 m²
PLATE = 0.02  # m, thickness at the free end
IMPACTOR = (1.6, 1.2, 0.8)  # m
STEEL, PAINT = "#78828d", "#b5503c"
HONEYCOMB = ("#d9a93f", "#c48f2c")  # of blocks in turn


def looks(model: Model) -> Mapping[str, Sequence[Look]]:
    """Looks by body: a cell is between its body and the one before, and overlaps that one when it is crushed."""
    cells = [body for name, body in model.bodies.items() if name.startswith("row")]
    thick, made = BLOCKS * LENGTH / len(cells), {}
    for k, body in enumerate(cells):
        colour = HONEYCOMB[k * BLOCKS // len(cells) % len(HONEYCOMB)]
        made[body.name] = [_box((thick, WIDE, HIGH), 0.5 * thick, colour)]
    last = cells[-1].name
    made[last].append(_box((PLATE, WIDE, HIGH), -0.5 * PLATE, STEEL))
    return made | {"impactor": [_box(IMPACTOR, -0.5 * IMPACTOR[0], PAINT)]}


def _box(edges: tuple[float, float, float], x: float, colour: str) -> Look:
    return Look("box", transform(np.diag(edges), (x, 0.0, 0.0)), colour)
