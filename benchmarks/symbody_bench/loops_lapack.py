"""Closed systems with LAPACK: generated M, c, h, J and J̇q̇, and numeric_closure.c around them."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np

from symbody.codegen.program import Closure
from symbody.equations.closed import given_coordinates
from symbody.equations.compile import compile
from symbody.model.tree import own_coordinates
from symbody_bench.clock import NATIVE, BuildError, Compiled, build_c
from symbody_bench.loops import FUNCTIONS, ClosedSystem

_SOURCE = Path(__file__).parent / "numeric_closure.c"
_GENERATED = ("dynamics", "inverse", "constraints", "constraint_bias")
_LAPACK = ("dgetrf", "dgetrs")
_PLACES = ("u_in_q", "x_in_q", "given", "dependent", "rows", "actuated")


class _Closure(ctypes.Structure):
    """closure_t of numeric_closure.c."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in (*_GENERATED, *(f"{name}_h" for name in _GENERATED), *_LAPACK, *_PLACES)),
        ("actuated_are_given", ctypes.c_long),
    )


def numeric_functions(system: ClosedSystem, plain: bool = False) -> dict[str, Compiled]:
    """Both functions, with inputs and outputs as the generated ones (`Qd` stays empty); `plain`: without LAPACK."""
    model, parts = system.model, system.partition
    if parts.driven or len(system.actuated) != len(parts.given):
        raise BuildError("numerical closure needs free coordinates and as many actuators")
    made = {name: compile(model, name, live="none", loads=False) for name in _GENERATED}
    equations = made["constraints"].signature.outputs["h"][0]
    sizes = {"NQ": model.nq, "NV": model.nv, "NC": equations, "ND": len(parts.dependent), "NU": len(parts.given)}
    flags = [*NATIVE, *(f"-D{name}={size}" for name, size in sizes.items()), f"-DCLOSE={Closure.tolerance!r}"]
    flags += ["-DPLAIN"] if plain else []
    library = ctypes.CDLL(str(build_c(_SOURCE, "numeric_closure.so", flags).file))
    number = {dof: k for k, dof in enumerate(parts.dependent)} | {dof: -1 - k for k, dof in enumerate(parts.given)}
    places = {
        "u_in_q": given_coordinates(model, parts),
        "x_in_q": [own_coordinates(model)[i] for i in parts.dependent],
        "given": parts.given,
        "dependent": parts.dependent,
        "rows": parts.rows,
        "actuated": [number[dof] for dof in system.actuated],
    }
    arrays = [np.array(places[name], dtype=np.int64) for name in _PLACES]
    closure = _Closure(
        *(f.address for f in made.values()),
        *(f.hoisted.ctypes.data for f in made.values()),
        *(_lapack(name) for name in _LAPACK),
        *(array.ctypes.data for array in arrays),
        system.actuated == list(parts.given),
    )
    keep: list[Any] = [library, made, arrays, closure]
    addresses = {f: ctypes.cast(getattr(library, f"numeric_{f}"), ctypes.c_void_p).value for f in FUNCTIONS}
    return {f: Compiled(address or 0, ctypes.addressof(closure), keep) for f, address in addresses.items()}


def _lapack(name: str) -> int:
    """Address of a LAPACK routine: SciPy contains one on every platform and exposes its functions."""
    from scipy.linalg import cython_lapack

    functions: dict[str, Any] = {**cython_lapack.__pyx_capi__}
    capsule = ctypes.py_object(functions[name])
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return int(api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule)))


def one_thread() -> None:
    """Keep SciPy's OpenBLAS (if it is the LAPACK) from using several threads for systems of five equations."""
    import scipy

    for file in Path(scipy.__file__).parents[1].glob("scipy.libs/libscipy_openblas*"):
        ctypes.CDLL(str(file)).scipy_openblas_set_num_threads(1)
