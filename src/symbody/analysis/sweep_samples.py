"""Samples of a sweep: columns of values, combined row by row or as a grid, without a table of all of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symbody.system.system import Array


class Samples:
    """Values by name. grid: all combinations, the last name changes first; else the k-th values belong together."""

    def __init__(self, columns: Mapping[str, Array], grid: bool):
        self.names, self._columns, self._grid = list(columns), list(columns.values()), grid
        self.shape = tuple(map(len, self._columns)) if grid else (len(self._columns[0]),)

    def __len__(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    def rows(self, first: int, end: int) -> Array:
        """The samples from `first` to `end`, one row each."""
        numbers = np.arange(first, min(end, len(self)))
        places = np.unravel_index(numbers, self.shape) if self._grid else [numbers] * len(self._columns)
        return np.stack([column[k] for column, k in zip(self._columns, places, strict=True)], axis=1)
