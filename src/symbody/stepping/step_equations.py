"""What an implicit step makes zero, positions and states together, and the correction that Newton's method takes.

Unknowns are the increments z of the free coordinates (of a quaternion: a rotation vector) and the new states y. With
velocities and accelerations that follow from z by a rule of integration, ∂q̇/∂z = c_v, ∂q̈/∂z = c_a, ∂ẏ/∂y = c_y,

    r_z = M q̈ + c − Q (+ Jᵀ(λ + αh) where multipliers hold the loops),      r_y = ẏ − f,
    S = ( c_a M + c_v C + K (+ αJᵀJ)      −∂Q/∂y     )
        (    −c_v f_q̇ − f_q             c_y − f_y    ),      d = S⁻¹ r      (Jaiswal 2.4, with the exact tangent).

S is factorised in the graph, in an order that keeps it sparse: a step costs what its couplings cost, not n³. The
diagonal serves as pivots: inertia and 1/Δt stand on it, and what is added there by friction and compressed oil has
their sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from symbody.codegen.program import Closure, Input, Program
from symbody.equations.closed import Partition
from symbody.equations.constrained import mass_and_bias
from symbody.equations.constraints import constraints, jacobian_rows
from symbody.equations.functions import identifier, vector_output
from symbody.equations.kinematics import ways
from symbody.equations.lumping import lumped
from symbody.equations.newton_euler import inverse_dynamics
from symbody.expr.derive import total_derivative
from symbody.expr.linear import Ordered, factorise_sparse
from symbody.expr.node import ONE, ZERO, Expr, add, fresh_graph, mul, section, variable
from symbody.expr.substitute import substituted
from symbody.expr.vector import Mat, Vec, dot, minus, transposed
from symbody.model.model import Model
from symbody.system.recipe import Recipe
from symbody.system.trace import Traced, trace

COEFFICIENTS = ("c_a", "c_v", "c_y", "alpha")


@dataclass
class StepEquations:
    """The residual of a step and its derivative, over the symbols of a traced system and of a rule of integration."""

    traced: Traced
    recipe: Recipe

    @cached_property
    def coefficients(self) -> Vec:
        return [variable(f"c[{k}]") for k in range(len(COEFFICIENTS))]

    @cached_property
    def multiplied(self) -> bool:
        """Whether multipliers hold the loops."""
        return self.recipe.closure == "augmented" and self.traced.tree.model.has_loops

    @cached_property
    def gaps(self) -> Vec:
        """h."""
        return [e.h for e in self._equations]

    @cached_property
    def J(self) -> Mat:
        """∂h/∂z, rows over the free."""
        rows = jacobian_rows(self._equations, self.traced.tree.nv)
        return [[row[i] for i in self.traced.partition.free] for row in rows]

    @cached_property
    def bias(self) -> Vec:
        """J̇q̇ and what held joints add: h is steady in the second order where J q̈ + bias is zero."""
        return [add(e.bias, self._held(e.row, self.traced.qdd)) for e in self._equations]

    @cached_property
    def drift(self) -> Vec:
        """∂h/∂t: what held joints add to J q̇."""
        v = list(self.traced.view.qd.values())
        return [self._held(e.row, v) for e in self._equations]

    def _held(self, row: dict[int, Expr], motion: Vec) -> Expr:
        driven = self.traced.partition.driven
        return dot([row.get(i, ZERO) for i in driven], [motion[i] for i in driven])

    @cached_property
    def _equations(self) -> list:  # type: ignore[type-arg]
        return constraints(self.traced.tree) if self.multiplied else []

    @cached_property
    def _loads(self) -> Vec:
        """Symbols for λ + αh, which the derivative of r takes as given: αJᵀJ is added to it."""
        return [variable(f"m[{k}]") for k in range(len(self._equations))]

    @cached_property
    def _residual(self) -> Vec:
        traced = self.traced
        if self.multiplied:
            free = traced.partition.free
            balance = _balance(traced, self.recipe)
            columns = transposed(self.J) if self.J else [[] for _ in free]
            r_z = [add(balance[i], dot(column, self._loads)) for i, column in zip(free, columns, strict=True)]
        else:
            r_z = traced.residual()
        rates = [variable(f"rate[{k}]") for k in range(len(traced.state_rates))]
        return [*r_z, *minus(rates, traced.state_rates)]

    @cached_property
    def _tangent(self) -> Mat:
        """S by rows."""
        traced = self.traced
        c_a, c_v, c_y, alpha = self.coefficients
        free, nq = traced.partition.free, len(traced.layout.coordinates)
        along = ways(traced.tree)
        columns: list[Vec] = []
        section("tangent of the step")
        for k, i in enumerate(free):
            seeds = {**along[i], traced.x[nq + k]: c_v, traced.a[k]: c_a}
            columns.append(self._along(seeds))
        for k, y in enumerate(traced.x[nq + len(free) :]):
            column = self._along({y: ONE})
            place = len(free) + k
            column[place] = add(column[place], c_y)
            columns.append(column)
        section("stiffness of the loops")
        for i, left in enumerate(transposed(self.J) if self.J else []):
            for j, right in enumerate(transposed(self.J)):
                columns[j][i] = add(columns[j][i], mul(alpha, dot(left, right)))
        return transposed(columns)

    def _along(self, seeds: dict[Expr, Expr]) -> Vec:
        """The derivative of the residual along seeds, through the loops that the closure closes."""
        closed = self.traced.closed
        if closed is not None:
            moved = total_derivative(closed.loops.h, seeds)
            if any(d is not ZERO for d in moved):
                seeds = seeds | dict(zip(self.traced.unknowns, closed.loops.transfer(moved), strict=True))
        return total_derivative(self._residual, seeds)

    @cached_property
    def residual(self) -> Vec:
        """r."""
        return self._told(self._residual)

    @cached_property
    def factors(self) -> Ordered:
        """S = L·U."""
        size = len(self._residual)
        flat = self._told([x for row in self._tangent for x in row])
        section("factors of the tangent")
        return factorise_sparse([flat[k * size : (k + 1) * size] for k in range(size)])

    def _told(self, values: Vec) -> Vec:
        """With λ + αh for its symbols."""
        alpha = self.coefficients[3]
        loads = (add(variable(f"lambda[{k}]"), mul(alpha, h)) for k, h in enumerate(self.gaps))
        return substituted(values, dict(zip(self._loads, loads, strict=True)))

    def projected(self, factors: Ordered) -> tuple[Vec, Vec]:
        """Velocities and accelerations that the loops allow: v − d with S d = αJᵀ(J v + Φ_t), and so for q̈.

        Weighted by S, states left free (Jaiswal 2.22, 2.23). The correction is solved for: the digits of v along the
        motion would drown in those of the stiff term.
        """
        traced, nq, nv = self.traced, len(self.traced.layout.coordinates), len(self.traced.a)
        speeds = traced.x[nq : nq + nv]
        v = self._moved(factors, list(speeds), self.drift)
        bias = substituted(self.bias, dict(zip(speeds, v, strict=True)))
        return v, self._moved(factors, list(traced.a), bias)

    def _moved(self, factors: Ordered, v: Vec, push: Vec) -> Vec:
        alpha = self.coefficients[3]
        gap = [mul(alpha, add(dot(row, v), x)) for row, x in zip(self.J, push, strict=True)]
        right = [dot(column, gap) for column in transposed(self.J)]
        return minus(v, factors.solve([*right, *[ZERO] * len(self.traced.layout.states)])[: len(v)])


def _balance(traced: Traced, recipe: Recipe) -> Vec:
    """M q̈ + c − Q over all degrees of freedom."""
    if recipe.formulation == "recursive":
        return minus(inverse_dynamics(lumped(traced.tree)), traced.Q)
    return minus(mass_and_bias(traced.tree, recipe.formulation)[1], traced.Q)


def newton_program(model: Model, partition: Partition, recipe: Recipe) -> Program:
    """A trial → Newton's correction d with the exact tangent, and the tangent's factors."""
    with fresh_graph():
        step = StepEquations(trace(model, partition, recipe), recipe)
        outputs = {"d": step.factors.solve(step.residual), "factors": step.factors.stored("F")[0]}
        return _program("newton", "correction of an implicit step, with its exact tangent", step, outputs)


def kept_tangent_program(model: Model, partition: Partition, recipe: Recipe) -> Program:
    """A trial and factors of an earlier tangent → the correction d."""
    with fresh_graph():
        step = StepEquations(trace(model, partition, recipe), recipe)
        numbers, factors = step.factors.stored("F")
        outputs = {"d": factors.solve(step.residual)}
        return _program("again", "correction of an implicit step, with a tangent kept", step, outputs, len(numbers))


def residual_program(model: Model, partition: Partition, recipe: Recipe) -> Program:
    """A trial → r."""
    with fresh_graph():
        step = StepEquations(trace(model, partition, recipe), recipe)
        return _program("residual", "what an implicit step makes zero", step, {"d": step.residual})


def gaps_program(model: Model, partition: Partition, recipe: Recipe) -> Program:
    """A trial → h."""
    with fresh_graph():
        step = StepEquations(trace(model, partition, recipe), recipe)
        return _program("gaps", "how far the loops are open", step, {"h": step.gaps})


def projection_program(model: Model, partition: Partition, recipe: Recipe) -> Program:
    """The end of a step and its last factors → velocities and accelerations that the loops allow."""
    with fresh_graph():
        step = StepEquations(trace(model, partition, recipe), recipe)
        numbers, factors = step.factors.stored("F")
        v, a = step.projected(factors)
        outputs = {"qd": v, "qdd": a}
        return _program("projection", "velocities and accelerations that the loops allow", step, outputs, len(numbers))


def _program(name: str, summary: str, step: StepEquations, outputs: dict[str, Vec], factors: int = 0) -> Program:
    """A program over a trial: t, x, u, guess, a, rate, lambda, c (and factors F); it tells v and the pivots as well."""
    traced = step.traced
    sizes = {
        "t": 1, "x": len(traced.x), "u": len(traced.u), "guess": len(traced.unknowns), "a": len(traced.a),
        "rate": len(traced.layout.states), "lambda": len(step.gaps), "c": len(COEFFICIENTS), "F": factors,
    }  # fmt: skip
    closure = Closure("v", "guess", traced.closed.loops.step) if traced.closed is not None else None
    told = outputs | {"v": list(traced.unknowns), "pivots": traced.pivots}
    return Program(
        name, identifier(traced.tree.model.name), summary, {key: Input(size) for key, size in sizes.items()},
        {key: vector_output(x) for key, x in told.items()}, dict(traced.tree.live), closure=closure,
    )  # fmt: skip
