"""Implicit steps of positions and states together, in C: trapezoidal rule and generalised-α, for all three closures.

Newton's method with the exact tangent of the whole system, factorised in generated code (`step_programs`). Loops are
closed inside (partitioning), by their penalty, or by multipliers: the index-3 augmented Lagrangian with projections.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.codegen import Function
from symbody.errors import ModelError
from symbody.stepping.fixed_step import CompiledSteps, structure_of
from symbody.stepping.repartition import StartState
from symbody.stepping.rk4 import STOP
from symbody.stepping.step_equations import (
    gaps_program,
    kept_tangent_program,
    newton_program,
    projection_program,
    residual_program,
)
from symbody.system.system import Array, System

METHODS = ("trapezoidal", "generalised-alpha")
TANGENTS = ("exact", "kept", "numerical")
STIFFNESS = 1e4  # of the loops beside the inertia that a step feels: alpha dt²/4 by the largest mass
MONOLITHIC_T = structure_of(  # of runtime/monolithic.c
    ("newton", "again", "residual", "gaps", "projection", "outputs", "limits"),
    "nx nq nv nu nd ns nh ny nl nballs",
    "velocity balls place pivots u scale x guess last before a A f Y lambda F work counts",
    "watch dt beta gamma alpha_m alpha_f alpha",
    "row limit tangent strict kept iterations most capped",
)


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


class Monolithic(CompiledSteps):
    """Steps from a state; `counts` holds what Newton's method needed for each, `most` the worst, `capped` the cut."""

    def __init__(
        self,
        at: StartState,
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
        super().__init__(at, u, first, "implicit_step.c", step_functions(system, newton))
        self.counts = np.zeros(0)
        self._arrange(at, dt, newton)
        beta, gamma, alpha_m, alpha_f = rule(method, newton.rho)
        self.structure = self.bound(
            MONOLITHIC_T, watch=watch, dt=dt, beta=beta, gamma=gamma, alpha_m=alpha_m, alpha_f=alpha_f,
            alpha=system.recipe.alpha if system.chosen_alpha else STIFFNESS * system.largest_mass * 4.0 / dt**2,
            limit=newton.limit, tangent=TANGENTS.index(newton.tangent), strict=newton.strict,
        )  # fmt: skip

    def _arrange(self, at: StartState, dt: float, newton: Newton) -> None:
        """What the steps need besides: accelerations and rates of the start, multipliers, tolerances, room to work."""
        system, signature, t = at.system, self.functions["newton"].signature, self.done * dt
        nh = self.sizes["nh"] = signature.inputs["lambda"][0]
        nx, nq, nv, ns, nd, nl = (self.sizes[name] for name in ("nx", "nq", "nv", "ns", "nd", "nl"))
        now = self.arrays["u"][min(self.done, len(self.arrays["u"]) - 1)]
        start = system.rates_function(np.array([t]), at.x, now, at.guess).xd
        a, f = start[nq : nq + nv], start[nq + nv :]
        place = np.full(nv, -1, dtype=np.int64)
        for k, where in enumerate(self.arrays["velocity"]):
            if where >= 0:
                place[where - nq] = k
        scales = [system.model.states[name].scale for name in system.layout.states]
        self.arrays |= {
            "place": place,
            "scale": newton.tolerance * np.array([1.0] * nv + scales),
            "last": self.guess.copy(),
            "before": self.guess.copy(),
            **{name: np.array(x) for name, x in (("a", a), ("A", a), ("f", f), ("Y", f))},
            "lambda": np.zeros(nh),
            "F": np.zeros(signature.outputs["factors"][0]),
            "work": np.zeros(nx + 10 * (nv + ns) + 2 * (nd + nh) + nl + (nv + ns) ** 2),
        }
        if nh:
            self.arrays["lambda"] = self._multipliers(t, now)

    def _multipliers(self, t: float, u: Array) -> Array:
        """λ of the start, of least norm: Jᵀλ = −(M q̈ + c − Q); the residual is linear in λ, and tells both."""
        call, given = self.functions["residual"], self.arrays
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
        return int(self.structure.iterations)

    @property
    def most(self) -> int:
        """Of Newton's method, in the worst step."""
        return int(self.structure.most)

    @property
    def capped(self) -> int:
        """Steps that were taken though Newton's method had not arrived."""
        return int(self.structure.capped)

    @property
    def multipliers(self) -> Array:
        """λ at the end of the last step."""
        return -self.arrays["lambda"]

    def run(self, steps: int, every: int = 1) -> Array:
        counts, before = np.zeros(steps), self.done
        self.structure.counts = counts.ctypes.data
        try:
            return super().run(steps, every)
        finally:
            self.structure.counts = None
            self.counts = counts[: self.done - before]


def step_functions(system: System, newton: Newton) -> dict[str, Function]:
    """The functions that steps of a system need."""
    loops = system.recipe.closure == "augmented" and system.model.has_loops
    if loops and newton.tangent == "kept":  # the projections need the tangent of the end
        raise ModelError("a kept tangent with the augmented closure", cure='use tangent="exact"')
    wanted = {
        "newton": (newton_program, True),
        "again": (kept_tangent_program, newton.tangent == "kept"),
        "residual": (residual_program, newton.tangent == "numerical" or loops),
        "gaps": (gaps_program, loops),
        "projection": (projection_program, loops),
    }
    return {name: system.function(name, make) for name, (make, needed) in wanted.items() if needed}
