"""The filter in C: what error_state.py computes, some hundred times as fast; for systems without quaternions."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from symbody.codegen import refresh
from symbody.codegen.native import runtime_library
from symbody.estimation.noise import ModelDoubt
from symbody.stepping.fixed_step import DONE, CompiledSteps, StepSettings
from symbody.stepping.registry import suited_fixed
from symbody.stepping.start_state import start_state
from symbody.system.places import velocity_places
from symbody.system.programs import filter_program
from symbody.system.system import Array, System

POINTERS = "stepped x u guess P A G y H J F W V power N d gain densities R innovation share used place offset"
FILTER_T = type(
    "FILTER_T",
    (ctypes.Structure,),
    {
        "_fields_": [(name, ctypes.c_void_p) for name in ["slopes", "slopes_h", "advance", "stepper"]]
        + [(name, ctypes.c_int64) for name in ["n", "nv", "nz", "m", "g", "inputs", "substeps"]]
        + [(name, ctypes.c_void_p) for name in POINTERS.split()]
        + [(name, ctypes.c_double) for name in ["t", "dt", "gate", "nis"]]
    },
)


def can_compile(s: System) -> bool:
    """Whether the errors of a system are those of its states, and its steps run in C."""
    nq = len(s.layout.coordinates)
    paired = velocity_places(s) == list(range(nq, nq + len(s.layout.velocities)))
    return paired and not s.layout.tied and s.rates_function.backend == "c"


class CompiledFilter:
    """x and P, and the two halves of a step; a status other than DONE says why a step could not be made."""

    def __init__(
        self,
        s: System,
        sensors: Sequence[str],
        R: Array,
        doubt: ModelDoubt,
        dt: float,
        method: str | None,
        P: Array,
        gate: float,
    ):
        self.system = s
        self._u = np.array([s.u0], dtype=float)
        steps = suited_fixed(s, method).steps(start_state(s), StepSettings(dt, self._u))
        assert isinstance(steps, CompiledSteps)
        self._steps = steps
        inputs = [s.inputs.index(one.name) for one in doubt.unknown if one.kind == "input"]
        parameters = [one.name for one in doubt.unknown if one.kind == "parameter"]
        name = f"filter {' '.join(sensors)}; {inputs}; {' '.join(parameters)}"
        slopes = s.function(name, lambda traced: filter_program(traced, sensors, inputs, parameters))
        self._functions = {"slopes": slopes}
        n, nz, m = len(s.x0), len(sensors), len(doubt.unknown)
        room = {"A": n * n, "G": n * m, "y": nz, "H": nz * n, "J": nz * m, "innovation": nz, "share": nz}
        room |= dict.fromkeys(("F", "V", "power", "N"), n * n) | dict.fromkeys(("d", "gain"), n + m)
        room["W"] = (n + m) * (n + m)
        self.arrays: dict[str, Array] = {
            "stepped": steps.arrays["x"], "guess": steps.arrays["guess"], "x": np.array(s.x0), "u": self._u,
            "P": np.ascontiguousarray(P, dtype=float),
            "densities": np.append(doubt.densities, [one.density for one in doubt.unknown]),
            "place": np.array(inputs, dtype=np.int64), "offset": np.zeros(len(inputs)),
            "R": np.ascontiguousarray(R), "used": np.zeros(nz, dtype=np.int64),
            **{name: np.zeros(size) for name, size in room.items()},
        }  # fmt: skip
        where = {name: array.ctypes.data for name, array in self.arrays.items()}
        self.structure: Any = FILTER_T(
            slopes_h=slopes.hoisted.ctypes.data, stepper=ctypes.addressof(steps.structure), n=n,
            nv=len(s.layout.velocities), nz=nz, m=m, g=len(doubt.estimated), inputs=len(inputs), substeps=1,
            dt=dt, gate=gate, **where,
        )  # fmt: skip

    def _call(self, name: str) -> Any:
        """A function of the C, with all that it calls as it is compiled now."""
        self.structure.advance = ctypes.cast(self._steps.c_function("advance_from"), ctypes.c_void_p).value
        refresh(self._steps.structure, self._steps.functions)
        refresh(self.structure, self._functions)
        return runtime_library("filter.c", FILTER_T, package="symbody.estimation")[name]

    def at(self, t: float, u: Array) -> None:
        """The time and the inputs of what comes next."""
        self.structure.t = self._steps.structure.t0 = t
        self._u[0] = u

    def move_to(self, x: Array, t: float) -> None:
        """Go on from a state, its loops closed anew."""
        self._steps.move_to(start_state(self.system, x, t=t), t)

    def predict(self) -> int:
        """One step of the model and of P."""
        return int(self._call("predict")(ctypes.byref(self.structure)))

    def correct(self, z: Array) -> int:
        """By measurements, NaN for none."""
        z = np.ascontiguousarray(z, dtype=float)
        return int(self._call("correct")(ctypes.byref(self.structure), ctypes.c_void_p(z.ctypes.data)))

    def run(self, u: Array, z: Array) -> tuple[Array, Array, int]:
        """Steps with a row of inputs and of measurements each: estimates and variances, and the status."""
        u, z = np.ascontiguousarray(u, dtype=float), np.ascontiguousarray(z, dtype=float)
        n, status = len(self.arrays["x"]) + len(self.arrays["offset"]), ctypes.c_int(DONE)
        mean, variance = np.empty((len(z), n)), np.empty((len(z), n))
        call = self._call("filter_steps")
        call.restype = ctypes.c_int64
        given = [ctypes.c_void_p(a.ctypes.data) for a in (u, z, mean, variance)]
        counts = ctypes.c_int64(len(z)), ctypes.c_int64(u.shape[1])
        made = call(ctypes.byref(self.structure), counts[0], given[0], counts[1], *given[1:], ctypes.byref(status))
        return mean[:made], variance[:made], status.value
