"""The equations of an implicit step, positions and states together, and the correction of Newton's method.

Unknowns are the increments z of the free coordinates (for a quaternion: a rotation vector) and the new states y. The
velocities and accelerations follow from z by a rule of integration, ∂q̇/∂z = c_v, ∂q̈/∂z = c_a, ∂ẏ/∂y = c_y:

    r_z = M q̈ + c − Q (+ Jᵀ(λ + αh) if multipliers hold the loops),         r_y = ẏ − f,
    S = ( c_a M + c_v C + K (+ αJᵀJ)      −∂Q/∂y     )
        (    −c_v f_q̇ − f_q             c_y − f_y    ),      d = S⁻¹ r      (Jaiswal 2.4, with the exact tangent).

A constraint ψ between velocities is treated like a loop with the gap ψ/c_v: the distance that it would slip in the
step. S is factorised in the graph, in an order that keeps it sparse, so the cost depends on the couplings, not on n³.
The diagonal elements are the pivots: inertia and 1/Δt are on it, and friction and compressed oil add terms of the same
sign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from symbody.codegen.program import Input, Program
from symbody.equations.constrained import mass_and_bias
from symbody.equations.constraints import Equation, constraint_jacobian, constraints
from symbody.equations.functions import vector_output
from symbody.equations.kinematics import tangent_directions
from symbody.equations.lumping import lumped
from symbody.equations.newton_euler import inverse_dynamics
from symbody.equations.nonholonomic import nonholonomic
from symbody.expr.derive import Differentiated
from symbody.expr.linear import Ordered, factorise_sparse
from symbody.expr.node import ONE, ZERO, Expr
from symbody.expr.node_table import section
from symbody.expr.substitute import substituted
from symbody.expr.vector import Mat, Vec, dot, stack, variables, zeros
from symbody.safe_name import identifier
from symbody.system.trace import Traced

COEFFICIENTS = ("c_a", "c_v", "c_y", "alpha")


@dataclass
class StepEquations:
    """The residual of a step and its derivative, over the symbols of a traced system and of a rule of integration."""

    traced: Traced

    @cached_property
    def coefficients(self) -> Vec:
        return variables("c", len(COEFFICIENTS))

    @cached_property
    def multiplied(self) -> bool:
        """Whether multipliers hold the loops."""
        return self.traced.options.closure == "augmented" and self.traced.tree.model.is_constrained

    @cached_property
    def gaps(self) -> Vec:
        """h, and ψ/c_v of constraints between velocities."""
        return stack(Vec([e.h for e in self._loops]), 1.0 / self.coefficients[1] * self._slip)

    @cached_property
    def _slip(self) -> Vec:
        """ψ."""
        return Vec([e.h for e in self._ties])

    @cached_property
    def J(self) -> Mat:
        """∂h/∂z, with columns for the free coordinates."""
        return constraint_jacobian(self._equations, self.traced.partition.free)

    @cached_property
    def JT(self) -> Mat:
        """Jᵀ, with a row for each free coordinate even without loops."""
        return self.J.T if self.J else Mat([Vec() for _ in self.traced.partition.free])

    @cached_property
    def bias(self) -> Vec:
        """J̇q̇ and the part of prescribed joints: ḧ = 0 if J q̈ + bias is zero."""
        return Vec([e.bias + self._held(e.row, self.traced.qdd) for e in self._equations])

    @cached_property
    def speeds(self) -> Vec:
        """J q̇ + ∂h/∂t (from prescribed joints), and ψ: the violation of the velocities."""
        v, free = Vec(self.traced.view.qd.values()), self.traced.partition.free
        J = constraint_jacobian(self._loops, free)
        return stack(J @ v.take(free) + Vec([self._held(e.row, v) for e in self._loops]), self._slip)

    def _held(self, row: dict[int, Expr], motion: Vec) -> Expr:
        driven = self.traced.partition.driven
        return dot([row.get(i, ZERO) for i in driven], motion.take(driven))

    @cached_property
    def _loops(self) -> list[Equation]:
        return constraints(self.traced.tree) if self.multiplied else []

    @cached_property
    def _ties(self) -> list[Equation]:
        return nonholonomic(self.traced.tree) if self.multiplied else []

    @property
    def _equations(self) -> list[Equation]:
        return self._loops + self._ties

    @cached_property
    def _loads(self) -> Vec:
        """Symbols for λ + αh, constant in the derivative of r: αJᵀJ is added to it."""
        return variables("m", len(self._equations))

    @cached_property
    def _residual(self) -> Vec:
        traced = self.traced
        if self.multiplied:
            r_z = _balance(traced).take(traced.partition.free) + self.JT @ self._loads
        else:
            r_z = traced.residual()
        return stack(r_z, variables("rate", len(traced.state_rates)) - traced.state_rates)

    @cached_property
    def _tangent(self) -> Mat:
        """S by rows."""
        traced = self.traced
        c_a, c_v, c_y, alpha = self.coefficients
        free, nq = traced.partition.free, len(traced.layout.coordinates)
        directions = tangent_directions(traced.tree)
        columns, opening, slip = Mat(), Mat(), Differentiated(self._slip)
        section("tangent of the step")
        for k, i in enumerate(free):
            seeds = {**directions[i], traced.x[nq + k]: c_v, traced.a[k]: c_a}
            columns.append(self._along(seeds))
            opening.append(stack(self.JT[k][: len(self._loops)], 1.0 / c_v * slip.along(seeds)))
        for k, y in enumerate(traced.x[nq + len(free) :]):
            column = self._along({y: ONE})
            place = len(free) + k
            column[place] = column[place] + c_y
            columns.append(column)
        section("stiffness of the loops")
        for i, left in enumerate(self.JT):
            for j, right in enumerate(opening):
                columns[j][i] = columns[j][i] + alpha * dot(left, right)
        return columns.T

    def _along(self, seeds: dict[Expr, Expr]) -> Vec:
        """The derivative of the residual along seeds, through the loops that the closure closes."""
        closed = self.traced.closed
        if closed is not None:
            moved = self._closing.along(seeds)
            if any(d is not ZERO for d in moved):
                seeds = seeds | dict(zip(self.traced.unknowns, closed.loops.transfer(moved), strict=True))
        return self._balanced.along(seeds)

    @cached_property
    def _closing(self) -> Differentiated:
        """h of the loops that the closure closes."""
        assert self.traced.closed is not None
        return Differentiated(self.traced.closed.loops.h)

    @cached_property
    def _balanced(self) -> Differentiated:
        """r."""
        return Differentiated(self._residual)

    @cached_property
    def residual(self) -> Vec:
        """r."""
        return self._with_loads(self._residual)

    @cached_property
    def factors(self) -> Ordered:
        """S = L·U."""
        size = len(self._residual)
        flat = self._with_loads(stack(*self._tangent))
        section("factors of the tangent")
        return factorise_sparse(Mat([Vec(flat[k * size : (k + 1) * size]) for k in range(size)]))

    def _with_loads(self, values: Vec) -> Vec:
        """With λ + αh substituted for its symbols."""
        alpha = self.coefficients[3]
        loads = variables("lambda", len(self.gaps)) + alpha * self.gaps
        return substituted(values, dict(zip(self._loads, loads, strict=True)))

    def projected(self, factors: Ordered) -> tuple[Vec, Vec]:
        """Velocities and accelerations that satisfy the loops: v − d with S d = αJᵀ(J v + Φ_t), and the same for q̈.

        Weighted by S, with free states (Jaiswal 2.22, 2.23). The unknown is the correction: solving for v itself would
        lose its digits against the stiff term.
        """
        traced, nq, nv = self.traced, len(self.traced.layout.coordinates), len(self.traced.a)
        speeds = Vec(traced.x[nq : nq + nv])
        v = self._moved(factors, speeds, self.speeds)
        bias = substituted(self.bias, dict(zip(speeds, v, strict=True)))
        return v, self._moved(factors, traced.a, self.J @ traced.a + bias)

    def _moved(self, factors: Ordered, v: Vec, violation: Vec) -> Vec:
        alpha = self.coefficients[3]
        right = self.JT @ (alpha * violation)
        d = factors.solve(stack(right, zeros(len(self.traced.layout.states))))
        return v - d[: len(v)]


def _balance(traced: Traced) -> Vec:
    """M q̈ + c − Q over all degrees of freedom."""
    if traced.options.formulation == "recursive":
        return inverse_dynamics(lumped(traced.tree)) - traced.Q
    return mass_and_bias(traced.tree, traced.options.formulation)[1] - traced.Q


def newton_program(traced: Traced) -> Program:
    """A trial → Newton's correction d with the exact tangent, and the tangent's factors."""
    step = StepEquations(traced)
    outputs = {"d": step.factors.solve(step.residual), "factors": step.factors.stored("F")[0]}
    return _program("newton", "correction of an implicit step, with its exact tangent", step, outputs)


def kept_tangent_program(traced: Traced) -> Program:
    """A trial and factors of an earlier tangent → the correction d."""
    step = StepEquations(traced)
    numbers, factors = step.factors.stored("F")
    outputs = {"d": factors.solve(step.residual)}
    return _program("kept_tangent", "correction of an implicit step, its tangent kept", step, outputs, len(numbers))


def residual_program(traced: Traced) -> Program:
    """A trial → r."""
    step = StepEquations(traced)
    return _program("residual", "what an implicit step makes zero", step, {"d": step.residual})


def gaps_program(traced: Traced) -> Program:
    """A trial → h."""
    step = StepEquations(traced)
    return _program("gaps", "how far the loops are open", step, {"h": step.gaps})


def projection_program(traced: Traced) -> Program:
    """The end of a step and its last factors → velocities and accelerations that the loops allow."""
    step = StepEquations(traced)
    numbers, factors = step.factors.stored("F")
    v, a = step.projected(factors)
    outputs = {"qd": v, "qdd": a}
    return _program("projection", "velocities and accelerations that the loops allow", step, outputs, len(numbers))


def _program(
    name: str, summary: str, step: StepEquations, outputs: Mapping[str, Sequence[Expr]], factors: int = 0
) -> Program:
    """A program over a trial: t, x, u, guess, a, rate, lambda, c (and factors F); it also returns v and the pivots."""
    traced = step.traced
    sizes = {
        "t": 1, "x": len(traced.x), "u": len(traced.u), "guess": len(traced.unknowns), "a": len(traced.a),
        "rate": len(traced.layout.states), "lambda": len(step.gaps), "c": len(COEFFICIENTS), "F": factors,
    }  # fmt: skip
    all_outputs = {**outputs, "v": traced.unknowns, "pivots": traced.pivots}
    return Program(
        name, identifier(traced.tree.model.name), summary, {key: Input(size) for key, size in sizes.items()},
        {key: vector_output(x) for key, x in all_outputs.items()}, dict(traced.tree.live), closure=traced.closure,
    )  # fmt: skip
