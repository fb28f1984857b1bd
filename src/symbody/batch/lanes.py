"""A kernel on the processor: a state in each lane of its vectors, parts of the batch on several threads."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from symbody.batch.structures import batch_structure
from symbody.batch.system_kernel import KernelChoice, SystemKernel
from symbody.batch.threads import in_parts
from symbody.codegen import cache as store
from symbody.codegen.compiler import find_compiler, level_of
from symbody.codegen.function import Array, address_of
from symbody.codegen.loading import load_library
from symbody.codegen.mirror import check_layout, layout_table
from symbody.codegen.targets.kernel import PRECISIONS
from symbody.codegen.tiers import Code, optimised, quick
from symbody.errors import ModelError

NAME = "kernel.c"


def free_memory() -> int | None:
    """Available memory of the machine in bytes; None if the system does not say it."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    found = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return 1024 * int(found[0]) if found else None


class LaneDevice:
    """Arrays of NumPy in a precision, and kernels in C."""

    name = "cpu"

    def __init__(self, threads: int | None = None, precision: str = "double"):
        self.threads, self.precision = threads or os.cpu_count() or 1, precision
        self.type: Any = np.float64 if precision == "double" else np.float32

    def full(self, shape: Sequence[int], value: float, whole: bool = False) -> Array:
        """An array with one value everywhere; whole: of integers."""
        return np.full(tuple(shape), value, dtype=np.int64 if whole else self.type)

    def array(self, x: Any) -> Array:
        """The numbers as an array of the device, without a copy if they are one."""
        return np.asarray(x, dtype=self.type)

    def numpy(self, x: Array) -> Array:
        """The numbers for Python."""
        return x

    def place(self, x: Array) -> tuple[int, list[int]]:
        """Address, and strides in numbers."""
        return address_of(x), [stride // x.itemsize for stride in x.strides]

    def require(self, n: int, numbers: int) -> None:
        """Raise if n states of so many numbers each do not fit the free memory, and say how many do."""
        free, each = free_memory(), numbers * PRECISIONS[self.precision].bytes
        if free is not None and n * each > free:
            raise ModelError(
                f"{n} states need {n * each / 1e9:.3g} GB of memory; {int(free / each)} states fit",
                cure="use fewer states, fewer channels, or a larger `every`",
            )

    def copied(self, x: Any) -> Any:
        """A copy on the device."""
        return x.copy()

    def wait(self) -> None:
        """The processor has finished when a call returns."""

    def suited(self, choice: KernelChoice) -> KernelChoice:
        """The choice with the lengths of functions that suit the compiler."""
        return choice

    def load(self, kernel: SystemKernel) -> LaneKernel:
        return LaneKernel(kernel, self.threads, self.precision)


class LaneKernel:
    """A compiled kernel. The optimised build is made at once: a batch is worth it."""

    def __init__(self, kernel: SystemKernel, threads: int, precision: str = "double"):
        self.structure = batch_structure(precision)
        text = f"{kernel.text}\n{layout_table([self.structure])}"
        code = Code(store.digest(text), lambda: {NAME: text}, kernel.statements, level_of(kernel.statements))
        found = optimised(code, direct=True)[0] if find_compiler() else quick(code)
        assert found is not None
        self._library = load_library(found.path)
        check_layout(self._library, NAME, [self.structure])
        self._rollout, self._hoist = self._library["symbody_rollout"], self._library["symbody_hoist"]
        self._rollout.restype = self._hoist.restype = None
        self._rollout.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64]
        self._hoist.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self.lanes = int(self._library["symbody_lanes"]())
        self.threads, self.statements = threads, kernel.statements

    def hoist(self, p: int, h: Any) -> None:
        """Values that depend on shared parameters only, at the addresses h."""
        self._hoist(p, h)

    def rollout(self, b: Any) -> None:
        """The steps of all states; parts begin at multiples of the lanes."""
        n, lanes = int(b.n), self.lanes
        groups = -(-n // lanes)

        def part(first: int, count: int) -> None:
            self._rollout(ctypes.addressof(b), first * lanes, min(n, (first + count) * lanes))

        in_parts(groups, max(1, int(b.steps)) * 4 * self.statements * lanes, self.threads, part)
