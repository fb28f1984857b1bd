"""The inputs of an attempt at the steps of the loop at which they take effect: enough to simulate it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

Array = np.ndarray


class InputLog:
    """Gathers inputs of consecutive steps; a row is kept only where an input changes.

    complete: whether no step is missing.
    """

    def __init__(self) -> None:
        self.first, self.complete = -1, True  # number of the first step
        self._last, self._value, self._rows = -1, np.zeros(0), list[Array]()

    def take(self, steps: Array, inputs: Array) -> None:
        """Records of the loop: numbers of the steps, and all inputs in columns. A step counts once."""
        new = np.diff(np.maximum.accumulate(np.concatenate([[self._last], steps]))) > 0
        steps, inputs = steps[new], inputs[new]
        if not len(steps):
            return
        if self.first < 0:
            self.first, self._last, self._value = int(steps[0]), int(steps[0]) - 1, np.full(inputs.shape[1], np.nan)
        self.complete &= bool(np.all(np.diff(steps, prepend=self._last) == 1))
        changed = np.any(inputs != np.vstack([self._value, inputs[:-1]]), axis=1)
        self._rows += list(np.column_stack([steps, inputs])[changed])
        self._last, self._value = int(steps[-1]), inputs[-1]

    def taken_rows(self) -> Array:
        """Rows (step, inputs …) since the last call."""
        rows, self._rows = self._rows, []
        return np.array(rows).reshape(len(rows), 1 + len(self._value))


@dataclass(frozen=True)
class Drive:
    """How an attempt was driven: rows (step, inputs …) where an input changes, and the conditions at its start.

    first: number of its first step. period: s. exact: whether no step is missing and one build of the code was used.
    """

    inputs: Sequence[str]
    first: int
    period: float
    parameters: Mapping[str, float] = field(default_factory=dict)
    tier: str = ""
    exact: bool = True
    rows: Array = field(default_factory=lambda: np.zeros((0, 1)))
