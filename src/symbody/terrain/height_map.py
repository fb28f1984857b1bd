"""Ground as a height map: heights on a grid of equal steps, smooth between them (bicubic spline)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from symbody.errors import ModelError

Array = npt.NDArray[np.floating[Any]]
Numbers = Any  # a number, or an array of them
LARGEST = 16_000_000  # grid points
_AROUND = 16  # grid points beyond the border: their own border has an effect of 0.27¹⁶ on the map


@dataclass(frozen=True, eq=False)
class HeightMap:
    """Heights at x = x₀ + i·spacing, y = y₀ + k·spacing.

    Between the grid points the height is a bicubic B-spline, so that slope and curvature are continuous.

    Parameters
    ----------
    heights : array, shape (ny, nx)
        m.
    spacing : float
        Between grid points (m).
    origin : (float, float)
        (x₀, y₀) (m). Default (0, 0).
    """

    heights: Array
    spacing: float
    origin: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        if self.heights.ndim != 2 or min(self.heights.shape) < 4:
            cure = "give an array (ny, nx) with at least four rows and columns"
            raise ModelError(f"heights of the shape {self.heights.shape}", element="terrain", cure=cure)
        if self.heights.size > LARGEST:
            cure = f"use at most {LARGEST} points, or a larger spacing"
            raise ModelError(f"{self.heights.size} heights", element="terrain", cure=cure)
        if not np.isfinite(self.heights).all():
            k, i = np.argwhere(~np.isfinite(self.heights))[0]
            raise ModelError(
                f"the height in row {k}, column {i} is not finite", element="terrain", cure="fill the gaps"
            )
        if not (np.isfinite(self.spacing) and self.spacing > 0.0):
            raise ModelError(f"a spacing of {self.spacing} m", element="terrain", cure="use a positive distance")

    @property
    def size(self) -> tuple[float, float]:
        """Extent in x and y (m)."""
        ny, nx = self.heights.shape
        return (nx - 1) * self.spacing, (ny - 1) * self.spacing

    @property
    def perimeter(self) -> float:
        """Length of the border (m)."""
        return 2.0 * sum(self.size)

    @cached_property
    def x(self) -> Array:
        """x of the columns (m)."""
        return self.origin[0] + self.spacing * np.arange(self.heights.shape[1])

    @cached_property
    def y(self) -> Array:
        """y of the rows (m)."""
        return self.origin[1] + self.spacing * np.arange(self.heights.shape[0])

    @cached_property
    def coefficients(self) -> Array:
        """Coefficients of the cubic B-spline, one more on each side: the map continues with the slope of its border."""
        from scipy.ndimage import spline_filter  # here, because this import takes a while

        around = np.pad(self.heights, _AROUND, mode="reflect", reflect_type="odd")
        inside = slice(_AROUND - 1, 1 - _AROUND)
        return np.asarray(spline_filter(around, order=3, mode="mirror", output=float))[inside, inside]

    def derivatives(self, x: Numbers, y: Numbers) -> Array:
        """D (…, 3, 3) with D[a, b] = ∂ᵃ⁺ᵇh/∂yᵃ∂xᵇ, up to the second; beyond the border, those of the border."""
        (k, wy), (i, wx) = (_weights(at, line, self.spacing) for at, line in ((y, self.y), (x, self.x)))
        if np.ndim(k) == 0 and np.ndim(i) == 0:
            return wy @ self.coefficients[k : k + 4, i : i + 4] @ wx.T
        near = np.arange(4)
        block = self.coefficients[(k[..., None] + near)[..., :, None], (i[..., None] + near)[..., None, :]]
        return np.asarray(wy @ block @ np.swapaxes(wx, -1, -2))

    def contains(self, x: Numbers, y: Numbers) -> Any:
        """Whether points are on the map."""
        return (x >= self.x[0]) & (x <= self.x[-1]) & (y >= self.y[0]) & (y <= self.y[-1])

    def height(self, x: Numbers, y: Numbers) -> Any:
        """h(x, y) (m)."""
        return self.derivatives(x, y)[..., 0, 0]

    def slope(self, x: Numbers, y: Numbers) -> tuple[Any, Any]:
        """∂h/∂x and ∂h/∂y."""
        D = self.derivatives(x, y)
        return D[..., 0, 1], D[..., 1, 0]

    def normal(self, x: Numbers, y: Numbers) -> Array:
        """Unit normals (…, 3), upwards."""
        hx, hy = self.slope(x, y)
        n = np.stack(np.broadcast_arrays(-hx, -hy, 1.0), axis=-1)
        return np.asarray(n / np.linalg.norm(n, axis=-1, keepdims=True))


def _weights(at: Numbers, line: Array, spacing: float) -> tuple[Any, Array]:
    """The first of four coefficients that count at a place, and their weights (…, 3, 4): value and two derivatives."""
    u = np.clip((np.asarray(at, dtype=float) - line[0]) / spacing, 0.0, len(line) - 1.0)
    first = np.minimum(u.astype(int), len(line) - 2)
    t = u - first
    r = 1.0 - t
    value = np.stack([r**3, 4.0 - 6.0 * t**2 + 3.0 * t**3, 4.0 - 6.0 * r**2 + 3.0 * r**3, t**3], axis=-1) / 6.0
    rise = np.stack([-(r**2), t * (3.0 * t - 4.0), r * (4.0 - 3.0 * r), t**2], axis=-1) / (2.0 * spacing)
    bend = np.stack([r, 3.0 * t - 2.0, 1.0 - 3.0 * t, t], axis=-1) / spacing**2
    return first, np.stack([value, rise, bend], axis=-2)
