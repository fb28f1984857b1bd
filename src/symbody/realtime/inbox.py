"""Numbers from another thread of the process as a stage of a chain; the loop never waits for them."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from symbody.codegen.mirror import Mirror
from symbody.codegen.native import optimised_runtime
from symbody.errors import ModelError
from symbody.realtime.loop_layout import Mailbox
from symbody.realtime.stepper import NONE, LoopModel, LoopStepper
from symbody.stepping.step_options import FixedStep
from symbody.system.system import Array

AGE = "age"


class LoopInboxOf(Mirror):
    """inbox_t of inbox.c."""

    c_type = "inbox_t"
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("u", "buffers", "values")),
        ("box", Mailbox), ("n", ctypes.c_int64), ("dt", ctypes.c_double),
    )  # fmt: skip


class LoopInbox:
    """A source of the loop whose outputs are the numbers that one thread posts, and their `age` (s).

    units: names of the numbers with their units.
    """

    def __init__(self, units: Mapping[str, str]) -> None:
        self.units = dict(units)
        n = len(self.units)
        self._memory = {"buffers": np.zeros(3 * n), "values": np.zeros(n + 1), "u": np.zeros(1)}
        self._structure: Any = LoopInboxOf(
            **{name: array.ctypes.data for name, array in self._memory.items()}, box=Mailbox.empty(), n=n
        )

    @cached_property
    def _library(self) -> Any:
        return optimised_runtime("inbox.c", LoopInboxOf, Mailbox, package=__package__)

    def post(self, numbers: Sequence[float] | Array) -> None:
        """Give all numbers; the loop takes them at its next step. Only one thread may post."""
        given = np.ascontiguousarray(numbers, dtype=float)
        if given.shape != (len(self.units),):
            raise ModelError(f"{given.size} numbers", element="inbox", cure=f"give {len(self.units)}")
        self._library.post_numbers(ctypes.byref(self._structure), ctypes.c_void_p(given.ctypes.data))

    def loop_model(self, dt: float, substeps: int, steps: FixedStep) -> LoopModel:
        """The inbox as the loop steps it."""
        self._structure.dt = dt
        where = ctypes.cast(self._library.integrate, ctypes.c_void_p).value or 0
        stepper = LoopStepper(self, where, self._structure, (self._memory["values"],), NONE.ctypes.data)
        units = self.units | {AGE: "s"}
        return LoopModel("inbox", [], np.zeros(0), list(units), np.zeros(len(units)), units, {}, stepper)
