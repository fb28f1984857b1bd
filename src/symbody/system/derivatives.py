"""Exact total derivatives of anything in a traced system, through the loops and through R(a) = 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from symbody.codegen.program import Output
from symbody.expr.derive import Differentiated
from symbody.expr.node import ONE, ZERO, Expr
from symbody.expr.substitute import substituted
from symbody.expr.vector import Vec
from symbody.system.trace import Solver, Traced


@dataclass(frozen=True)
class Implicit:
    """R(a) = 0 and the factors of ∂R/∂a, computed once for all derivatives of the accelerations a."""

    traced: Traced
    residual: Vec
    solve: Solver

    @cached_property
    def closing(self) -> Differentiated:
        """h of the loops."""
        assert self.traced.closed is not None
        return Differentiated(self.traced.closed.loops.h)

    @cached_property
    def balanced(self) -> Differentiated:
        """R."""
        return Differentiated(self.residual)


def implicit(traced: Traced) -> Implicit:
    """The residual of a traced system and its factors."""
    return Implicit(traced, traced.residual(), traced.solver())


def along(system: Implicit, values: Sequence[Expr], seeds: Mapping[Expr, Expr]) -> Vec:
    """Derivatives along seeds of x and p: of the unknowns v, of a through R(a) = 0, then of the values."""
    return _along(system, Differentiated(values), seeds)


def _along(system: Implicit, values: Differentiated, seeds: Mapping[Expr, Expr]) -> Vec:
    traced = system.traced
    full = dict(seeds)
    if traced.closed is not None:
        moved = system.closing.along(seeds)
        if any(d is not ZERO for d in moved):
            full |= dict(zip(traced.unknowns, traced.closed.loops.transfer(moved), strict=True))
    pushed = system.balanced.along(full)
    if any(d is not ZERO for d in pushed):
        full |= dict(zip(traced.a, system.solve(-pushed), strict=True))
    return values.along(full)


def columns_of(traced: Traced, values: Sequence[Expr], symbols: Sequence[Expr]) -> list[Vec]:
    """∂values/∂symbol, one column for each symbol, without the symbols a."""
    system, n, all_values = implicit(traced), len(values), Differentiated(values)
    flat = [d for s in symbols for d in _along(system, all_values, {s: ONE})]
    known = substituted(flat, dict(zip(traced.a, traced.udd, strict=True)))
    return [Vec(known[k * n : (k + 1) * n]) for k in range(len(symbols))]


def matrix_of(columns: Sequence[Sequence[Expr]], rows: int) -> Output:
    """Columns as a matrix."""
    return Output((rows, len(columns)), tuple(column[r] for r in range(rows) for column in columns))
