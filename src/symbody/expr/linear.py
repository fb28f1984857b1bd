"""Linear systems of expressions, solved by elimination in an order fixed beforehand; zeros cost nothing."""

from __future__ import annotations

from dataclasses import dataclass

from symbody.expr.node import ONE, ZERO, Expr, div, mul, sub
from symbody.expr.vector import Mat, Vec


@dataclass(frozen=True)
class Factors:
    """A = L·U, both kept in one matrix; `inverse` holds the reciprocals of the pivots."""

    LU: Mat
    inverse: Vec

    def solve(self, b: Vec) -> Vec:
        """x with A x = b."""
        x, n = list(b), len(b)
        for i in range(n):
            for k in range(i):
                x[i] = sub(x[i], _product(self.LU[i][k], x[k]))
        for i in reversed(range(n)):
            for k in range(i + 1, n):
                x[i] = sub(x[i], _product(self.LU[i][k], x[k]))
            x[i] = _product(x[i], self.inverse[i])
        return x

    def solve_transposed(self, b: Vec) -> Vec:
        """y with Aᵀ y = b."""
        y, n = list(b), len(b)
        for i in range(n):
            for k in range(i):
                y[i] = sub(y[i], _product(self.LU[k][i], y[k]))
            y[i] = _product(y[i], self.inverse[i])
        for i in reversed(range(n)):
            for k in range(i + 1, n):
                y[i] = sub(y[i], _product(self.LU[k][i], y[k]))
        return y


class ZeroPivot(ZeroDivisionError):
    """A pivot that is zero whatever the values: the matrix is singular by structure."""

    def __init__(self, index: int):
        self.index = index
        super().__init__(f"pivot {index} is zero")


def factorise(A: Mat) -> Factors:
    """L·U of a square matrix whose diagonal holds the pivots, in order."""
    n = len(A)
    LU = [list(row) for row in A]
    inverse: Vec = []
    for k in range(n):
        if LU[k][k] is ZERO:
            raise ZeroPivot(k)
        inverse.append(div(ONE, LU[k][k]))
        for i in range(k + 1, n):
            if LU[i][k] is not ZERO:
                LU[i][k] = mul(LU[i][k], inverse[k])
                for j in range(k + 1, n):
                    LU[i][j] = sub(LU[i][j], _product(LU[i][k], LU[k][j]))
    return Factors(LU, inverse)


def _product(a: Expr, b: Expr) -> Expr:
    return ZERO if a is ZERO or b is ZERO else mul(a, b)
