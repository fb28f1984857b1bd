"""Looks of the clock: wheel, anchor, pendulum and weight in front of a board with a dial for the seconds."""

from __future__ import annotations

from math import cos, pi, sin, sqrt

import numpy as np

from symbody.files.mesh import Array
from symbody.machines.pendulum_clock.laws import TEETH
from symbody.machines.pendulum_clock.model import ARBOR, CORD, LENS, ROD
from symbody.model.body import GROUND
from symbody.visual.scene import Look, StretchedLook
from symbody.visual.surfaces import bar, block, look, moved, solid, turned

BRASS, STEEL, WOOD, FACE, LEAD, DEAL = "#c9a24a", "#5d646c", "#a9825c", "#efe9d8", "#8b8f96", "#e0cda8"
RIM = -ARBOR / sqrt(2.0)  # m, radius of the escape wheel: the pivot is √2 radii above its arbor
ROOT = 0.82 * RIM  # m, radius at the feet of the teeth
THICK = 0.0015  # m, half of it
SPAN = 7.5 * pi / TEETH  # rad, from the top to a pallet; the anchor spans 7.5 teeth
FRONT = -0.012  # m, of the hand, in front of the wheel
BOARD = 0.05  # m, behind the pendulum


def looks(length: float) -> dict[str, list[Look]]:
    """Looks by body; length: to the middle of the lens (m)."""
    return {"wheel": wheel(), "pendulum": pendulum(length), "lens": lens(), "weight": weight()}


def around(radius: float, angle: float, y: float = 0.0) -> tuple[float, float, float]:
    """A position at an angle from the top, clockwise from the front."""
    return radius * sin(angle), y, radius * cos(angle)


def wheel() -> list[Look]:
    """The escape wheel with its teeth, and the hand of the seconds on its arbor."""
    teeth = [_tooth(2.0 * pi * k / TEETH - SPAN) for k in range(TEETH)]
    disc = _disc(ROOT, THICK)
    hand = bar(around(-0.012, 0.0, FRONT), around(0.05, 0.0, FRONT), 0.0012, 0.4)
    arbor = bar((0.0, FRONT, 0.0), (0.0, 0.02, 0.0), 0.002)
    return [look(BRASS, disc, *teeth, material="steel"), look(STEEL, hand, arbor, material="steel")]


def _tooth(angle: float) -> Array:
    """A tooth whose tip is at the angle, inclined forwards."""
    foot = [around(ROOT - 0.001, angle + by, y) for by in (-0.16, -0.04) for y in (-THICK, THICK)]
    return solid([*foot, *(around(RIM, angle, y) for y in (-THICK, THICK))])


def _disc(radius: float, half: float) -> Array:
    """A disc about axis 2; half: of its thickness (m)."""
    return turned([(0.0, -half), (radius, -half), (radius, half), (0.0, half)])


def pendulum(length: float) -> list[Look]:
    """The rod, and the anchor with its two pallets over the wheel."""
    pallets = []
    for side in (-1.0, 1.0):
        x, y, z = np.add(around(RIM, side * SPAN), (0.0, 0.0, ARBOR))
        pallets.append(bar((0.0, 0.0, 0.0), (x, y, z + 0.006), 0.0022))
        pallets.append(block((x - 0.0025, -0.003, z - 0.001), (x + 0.0025, 0.003, z + 0.008)))
    behind = 0.02  # m, of the rod behind the wheel
    rod = bar((0.0, behind, 0.0), (0.0, behind, -ROD[1]), 0.004)
    crutch = bar((0.0, -0.003, 0.0), (0.0, behind, 0.0), 0.003)
    nut = bar((0.0, behind, -length - 0.115), (0.0, behind, -length - 0.1), 0.012)
    return [
        look(STEEL, *pallets, crutch, material="steel"),
        look(DEAL, rod, material="wood"),
        look(BRASS, nut, material="steel"),
    ]


def lens() -> list[Look]:
    """The bob, thin at its edge."""
    _, radius, thick = LENS
    edge = [(radius * sin(a), -thick * cos(a)) for a in np.linspace(0.0, pi, 13)]
    return [look(BRASS, moved(turned(edge), (0.0, 0.02, 0.0)), material="steel")]


def weight() -> list[Look]:
    """Lead in a tube, on a cord from the height of the arbor."""
    tube = bar((0.0, 0.0, -0.28), (0.0, 0.0, -0.06), 0.028)
    hook = bar((0.0, 0.0, -0.06), (0.0, 0.0, 0.0), 0.003)
    ends = np.array([(0.0, 0.0, 0.0), (CORD[0], 0.0, ARBOR)])
    cord = StretchedLook("cylinder", ends, FACE, material="felt", other=GROUND, radius=0.0015)
    return [look(LEAD, tube, material="steel"), look(STEEL, hook, material="steel"), cord]


def scenery() -> list[Look]:
    """Board, dial with a mark for every five seconds, suspension, and the pin of the cord."""
    ring = [(0.045, 0.0), (0.072, 0.0), (0.072, 0.003), (0.045, 0.003), (0.045, 0.0)]  # m: radii, y
    dial = moved(turned(ring), (0.0, 0.008, ARBOR))
    marks = [bar(around(0.056, a, 0.006), around(0.068, a, 0.006), 0.0012) for a in np.arange(12) * pi / 6.0]
    board = block((-0.24, BOARD, -1.3), (0.24, BOARD + 0.015, 0.16))
    bracket = block((-0.008, 0.012, -0.004), (0.008, BOARD, 0.01))
    pin = bar((CORD[0], -0.004, ARBOR), (CORD[0], BOARD, ARBOR), 0.004)
    return [
        look(WOOD, board, material="wood"),
        look(FACE, dial),
        look(STEEL, bracket, pin, *(moved(mark, (0.0, 0.0, ARBOR)) for mark in marks), material="steel"),
    ]
