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
_B_SPLINE = np.array([  # 6, 2 and 1 times value, slope and curvature of four weights, by powers of t = 0 … 1
    [[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]],
    [[-1, 2, -1, 0], [0, -4, 3, 0], [1, 2, -3, 0], [0, 0, 1, 0]],
    [[1, -1, 0, 0], [-2, 3, 0, 0], [1, -3, 0, 0], [0, 1, 0, 0]],
])  # fmt: skip
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
        if np.ndim(x) == 0 and np.ndim(y) == 0:
            (row, wy), (column, wx) = self._weights_at(float(y), self.y), self._weights_at(float(x), self.x)
            return np.asarray(wy @ self.coefficients[row : row + 4, column : column + 4] @ wx.T)
        (k, wy), (i, wx) = (self._weights(np.asarray(at, dtype=float), line) for at, line in ((y, self.y), (x, self.x)))
        near = np.arange(4)
        block = self.coefficients[(k[..., None] + near)[..., :, None], (i[..., None] + near)[..., None, :]]
        return np.asarray(wy @ block @ np.swapaxes(wx, -1, -2))

    @cached_property
    def _polynomials(self) -> Array:
        """Weights of four neighbouring coefficients: (3, 4, 4), of value and two derivatives, weight, power."""
        return np.asarray(_B_SPLINE / np.array([6.0, 2.0 * self.spacing, self.spacing**2])[:, None, None])

    def _weights_at(self, at: float, line: Array) -> tuple[int, Array]:
        """As `_weights`, at one place, in plain numbers: NumPy is slow for a single one."""
        u = min(max((at - line[0]) / self.spacing, 0.0), len(line) - 1.0)
        first = min(int(u), len(line) - 2) if u == u else 0  # NaN: so are the weights
        t = u - first
        return first, self._polynomials @ (1.0, t, t * t, t * t * t)

    def _weights(self, at: Array, line: Array) -> tuple[npt.NDArray[np.intp], Array]:
        """The first of four coefficients that count at places, and their weights (…, 3, 4)."""
        u = np.clip((at - line[0]) / self.spacing, 0.0, len(line) - 1.0)
        first = np.minimum(np.nan_to_num(u).astype(np.intp), len(line) - 2)
        t = u - first
        return first, np.einsum("dwp,...p->...dw", self._polynomials, t[..., None] ** np.arange(4))

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
