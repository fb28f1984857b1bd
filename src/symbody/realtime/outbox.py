"""Numbers of a chain for another thread of the process; the loop never waits for it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from symbody.codegen.mirror import Mirror
from symbody.codegen.native import optimised_runtime
from symbody.realtime.loop_layout import Mailbox
from symbody.realtime.stepper import NONE, LoopModel, LoopStepper
from symbody.stepping.step_options import FixedStep
from symbody.system.system import Array


class LoopOutboxOf(Mirror):
    """outbox_t of outbox.c."""

    c_type = "outbox_t"
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("u", "buffers", "sample")), ("box", Mailbox), ("n", ctypes.c_int64),
    )  # fmt: skip


class Posted(NamedTuple):
    """Numbers of a period, and when the loop wrote them (s of `time.monotonic`)."""

    values: Array
    at: float


class LoopOutbox:
    """A stage of a chain whose inputs another thread reads with `collect()`; it has no outputs."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        n = len(self.names)
        self._memory = {"u": np.zeros(n), "buffers": np.zeros(3 * (n + 1)), "sample": np.zeros(n + 1)}
        self._structure: Any = LoopOutboxOf(
            **{name: array.ctypes.data for name, array in self._memory.items()}, box=Mailbox.empty(), n=n
        )

    @cached_property
    def _library(self) -> Any:
        return optimised_runtime("outbox.c", LoopOutboxOf, Mailbox, package=__package__)

    def collect(self) -> Posted | None:
        """The newest numbers, or None if there are no new ones. Only one thread may collect."""
        found = np.empty(len(self.names) + 1)
        if not self._library.collect_numbers(ctypes.byref(self._structure), ctypes.c_void_p(found.ctypes.data)):
            return None
        return Posted(found[:-1], float(found[-1]))

    def loop_model(self, dt: float, substeps: int, steps: FixedStep) -> LoopModel:
        """The outbox as the loop steps it."""
        where, u = ctypes.cast(self._library.integrate, ctypes.c_void_p).value or 0, self._memory["u"]
        stepper = LoopStepper(self, where, self._structure, (), NONE.ctypes.data)
        return LoopModel("outbox", self.names, u, [], np.zeros(0), {}, {}, stepper)
