"""The common part of fixed-step methods: recording, watching, and the reasons why a run ends; in C and in Python.

A method adds how to make one step. The C is in fixed_step.h. A method's file compiles to a structure with pointers to
compiled functions and arrays, and to functions that step it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Protocol

import numpy as np

from symbody.codegen import Function, refresh
from symbody.codegen.mirror import Mirror
from symbody.codegen.native import runtime_library
from symbody.stepping.newton import Newton
from symbody.stepping.start_state import MOST_PARTS, NEARBY, STEEP, STOP, STRIDE, StartState
from symbody.stepping.work import exchanges, pairs_at, power_at, power_function, rates_and_power
from symbody.system.programs import limits_program
from symbody.system.state_indices import velocity_places
from symbody.system.system import Array, System

DONE, NOT_FINITE, NEAR_SINGULAR, NOT_CONVERGED, BEYOND_LIMIT, ELSEWHERE, TOWARDS_SINGULAR, TOO_COARSE = range(
    8
)  # as in steps.h
PACKAGE = "symbody.stepping"  # the package with the C files
SIZES = "nx nq nv ns ntied nu nd npivots ny nl nballs npower part most_parts foresee row"
POINTERS = (
    "velocity balls pivots u x guess next rate v pivot now past trail between room watt powers begun_at origin rows"
)


@dataclass(frozen=True)
class StepSettings:
    """Steps of dt (s) from the time t0 (s); u: one row of inputs, or one before each step and one after the last.

    first: the index of the first step. watch: the run ends if a pivot of the loops falls below this share of its
    reference. foresee: whether a step is not started if a pivot would vanish in it. parts: into which a step may be
    divided if a pivot changes too much in it. power: whether the power before each step is kept.
    """

    dt: float
    u: Array
    t0: float = 0.0
    first: int = 0
    watch: float = STOP
    foresee: bool = False
    newton: Newton | None = None
    parts: int = MOST_PARTS
    power: bool = False


class FixedSteps(Protocol):
    """A system during integration: `x` is its state after `done` steps."""

    x: Array
    guess: Array  # dependent coordinates at the last evaluation
    done: int
    status: int
    powers: Array  # before each step of the last `run`, if kept: P (W), or forces F, then rates w, P = F·w

    @property
    def t(self) -> float:
        """The time (s)."""
        ...

    def run(self, steps: int, every: int = 1) -> Array:
        """Make steps; returns rows of outputs before every `every`-th step (0: none). Fewer if `status` is not DONE."""
        ...

    def power(self, u: Array) -> Array:
        """The same, at the present state with inputs u."""
        ...

    def observe(self) -> Array:
        """The present outputs; `status` says whether the next step could begin."""
        ...

    def retime(self, t0: float, dt: float, u: Array) -> None:
        """Continue from the time t0 with steps of dt and other inputs, counted from zero."""
        ...

    def move_to(self, start: StartState, t: float) -> None:
        """Continue from another state of the same system, at a time."""
        ...

    def advance_from(self, x: Array, steps: int) -> int:
        """Make steps from a state with constant inputs; returns the status. Time advances only if all steps succeed.

        ELSEWHERE: the state is far from the last one and has loops to close: call `move_to` first.
        """
        ...


# -- in C ------------------------------------------------------------------------------------------------------------


def _fields(programs: str, *blocks: tuple[str, Any]) -> list[tuple[str, Any]]:
    """Fields of programs, each with its hoisted values; then blocks of names of one type."""
    called = [(f"{name}{part}", ctypes.c_void_p) for name in programs.split() for part in ("", "_h")]
    return called + [(name, kind) for names, kind in blocks for name in names.split()]


class FrameOf(Mirror):
    """fixed_t of fixed_step.h: what the steps of every method have."""

    c_type = "fixed_t"
    _fields_ = _fields(
        "rates outputs limits power",
        (SIZES, ctypes.c_int64), (POINTERS, ctypes.c_void_p), ("watch steep reach leap t0 dt", ctypes.c_double),
    )  # fmt: skip


def structure_of(
    c_type: str, programs: str = "", pointers: str = "", numbers: str = "", counts: str = ""
) -> type[Mirror]:
    """The structure of a method: the frame, then its own programs with their hoisted values, pointers and numbers."""
    own = _fields(programs, (pointers, ctypes.c_void_p), (numbers, ctypes.c_double), (counts, ctypes.c_int64))
    members = {"c_type": c_type, "_anonymous_": ("frame",), "_fields_": [("frame", FrameOf), *own]}
    return type(c_type, (Mirror,), members)


def field_names(kind: type[Mirror]) -> list[str]:
    """Names of all fields of a method's structure, the frame's included."""
    names = [field[0] for field in kind._fields_]
    return field_names(FrameOf) + names[1:] if names[0] == "frame" else names


class CompiledSteps:
    """Steps in C from a state; they work on `structure`, `functions` and `arrays`."""

    KEPT: ClassVar[tuple[str, ...]] = (
        "pivots",
        "past",
        "trail",
        "x",
        "guess",
    )  # the arrays that hold the memory of steps
    TURNS: ClassVar[bool] = False  # whether the steps themselves rotate quaternions by angular velocities in x
    RATES_FIRST: ClassVar[bool] = True  # whether a step begins with the rates at its start

    def __init__(
        self,
        start: StartState,
        settings: StepSettings,
        file: str,
        kind: type[Mirror],
        functions: Mapping[str, Function] | None = None,
    ):
        system, layout = start.system, start.system.layout
        self.system, self._file, self._kind = system, file, kind
        self.x, self.guess = np.array(start.x, dtype=float), np.array(start.guess, dtype=float)
        self._library: ctypes.CDLL | None = None
        self._found: dict[str, Any] = {}
        self.done, self.status = settings.first, DONE
        self.functions = {
            "rates": system.rates_function, "outputs": system.outputs_function, **limits_of(system),
            **(power_of(system, self.RATES_FIRST) if settings.power else {}), **(functions or {}),
        }  # fmt: skip
        alone = self.functions.get("power")
        self._keeps_power, self.powers = settings.power and exchanges(system), np.zeros((0, 1))
        u = np.atleast_2d(np.ascontiguousarray(settings.u, dtype=float))
        self.sizes = {
            "nx": len(self.x), "nq": len(layout.coordinates), "nv": len(layout.velocities), "ns": len(layout.states),
            "ntied": len(layout.tied), "nu": len(system.inputs), "nd": len(self.guess), "npivots": len(start.pivots),
            "ny": len(system.outputs), "nl": limit_count(system), "nballs": len(system.quaternion_places),
            "npower": 1 if alone is None else alone.signature.outputs["pairs"][0],
            "part": 0, "most_parts": settings.parts, "foresee": settings.foresee, "row": _row(u),
        }  # fmt: skip
        balls = system.quaternions if self.TURNS else [(q, -1) for q in system.quaternion_places]
        room = {
            "next": "nx",
            "rate": "nx",
            "v": "nd",
            "now": "npivots",
            "between": "nu",
            "room": "nl",
            "begun_at": "nd",
        }
        self.arrays: dict[str, Array] = {
            "velocity": np.array(velocity_places(system), dtype=np.int64),
            "balls": np.array(balls, dtype=np.int64).ravel(),
            "pivots": np.array(start.pivots, dtype=float),
            "pivot": np.array(start.pivots, dtype=float),
            "past": np.full(2 * len(start.pivots), np.nan),
            "trail": np.full(2 * len(self.guess), np.nan),
            "u": u,
            "x": self.x,
            "guess": self.guess,
            "watt": np.zeros(1),
            "origin": np.zeros(len(self.x) + len(self.guess)),
            "rows": np.zeros(2 * self.sizes["nu"]),
            **{name: np.zeros(self.sizes[size]) for name, size in room.items()},
        }
        self.numbers: dict[str, float] = {
            "watch": settings.watch,
            "steep": STEEP,
            "reach": STRIDE,
            "leap": NEARBY,
            "t0": settings.t0,
            "dt": settings.dt,
        }

    def bind(self) -> None:
        """Fill the structure, after all functions, arrays and numbers exist."""
        known: dict[str, Any] = {name: array.ctypes.data for name, array in self.arrays.items()}
        for name, function in self.functions.items():
            known |= {name: function.address, f"{name}_h": function.hoisted.ctypes.data}
        known |= self.sizes | self.numbers
        self.structure: Any = self._kind(**{name: known[name] for name in field_names(self._kind) if name in known})

    def c_function(self, name: str) -> Any:
        """A function of the method's C file, in its present build."""
        library = runtime_library(self._file, self._kind, package=PACKAGE)
        if library is not self._library:
            self._library, self._found = library, {}
        if name not in self._found:
            self._found[name] = library[name]
            self._found[name].restype = ctypes.c_int64 if name == "integrate" else ctypes.c_int
        return self._found[name]

    @property
    def t(self) -> float:
        return float(self.structure.t0 + self.done * self.structure.dt)

    def run(self, steps: int, every: int = 1) -> Array:
        before = self.done
        path = np.full((_rows(before, steps, every), self.sizes["ny"]), np.nan)
        counts, status = (ctypes.c_int64(n) for n in (before, steps, every)), ctypes.c_int()
        where = ctypes.c_void_p(path.ctypes.data)
        powers = np.zeros((steps + 1 if self._keeps_power else 0, self.sizes["npower"]))
        self.structure.powers = powers.ctypes.data if self._keeps_power else None
        refresh(self.structure, self.functions)
        made = self.c_function("integrate")(ctypes.byref(self.structure), *counts, where, ctypes.byref(status))
        self.structure.powers, self.powers = None, powers[:made]
        self.done, self.status = before + made, status.value
        self.raise_pending()
        return path[: _rows(before, made, every)]

    def power(self, u: Array) -> Array:
        alone, now = self.functions.get("power"), (np.array([self.t]), self.x, u, self.guess)
        return np.asarray(self.functions["rates"](*now).power) if alone is None else pairs_at(alone, *now)

    def observe(self) -> Array:
        y = np.full(self.sizes["ny"], np.nan)
        refresh(self.structure, self.functions)
        look = self.c_function("observe")
        self.status = look(ctypes.byref(self.structure), ctypes.c_int64(self.done), ctypes.c_void_p(y.ctypes.data))
        self.raise_pending()
        return y

    def retime(self, t0: float, dt: float, u: Array) -> None:
        if dt != self.structure.dt:
            self.arrays["past"][:] = self.arrays["trail"][:] = np.nan  # their extrapolation needs equal steps
        self.arrays["u"] = np.atleast_2d(np.ascontiguousarray(u, dtype=float))
        self.structure.u, self.structure.row = self.arrays["u"].ctypes.data, _row(self.arrays["u"])
        self.structure.t0, self.structure.dt, self.done = t0, dt, 0

    def move_to(self, start: StartState, t: float) -> None:
        self.arrays["x"][:], self.arrays["guess"][:], self.arrays["pivots"][:] = start.x, start.guess, start.pivots
        self.arrays["pivot"][:], self.arrays["past"][:], self.arrays["trail"][:] = start.pivots, np.nan, np.nan
        self.structure.t0, self.done = t, 0

    def advance_from(self, x: Array, steps: int) -> int:
        self.status = self.bound_advance(x, steps)()
        self.raise_pending()
        return self.status

    def bound_advance(self, x: Array, steps: int) -> Callable[[], int]:
        """`advance_from` with fixed arguments, for frequent calls: x is read from its present memory."""
        refresh(self.structure, self.functions)
        call = self.c_function("advance_from")
        arguments = ctypes.byref(self.structure), ctypes.c_void_p(x.ctypes.data), ctypes.c_int64(steps)
        return partial(call, *arguments)

    def advance_each(self, steps: int, x: Array, u: Array, memory: Array, status: Array) -> None:
        """`advance_from` for a row each of x, u (or one u for all), and memory, the arrays of KEPT side by side."""
        kept = [self.arrays[name] for name in self.KEPT]
        where = np.array([array.ctypes.data for array in kept], dtype=np.uint64)
        sizes = np.array([len(array) for array in kept], dtype=np.int64)
        given = [ctypes.c_void_p(array.ctypes.data) for array in (x, u, memory, where, sizes, status)]
        steps_, rows, stride, nkept = (
            ctypes.c_int64(n) for n in (steps, len(x), u.shape[1] if u.ndim == 2 else 0, len(kept))
        )
        refresh(self.structure, self.functions)
        call = self.c_function("advance_each")
        call(ctypes.byref(self.structure), steps_, rows, *given[:2], stride, *given[2:5], nkept, given[5])
        self.raise_pending()

    def raise_pending(self) -> None:
        """Raise the exception that a Python law raised during the steps."""
        for function in self.functions.values():
            function.raise_pending()


def _row(u: Array) -> int:
    """Numbers from one row of inputs to the next; 0 if all steps share one row."""
    return int(u.shape[1]) if len(u) > 1 else 0


def _rows(first: int, steps: int, every: int) -> int:
    """Number of records of steps that begin with index `first`."""
    return len(range(-first % every, steps, every)) if every else 0


# -- in Python -------------------------------------------------------------------------------------------------------

PythonStep = Callable[["PythonSteps", int, Array], Array]  # (steps, index, dx/dt before it) → x after it


class TooCoarse(Exception):
    """A pivot of the loops, or a dependent coordinate, changes too much within a step."""


class PythonSteps:
    """The same in Python, for machines without a C compiler."""

    def __init__(self, start: StartState, settings: StepSettings, step: PythonStep):
        self.system, self._step, self._watch, self._parts = start.system, step, settings.watch, settings.parts
        self.x, self.guess, self._pivots = np.array(start.x, dtype=float), start.guess, start.pivots
        self.dt, self.u, self.t0 = settings.dt, np.atleast_2d(settings.u), settings.t0
        self.done, self.status, self._foresee = settings.first, DONE, settings.foresee
        self._keeps_power, self.powers = settings.power and exchanges(start.system), np.zeros((0, 1))
        self._course = np.full((3, len(self._pivots)), np.nan)  # pivots before this step, and before the last two
        self._begun_at = self.guess  # dependent coordinates at the beginning of the step

    @property
    def t(self) -> float:
        return self.t0 + self.done * self.dt

    def inputs(self, step: int, share: float) -> Array:
        """The inputs at a fraction of a step."""
        if len(self.u) == 1:
            return np.asarray(self.u[0])
        after = self.u[min(step + 1, len(self.u) - 1)]
        return np.asarray(self.u[step] + share * (after - self.u[step]))

    def rates(self, step: int, share: float, x: Array) -> Any:
        """dx/dt, dependent coordinates and pivots at a fraction of a step; the result is the next guess."""
        t = np.array([self.t0 + (step + share) * self.dt])
        found = self.system.rates_function(t, x, self.inputs(step, share), self.guess)
        if x is self.x:
            self._begun_at = found.v
        elif self._is_coarse(found):
            raise TooCoarse
        if np.all(np.isfinite(found.v)):
            self.guess = found.v
        return found

    def _is_coarse(self, found: Any) -> bool:
        """Whether a pivot, or a dependent coordinate, changes too much from the beginning of a step to a stage."""
        steep = np.abs(found.pivots - self._course[0]) > STEEP * np.abs(self._course[0])
        return bool(np.any(steep) or np.any(np.abs(found.v - self._begun_at) > NEARBY))

    def _begun(self, step: int) -> tuple[int, Array]:
        """Why a step may not begin (or DONE), and dx/dt."""
        found = self.rates(step, 0.0, self.x)
        if not np.all(np.isfinite(found.xd)):
            return NOT_FINITE, found.xd
        if len(self._pivots) and not np.all(found.pivots / self._pivots > self._watch):
            return NEAR_SINGULAR, found.xd
        self._course[0] = found.pivots
        now = self._now(step)
        within = all(np.all(limits(*now) > 0) for limits in limits_of(self.system).values())
        return DONE if within else BEYOND_LIMIT, found.xd

    def _now(self, step: int) -> tuple[Array, Array, Array, Array]:
        return np.array([self.t0 + step * self.dt]), self.x, self.inputs(step, 0.0), self.guess

    def run(self, steps: int, every: int = 1) -> Array:
        rows: list[Array] = []
        powers: list[Array] = []
        for step in range(self.done, self.done + steps):
            self.status, rate = self._begun(step)
            now, last, before = self._course
            if self.status == DONE and np.any((3.0 * (now - last) + before) * now <= 0.0):
                self.status = TOWARDS_SINGULAR
            if self.status != DONE:
                break
            y = self.system.outputs_function(*self._now(step)) if every and step % every == 0 else None
            watts = [self.power(self.inputs(step, 0.0))] if self._keeps_power else []
            guess = self.guess
            try:
                after = self._advanced(step, rate)
            except TooCoarse:
                self.guess, self.status = guess, TOO_COARSE if self._foresee else NEAR_SINGULAR
                break
            if not np.all(np.isfinite(after)):
                self.status = NOT_FINITE
                break
            for q in self.system.quaternion_places:
                after[q : q + 4] /= np.linalg.norm(after[q : q + 4])
            rows += [] if y is None else [y]
            powers += watts
            self.x, self.done = after, step + 1
            if self._foresee:
                self._course[1:] = self._course[:2].copy()
        self.powers = np.array(powers).reshape(len(powers), 1)
        return np.array(rows).reshape(len(rows), len(self.system.outputs))

    def power(self, u: Array) -> Array:
        return np.array([power_at(power_function(self.system), np.array([self.t]), self.x, u, self.guess)])

    def _advanced(self, step: int, rate: Array) -> Array:
        """The state after a step, made in parts if a pivot changes too much in it."""
        x, guess = self.x, self.guess
        try:
            return self._step(self, step, rate)
        except TooCoarse:
            whole, rows = (self.t0, self.dt, self.u), [self.inputs(step, share) for share in (0.0, 1.0)]
        try:
            return self._in_parts(self.t0 + step * self.dt, self.dt, rows, guess)
        finally:
            (self.t0, self.dt, self.u), self.x = whole, x
            self._course[:] = np.nan

    def _in_parts(self, t: float, dt: float, rows: list[Array], guess: Array) -> Array:
        """The state after a step of dt from t, in parts that keep the change of each pivot small."""
        part, parts, after = 0, 2, self.x
        while part < parts:
            u = [rows[0] + (part + share) / parts * (rows[1] - rows[0]) for share in (0.0, 1.0)]
            self.t0, self.dt, self.u, self.guess = t + part / parts * dt, dt / parts, np.array(u), guess
            found = self.rates(0, 0.0, self.x)
            self._course[0] = found.pivots
            try:
                after = self._step(self, 0, found.xd)
            except TooCoarse:
                part, parts = 2 * part, 2 * parts
                if parts > self._parts:
                    raise
                continue
            if not np.all(np.isfinite(after)):
                break
            self.x, guess, part = after, self.guess, part + 1
            for q in self.system.quaternion_places:
                after[q : q + 4] /= np.linalg.norm(after[q : q + 4])
        return after

    def observe(self) -> Array:
        self.status, _ = self._begun(self.done)
        return np.asarray(self.system.outputs_function(*self._now(self.done)))

    def retime(self, t0: float, dt: float, u: Array) -> None:
        if dt != self.dt:
            self._course[:] = np.nan  # its extrapolation needs equal steps
        self.t0, self.dt, self.u, self.done = t0, dt, np.atleast_2d(u), 0

    def move_to(self, start: StartState, t: float) -> None:
        self.x, self.guess, self._pivots = np.array(start.x, dtype=float), start.guess, start.pivots
        self._course[:] = np.nan
        self.t0, self.done = t, 0

    def advance_from(self, x: Array, steps: int) -> int:
        if not np.array_equal(x, self.x):
            self._course[:] = np.nan  # a state that no step reached has no past
        self.x = np.array(x, dtype=float)
        self.run(steps, 0)
        self.t0, self.done = self.t if self.status == DONE else self.t0, 0
        return self.status


def power_of(system: System, rates_first: bool) -> dict[str, Function]:
    """The functions with the power: the rates that have it, or if they cannot, a function of its own."""
    rates = rates_and_power(system) if rates_first else None
    if rates is not None:
        return {"rates": rates}
    return {"power": power_function(system)} if exchanges(system) else {}


def limits_of(system: System) -> dict[str, Function]:
    """The function for quantities that must stay positive, if there are any."""
    return {"limits": system.function("limits", limits_program)} if limit_count(system) else {}


def limit_count(system: System) -> int:
    """Number of quantities that must stay positive: limits of the model, joint chains that can lock, held equations."""
    return len(system.model.limits) + len(system.lockable) + len(system.held)
