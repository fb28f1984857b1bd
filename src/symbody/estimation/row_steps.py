"""Steps of the many states of a filter as one batch (`sb.batch`), where a kernel can make them."""

from __future__ import annotations

from symbody.analysis.sweep_batch import FEWEST
from symbody.batch.of_system import Batch, batch
from symbody.batch.system_kernel import METHODS
from symbody.codegen.compiler import find_compiler
from symbody.errors import CompileError, ModelError
from symbody.stepping.registry import suited_fixed
from symbody.system.system import Array, System

LARGEST = 20_000  # operations of the rates: the kernel of a larger system takes minutes to compile


class RowSteps:
    """Rows of states that advance together by dt (s)."""

    def __init__(self, s: System, method: str | None, dt: float):
        self.system, self.dt = s, dt
        self._method = suited_fixed(s, method).name
        self._possible = (
            self._method in METHODS
            and find_compiler() is not None
            and s.backend != "python"
            and s.rates_function.operations.total <= LARGEST
        )
        self._batch: Batch | None = None

    def step(self, t: float, x: Array, u: Array) -> Array | None:
        """The rows after one step with inputs (n, nu); None if it is not made in a batch, or a state fails in it."""
        if not self._possible or len(x) < FEWEST:
            return None
        b = self._at(t, x)
        if b is None:
            return None
        found: Array = b.step(u).copy()
        if b.failures:
            self._batch = None  # its loops may be elsewhere
            return None
        return found

    def dependent(self, t: float, x: Array) -> Array:
        """Dependent coordinates (n, nd) near which the loops of the rows close."""
        return self._batch.dependent if self._batch else self.system.dependent(t, x)

    def _at(self, t: float, x: Array) -> Batch | None:
        if self._batch is not None and self._batch.n == len(x):
            self._batch.move(x, t)
            return self._batch
        try:
            self._batch = batch(self.system, len(x), dt=self.dt, method=self._method)
        except (CompileError, ModelError):  # a law in Python
            self._possible = False
            return None
        self._batch.reset(x, t)
        return self._batch
