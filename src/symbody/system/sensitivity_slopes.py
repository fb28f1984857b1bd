"""Exact total derivatives by parameters of anything in a traced system, from S = dx/dp and through the loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symbody.expr.graph import operations
from symbody.expr.node import ONE, Expr
from symbody.expr.substitute import substituted
from symbody.expr.vector import Vec
from symbody.system.derivatives import along, implicit
from symbody.system.trace import Traced


def directional(traced: Traced, values: Sequence[Expr], parameters: Sequence[Expr], S: Sequence[Vec]) -> list[Vec]:
    """For each parameter one directional derivative (its column of S, dp = 1)."""
    system = implicit(traced)
    return [
        along(system, values, {**dict(zip(traced.x, column, strict=True)), p: ONE})
        for p, column in zip(parameters, S, strict=True)
    ]


def by_jacobian(traced: Traced, values: Sequence[Expr], parameters: Sequence[Expr], S: Sequence[Vec]) -> list[Vec]:
    """The Jacobian by the state, computed once, times each column of S, plus the derivatives by the parameters."""
    system = implicit(traced)
    A = [along(system, values, {x: ONE}) for x in traced.x]
    found = []
    for p, column in zip(parameters, S, strict=True):
        total = along(system, values, {p: ONE})
        for a, s in zip(A, column, strict=True):
            total = total + s * a
        found.append(total)
    return found


@dataclass(frozen=True)
class ParameterSlopes:
    """Values and their derivatives by each parameter, without the symbols a; and which method was cheaper."""

    values: Vec
    slopes: list[Vec]
    notes: tuple[str, ...]


def cheapest(
    traced: Traced, values: Sequence[Expr], parameters: Sequence[Expr], S: Sequence[Vec], hot: int
) -> ParameterSlopes:
    """The method with fewer operations for the first `hot` values, which are computed at every stage."""
    methods = {"along the columns of S": directional, "Jacobian times S": by_jacobian}
    known = dict(zip(traced.a, traced.udd, strict=True))
    own, width = substituted(values, known), len(values)
    made: dict[str, list[Vec]] = {}
    for name, method in methods.items():
        flat = substituted([x for d in method(traced, values, parameters, S) for x in d], known)
        made[name] = [Vec(flat[j * width : (j + 1) * width]) for j in range(len(parameters))]
    costs = {n: operations([*own[:hot], *(x for d in found for x in d[:hot])]).total for n, found in made.items()}
    best = min(costs, key=costs.__getitem__)
    notes = tuple(f"{n}: {cost} operations{' (chosen)' if n == best else ''}" for n, cost in costs.items())
    return ParameterSlopes(own, made[best], notes)
