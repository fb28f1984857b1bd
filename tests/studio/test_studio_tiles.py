"""Tiles of a landscape: they lead to its heights at every level, also after changes, by small messages."""

import struct
import zlib

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.links.rejected import Rejected
from symbody.studio.landscape import QUADS, Landscape, landscape_data
from symbody.studio.messages import Tiles
from symbody.studio.stream import TILE
from symbody.studio.tiles import DIFFERENCE, FINEST_STEP, WHOLE, TilePyramid
from symbody.studio.visitor import Visitor, tile_messages


class Soil:
    """Hills of some hundred metres, and holes that are dug."""

    landscape = None

    def __init__(self):
        self.holes = []
        self.landscape = Landscape(self.height, (-1000.0, 0.0, 7000.0, 5000.0), (0.0, 0.0, 100.0))

    def height(self, x, y):
        hills = 300.0 * np.sin(x / 900.0) * np.cos(y / 700.0) + 0.02 * x
        hills = hills + 0.4 * np.sin(3.7 * x) * np.cos(2.9 * y)  # stones
        for a, b in self.holes:
            hills = hills - 2.0 * np.exp(-((x - a) ** 2 + (y - b) ** 2) / 4.0)
        return hills

    def dig(self, a, b):
        self.holes.append((a, b))
        self.landscape.changes.append((a - 8.0, b - 8.0, a + 8.0, b + 8.0))


class Page:
    """What a page has after the messages that it got."""

    def __init__(self):
        self.tiles, self.bytes = {}, 0

    def read(self, message):
        kind, _, *key, what, low, step = struct.unpack_from("<IIIIIIff", message)
        assert kind == TILE
        self.bytes = len(message)
        planes = np.frombuffer(zlib.decompress(message[32:]), np.uint8).reshape(2, -1)
        change = np.ascontiguousarray(planes.T).view("<i2").ravel()
        steps = np.cumsum(change, dtype="<i2").astype(int)
        if what == DIFFERENCE:
            steps = steps + self.tiles[tuple(key)][2]
        else:
            assert what == WHOLE
        self.tiles[tuple(key)] = low, step, steps
        return tuple(key), low + step * steps.reshape(QUADS + 3, QUADS + 3)


@pytest.mark.parametrize("key", [(0, 3, 200), (3, 2, 5), (8, 0, 0)])
def test_a_tile_has_the_heights_at_its_places(key):
    soil = Soil()
    edge = QUADS * 2.0 ** key[0]
    message, _ = TilePyramid(soil.landscape).message(key, 0)
    found, heights = Page().read(message)
    assert found == key
    x = np.clip(-1000.0 + key[2] * edge + np.arange(-1, QUADS + 2) * edge / QUADS, -1000.0, 7000.0)
    y = np.clip(key[1] * edge + np.arange(-1, QUADS + 2) * edge / QUADS, 0.0, 5000.0)
    exact = soil.height(*np.meshgrid(x, y)) - 100.0
    np.testing.assert_allclose(heights, exact, atol=max(FINEST_STEP, np.ptp(exact) / 30000))


def test_a_change_is_a_small_difference_and_leads_to_the_same_heights():
    soil, page, visitor = Soil(), Page(), Visitor(touch=False, version=0)
    pyramid, key = TilePyramid(soil.landscape), (0, 31, 62)  # about x = 1000, y = 1000
    visitor.look(soil, Tiles((key, (8, 0, 0))))
    for message in tile_messages(pyramid, visitor):
        page.read(message)
    assert tile_messages(pyramid, visitor) == []  # nothing has changed
    whole = len(pyramid.message(key, 0)[0])
    for hole in ((1000.0, 1000.0), (1003.0, 1001.0)):
        soil.dig(*hole)
        news = tile_messages(pyramid, visitor)
        sizes = {found: len(message) for message, (found, _) in ((m, page.read(m)) for m in news)}
        assert sizes[key] < 0.6 * whole
        _, heights = Page().read(TilePyramid(soil.landscape).message(key, 0)[0])
        low, step, steps = page.tiles[key]
        np.testing.assert_allclose(low + step * steps.reshape(heights.shape), heights, atol=2.0 * FINEST_STEP)


def test_only_tiles_over_the_change_that_the_visitor_has_are_sent_and_one_that_was_away_gets_whole_ones():
    soil = Soil()
    pyramid, near, away = TilePyramid(soil.landscape), Visitor(False, 0), Visitor(False, 0)
    for visitor in (near, away):
        visitor.look(soil, Tiles(((0, 31, 62), (0, 0, 0))))
        assert len(tile_messages(pyramid, visitor)) == 2
    for hole in ((1000.0, 1000.0), (1001.0, 1001.0)):
        soil.dig(*hole)
        assert len(tile_messages(pyramid, near)) == 1
    (message,) = tile_messages(pyramid, away)
    assert struct.unpack_from("<I", message, 20) == (WHOLE,)


def test_tiles_that_do_not_exist_are_refused():
    soil = Soil()
    visitor = Visitor(False, 0)
    for key in ((0, 0, 250), (9, 0, 0), (0, 157, 0)):
        with pytest.raises(Rejected, match="no such tile"):
            visitor.look(soil, Tiles((key,)))


def test_levels_lead_from_one_metre_to_the_whole_area():
    data = landscape_data(Soil().landscape)
    assert (data["levels"], data["corner"], data["size"]) == (9, (-1000.0, 0.0), (8000.0, 5000.0))
    assert QUADS * data["finest"] * 2 ** (data["levels"] - 1) >= 8000.0


@pytest.mark.parametrize(
    "wrong",
    [
        {"area": (0.0, 0.0, 0.0, 1.0)},
        {"area": (0.0, 0.0, np.inf, 1.0)},
        {"finest": 0.0},
        {"area": (0.0, 0.0, 1e9, 1e9)},
        {"trees": np.zeros((3, 2))},
    ],
)
def test_impossible_landscapes_are_refused(wrong):
    with pytest.raises(ModelError, match="landscape"):
        Landscape(**{"height": np.add, "area": (0.0, 0.0, 100.0, 100.0)} | wrong)
