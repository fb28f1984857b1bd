"""Loops of many states closed in C from the start: for bridges, where Python does not run between calls.

The same algorithm as `loop_path.py`, on generated code (`codegen/runtime/loop_path.h`): the answer is in the assembly
mode of the start and depends on the state alone.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any

import numpy as np

from symbody.codegen.adjoint import with_parameters
from symbody.codegen.function import Function, address_of
from symbody.codegen.mirror import Mirror
from symbody.codegen.native import optimised_runtime
from symbody.codegen.program import Program
from symbody.equations.functions import GenerationOptions, make_program
from symbody.model.tree import quaternion_tangents
from symbody.system.loop_path import LoopEquations, follow
from symbody.system.loop_programs import given_program, loop_step_program
from symbody.system.open_loop import open_rows
from symbody.system.system import Array, System

POINTER = ctypes.c_void_p
INPUTS = ("t", "x", "u", "p")  # in the order of loop_closer.h
TEXT = 400  # bytes of a reason


class LoopPathMirror(Mirror):
    """The loops and a closed position (loop_path.h)."""

    c_type = "loop_path_t"
    _fields_ = (
        ("step", POINTER), ("h", POINTER), ("ng", ctypes.c_int64), ("nd", ctypes.c_int64), ("nballs", ctypes.c_int64),
        ("balls", POINTER), ("relevant", POINTER), ("g", POINTER), ("v", POINTER), ("radius", ctypes.c_double),
    )  # fmt: skip


class LoopCloserMirror(Mirror):
    """The same with the given coordinates of a state (loop_closer.h)."""

    c_type = "loop_closer_t"
    _fields_ = (
        ("path", LoopPathMirror), ("given", POINTER), ("given_h", POINTER), ("title", POINTER), ("loops", POINTER),
        ("units", POINTER),
    )  # fmt: skip


class LoopEndMirror(Mirror):
    """How the last attempt ended (loop_path.h)."""

    c_type = "loop_end_t"
    _fields_ = (("share", ctypes.c_double), ("gap", ctypes.c_double), ("row", ctypes.c_int64))


@cache
def _routines() -> tuple[Any, Any]:
    """close_states and open_loop_reason of loop_states.c."""
    library = optimised_runtime("loop_states.c", LoopCloserMirror, LoopEndMirror)
    close, reason = library.close_states, library.open_loop_reason
    close.restype, close.argtypes = ctypes.c_size_t, [POINTER, ctypes.c_size_t, *[POINTER] * 5]
    reason.restype, reason.argtypes = None, [POINTER, POINTER, ctypes.c_size_t, POINTER]
    return close, reason


class CompiledPaths:
    """Dependent coordinates v (n, nd) at states (t, x, u), and p if some parameters are inputs; from the start of s.

    Rows where the loops do not close are NaN.
    """

    def __init__(self, s: System, parameters: Sequence[str] = ()):
        self._s, self.parameters = s, tuple(parameters)
        d, closer = s.definition, s.closer
        self.nd = len(s.start_guess)
        self._given = self._made("given", lambda: s.make(given_program))
        self._step = self._made("loop step", lambda: loop_step_program(d.model, d.state_partition, d.options))
        self.names = INPUTS if parameters else INPUTS[:3]
        self.sizes = [size for size, _ in self._given.signature.inputs.values()]
        self.in_c = self._given.backend == self._step.backend == "c" and not self._given.python_laws
        balls = sorted({place for place, _ in quaternion_tangents(d.model).values()})
        self._arrays: dict[str, Array] = {
            "balls": np.array(balls, dtype=np.int64), "relevant": closer.relevant.astype(float),
            "g": np.array(closer.start), "v": np.array(s.start_guess, dtype=float),
        }  # fmt: skip
        self.radius = s.start_radius

    def _made(self, name: str, program: Any) -> Function:
        names = self.parameters
        if not names:
            return self._s.functions.compiled(name, program)

        def changed() -> Program:
            return with_parameters(program(), names, INPUTS[-1])

        return self._s.functions.compiled(f"{name} of {names}", changed)

    @cached_property
    def record(self) -> LoopCloserMirror:
        """What C reads; it lives as long as this object, and follows the optimised builds."""
        assert self.in_c
        d = self._s.definition
        texts = [d.model.name, *(name for row in open_rows(d.model, d.state_partition.rows) for name in row)]
        self._texts = [ctypes.create_string_buffer(text.encode()) for text in texts]
        title, *pairs = map(ctypes.addressof, self._texts)
        self._pointers = [(POINTER * self.nd)(*pairs[k::2]) for k in (0, 1)]
        path = LoopPathMirror(
            None, address_of(self._step.hoisted), d.model.nq, self.nd, len(self._arrays["balls"]),
            *(address_of(self._arrays[name]) for name in ("balls", "relevant", "g", "v")), self.radius,
        )  # fmt: skip
        made = LoopCloserMirror(
            path, None, address_of(self._given.hoisted), title, *map(ctypes.addressof, self._pointers),
        )  # fmt: skip

        def refresh() -> None:
            made.path.step, made.given = self._step.address, self._given.address

        refresh()
        self._step.when_optimised(refresh)
        self._given.when_optimised(refresh)
        return made

    def at(self, n: int, given: Mapping[str, tuple[int, int]], v: int) -> str:
        """v of n states in place, in C only: address and stride of t, x, u and p. Returns why one stays open."""
        close, reason = _routines()
        record, end = self.record, LoopEndMirror()
        inputs = (POINTER * len(INPUTS))(*[given[k][0] if k in given else None for k in INPUTS])
        strides = (ctypes.c_size_t * len(INPUTS))(*[given[k][1] if k in given else 0 for k in INPUTS])
        work = np.empty(2 * record.path.ng + 8 * record.path.nd + 1)
        if close(ctypes.addressof(record), n, inputs, strides, v, address_of(work), ctypes.byref(end)) == n:
            return ""
        text = ctypes.create_string_buffer(TEXT)
        reason(ctypes.addressof(record), ctypes.byref(end), TEXT, text)
        return text.value.decode()

    def why(self, given: Mapping[str, Array]) -> str:
        """Why the loops of one state (size,), or (1, size), do not close."""
        one = {name: np.ascontiguousarray(given[name], dtype=np.float64).reshape(-1) for name in self.names}
        if self.in_c:
            return self.at(1, {k: (address_of(x), 0) for k, x in one.items()}, address_of(np.empty(self.nd)))
        return self._s.close_loops(float(one["t"][0]), one["x"], one["u"]).why[0]

    def rows(self, given: Mapping[str, Array]) -> Array:
        """v (n, nd) of inputs (n, size) or (size,)."""
        arrays = {name: np.ascontiguousarray(given[name], dtype=np.float64) for name in self.names}
        n = max(len(x) for x in arrays.values() if x.ndim == 2)
        v = np.empty((n, self.nd))
        if self.in_c:
            where = {k: (address_of(x), x.shape[-1] if x.ndim == 2 else 0) for k, x in arrays.items()}
            self.at(n, where, address_of(v))
            return v
        whole = [np.broadcast_to(x, (n, x.shape[-1])) for x in arrays.values()]
        for k in range(n):
            v[k] = self._without_c([x[k] for x in whole])
        return v

    def _without_c(self, one: Sequence[Array]) -> Array:
        """v at one state, in NumPy."""
        d, options = self._s.definition, GenerationOptions(live=self._s.options.live, loads=False)
        equations = self._made("loop equations", lambda: make_program(d.model, "constraints", options))

        def with_p(q: Array) -> Any:
            return equations(q, *([np.tile(one[3], (len(q), 1))] if self.parameters else []))

        loops: Any = LoopEquations(d.model, d.state_partition, with_p)  # type: ignore[arg-type]
        goal = np.asarray(self._given(*one))[None]
        if not np.all(np.isfinite(goal)):
            return np.full(self.nd, np.nan)
        found = follow(loops, self._arrays["g"], self._arrays["v"], goal)
        return np.where(found.reached[0], found.v[0], np.nan)
