"""Total derivatives of anything in a traced system, exact, through the loops and through R(a) = 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symbody.codegen.program import Output
from symbody.expr.derive import total_derivative
from symbody.expr.node import ONE, ZERO, Expr
from symbody.expr.substitute import substituted
from symbody.expr.vector import Vec
from symbody.system.trace import Traced


def along(traced: Traced, residual: Vec, values: Sequence[Expr], seeds: Mapping[Expr, Expr]) -> Vec:
    """Derivatives along seeds of x and p: of the unknowns v, of a through R(a) = 0, then of the values."""
    full = dict(seeds)
    if traced.closed is not None:
        moved = total_derivative(traced.closed.loops.h, seeds)
        if any(d is not ZERO for d in moved):
            full |= dict(zip(traced.unknowns, traced.closed.loops.transfer(moved), strict=True))
    pushed = total_derivative(residual, full)
    if any(d is not ZERO for d in pushed):
        full |= dict(zip(traced.a, traced.solve(-pushed), strict=True))
    return total_derivative(values, full)


def columns_of(traced: Traced, values: Sequence[Expr], symbols: Sequence[Expr]) -> list[Vec]:
    """∂values/∂symbol, one column for each, free of the symbols a."""
    residual, n = traced.residual(), len(values)
    flat = [d for s in symbols for d in along(traced, residual, values, {s: ONE})]
    known = substituted(flat, dict(zip(traced.a, traced.udd, strict=True)))
    return [Vec(known[k * n : (k + 1) * n]) for k in range(len(symbols))]


def matrix_of(columns: Sequence[Sequence[Expr]], rows: int) -> Output:
    """Columns as a matrix."""
    return Output((rows, len(columns)), tuple(column[r] for r in range(rows) for column in columns))
