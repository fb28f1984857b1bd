"""Small vectors and matrices of expressions, as plain lists: what mechanics needs and no more."""

from __future__ import annotations

from collections.abc import Sequence

from symbody.expr.node import ONE, ZERO, Expr, add, mul, neg, sub

Vec = list[Expr]
Mat = list[list[Expr]]


def zeros() -> Vec:
    return [ZERO, ZERO, ZERO]


# Zeros are looked for here, before anything is called: most components of mechanics are zero.


def plus(a: Sequence[Expr], b: Sequence[Expr]) -> Vec:
    return [y if x is ZERO else x if y is ZERO else add(x, y) for x, y in zip(a, b, strict=True)]


def minus(a: Sequence[Expr], b: Sequence[Expr]) -> Vec:
    return [sub(x, y) for x, y in zip(a, b, strict=True)]


def opposite(a: Sequence[Expr]) -> Vec:
    return [neg(x) for x in a]


def scaled(c: Expr, a: Sequence[Expr]) -> Vec:
    return [ZERO if x is ZERO else mul(c, x) for x in a]


def dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    total = ZERO
    for x, y in zip(a, b, strict=True):
        if x is not ZERO and y is not ZERO:
            xy = mul(x, y)
            total = xy if total is ZERO else add(total, xy)
    return total


def cross(a: Sequence[Expr], b: Sequence[Expr]) -> Vec:
    return [sub(mul(a[(i + 1) % 3], b[(i + 2) % 3]), mul(a[(i + 2) % 3], b[(i + 1) % 3])) for i in range(3)]


def unit(k: int) -> Vec:
    return [ONE if i == k else ZERO for i in range(3)]


def identity() -> Mat:
    return [unit(0), unit(1), unit(2)]


def transposed(a: Mat) -> Mat:
    return [list(column) for column in zip(*a, strict=True)]


def times(a: Mat, x: Sequence[Expr]) -> Vec:
    """A·x."""
    return [dot(row, x) for row in a]


def product(a: Mat, b: Mat) -> Mat:
    """A·B."""
    columns = transposed(b)
    return [[dot(row, column) for column in columns] for row in a]


def outer(a: Sequence[Expr], b: Sequence[Expr]) -> Mat:
    return [[mul(x, y) for y in b] for x in a]


def mat_plus(a: Mat, b: Mat) -> Mat:
    return [plus(x, y) for x, y in zip(a, b, strict=True)]


def symmetric_outer(a: Sequence[Expr], b: Sequence[Expr]) -> Mat:
    """a·bᵀ + b·aᵀ."""
    upper = {(i, j): add(mul(a[i], b[j]), mul(b[i], a[j])) for i in range(3) for j in range(i, 3)}
    return [[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)]
