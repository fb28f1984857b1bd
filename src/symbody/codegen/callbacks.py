"""Python functions that generated code calls.

An exception cannot pass through C, so it is stored here and raised later.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from math import nan
from typing import Any

from symbody.expr.external import External, values_of

_NUMBERS = ctypes.POINTER(ctypes.c_double)
_ENTRY = ctypes.CFUNCTYPE(None, _NUMBERS, _NUMBERS)


class Callbacks:
    """The Python functions of one loaded function, and the first exception since the last check."""

    def __init__(self, externals: Sequence[External]):
        self.externals = externals
        self._entries: list[Any] = []  # called by C; must live as long as the addresses are in use
        self._problem: BaseException | None = None

    def values(self, external: External, along: int | None, x: Sequence[Any]) -> list[float]:
        """The values of the function, or its derivatives; NaN after an exception, until that is raised."""
        if self._problem is None:
            try:
                return values_of(external, x, along)
            except BaseException as problem:  # also KeyboardInterrupt, which ctypes would print and ignore
                self._problem = problem
        return [nan] * external.outputs

    def raise_pending(self) -> None:
        """Raise the first exception since the last check, if there was one."""
        problem, self._problem = self._problem, None
        if problem is not None:
            raise problem

    def addresses(self) -> list[int]:
        """Of void f(const double *x, double *y), one for each function."""
        if not self._entries:
            self._entries = [_ENTRY(self._for_c(external)) for external in self.externals]
        return [ctypes.cast(entry, ctypes.c_void_p).value or 0 for entry in self._entries]

    def _for_c(self, external: External) -> Any:
        n = external.inputs

        def entry(x: Any, y: Any) -> None:
            for i, value in enumerate(self.values(external, None, x[:n])):
                y[i] = value

        return entry
