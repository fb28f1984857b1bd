"""A straight road with two lanes: asphalt and lines, posts, trees, traffic cones; the page draws the meadow."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np

from symbody.files.mesh import Array
from symbody.vehicles.road import LENGTH, Road, Span
from symbody.visual.scene import Look
from symbody.visual.surfaces import block, cone, look, moved, sheet, turned

ASPHALT, LINE, POST, BAND = "#777d84", "#f4f4f0", "#f2f2f0", "#2c3138"
CROWN, TRUNK, CONE, SLEEVE = "#6f9a63", "#7b624a", "#e2622b", "#f4f1ea"
BEGIN, END = -300.0, 4000.0  # m, of the road
SEEN = 2000.0  # m, end of posts and trees
EDGE, SHOULDER = 0.15, 0.75  # m: width of the lines, and of the asphalt outside
PIECE = 50.0  # m, length of a flat piece
DASH, GAP = 6.0, 12.0  # m, as on country roads
POSTS = 50.0  # m between them
TREES, NEAREST, FARTHEST = 140, 8.0, 90.0  # how many, and how far from the road (m)
GATE, FREE, CONES = 12.0, 0.25, 4  # m, length of a gate and distance from lines and obstacle; cones in a row


def lanes(road: Road) -> list[Look]:
    """Asphalt and lines, drawn over each other in this order without depth."""
    right, left = road.borders
    middle, beyond = road.lane / 2.0, EDGE / 2.0 + SHOULDER
    dashes = [_flat((x, x + DASH), _line(middle)) for x in np.arange(BEGIN, END, DASH + GAP)]
    return [
        look(ASPHALT, _flat((BEGIN, END), (right - beyond, left + beyond)), material="asphalt"),
        look(LINE, *(_flat((BEGIN, END), _line(y)) for y in (right, left)), *dashes),
    ]


def _line(y: float) -> Span:
    return y - EDGE / 2.0, y + EDGE / 2.0


def _flat(x: Span, y: Span) -> Array:
    """A flat strip in pieces: a triangle of some kilometres is too slender to be drawn without a graphics card."""
    along = np.linspace(*x, 1 + ceil((x[1] - x[0]) / PIECE))
    return sheet(np.array([[(a, b, 0.0) for b in y] for a in along]))


def posts(road: Road) -> list[Look]:
    """White posts with a dark band, on both sides of the road."""
    places = [(x, y, 0.0) for x in np.arange(BEGIN, SEEN, POSTS) for y in np.add(road.borders, (-1.5, 1.5))]
    shaft, band = block((-0.06, -0.06, 0.0), (0.06, 0.06, 1.0)), block((-0.065, -0.065, 0.72), (0.065, 0.065, 0.9))
    return [
        look(POST, *(moved(shaft, at) for at in places), material="plastic"),
        look(BAND, *(moved(band, at) for at in places), material="plastic"),
    ]


def trees(road: Road) -> list[Look]:
    """Firs of many sizes outside the posts, always the same."""
    chance = np.random.default_rng(3)
    crowns, trunks = [], []
    for border, side in zip(road.borders, (-1.0, 1.0), strict=True):
        for size, away, x in chance.uniform(size=(TREES // 2, 3)) * (0.8, 1.0, SEEN - BEGIN) + (0.7, 0.0, BEGIN):
            at = (x, border + side * (NEAREST + (FARTHEST - NEAREST) * away**2), 0.0)
            lower, upper = cone(2.6, 3.0, 8), moved(cone(1.9, 3.6, 8), (0.0, 0.0, 1.7))
            crowns += [moved(size * moved(part, (0.0, 0.0, 1.2)), at) for part in (lower, upper)]
            trunks += [moved(size * block((-0.2, -0.2, 0.0), (0.2, 0.2, 1.3)), at)]
    return [look(CROWN, *crowns, material="grass"), look(TRUNK, *trunks, material="wood")]


def cones(places: Sequence[tuple[float, float]]) -> list[Look]:
    """Traffic cones of 0.75 m."""
    foot, top = block((-0.2, -0.2, 0.0), (0.2, 0.2, 0.04)), cone(0.15, 0.75, 12)
    sleeve = _upright(turned([(0.115, 0.26), (0.08, 0.44)], 12))
    at = [(x, y, 0.0) for x, y in places]
    return [
        look(CONE, *(moved(np.concatenate([foot, top]), place) for place in at), material="plastic"),
        look(SLEEVE, *(moved(sleeve, place) for place in at), material="plastic"),
    ]


def gates(road: Road) -> list[tuple[float, float]]:
    """Positions of cones: along the lane to leave, beside the obstacle, and after the return (ISO 3888-2)."""
    begin, end = road.obstacle[0]
    returned = end + road.beyond + LENGTH / 2.0 + road.back
    own, other = (-road.lane / 2.0, road.lane / 2.0), (road.obstacle[1][1], road.borders[1])
    rows = [((road.leaves - GATE, road.leaves), own), ((begin, end), other), ((returned, returned + GATE), own)]
    return [
        (float(x), y)
        for xs, (right, left) in rows
        for x in np.linspace(*xs, CONES)
        for y in (right + FREE, left - FREE)
    ]


def _upright(corners: Array) -> Array:
    """Rotate from axis 2 to axis 3."""
    return moved(corners, (0.0, 0.0, 0.0), np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]))
