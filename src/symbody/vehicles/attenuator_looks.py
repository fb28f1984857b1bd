"""Looks of an attenuator: a slice of honeycomb for each cell, and the steel plate at its free end."""

from __future__ import annotations

from collections.abc import Sequence

from symbody.model.body import Body
from symbody.vehicles.attenuator import BLOCKS, LENGTH
from symbody.visual.scene import Look, cuboid

HIGH = 1.0  # m
PLATE = 0.02  # m, thickness at the free end
STEEL = "#78828d"
HONEYCOMB = ("#d9a93f", "#c48f2c")  # of blocks in turn


def honeycomb(cells: Sequence[Body], wide: float) -> dict[str, list[Look]]:
    """Looks of one row by body: a cell is between its body and the one before, and overlaps that one when crushed."""
    thick, made = BLOCKS * LENGTH / len(cells), {}
    for k, body in enumerate(cells):
        colour = HONEYCOMB[k * BLOCKS // len(cells) % len(HONEYCOMB)]
        made[body.name] = [Look("box", cuboid((thick, wide, HIGH), (0.5 * thick, 0.0, 0.0)), colour)]
    made[cells[-1].name].append(Look("box", cuboid((PLATE, wide, HIGH), (-0.5 * PLATE, 0.0, 0.0)), STEEL))
    return made
