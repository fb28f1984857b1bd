"""Linear systems of expressions, solved by elimination with a fixed order of pivots; zeros cost nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symbody.expr.node import ONE, ZERO, Expr, variable
from symbody.expr.vector import Mat, Vec


@dataclass(frozen=True)
class Factors:
    """A = L·U, both stored in one matrix; `inverse` has the reciprocals of the pivots."""

    LU: Mat
    inverse: Vec

    @property
    def pivots(self) -> Vec:
        """The diagonal of U."""
        return Vec([row[k] for k, row in enumerate(self.LU)])

    def solve(self, b: Vec) -> Vec:
        """x with A x = b."""
        x, n = Vec(b), len(b)
        for i in range(n):
            for k in range(i):
                x[i] = _less(x[i], self.LU[i][k], x[k])
        for i in reversed(range(n)):
            for k in range(i + 1, n):
                x[i] = _less(x[i], self.LU[i][k], x[k])
            x[i] = x[i] * self.inverse[i]
        return x

    def solve_transposed(self, b: Vec) -> Vec:
        """y with Aᵀ y = b."""
        y, n = Vec(b), len(b)
        for i in range(n):
            for k in range(i):
                y[i] = _less(y[i], self.LU[k][i], y[k])
            y[i] = y[i] * self.inverse[i]
        for i in reversed(range(n)):
            for k in range(i + 1, n):
                y[i] = _less(y[i], self.LU[k][i], y[k])
        return y


@dataclass(frozen=True)
class BlockFactors:
    """A = L·U by blocks of one or two rows: a block's determinant may be nonzero where single elements vanish."""

    LU: Mat
    blocks: list[range]
    inverse: list[Mat]
    pivots: Vec  # determinants of the blocks

    def solve(self, b: Vec) -> Vec:
        """x with A x = b."""
        x, n = Vec(b), len(b)
        for block in self.blocks:
            for i in block:
                for k in range(block.start):
                    x[i] = _less(x[i], self.LU[i][k], x[k])
        for block, inverse in zip(reversed(self.blocks), reversed(self.inverse), strict=True):
            for i in block:
                for k in range(block.stop, n):
                    x[i] = _less(x[i], self.LU[i][k], x[k])
            x = x.put(block, inverse @ x.take(block))
        return x

    def solve_transposed(self, b: Vec) -> Vec:
        """y with Aᵀ y = b."""
        y, n = Vec(b), len(b)
        for block, inverse in zip(self.blocks, self.inverse, strict=True):
            for i in block:
                for k in range(block.start):
                    y[i] = _less(y[i], self.LU[k][i], y[k])
            y = y.put(block, inverse.T @ y.take(block))
        for block in reversed(self.blocks):
            for i in block:
                for k in range(block.stop, n):
                    y[i] = _less(y[i], self.LU[k][i], y[k])
        return y


@dataclass(frozen=True)
class Ordered:
    """Factors of a matrix whose rows and columns were ordered to keep it sparse."""

    factors: Factors
    order: tuple[int, ...]

    def solve(self, b: Vec) -> Vec:
        """x with A x = b."""
        return b.put(self.order, self.factors.solve(b.take(self.order)))

    def stored(self, name: str) -> tuple[Vec, Ordered]:
        """The numbers of the factors as a vector, and the same factors with symbols for these numbers."""
        numbers = Vec()

        def symbol(x: Expr) -> Expr:
            if x is ZERO:
                return ZERO
            numbers.append(x)
            return variable(f"{name}[{len(numbers) - 1}]")

        LU, inverse = self.factors.LU, self.factors.inverse
        rows = Mat([Vec([ZERO if j == i else symbol(x) for j, x in enumerate(row)]) for i, row in enumerate(LU)])
        return numbers, Ordered(Factors(rows, Vec([symbol(x) for x in inverse])), self.order)


def factorise_sparse(A: Mat) -> Ordered:
    """L·U with the diagonal as pivots, in the order with the least fill-in at each step (Markowitz)."""
    order = minimum_degree(A)
    return Ordered(factorise(A.block(order, order)), order)


def minimum_degree(A: Mat) -> tuple[int, ...]:
    """The order of diagonal pivots, each with the fewest products that its elimination adds."""
    n = len(A)
    row = [{j for j in range(n) if j != i and A[i][j] is not ZERO} for i in range(n)]
    column = [{i for i in range(n) if i != j and A[i][j] is not ZERO} for j in range(n)]
    left, order = set(range(n)), []
    while left:
        k = min(left, key=lambda i: (len(row[i]) * len(column[i]), i))
        for i in column[k]:
            row[i] |= row[k] - {i}
            row[i].discard(k)
        for j in row[k]:
            column[j] |= column[k] - {j}
            column[j].discard(k)
        left.discard(k)
        order.append(k)
    return tuple(order)


class ZeroPivot(ZeroDivisionError):
    """A pivot that is zero for all values: the matrix is structurally singular."""

    def __init__(self, index: int):
        self.index = index
        super().__init__(f"pivot {index} is zero")


def factorise(A: Mat) -> Factors:
    """L·U of a square matrix with the pivots on its diagonal, in order."""
    n = len(A)
    LU, inverse = A.copy(), Vec()
    for k in range(n):
        if LU[k][k] is ZERO:
            raise ZeroPivot(k)
        inverse.append(1.0 / LU[k][k])
        for i in range(k + 1, n):
            if LU[i][k] is not ZERO:
                LU[i][k] = LU[i][k] * inverse[k]
                for j in range(k + 1, n):
                    LU[i][j] = _less(LU[i][j], LU[i][k], LU[k][j])
    return Factors(LU, inverse)


def factorise_blocks(A: Mat, sizes: Sequence[int]) -> BlockFactors:
    """L·U of a square matrix with blocks of one or two rows on its diagonal as pivots, in order."""
    LU, pivots, start = A.copy(), Vec(), 0
    blocks: list[range] = []
    inverses: list[Mat] = []
    for size in sizes:
        block = range(start, start + size)
        start += size
        P = LU.block(block, block)
        pivot = P[0][0] if size == 1 else P[0][0] * P[1][1] - P[0][1] * P[1][0]
        if pivot is ZERO:
            raise ZeroPivot(block.start)
        adjugate = Mat([Vec([ONE])]) if size == 1 else Mat([Vec([P[1][1], -P[0][1]]), Vec([-P[1][0], P[0][0]])])
        inverse = 1.0 / pivot * adjugate
        for i in range(block.stop, len(A)):
            L = inverse.T @ LU[i].take(block)
            LU[i] = LU[i].put(block, L)
            for j in range(block.stop, len(A)):
                for x, k in zip(L, block, strict=True):
                    LU[i][j] = _less(LU[i][j], x, LU[k][j])
        blocks.append(block)
        inverses.append(inverse)
        pivots.append(pivot)
    return BlockFactors(LU, blocks, inverses, pivots)


def _less(x: Expr, a: Expr, b: Expr) -> Expr:
    """x − a b; most products of an elimination are zero and cost nothing here."""
    return x if a is ZERO or b is ZERO else x - a * b
