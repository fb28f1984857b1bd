"""How the linkage looks: links of brass and steel on a base, a pale handle, walls of beech."""

from __future__ import annotations

from symbody.haptics.experiments.three_link import LENGTHS, WIDTH
from symbody.haptics.steps import HANDLE
from symbody.machines.linkage.arena import HALF, LINKS, obstacles
from symbody.visual.scene import Look
from symbody.visual.surfaces import block, look

COLOURS = ("#8a8f98", "#b58b3b", "#c9a24a")
PALE, BEECH, BOARD, IRON = "#7fb4e6", "#c49a6c", "#efe9d8", "#5b6068"
DEEP = 0.006  # m, half of the thickness of all that stands on the board
STEP = 0.0008  # m, by which a link lies above the one before


def looks() -> dict[str, list[Look]]:
    """By body."""
    made: dict[str, list[Look]] = {}
    half = WIDTH / 2
    for k, (name, length, colour) in enumerate(zip(LINKS, LENGTHS, COLOURS, strict=True)):
        up = k * STEP
        bar = look(colour, block((0.0, -half, -DEEP / 2 + up), (length, half, DEEP / 2 + up)))
        pin = look(IRON, block((-0.3 * half, -0.3 * half, -DEEP / 2), (0.3 * half, 0.3 * half, DEEP + up)))
        made[f"arm_{name}"] = [bar, pin]
    made[HANDLE] = [look(PALE, block((-0.6 * half, -0.6 * half, DEEP), (0.6 * half, 0.6 * half, 2.5 * DEEP)))]
    return made


def scenery() -> list[Look]:
    """Walls and post, the board that they stand on, the base."""
    standing = []
    for shape in obstacles().values():
        low, high = shape.points.min(axis=0), shape.points.max(axis=0)
        standing.append(block((low[0], low[1], -DEEP), (high[0], high[1], DEEP)))
    board = block((-HALF[0], -HALF[1], -1.8 * DEEP), (HALF[0], HALF[1], -1.2 * DEEP))
    base = block((-WIDTH, -WIDTH, -1.2 * DEEP), (WIDTH, WIDTH, -0.6 * DEEP))
    return [look(BEECH, *standing), look(BOARD, board), look(IRON, base)]
