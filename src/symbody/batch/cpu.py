"""A compiled function of many states on the processor: rows of states, split over threads."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any, Protocol

import numpy as np

from symbody.batch.threads import in_parts
from symbody.codegen.function import Array, Function, address_of

SINE = 20  # operations that take as long as one sine, root or exponential
DOUBLE = 8  # bytes


class BatchFunction(Protocol):
    """A compiled function of many states, wherever it is computed.

    A target of batches (threads here; other processors can follow) implements this, and bridges use nothing else.
    """

    inputs: dict[str, int]  # name → numbers of one state
    outputs: dict[str, tuple[int, ...]]  # name → shape of one state

    def rows(self, given: Mapping[str, Array]) -> list[Array]:
        """The outputs (n, *shape) of inputs (n, size); inputs that are not given have their constant value."""

    def at(self, n: int, given: Mapping[str, int], outputs: Sequence[int]) -> None:
        """The same in place: addresses of contiguous float64 rows, in the memory of the target."""


class CpuBatch(BatchFunction):
    """A compiled function of many states, on the threads of the processor.

    Parameters
    ----------
    function : Function
        A compiled function of one state.
    constants : mapping of str to array, optional
        Values of inputs that a call may leave out. Optional inputs are zero.
    threads : int, optional
        Default: one a core. Small batches use fewer.
    """

    def __init__(self, function: Function, constants: Mapping[str, Array] | None = None, threads: int | None = None):
        signature = function.signature
        self.function, self.threads = function, threads or os.cpu_count() or 1
        self.inputs = {name: size for name, (size, _) in signature.inputs.items()}
        self.outputs = signature.outputs
        zeros = {name: np.zeros(size) for name, (size, optional) in signature.inputs.items() if optional}
        known = zeros | dict(constants or {})
        self.constants = {name: np.ascontiguousarray(x, dtype=np.float64) for name, x in known.items()}

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """The outputs as the function returns them, with a row for each state."""
        found = self.function.arguments(inputs, named, self.constants)
        arrays = {name: np.asarray(x, dtype=np.float64) for name, x in found.items()}
        for name, x in arrays.items():
            size = self.inputs[name]
            if x.ndim not in (1, 2) or x.shape[-1] != size:
                raise ValueError(f"{name} has the shape {x.shape}; expected ({size},), or (states, {size})")
        counts = {len(x) for x in arrays.values() if x.ndim == 2}
        if len(counts) != 1:
            raise ValueError(f"inputs with {sorted(counts)} states; give one input (states, size), the others alike")
        n = counts.pop()
        given = {name: np.broadcast_to(x, (n, x.shape[-1])) for name, x in arrays.items()}
        return self.function.result(self.rows(given))

    def rows(self, given: Mapping[str, Array]) -> list[Array]:
        """The outputs (n, *shape) of inputs (n, size); inputs that are not given have their constant value."""
        n = len(next(iter(given.values())))
        rows = {name: np.ascontiguousarray(x, dtype=np.float64) for name, x in given.items()}
        outputs = [np.empty((n, *shape)) for shape in self.outputs.values()]
        if self.function.backend == "c" and not self.function.python_laws:
            self.at(n, {name: address_of(x) for name, x in rows.items()}, [address_of(y) for y in outputs])
        else:
            self.function.batch(
                n, [rows[name] if name in rows else self.constants[name] for name in self.inputs], outputs
            )
            self.function.raise_pending()
        return outputs

    def at(self, n: int, given: Mapping[str, int], outputs: Sequence[int], threads: int | None = None) -> None:
        """The same in place, in C only: addresses of contiguous float64 rows."""
        inputs = [given[name] if name in given else address_of(self.constants[name]) for name in self.inputs]
        strides = [size if name in given else 0 for name, size in self.inputs.items()]
        sizes = [prod(shape) for shape in self.outputs.values()]

        def part(first: int, count: int) -> None:
            read = [x + DOUBLE * first * step for x, step in zip(inputs, strides, strict=True)]
            written = [y + DOUBLE * first * size for y, size in zip(outputs, sizes, strict=True)]
            self.function.batch_at(count, read, strides, written)

        in_parts(n, self._operations, threads or self.threads, part)

    @cached_property
    def _operations(self) -> int:
        """Operations of one state, with sines counted by the time that they take."""
        counted = self.function.operations
        return counted.total + SINE * (counted.trig + counted.other)
