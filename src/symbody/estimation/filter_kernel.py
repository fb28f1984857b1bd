"""The text of the kernels of many error-state filters, in CUDA: filter.h with a thread for each filter."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from symbody.codegen.includes import TranslationUnit, c_file
from symbody.codegen.mirror import Mirror
from symbody.codegen.targets.kernel import kernel_programs, kernel_text
from symbody.estimation.error_state import ErrorStateFilter
from symbody.system.programs import error_slopes_program, observation_program

PACKAGE = "symbody.estimation"
ROWS = ("x", "u", "guess", "z", "P", "offset", "share")  # arrays with a row for each filter
_POINTERS = "x P offset share u guess z slopes_h sensors_h stability densities R status"


class FiltersOf(Mirror):
    """filters_t of filters.h.in."""

    c_type = "filters_t"
    _fields_ = (
        ("n", ctypes.c_int64),
        *((f"{name}_{way}", ctypes.c_int64) for name in ROWS for way in ("row", "column")),
        *((name, ctypes.c_void_p) for name in _POINTERS.split()),
        *((name, ctypes.c_double) for name in ("t", "dt", "gate")),
    )


class FilterKernel(NamedTuple):
    """A text, and the numbers of values that depend on parameters only."""

    text: str
    hoisted: tuple[int, int]  # of the slopes of the rates, and of the sensors


def filter_kernel(like: ErrorStateFilter, part: int, deep: bool) -> FilterKernel:
    """The kernels `predict` and `correct` of filters like one, in double precision."""
    s, doubt, stability = like.system, like.doubt, like._stability
    parameters = [list(s.parameters)[k] for k in like._parameters]

    def written(traced: Any) -> FilterKernel:
        programs = [
            error_slopes_program(traced, like._inputs, parameters),
            observation_program(traced, list(like.sensors), like._inputs, parameters),
        ]
        slopes, sensors = kernel_programs(programs, "double", part, deep)
        n, m = len(s.x0), len(doubt.unknown)
        defined = {
            "PER_STATE": 0, "ERRORS": n, "UNKNOWN": m, "WIDE": n + m, "NV": len(s.layout.velocities),
            "NZ": len(like.sensors), "NU": len(s.inputs), "ND": len(s.start_guess), "INPUTS": len(like._inputs),
            "ESTIMATED": len(doubt.estimated), "MOVING": like._moving,
            "DEGREE": len(stability.c) - 1 if stability else 0, "GAMMA": repr(stability.gamma if stability else 0.0),
        }  # fmt: skip
        own = TranslationUnit(["math.h", "stdint.h", "string.h"]).paste(c_file("filter.h", PACKAGE))
        hoist = [line for line in (slopes.hoist("slopes_h"), sensors.hoist("sensors_h")) if line]
        lines = {"CALLS": [slopes.macro("SLOPES"), sensors.macro("SENSORS")], "FILTER_H": [own], "HOIST": hoist}
        frame = c_file("filters.h.in", PACKAGE).read_text(encoding="utf-8")
        text = kernel_text(f"{s.model.name} filters", [slopes, sensors], defined, lines, frame, "double")
        return FilterKernel(text, (slopes.slots, sensors.slots))

    return s.make(written)
