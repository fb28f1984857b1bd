"""Fixed-step integration in C: a system whose forces are in its equations never leaves compiled code."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from symbody.codegen.native import runtime_library
from symbody.system.flow import Array, ClosedFlow, Flow

ORDERS = {"rk4": 4, "semi-implicit": 1}
_POINTERS = ("free", "given_q", "given_v", "dependent", "balls", "Q", "held", "u", "ud", "guess", "q", "qd", "work")
_SIZES = ("closed", "nq", "nv", "nu", "nud", "nd", "nfree", "nballs")
_FUNCTIONS = ("accelerations", "accelerations_h", "rates", "rates_h")


class _System(ctypes.Structure):
    """system_t of runtime/integrate.c."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in _FUNCTIONS),
        *((name, ctypes.c_long) for name in _SIZES),
        *((name, ctypes.c_void_p) for name in _POINTERS),
    )


class Stepper:
    """A flow without Python in it, stepped in C; `u`, `ud` are its state and may be read or set between calls."""

    def __init__(self, flow: Flow, method: str = "rk4"):
        if method not in ORDERS:
            raise ValueError(f"method {method!r}: {' or '.join(map(repr, ORDERS))}")
        self._order, self._flow = ORDERS[method], flow
        layout = flow.layout()
        self.nq, self.nv = layout.nq, layout.nv
        self.u, self.ud = layout.u.copy(), layout.ud.copy()
        nu, nud, nd = len(self.u), len(self.ud), len(layout.dependent)
        arrays: dict[str, Array] = {
            name: np.ascontiguousarray(getattr(layout, name), dtype=np.int64)
            for name in ("free", "given_q", "given_v", "dependent", "balls")
        }
        arrays |= {"Q": np.zeros(self.nv), "held": np.zeros(max(nud, 1)), "u": self.u, "ud": self.ud}
        arrays |= {"guess": layout.guess.copy(), "q": np.zeros(self.nq), "qd": np.zeros(self.nv)}
        arrays["work"] = np.zeros(6 * self.nv + self.nq + 5 * (nu + nud))
        self._arrays = arrays  # the C structure points into them
        sizes = (int(isinstance(flow, ClosedFlow)), self.nq, self.nv, nu, nud, nd, len(layout.free), len(layout.balls))
        functions = [x for f in (flow.function, flow.rates) for x in (f.address, f.hoisted.ctypes.data)]
        pointers = (arrays[name].ctypes.data for name in _POINTERS)
        self._system = _System(*functions, *sizes, *pointers)
        self._integrate: Any = runtime_library("integrate.c")["integrate"]
        self._integrate.restype = ctypes.c_long
        self.done = 0

    def run(self, steps: int, dt: float, every: int = 1) -> tuple[int, Array, Array]:
        """Steps made (fewer where a number was not finite), and the motion before every `every`-th of them."""
        rows = len(range(-self.done % every, steps, every))
        path_q, path_qd = np.full((rows, self.nq), np.nan), np.full((rows, self.nv), np.nan)
        made = self._integrate(
            ctypes.byref(self._system), ctypes.c_int(self._order), ctypes.c_double(dt), ctypes.c_long(steps),
            ctypes.c_long(self.done), ctypes.c_long(every),
            ctypes.c_void_p(path_q.ctypes.data), ctypes.c_void_p(path_qd.ctypes.data),
        )  # fmt: skip
        self.done += made
        return made, path_q, path_qd
