"""The interactive bench: a peg between walls, a corner, and a hole that is a millimetre wider."""

from __future__ import annotations

from math import pi, sin

import numpy as np

from symbody.haptics.device import HapticDevice, HapticHand
from symbody.haptics.scene import HapticScene
from symbody.haptics.settings import ContactFriction, Rendering, WrenchLimit
from symbody.haptics.shapes import Polygon, rectangle
from symbody.haptics.thesis_scenes.corner import PEG, peg

RATE = 1000.0  # Hz
HALF = 0.08  # m, from the middle to a wall
FLOOR, BOTTOM, CEILING = -0.05, -0.1, 0.06  # m
HOLE = PEG[1] + 0.001  # m: its width
THICK = 0.04  # m, of walls
HAND = HapticHand((300.0, 300.0, 0.6), (25.0, 25.0, 0.05), (0.3, 0.3, 3e-4))  # a firm grip

WAYS = (
    (0.0, (0.0, 0.0, 0.0)), (1.0, (0.07, 0.0, 0.0)), (2.0, (0.07, -0.06, 0.0)), (3.5, (0.07, -0.06, 0.0)),
    (5.0, (0.0, 0.0, pi / 2)), (6.0, (0.0, -0.02, pi / 2)), (8.0, (0.0, -0.085, pi / 2)),
    (9.0, (0.0, -0.085, pi / 2)), (11.0, (0.0, 0.0, pi / 2)), (12.0, (0.0, 0.0, 0.0)),
)  # fmt: skip
# of a scripted hand: s; m, m, rad


def walls() -> dict[str, Polygon]:
    """Walls, a floor in two parts with the hole between them, its bottom, a ceiling."""
    wide = HALF - HOLE / 2
    middle = (HALF + HOLE / 2) / 2
    deep = FLOOR - BOTTOM
    sides = {
        name: rectangle(wide, deep, (side * middle, (FLOOR + BOTTOM) / 2))
        for name, side in (("left floor", -1.0), ("right floor", 1.0))
    }
    tall = CEILING - BOTTOM + 2 * THICK
    centre = (CEILING + BOTTOM) / 2
    return sides | {
        "bottom": rectangle(2 * HALF, THICK, (0.0, BOTTOM - THICK / 2)),
        "ceiling": rectangle(2 * HALF, THICK, (0.0, CEILING + THICK / 2)),
        "left wall": rectangle(THICK, tall, (-HALF - THICK / 2, centre)),
        "right wall": rectangle(THICK, tall, (HALF + THICK / 2, centre)),
    }


def scripted_hand(t: float) -> dict[str, float]:
    """To the right wall, down into the corner, back, upright over the hole, and in; repeated (m, rad)."""
    times = [time for time, _ in WAYS]
    at = [float(np.interp(t % times[-1], times, [place[k] for _, place in WAYS])) for k in range(3)]
    return {"hand_x": at[0] + 2e-4 * sin(9.0 * t), "hand_y": at[1], "hand_turn": at[2]}


def rendering() -> Rendering:
    """Dry friction, and the limits of the thesis' device."""
    return Rendering(friction=ContactFriction("reset-integrator", damping=118.0), limit=WrenchLimit("spread"))


def bench() -> HapticScene:
    """The peg in the middle, in a hand, with dry friction and the limits of the thesis' device.

    Returns
    -------
    HapticScene
        Ready to run.

    Examples
    --------
    >>> from symbody.machines.haptic_bench import bench
    >>> log = bench().run(0.5, pose=(0.07, -0.06, 0.0))  # target of the hand: inside the corner
    >>> int(log["contacts"].max()) > 0
    True
    """
    return HapticScene(
        [peg()],
        walls(),
        tool="peg",
        rate=RATE,
        rendering=rendering(),
        device=HapticDevice(),
        hand=HAND,
    )
