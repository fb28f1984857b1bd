"""Implicit steps of positions and states together, in C: trapezoidal rule and generalised-α, for all three closures.

Newton's method with the exact tangent of the whole system, factorised in generated code (`step_programs`). Loops are
closed inside (partitioning), by their penalty, or by multipliers: the index-3 augmented Lagrangian with projections.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.codegen.native import runtime_library
from symbody.errors import ModelError
from symbody.system.integrate import DONE, STOP, entry, limits_of, recorded, velocity_places
from symbody.system.repartition import Onward
from symbody.system.step_programs import (
    again_program,
    gaps_program,
    newton_program,
    projection_program,
    residual_program,
)
from symbody.system.system import Array

METHODS = ("trapezoidal", "generalised-alpha")
TANGENTS = ("exact", "kept", "numerical")
STIFFNESS = 1e4  # of the loops beside the inertia that a step feels: alpha dt²/4 by the largest mass
_PROGRAMS = ("newton", "again", "residual", "gaps", "projection", "outputs", "limits")
_SIZES = ("nx", "nq", "nv", "nu", "nd", "ns", "nh", "ny", "nl", "nballs")
_POINTERS = (
    "velocity", "balls", "place", "pivots", "u", "scale", "x", "guess", "last", "before", "a", "A", "f", "Y", "lambda",
    "F", "work",
)  # fmt: skip
_NUMBERS = ("watch", "dt", "beta", "gamma", "alpha_m", "alpha_f", "alpha")
_COUNTS = ("row", "limit", "tangent", "strict", "kept", "iterations", "most", "capped")


@dataclass(frozen=True)
class Newton:
    """How the equations of a step are solved.

    tolerance: a step of Newton's method below which it stops: rad or m; of a state, times its scale.
    tangent: "exact" at every iteration, "kept" while it serves, or "numerical", by differences.
    limit: iterations; strict: whether a step that needs more ends the run (else it is taken as it is: real time).
    rho: spectral radius at infinity of generalised-α, from 0 (damps at once) to 1 (never).
    """

    tolerance: float = 1e-7
    tangent: str = "exact"
    limit: int = 30
    strict: bool = True
    rho: float = 0.8

    def __post_init__(self) -> None:
        if self.tangent not in TANGENTS:
            raise ModelError(f"no tangent '{self.tangent}'", cure=f"use {', '.join(TANGENTS)}")
        if not (self.tolerance > 0 and self.limit >= 1 and 0 <= self.rho <= 1):
            cure = "give tolerance > 0, limit >= 1 and 0 <= rho <= 1"
            raise ModelError("numbers of Newton's method out of range", cure=cure)


def rule(method: str, rho: float) -> tuple[float, float, float, float]:
    """beta, gamma, alpha_m, alpha_f of a method (Arnold and Brüls 2007, with Chung and Hulbert's optimum)."""
    if method == "trapezoidal":
        return 0.25, 0.5, 0.0, 0.0
    alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 + alpha_f - alpha_m
    return 0.25 * (gamma + 0.5) ** 2, gamma, alpha_m, alpha_f


class _Monolithic(ctypes.Structure):
    """monolithic_t of runtime/monolithic.c."""

    _fields_ = (
        *((f"{name}{part}", ctypes.c_void_p) for name in _PROGRAMS for part in ("", "_h")),
        *((name, ctypes.c_long) for name in _SIZES),
        *((name, ctypes.c_void_p) for name in _POINTERS),
        ("counts", ctypes.c_void_p),
        *((name, ctypes.c_double) for name in _NUMBERS),
        *((name, ctypes.c_long) for name in _COUNTS),
    )


class Monolithic:
    """Steps from a state; `counts` holds what Newton's method needed for each, `most` the worst, `capped` the cut."""

    def __init__(
        self,
        at: Onward,
        dt: float,
        method: str,
        u: Array,
        first: int = 0,
        watch: float = STOP,
        newton: Newton | None = None,
    ):
        if method not in METHODS:
            raise ModelError(f"no monolithic method '{method}'", cure=f"use {' or '.join(METHODS)}")
        system, newton = at.system, newton or Newton()
        if system.rates_function.backend != "c":
            cure = "install a C compiler, or use rodas4 with closure='partitioning'"
            raise ModelError(f"'{method}' steps in C", cure=cure)
        layout, rows = system.layout, np.atleast_2d(np.ascontiguousarray(u, dtype=float))
        nx, nq, nv, ns = len(at.x), len(layout.coordinates), len(layout.velocities), len(layout.states)
        nd, nu = len(at.guess), len(system.inputs)
        self._functions = {"newton": system.function("newton", newton_program), "outputs": system.outputs_function}
        signature = self._functions["newton"].signature
        nh, nl = signature.inputs["lambda"][0], len(system.model.limits)
        if nh and newton.tangent == "kept":  # the projections need the tangent of the end
            raise ModelError("a kept tangent with the augmented closure", cure='use tangent="exact"')
        wanted = {"again": newton.tangent == "kept", "residual": newton.tangent == "numerical" or nh > 0}
        wanted |= {"gaps": nh > 0, "projection": nh > 0}
        makers = {
            "again": again_program, "residual": residual_program, "gaps": gaps_program,
            "projection": projection_program,
        }  # fmt: skip
        self._functions |= {name: system.function(name, makers[name]) for name, want in wanted.items() if want}
        self._functions |= limits_of(system)
        now = rows[min(first, len(rows) - 1)]
        start = system.rates_function(np.array([first * dt]), at.x, now, at.guess)
        a, f = start.xd[nq : nq + nv], start.xd[nq + nv :]
        alpha = system.recipe.alpha if system.chosen_alpha else STIFFNESS * system.largest_mass * 4.0 / dt**2
        self.x, self.guess = np.array(at.x, dtype=float), np.array(at.guess, dtype=float)
        self.done, self.status, self.counts = first, DONE, np.zeros(0)
        self._ny = len(system.outputs)
        velocity = velocity_places(system)
        place = np.full(nv, -1, dtype=np.int64)
        for k, where in enumerate(velocity):
            if where >= 0:
                place[where - nq] = k
        scales = [system.model.states[name].scale for name in layout.states]
        self._arrays: dict[str, Array] = {
            "velocity": np.array(velocity, dtype=np.int64),
            "balls": np.array(system.quaternions, dtype=np.int64).ravel(),
            "place": place,
            "pivots": np.array(at.pivots, dtype=float),
            "u": rows,
            "scale": newton.tolerance * np.array([1.0] * nv + scales),
            "x": self.x,
            "guess": self.guess,
            "last": self.guess.copy(),
            "before": self.guess.copy(),
            **{name: np.array(x) for name, x in (("a", a), ("A", a), ("f", f), ("Y", f))},
            "lambda": np.zeros(nh),
            "F": np.zeros(signature.outputs["factors"][0]),
            "work": np.zeros(nx + 10 * (nv + ns) + 2 * (nd + nh) + nl + (nv + ns) ** 2),
        }
        if nh:
            self._arrays["lambda"] = self._multipliers(first * dt, now)
        entries = [x for name in _PROGRAMS for x in entry(self._functions.get(name))]
        sizes = (nx, nq, nv, nu, nd, ns, nh, self._ny, nl, len(system.quaternions))
        pointers = (self._arrays[name].ctypes.data for name in _POINTERS)
        beta, gamma, alpha_m, alpha_f = rule(method, newton.rho)
        numbers = (watch, dt, beta, gamma, alpha_m, alpha_f, alpha)
        counts = (nu if len(rows) > 1 else 0, newton.limit, TANGENTS.index(newton.tangent), newton.strict, 0, 0, 0, 0)
        self._system = _Monolithic(*entries, *sizes, *pointers, None, *numbers, *counts)
        self._integrate: Any = runtime_library("monolithic.c")["integrate_monolithic"]
        self._integrate.restype = ctypes.c_long

    def _multipliers(self, t: float, u: Array) -> Array:
        """λ of the start, of least norm: Jᵀλ = −(M q̈ + c − Q); the residual is linear in λ, and tells both."""
        call, given = self._functions["residual"], self._arrays
        coefficients, nv = np.zeros(4), len(given["a"])

        def balance(multipliers: Array) -> Array:
            trial = (np.array([t]), self.x, u, self.guess, given["a"], given["f"], multipliers, coefficients)
            return np.asarray(call(*trial, np.zeros(0)).d[:nv])

        nh = len(given["lambda"])
        bare = balance(np.zeros(nh))
        columns = np.stack([balance(row) - bare for row in np.eye(nh)], axis=1)
        return np.ascontiguousarray(np.linalg.lstsq(columns, -bare, rcond=None)[0])

    @property
    def iterations(self) -> int:
        """Of Newton's method, in all steps."""
        return int(self._system.iterations)

    @property
    def most(self) -> int:
        """Of Newton's method, in the worst step."""
        return int(self._system.most)

    @property
    def capped(self) -> int:
        """Steps that were taken though Newton's method had not arrived."""
        return int(self._system.capped)

    @property
    def multipliers(self) -> Array:
        """λ at the end of the last step."""
        return -self._arrays["lambda"]

    def run(self, steps: int, every: int = 1) -> Array:
        counts = np.zeros(steps)
        self._system.counts = counts.ctypes.data
        first = (ctypes.byref(self._system),)
        before = self.done
        path, made, self.status = recorded(self._integrate, first, self.done, steps, every, self._ny)
        for function in self._functions.values():
            function.raise_pending()
        self.done += made
        self.counts = counts[: self.done - before]
        return path
