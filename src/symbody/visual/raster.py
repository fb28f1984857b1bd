"""Software rasteriser in NumPy: the fragments of all triangles at once, with a depth test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class Fragments:
    """Pixels covered by triangles: index in the picture, triangle, and position (n, 2) relative to its first corner."""

    pixel: Array
    triangle: Array
    place: Array
    corners: Array

    def values(self, given: Array, chosen: Array | slice = slice(None)) -> Array:
        """Values given at the corners (m, 3), interpolated linearly, at all or some of the fragments."""
        value, slopes = _planes(self.corners, given)
        triangle = self.triangle[chosen]
        return np.asarray(value[triangle] + np.einsum("ij,ij->i", self.place[chosen], slopes[triangle]))


def fragments(corners: Array, width: int, height: int) -> Fragments:
    """Fragments of triangles with corners (m, 3, 2) on the screen.

    First the pixel rows that each triangle meets, then the pixels of each row: no loop over triangles.
    """
    x, y = corners[..., 0], corners[..., 1]
    first = np.clip(np.ceil(y.min(axis=1) - 0.5), 0, height).astype(int)
    last = np.clip(np.ceil(y.max(axis=1) - 0.5), 0, height).astype(int)
    triangle, offset = _spread(np.maximum(last - first, 0))
    row = first[triangle] + offset
    left, right = _crossings(x[triangle], y[triangle], row + 0.5)
    begin = np.clip(np.ceil(left - 0.5), 0, width).astype(int)
    end = np.clip(np.ceil(right - 0.5), 0, width).astype(int)
    line, offset = _spread(np.maximum(end - begin, 0))
    column, row, triangle = begin[line] + offset, row[line], triangle[line]
    place = np.stack([column + 0.5 - x[triangle, 0], row + 0.5 - y[triangle, 0]], axis=-1)
    return Fragments(row * width + column, triangle, place, corners)


def _spread(counts: Array) -> tuple[Array, Array]:
    """Each index repeated by its count, and a counter within it: (2, 0, 1) → (0, 0, 2), (0, 1, 0)."""
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)


def _crossings(x: Array, y: Array, at: Array) -> tuple[Array, Array]:
    """Positions where horizontal lines enter and leave triangles."""
    left, right = np.full(len(at), np.inf), np.full(len(at), -np.inf)
    for a, b in ((0, 1), (1, 2), (2, 0)):
        low, high = np.minimum(y[:, a], y[:, b]), np.maximum(y[:, a], y[:, b])
        met = (low <= at) & (at <= high) & (high > low)
        share = (at - y[:, a]) / np.where(met, y[:, b] - y[:, a], 1.0)
        place = x[:, a] + share * (x[:, b] - x[:, a])
        left = np.where(met, np.minimum(left, place), left)
        right = np.where(met, np.maximum(right, place), right)
    outside = ~np.isfinite(left)
    return np.where(outside, 0.0, left), np.where(outside, 0.0, right)


def _planes(corners: Array, given: Array) -> tuple[Array, Array]:
    """The values (m, 3) at the first corner, and their gradients (m, 2) on the screen."""
    (ux, uy), (vx, vy) = (np.moveaxis(corners[:, k] - corners[:, 0], -1, 0) for k in (1, 2))
    area = ux * vy - uy * vx
    area = np.where(np.abs(area) > 1e-12, area, np.inf)
    du, dv = given[:, 1] - given[:, 0], given[:, 2] - given[:, 0]
    return given[:, 0], np.stack([(du * vy - dv * uy) / area, (dv * ux - du * vx) / area], axis=-1)


def nearest(pixel: Array, closeness: Array, best: Array) -> Array:
    """Which fragments are the nearest of their pixels; `best` holds the largest closeness so far."""
    np.maximum.at(best, pixel, closeness)
    return np.asarray(closeness >= best[pixel])


def layers(pixel: Array, closeness: Array) -> list[Array]:
    """Fragments in layers from far to near, each pixel at most once per layer."""
    order = np.lexsort((closeness, pixel))
    _, counts = np.unique(pixel[order], return_counts=True)
    _, rank = _spread(counts)
    return [order[rank == k] for k in range(int(rank.max(initial=-1)) + 1)]
