"""Looks of the bench: a brass peg with a pale handle, walls of beech."""

from __future__ import annotations

from symbody.haptics.steps import HANDLE
from symbody.haptics.thesis_scenes.corner import PEG
from symbody.machines.haptic_bench.arena import BOTTOM, CEILING, HALF, walls
from symbody.visual.scene import Look
from symbody.visual.surfaces import block, look

BRASS, PALE, BEECH, BOARD = "#c9a24a", "#7fb4e6", "#c49a6c", "#efe9d8"
DEEP = 0.01  # m, half of the thickness of peg and walls


def looks() -> dict[str, list[Look]]:
    """Looks by body."""
    x, y = PEG[0] / 2, PEG[1] / 2
    peg = look(BRASS, block((-x, -y, -DEEP), (x, y, DEEP)), material="steel")
    knob = look(PALE, block((-0.3 * x, -0.3 * y, DEEP), (0.3 * x, 0.3 * y, 2.2 * DEEP)), material="plastic")
    return {"peg": [peg], HANDLE: [knob]}


def scenery() -> list[Look]:
    """Walls on a board."""
    standing = []
    for shape in walls().values():
        low, high = shape.points.min(axis=0), shape.points.max(axis=0)
        standing.append(block((low[0], low[1], -DEEP), (high[0], high[1], DEEP)))
    board = block((-HALF, BOTTOM, -1.6 * DEEP), (HALF, CEILING, -1.1 * DEEP))
    return [look(BEECH, *standing, material="wood"), look(BOARD, board, material="felt")]
