"""Generated Python in this process, for machines without a C compiler."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from symbody.codegen.function import Array, Function, Signature
from symbody.codegen.python import python_source
from symbody.codegen.schedule import Schedule

_NOT_FLOATS = (ValueError, ZeroDivisionError, OverflowError)  # where C gives NaN or inf, math raises


class Interpreted:
    """An engine of generated Python."""

    backend = "python"
    address = 0

    def __init__(self, text: str, name: str, hoisted: int, iterates: bool):
        module: dict[str, Any] = {}
        exec(compile(text, f"<generated {name}>", "exec"), module)
        self._function, self._hoist = module[name], module.get(f"{name}_hoist")
        self._arrays = module["arrays"]()
        self._hoisted, self._iterates = hoisted, iterates

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
        if not self._iterates:
            return self._at_once(n, inputs, outputs, h)
        for i in range(n):  # iterations end at different times
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
    text = python_source(plan)
    engine = Interpreted(text, signature.name, signature.hoisted, plan.iteration is not None)
    return Function(signature, engine, generate_s + time.perf_counter() - start, 0.0, None, text)
