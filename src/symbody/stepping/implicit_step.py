"""Implicit steps of positions and states together, in C: the trapezoidal rule and generalised-α, for all closures.

Newton's method uses the exact tangent of the whole system, factorised in generated code (`step_equations`). Loops are
closed inside (partitioning), by their penalty, or by multipliers: the index-3 augmented Lagrangian with projections.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.codegen import Function
from symbody.errors import ModelError
from symbody.stepping.fixed_step import CompiledSteps, StepSettings, structure_of
from symbody.stepping.newton import TANGENTS, Newton
from symbody.stepping.start_state import StartState
from symbody.stepping.step_equations import (
    gaps_program,
    kept_tangent_program,
    newton_program,
    projection_program,
    residual_program,
)
from symbody.system.system import Array, System

FILE = "implicit_step.c"
STIFFNESS = 1e4  # of the loops relative to the inertia in a step: alpha dt²/4 over the largest mass
IMPLICIT_T = structure_of(
    "implicit_t",
    "newton kept_tangent residual gaps projection",
    "place scale last before spacing a A f Y lambda F z d trial_x trial_a trial_A trial_f trial_Y trial_lambda "
    "h qd qdd r S order c held counts",
    "beta gamma alpha_m alpha_f alpha",
    "nh limit tangent strict kept iterations most capped",
)


@dataclass(frozen=True)
class IntegrationRule:
    """How velocities, accelerations and rates follow from increments (Arnold and Brüls 2007)."""

    beta: float
    gamma: float
    alpha_m: float = 0.0
    alpha_f: float = 0.0


class ImplicitSteps(CompiledSteps):
    """Steps from a state; `counts`: iterations of each step, `most`: their maximum, `capped`: unconverged steps."""

    KEPT = (*CompiledSteps.KEPT, "pivot", "last", "before", "spacing", "a", "A", "f", "Y", "lambda", "held")
    TURNS = True
    RATES_FIRST = False

    def __init__(self, start: StartState, settings: StepSettings, rule: IntegrationRule):
        newton, system = settings.newton or Newton(), start.system
        super().__init__(start, settings, FILE, IMPLICIT_T, step_functions(system, newton))
        signature = self.functions["newton"].signature
        nh = signature.inputs["lambda"][0]
        nx, nv, ns, nd = (self.sizes[name] for name in ("nx", "nv", "ns", "nd"))
        place = np.full(nv, -1, dtype=np.int64)
        for k, where in enumerate(self.arrays["velocity"]):
            if where >= 0:
                place[where - self.sizes["nq"]] = k
        room = {
            "last": nd, "before": nd, "lambda": nh, "F": signature.outputs["factors"][0], "z": nv + ns, "d": nv + ns,
            "trial_x": nx, "trial_lambda": nh, "h": nh, "r": nv + ns, "S": (nv + ns) ** 2, "c": 4, "spacing": 1,
            "held": self.sizes["nu"],
            **dict.fromkeys(("a", "A", "trial_a", "trial_A", "qd", "qdd"), nv),
            **dict.fromkeys(("f", "Y", "trial_f", "trial_Y"), ns),
        }  # fmt: skip
        tolerance = newton.tolerance_of(system.options.closure)
        self.arrays |= {
            "order": np.zeros(nv + ns, dtype=np.int64),
            "place": place,
            "scale": tolerance * np.array([1.0] * nv + system.definition.state_scales),
        }
        self.arrays |= {name: np.zeros(size) for name, size in room.items()}
        self.sizes |= {
            "nh": nh, "limit": newton.limit, "tangent": TANGENTS.index(newton.tangent), "strict": newton.strict
        }  # fmt: skip
        self.numbers |= {**vars(rule), "alpha": self._loop_stiffness(settings.dt)}
        self.counts = np.zeros(0)
        self.bind()
        self._remember()

    def _loop_stiffness(self, dt: float) -> float:
        """α of the augmented Lagrangian (N/m): the user's, or else large enough to outweigh the inertia."""
        s = self.system
        d = s.definition
        return d.options.alpha if d.alpha_given else STIFFNESS * d.largest_mass * 4.0 / dt**2

    def _remember(self) -> None:
        """What steps need besides x: accelerations and rates, dependent coordinates, multipliers."""
        given, nq, nv = self.arrays, self.sizes["nq"], self.sizes["nv"]
        u = given["u"][min(self.done, len(given["u"]) - 1)]
        rates, _, given["pivot"][:] = self.functions["rates"](np.array([self.t]), self.x, u, self.guess)
        for name in ("a", "A"):
            given[name][:] = rates[nq : nq + nv]
        for name in ("f", "Y"):
            given[name][:] = rates[nq + nv :]
        for name in ("last", "before"):
            given[name][:] = self.guess
        given["held"][:] = u
        if len(given["lambda"]):
            given["lambda"][:] = self._multipliers(self.t, u)
        self.structure.kept, given["spacing"][0] = 0, 0.0

    def _multipliers(self, t: float, u: Array) -> Array:
        """λ of least norm: Jᵀλ = −(M q̈ + c − Q); the residual is linear in λ, so its values give both sides."""
        call, given = self.functions["residual"], self.arrays
        coefficients, nv = np.array([0.0, 1.0, 0.0, 0.0]), len(given["a"])  # alpha is zero: gaps do not matter

        def balance(multipliers: Array) -> Array:
            trial = (np.array([t]), self.x, u, self.guess, given["a"], given["f"], multipliers, coefficients)
            return np.asarray(call(*trial, np.zeros(0)).d[:nv])

        nh = len(given["lambda"])
        bare = balance(np.zeros(nh))
        columns = np.stack([balance(row) - bare for row in np.eye(nh)], axis=1)
        return np.ascontiguousarray(np.linalg.lstsq(columns, -bare, rcond=None)[0])

    @property
    def iterations(self) -> int:
        """Iterations of Newton's method in all steps."""
        return int(self.structure.iterations)

    @property
    def most(self) -> int:
        """Iterations of Newton's method in the worst step."""
        return int(self.structure.most)

    @property
    def capped(self) -> int:
        """Steps that were accepted although Newton's method had not converged."""
        return int(self.structure.capped)

    @property
    def multipliers(self) -> Array:
        """λ at the end of the last step."""
        return -self.arrays["lambda"]

    def retime(self, t0: float, dt: float, u: Array) -> None:
        super().retime(t0, dt, u)
        self.structure.alpha, self.structure.kept = self._loop_stiffness(dt), 0  # a tangent belongs to one dt

    def move_to(self, start: StartState, t: float) -> None:
        super().move_to(start, t)
        self._remember()

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
    loops = system.options.closure == "augmented" and system.model.is_constrained
    if loops and newton.tangent == "kept":  # the projections need the tangent at the end of the step
        raise ModelError("the augmented closure cannot use a kept tangent", cure='use tangent="exact"')
    wanted = {
        "newton": (newton_program, True),
        "kept_tangent": (kept_tangent_program, newton.tangent == "kept"),
        "residual": (residual_program, newton.tangent == "numerical" or loops),
        "gaps": (gaps_program, loops),
        "projection": (projection_program, loops),
    }
    return {name: system.function(name, make) for name, (make, needed) in wanted.items() if needed}
