"""The filter of error_state.py in C, about a hundred times as fast; for systems without quaternions."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from symbody.codegen import Function, refresh
from symbody.codegen.mirror import Mirror
from symbody.codegen.native import runtime_library
from symbody.estimation.state_filter import FilterSetup
from symbody.stepping.fixed_step import DONE, CompiledSteps, StepSettings
from symbody.stepping.newton import Newton
from symbody.stepping.registry import suited_fixed
from symbody.stepping.stability import StabilityFunction
from symbody.stepping.start_state import start_state
from symbody.system.programs import error_slopes_program, observation_program
from symbody.system.state_indices import velocity_places
from symbody.system.system import Array, System

POINTERS = (
    "stepped x u guess P A G y H J F W V power N T d gain pivots scale stability densities R innovation share place "
    "offset"
)
CALLED = "slopes slopes_h sensors sensors_h advance stepper"


class FilterOf(Mirror):
    """filter_t of filter_t.h."""

    c_type = "filter_t"
    _fields_ = (
        *((name, ctypes.c_void_p) for name in CALLED.split()),
        *((name, ctypes.c_int64) for name in ("n", "nv", "nz", "m", "g", "inputs", "substeps", "degree", "moving")),
        *((name, ctypes.c_void_p) for name in POINTERS.split()),
        *((name, ctypes.c_double) for name in ("t", "dt", "gate", "gamma")),
    )


def can_compile(s: System) -> bool:
    """Whether each state has its own error coordinate, and the system's steps run in C."""
    nq = len(s.layout.coordinates)
    paired = velocity_places(s) == list(range(nq, nq + len(s.layout.velocities)))
    return paired and not s.layout.tied and s.rates_function.backend == "c"


class CompiledFilter:
    """x and P, and the two halves of a step. A status other than DONE says why a step failed."""

    def __init__(
        self,
        setup: FilterSetup,
        R: Array,
        P: Array,
        stability: StabilityFunction | None = None,
        newton: Newton | None = None,
        moving: int | None = None,
    ):
        s, doubt, dt, sensors = setup.system, setup.doubt, setup.dt, list(setup.sensors)
        self.system, self.sensors = s, sensors
        self._u = np.array([s.u0], dtype=float)
        steps = suited_fixed(s, setup.method).steps(start_state(s), StepSettings(dt, self._u, newton=newton))
        assert isinstance(steps, CompiledSteps)
        self.steps = steps
        inputs = [s.inputs.index(one.name) for one in doubt.unknown if one.kind == "input"]
        parameters = [one.name for one in doubt.unknown if one.kind == "parameter"]
        self._unknown = inputs, parameters
        slopes = s.function(
            f"error slopes {inputs}; {' '.join(parameters)}",
            lambda traced: error_slopes_program(traced, inputs, parameters),
        )
        self.functions = {"slopes": slopes, "sensors": self.observation(self.sensors)}
        n, nz, m = len(s.x0), len(sensors), len(doubt.unknown)
        room = {"A": n * n, "G": n * m, "y": nz, "H": nz * n, "J": nz * m, "innovation": nz, "share": nz}
        room |= dict.fromkeys(("F", "V", "power", "N"), n * n) | dict.fromkeys(("d", "gain"), n + m)
        room |= dict.fromkeys(("W", "T"), (n + m) * (n + m))
        self.arrays: dict[str, Array] = {
            "stepped": steps.arrays["x"], "guess": steps.arrays["guess"], "x": np.array(s.x0), "u": self._u,
            "P": np.ascontiguousarray(P, dtype=float),
            "densities": np.append(doubt.densities, [one.density for one in doubt.unknown]),
            "place": np.array(inputs, dtype=np.int64), "offset": np.zeros(len(inputs)),
            "R": np.array(R, dtype=float), "pivots": np.zeros(n, dtype=np.int64), "scale": np.ones(n),
            "stability": np.array([*stability.c, *stability.of_constants] if stability else [0.0]),
            **{name: np.zeros(size) for name, size in room.items()},
        }  # fmt: skip
        where = {name: array.ctypes.data for name, array in self.arrays.items()}
        self.structure: Any = FilterOf(
            **{f"{name}_h": function.hoisted.ctypes.data for name, function in self.functions.items()},
            stepper=ctypes.addressof(steps.structure), n=n,
            nv=len(s.layout.velocities), nz=nz, m=m, g=len(doubt.estimated), inputs=len(inputs), substeps=1,
            dt=dt, gate=setup.gate, degree=len(stability.c) - 1 if stability else 0,
            moving=n if moving is None else moving,
            gamma=stability.gamma if stability else 0.0, **where,
        )  # fmt: skip

    def observation(self, names: Sequence[str]) -> Function:
        """(t, x, u, guess) → channels y, ∂y/∂x, ∂y/∂(unknown inputs, parameters)."""
        inputs, parameters = self._unknown
        name = f"observation {' '.join(names)}; {inputs}; {' '.join(parameters)}"
        return self.system.function(name, lambda traced: observation_program(traced, names, inputs, parameters))

    def refresh(self) -> None:
        """Update all function pointers in the C structure to the code compiled now."""
        self.structure.advance = ctypes.cast(self.steps.c_function("advance_from"), ctypes.c_void_p).value
        refresh(self.steps.structure, self.steps.functions)
        refresh(self.structure, self.functions)

    def _call(self, name: str) -> Any:
        self.refresh()
        return runtime_library("filter.c", FilterOf, package="symbody.estimation")[name]

    def at(self, t: float, u: Array) -> None:
        """Set the time and the inputs of the next call."""
        self.structure.t = self.steps.structure.t0 = t
        self._u[0] = u

    def move_to(self, x: Array, t: float) -> None:
        """Continue from a state; its loops are closed again."""
        self.steps.move_to(start_state(self.system, x, t=t), t)

    def predict(self) -> int:
        """Predict: one step of the model and of P. Returns a status."""
        return int(self._call("predict")(ctypes.byref(self.structure)))

    def correct(self, z: Array) -> int:
        """Correct by measurements; NaN means no measurement. Returns a status."""
        z = np.ascontiguousarray(z, dtype=float)
        return int(self._call("correct")(ctypes.byref(self.structure), ctypes.c_void_p(z.ctypes.data)))

    def run(self, u: Array, z: Array, truth: Array | None = None) -> list[Array]:
        """Steps with one row of inputs and measurements each; estimates, variances, y²/S and NEES up to a failure."""
        told = [np.ascontiguousarray(a, dtype=float) for a in (u, z, truth) if a is not None]
        n, count, status = len(self.arrays["x"]) + len(self.arrays["offset"]), len(z), ctypes.c_int(DONE)
        rows = [np.empty((count, n)), np.empty((count, n)), np.empty(np.shape(z)), np.full(count, np.nan)]
        where = [ctypes.c_void_p(a.ctypes.data) for a in (*told, *rows)]
        if truth is None:
            where.insert(2, ctypes.c_void_p(None))
        call = self._call("filter_steps")
        call.restype = ctypes.c_int64
        made = call(
            ctypes.byref(self.structure), ctypes.c_int64(count), where[0], ctypes.c_int64(told[0].shape[1]), where[1],
            *where[3:6], where[2], where[6], ctypes.byref(status),
        )  # fmt: skip
        return [a[:made] for a in rows]
