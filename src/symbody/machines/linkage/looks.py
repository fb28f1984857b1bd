"""Looks of the linkage: the world in brass, steel and beech; local model, proxy and handle in blue."""

from __future__ import annotations

from symbody.haptics.steps import HANDLE
from symbody.haptics.thesis_scenes.three_link import LENGTHS, WIDTH
from symbody.haptics.two_rates.world_thread import GHOST
from symbody.machines.linkage.arena import HALF, LINKS, obstacles
from symbody.machines.linkage.two_rates import BLOCK
from symbody.visual.scene import Look
from symbody.visual.surfaces import block, look

COLOURS = ("#8a8f98", "#b58b3b", "#c9a24a")
BLUE, PALE, BEECH, BOARD, IRON, OAK = "#4aa3ff", "#7fb4e6", "#c49a6c", "#efe9d8", "#5b6068", "#8a5a33"
DEEP = 0.006  # m, half of the thickness of walls and links
STEP = 0.0008  # m, offset of a link above the one before
PROXY_AT, PROXY_THICK, PROXY_OPACITY = 0.75 * DEEP, 0.15 * DEEP, 0.5  # m, m: a pane above the world


def looks() -> dict[str, list[Look]]:
    """Looks by body: the linkage of the world, above it the proxy as a pane, and the handle."""
    made: dict[str, list[Look]] = {}
    half = WIDTH / 2
    for k, (name, length, colour) in enumerate(zip(LINKS, LENGTHS, COLOURS, strict=True)):
        up = k * STEP
        bar = look(colour, block((0.0, -half, -DEEP / 2 + up), (length, half, DEEP / 2 + up)), material="steel")
        pin = look(
            IRON, block((-0.3 * half, -0.3 * half, -DEEP / 2), (0.3 * half, 0.3 * half, 0.7 * DEEP)), material="steel"
        )
        made[f"{GHOST}_{name}"] = [bar, pin]
        low = PROXY_AT + up
        pane = look(BLUE, block((0.0, -half, low), (length, half, low + PROXY_THICK)))
        made[f"arm_{name}"] = [Look(pane.mesh, pane.place, pane.colour, PROXY_OPACITY)]
    made[HANDLE] = [look(PALE, block((-0.6 * half, -0.6 * half, 1.5 * DEEP), (0.6 * half, 0.6 * half, 2.5 * DEEP)))]
    made["block"] = [
        look(OAK, block((-BLOCK / 2, -BLOCK / 2, -DEEP / 2), (BLOCK / 2, BLOCK / 2, DEEP / 2)), material="wood")
    ]
    return made


def scenery() -> list[Look]:
    """Walls and post on a board, and the base with its pin."""
    standing = []
    for shape in obstacles().values():
        low, high = shape.points.min(axis=0), shape.points.max(axis=0)
        standing.append(block((low[0], low[1], -DEEP), (high[0], high[1], DEEP)))
    board = block((-HALF[0], -HALF[1], -1.8 * DEEP), (HALF[0], HALF[1], -1.2 * DEEP))
    base = block((-WIDTH, -WIDTH, -1.2 * DEEP), (WIDTH, WIDTH, -0.6 * DEEP))
    thin = 0.15 * WIDTH
    pin = block((-thin, -thin, -0.6 * DEEP), (thin, thin, PROXY_AT + PROXY_THICK))
    return [
        look(BEECH, *standing, material="wood"),
        look(BOARD, board, material="felt"),
        look(IRON, base, pin, material="steel"),
    ]
