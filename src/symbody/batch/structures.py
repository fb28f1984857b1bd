"""The structure of rollout.h.in in Python."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from symbody.codegen.mirror import Mirror

_COUNTS = (
    "n first steps every x_row x_column u_row u_column u_step p_row p_column y_row y_column y_step"
    " guess_row guess_column linear"
)
_POINTERS = "x guess u p rates_h outputs_h jacobian_h limits_h pivots y status made"


@cache
def batch_structure(precision: str) -> type[Mirror]:
    """batch_t of a precision."""
    number = ctypes.c_double if precision == "double" else ctypes.c_float
    fields: list[tuple[str, Any]] = [(name, ctypes.c_int64) for name in _COUNTS.split()]
    fields += [(name, ctypes.c_void_p) for name in _POINTERS.split()]
    fields += [("t0", number), ("dt", number)]
    return type("BatchOf" + precision.title(), (Mirror,), {"c_type": "batch_t", "_fields_": fields})
