"""Steps in C: a function of the runtime, and a structure that points to compiled functions and to arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from symbody.codegen import Function
from symbody.codegen.native import runtime_library
from symbody.stepping.repartition import StartState
from symbody.system.programs import limits_program
from symbody.system.system import Array, System

DONE, NOT_FINITE, NEAR_SINGULAR, NOT_CONVERGED, BEYOND_LIMIT = range(5)  # as in runtime/steps.h


class Steps(Protocol):
    """A system on its way: `x` is its state after `done` steps."""

    x: Array
    guess: Array  # dependent coordinates at the last evaluation
    done: int
    status: int

    def run(self, steps: int, every: int = 1) -> Array:
        """Make steps; rows of outputs before every `every`-th of them. Fewer are made where `status` is not DONE."""
        ...


def structure_of(
    programs: Sequence[str], sizes: str, pointers: str, numbers: str, counts: str
) -> type[ctypes.Structure]:
    """A structure of the runtime: programs with what they hoisted, sizes, pointers, doubles, longs; in this order."""
    fields = [(f"{name}{part}", ctypes.c_void_p) for name in programs for part in ("", "_h")]
    kinds = ((sizes, ctypes.c_long), (pointers, ctypes.c_void_p), (numbers, ctypes.c_double), (counts, ctypes.c_long))
    fields += [(name, kind) for names, kind in kinds for name in names.split()]  # type: ignore[misc]
    return type("Structure", (ctypes.Structure,), {"_fields_": fields})


class CompiledSteps:
    """Steps of a system from a state; `structure`, `functions` and `arrays` are what `integrate` works on."""

    structure: Any

    def __init__(self, at: StartState, u: Array, first: int, runtime: str, functions: Mapping[str, Function]):
        system = at.system
        self.x, self.guess = np.array(at.x, dtype=float), np.array(at.guess, dtype=float)
        self.done, self.status = first, DONE
        self.functions = {"outputs": system.outputs_function, **functions, **limits_of(system)}
        self.arrays: dict[str, Array] = {
            "velocity": np.array(velocity_places(system), dtype=np.int64),
            "balls": np.array(system.quaternions, dtype=np.int64).ravel(),
            "pivots": np.array(at.pivots, dtype=float),
            "u": np.atleast_2d(np.ascontiguousarray(u, dtype=float)),
            "x": self.x,
            "guess": self.guess,
        }
        layout = system.layout
        self.sizes = {
            "nx": len(self.x), "nq": len(layout.coordinates), "nv": len(layout.velocities), "ns": len(layout.states),
            "nu": len(system.inputs), "nd": len(self.guess), "ny": len(system.outputs), "nl": len(system.model.limits),
            "nballs": len(system.quaternions), "row": len(system.inputs) if len(self.arrays["u"]) > 1 else 0,
        }  # fmt: skip
        self.integrate: Any = runtime_library(runtime, package="symbody.stepping")["integrate"]
        self.integrate.restype = ctypes.c_long

    def bound(self, kind: type[ctypes.Structure], **more: float) -> Any:
        """The structure of these functions, arrays and sizes, and of more numbers."""
        known: dict[str, Any] = {name: array.ctypes.data for name, array in self.arrays.items()}
        for name, function in self.functions.items():
            known |= {name: function.address, f"{name}_h": function.hoisted.ctypes.data}
        known |= self.sizes | more
        names = [name for name, _ in kind._fields_]  # type: ignore[misc]
        return kind(**{name: known[name] for name in names if name in known})

    def run(self, steps: int, every: int = 1) -> Array:
        before = self.done
        path = np.full((len(range(-before % every, steps, every)), self.sizes["ny"]), np.nan)
        counts, status = (ctypes.c_long(n) for n in (before, steps, every)), ctypes.c_int()
        where = ctypes.c_void_p(path.ctypes.data)
        made = self.integrate(ctypes.byref(self.structure), *counts, where, ctypes.byref(status))
        for function in self.functions.values():
            function.raise_pending()
        self.done, self.status = before + made, status.value
        return path[: len(range(-before % every, made, every))]


def limits_of(system: System) -> dict[str, Function]:
    """The function that watches the model's limits, where it has any."""
    return {"limits": system.function("limits", limits_program)} if system.model.limits else {}


def velocity_places(system: System) -> list[int]:
    """Per coordinate in x, the place in x of its velocity; −1 within a quaternion."""
    layout, found, q, v = system.layout, [], 0, 0
    place = {dof: len(layout.coordinates) + k for k, dof in enumerate(layout.velocities)}
    own: dict[int, int] = {}
    for joint in system.model.joints():
        slides = min(joint.nq, joint.nv) if joint.type != "ball" else 0
        slides = 3 if joint.type == "free" else slides
        own |= {q + k: v + k for k in range(slides)}
        q, v = q + joint.nq, v + joint.nv
    for i in layout.coordinates:
        found.append(place[own[i]] if i in own else -1)
    return found
