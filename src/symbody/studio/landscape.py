"""Ground for kilometres, drawn in tiles: its heights, looks and trees, and a log of the places that change."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil, isfinite, log2
from typing import TYPE_CHECKING, Any

import numpy as np

from symbody.errors import ModelError
from symbody.visual.page_types import LandscapeData, Triple

if TYPE_CHECKING:
    from symbody.terrain.height_map import HeightMap  # imports SciPy

Array = np.ndarray

QUADS = 32  # of a tile, along an edge
MOST_LEVELS = 14  # 16 384 times the finest tile
MOST_TREES = 20_000
Rectangle = tuple[float, float, float, float]  # least x and y, largest x and y (m)


@dataclass(frozen=True, eq=False)
class Landscape:
    """Ground that a page draws in tiles, fine near the eye and coarse far away; `Landscape.of(height_map)` makes one.

    Parameters
    ----------
    height : function
        h(x, y) (m) over arrays.
    area : (float, float, float, float)
        Least x and y, largest x and y (m).
    origin : (float, float, float)
        The point of the map that is at the origin of the machine's ground frame (m). Default (0, 0, 0).
    finest : float
        Distance between two heights of the finest tiles (m). Default 1.
    snow : float
        Height from which snow lies (m). Below is grass, and rock where it is steep. Default inf.
    trees : array, shape (n, 3), optional
        Their feet (m).
    tree_height : float
        m. Default 9.
    changes : list of (float, float, float, float), optional
        Rectangles that have changed since the start; append to it after each change.
    """

    height: Callable[[Array, Array], Array]
    area: Rectangle
    origin: Triple = (0.0, 0.0, 0.0)
    finest: float = 1.0
    snow: float = float("inf")
    trees: Array = field(default_factory=lambda: np.empty((0, 3)))
    tree_height: float = 9.0
    changes: list[Rectangle] = field(default_factory=list)

    def __post_init__(self) -> None:
        x0, y0, x1, y1 = self.area
        if not (all(map(isfinite, self.area)) and x0 < x1 and y0 < y1):
            raise ModelError(f"an area of {self.area}", element="landscape", cure="give least and largest x and y (m)")
        if not 0.01 <= self.finest <= max(x1 - x0, y1 - y0):
            raise ModelError(f"a finest spacing of {self.finest} m", element="landscape", cure="give 0.01 m or more")
        if self.levels > MOST_LEVELS:
            cure = f"use a spacing of {self.finest * 2 ** (self.levels - MOST_LEVELS):g} m or more"
            raise ModelError(f"{self.levels} levels of tiles", element="landscape", cure=cure)
        if self.trees.ndim != 2 or self.trees.shape[1] != 3 or len(self.trees) > MOST_TREES:
            cure = f"give at most {MOST_TREES} rows x, y, z"
            raise ModelError(f"trees of the shape {self.trees.shape}", element="landscape", cure=cure)

    @classmethod
    def of(cls, ground: HeightMap, **more: Any) -> Landscape:
        """A landscape over all of a height map; more: the other fields."""
        return cls(ground.height, (ground.x[0], ground.y[0], ground.x[-1], ground.y[-1]), **more)

    @property
    def levels(self) -> int:
        """Of tiles: one of the last level covers the whole area."""
        x0, y0, x1, y1 = self.area
        return max(ceil(log2(max(x1 - x0, y1 - y0) / (QUADS * self.finest))), 0) + 1

    def tile_edge(self, level: int) -> float:
        """Length of a tile (m)."""
        return QUADS * self.finest * 2.0**level

    def tile_heights(self, level: int, row: int, column: int) -> Array:
        """Heights of a tile and one beyond each edge (QUADS + 3, QUADS + 3); beyond the area those of its border."""
        x0, y0, x1, y1 = self.area
        edge = self.tile_edge(level)
        steps = np.arange(-1, QUADS + 2) * (edge / QUADS)
        x, y = np.clip(x0 + column * edge + steps, x0, x1), np.clip(y0 + row * edge + steps, y0, y1)
        X, Y = np.meshgrid(x, y)
        return np.asarray(self.height(X, Y), dtype=float) - self.origin[2]

    def has_tile(self, level: int, row: int, column: int) -> bool:
        """Whether there is such a tile."""
        if not 0 <= level < self.levels:
            return False
        x0, y0, x1, y1 = self.area
        edge = self.tile_edge(level)
        return 0 <= row < ceil((y1 - y0) / edge) and 0 <= column < ceil((x1 - x0) / edge)

    def tiles_over(self, places: Sequence[Rectangle], level: int) -> set[tuple[int, int, int]]:
        """Tiles of a level that show a part of some rectangles."""
        (x0, y0, *_), edge = self.area, self.tile_edge(level)
        beyond = edge / QUADS  # a tile has one height beyond its edges, for its normals
        found = set()
        for left, low, right, high in places:
            rows = range(int((low - beyond - y0) // edge), int((high + beyond - y0) // edge) + 1)
            columns = range(int((left - beyond - x0) // edge), int((right + beyond - x0) // edge) + 1)
            found |= {(level, row, column) for row in rows for column in columns if self.has_tile(level, row, column)}
        return found


def landscape_data(landscape: Landscape) -> LandscapeData:
    """The landscape as the page reads it, without its tiles."""
    x0, y0, x1, y1 = landscape.area
    ox, oy, oz = landscape.origin
    trees = np.ascontiguousarray(landscape.trees - landscape.origin, dtype="<f4").tobytes()
    return {
        "corner": (x0 - ox, y0 - oy),
        "size": (x1 - x0, y1 - y0),
        "finest": landscape.finest,
        "quads": QUADS,
        "levels": landscape.levels,
        "snow": min(landscape.snow - oz, 1e9),
        "trees": base64.b64encode(trees).decode("ascii"),
        "tree_height": landscape.tree_height,
    }
