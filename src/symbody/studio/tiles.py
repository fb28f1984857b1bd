"""Tiles of a landscape as binary messages: made once for all visitors, and after a change only their difference."""

from __future__ import annotations

import struct
import zlib
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from symbody.studio.landscape import Landscape
from symbody.studio.stream import TILE

Array = np.ndarray
Key = tuple[int, int, int]  # level, row, column
MOST_TILES = 4000  # that are kept; each has some kilobytes
FINEST_STEP = 1e-3  # m, of heights as whole numbers
HALF = 32767
WHOLE, DIFFERENCE = 0, 1  # what a message has


@dataclass
class Tile:
    """A tile in whole steps above its lowest height; each tile that is made has a version of its own."""

    low: float
    step: float
    steps: Array
    version: int
    previous: int  # version that the difference begins with
    whole: bytes
    difference: bytes | None


class TilePyramid:
    """The tiles of a landscape that were asked for; a thread of the server makes them, one at a time."""

    def __init__(self, landscape: Landscape):
        self.landscape = landscape
        self._tiles: OrderedDict[Key, Tile] = OrderedDict()
        self._seen = 0  # changes of the landscape that the tiles have
        self._versions = 0

    def update(self) -> int:
        """Make changed tiles again; the number of changes until now."""
        changes = self.landscape.changes[self._seen :]
        for level in range(self.landscape.levels if changes else 0):
            for key in self.landscape.tiles_over(changes, level) & self._tiles.keys():
                self._tiles[key] = self._made(key, self._tiles[key])
        self._seen += len(changes)
        return self._seen

    def message(self, key: Key, known: int) -> tuple[bytes | None, int]:
        """A message that brings a page from a version of a tile (0: none) to the newest one, and that version."""
        if key not in self._tiles:
            self._tiles[key] = self._made(key, None)
            if len(self._tiles) > MOST_TILES:
                self._tiles.popitem(last=False)
        self._tiles.move_to_end(key)
        tile = self._tiles[key]
        if tile.version == known:
            return None, known
        return (tile.difference if known == tile.previous else None) or tile.whole, tile.version

    def changed(self, since: int) -> set[Key]:
        """Tiles over the places that changed after a number of changes."""
        news = self.landscape.changes[since : self._seen]
        return {key for level in range(self.landscape.levels) for key in self.landscape.tiles_over(news, level)}

    def _made(self, key: Key, before: Tile | None) -> Tile:
        heights = self.landscape.tile_heights(*key)
        if not np.isfinite(heights).all():
            heights = np.nan_to_num(heights, nan=0.0, posinf=0.0, neginf=0.0)
        if before is not None:
            steps = np.rint((heights - before.low) / before.step).astype(int)
            if np.abs(steps).max() <= HALF:
                return self._packed(key, before.low, before.step, steps, before)
        low = float(heights.min())
        step = max(float(np.ptp(heights)) / HALF, FINEST_STEP)
        return self._packed(key, low, step, np.rint((heights - low) / step).astype(int), before)

    def _packed(self, key: Key, low: float, step: float, steps: Array, before: Tile | None) -> Tile:
        same = before is not None and (before.low, before.step) == (low, step)
        difference = tile_message(key, DIFFERENCE, low, step, steps - before.steps) if before and same else None
        whole, previous = tile_message(key, WHOLE, low, step, steps), before.version if before else 0
        self._versions += 1
        return Tile(low, step, steps, self._versions, previous, whole, difference)


def tile_message(key: Key, kind: int, low: float, step: float, steps: Array) -> bytes:
    """A tile or its difference.

    uint32 kind of message, 0, level, row, column, whole or difference, float32 low and step (m), then zlib of int16
    steps: each less the one before it, all low bytes first and then all high bytes.
    """
    change = np.diff(steps.ravel(), prepend=0).astype("<i2")
    planes = np.ascontiguousarray(change.view(np.uint8).reshape(-1, 2).T).tobytes()
    return struct.pack("<IIIIIIff", TILE, 0, *key, kind, low, step) + zlib.compress(planes)
