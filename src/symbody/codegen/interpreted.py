"""Generated Python in this process, for machines without a C compiler."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symbody.codegen.callbacks import Callbacks
from symbody.codegen.compiler import CURE
from symbody.codegen.function import Array, Function, Signature
from symbody.codegen.schedule import Schedule
from symbody.codegen.targets.python import python_source
from symbody.errors import CompileError
from symbody.expr.external import External

_NOT_FLOATS = (ValueError, ZeroDivisionError, OverflowError)  # C gives NaN or inf where math raises


class Interpreted:
    """An engine of generated Python."""

    backend = "python"
    address = 0

    def __init__(self, text: str, name: str, hoisted: int, one_by_one: bool, externals: Sequence[External]):
        self.callbacks = Callbacks(externals)
        module: dict[str, Any] = {f"external_{f.name}": self._external(f) for f in externals}
        exec(compile(text, f"<generated {name}>", "exec"), module)
        self._function, self._hoist = module[name], module.get(f"{name}_hoist")
        self._arrays = module["arrays"]()
        self._hoisted, self._one_by_one = hoisted, one_by_one

    def _external(self, external: External) -> Callable[[int | None, Sequence[Any]], list[float]]:
        """A Python function as the generated text calls it; in `_at_once`, for one state, with arrays of one number."""

        def call(along: int | None, x: Sequence[Any]) -> list[float]:
            return self.callbacks.values(external, along, [v.item() if isinstance(v, np.ndarray) else v for v in x])

        return call

    @property
    def library(self) -> None:
        """None: generated Python has no library."""

    def tell(self, changed: Callable[[], None]) -> None:
        """Nothing to do: nothing changes here."""

    def wait(self, timeout: float | None) -> None:
        """Nothing to wait for."""

    def addresses(self) -> Sequence[int]:
        return ()

    def when_batched(self, action: Callable[[int], object]) -> None:
        """Nothing to do: there is no address."""

    def call(self, inputs: Sequence[Array], outputs: Sequence[Array], h: Array) -> None:
        last = [h.tolist()] if self._hoisted else []
        try:
            results = self._function(*[x.tolist() for x in inputs], *last)
        except _NOT_FLOATS:
            self._at_once(1, [x[None] for x in inputs], [y[None] for y in outputs], h)
            return
        for y, values in zip(outputs, results if len(outputs) != 1 else [results], strict=True):
            y[...] = np.reshape(values, y.shape)

    def batch(self, n: int, inputs: Sequence[Array], outputs: Sequence[Array], h: Array) -> None:
        if not self._one_by_one:
            return self._at_once(n, inputs, outputs, h)
        for i in range(n):
            self.call([x[i] if x.ndim == 2 else x for x in inputs], [y[i] for y in outputs], h)

    def _at_once(self, n: int, inputs: Sequence[Array], outputs: Sequence[Array], h: Array) -> None:
        """All states in arrays, with NaN and inf where floats would raise an error."""
        columns = [x.T if x.ndim == 2 else np.repeat(x[:, None], n, axis=1) for x in inputs]
        last = [h] if self._hoisted else []
        with np.errstate(all="ignore"):
            results = self._function(*columns, *last, m=self._arrays)
        for y, values in zip(outputs, results if len(outputs) != 1 else [results], strict=True):
            flat = y.reshape(n, len(values))
            for i, value in enumerate(values):
                flat[:, i] = value

    def hoist(self, p: Array, h: Array) -> None:
        assert self._hoist is not None
        try:
            h[:] = self._hoist(p.tolist())
        except _NOT_FLOATS:
            with np.errstate(all="ignore"):
                h[:] = [np.float64(x) for x in self._hoist(p, m=self._arrays)]


def interpreted(plan: Schedule, signature: Signature, generate_s: float, start: float) -> Function:
    """The function in generated Python."""
    externals = plan.program.externals
    for external in externals:
        if external.kind == "c":
            raise CompileError(f"the external function {external.name!r} is C source and needs a C compiler ({CURE})")
    text = python_source(plan)
    one_by_one = bool(plan.iteration or externals)  # iterations end at different times
    engine = Interpreted(text, signature.name, signature.hoisted, one_by_one, externals)
    return Function(signature, engine, generate_s + time.perf_counter() - start, text)
