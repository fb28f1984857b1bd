"""Vectors and matrices of expressions, with the operators of linear algebra: a + c * b, A @ x, R.T @ f, cross(a, b).

They are lists of expressions and of rows, so elements can be read, replaced and looped over as in any list; a slice
is a plain list. Zeros are checked before anything is called, because most components in mechanics are zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NoReturn, overload

from symbody.expr.node import ONE, ZERO, Expr, add, div, mul, neg, sqrt, sub, variable, wrap

Scalar = Expr | float
XYZ = (0, 1, 2)


class Vec(list[Expr]):
    """A vector: a + b, a - b, -a, c * a, a / c, and the scalar product a @ b."""

    __slots__ = ()

    # A list concatenates with + and repeats with *: these overrides differ from it on purpose.

    def __add__(self, other: Sequence[Expr]) -> Vec:  # type: ignore[override]
        return Vec([y if x is ZERO else x if y is ZERO else add(x, y) for x, y in zip(self, other, strict=True)])

    def __radd__(self, other: object) -> NoReturn:
        raise TypeError("cannot add a list and a vector: concatenate with [*a, *b], add with Vec(a) + b")

    __iadd__ = __add__  # type: ignore[assignment]

    def __sub__(self, other: Sequence[Expr]) -> Vec:
        return Vec([x if y is ZERO else sub(x, y) for x, y in zip(self, other, strict=True)])

    def __neg__(self) -> Vec:
        return Vec([x if x is ZERO else neg(x) for x in self])

    def __mul__(self, c: Scalar) -> Vec:  # type: ignore[override]
        c = wrap(c)
        return Vec([x if x is ZERO else mul(c, x) for x in self])

    __rmul__ = __imul__ = __mul__  # type: ignore[assignment]

    def __truediv__(self, c: Scalar) -> Vec:
        c = wrap(c)
        return Vec([div(x, c) for x in self])

    def __matmul__(self, other: Sequence[Expr]) -> Expr:
        return dot(self, other)

    def copy(self) -> Vec:
        return Vec(self)

    def take(self, places: Iterable[int]) -> Vec:
        """The components at these places."""
        return Vec([self[i] for i in places])

    def put(self, places: Iterable[int], values: Iterable[Expr]) -> Vec:
        """A copy with these values at these places."""
        changed = Vec(self)
        for i, x in zip(places, values, strict=True):
            changed[i] = x
        return changed


class Mat(list[Vec]):
    """A matrix by its rows: A + B, A - B, -A, c * A, A @ x, A @ B, A.T."""

    __slots__ = ()

    def __add__(self, other: Sequence[Sequence[Expr]]) -> Mat:  # type: ignore[override]
        return Mat([a + b for a, b in zip(self, other, strict=True)])

    __iadd__ = __add__  # type: ignore[assignment]

    def __sub__(self, other: Sequence[Sequence[Expr]]) -> Mat:
        return Mat([a - b for a, b in zip(self, other, strict=True)])

    def __neg__(self) -> Mat:
        return Mat([-row for row in self])

    def __mul__(self, c: Scalar) -> Mat:  # type: ignore[override]
        return Mat([row * c for row in self])

    __rmul__ = __imul__ = __mul__  # type: ignore[assignment]

    @overload
    def __matmul__(self, other: Mat) -> Mat: ...

    @overload
    def __matmul__(self, other: Sequence[Expr]) -> Vec: ...

    def __matmul__(self, other: Mat | Sequence[Expr]) -> Mat | Vec:
        if isinstance(other, Mat):
            columns = list(zip(*other, strict=True))
            return Mat([Vec([dot(row, column) for column in columns]) for row in self])
        return Vec([dot(row, other) for row in self])

    @property
    def T(self) -> Mat:
        """Aᵀ."""
        return Mat(map(Vec, zip(*self, strict=True)))

    def copy(self) -> Mat:
        """A copy with its own rows."""
        return Mat(map(Vec, self))

    def column(self, k: int) -> Vec:
        """A e_k."""
        return Vec([row[k] for row in self])

    def rows(self, places: Iterable[int]) -> Mat:
        """The rows at these places."""
        return Mat([self[i] for i in places])

    def block(self, rows: Iterable[int], columns: Sequence[int]) -> Mat:
        """The rows and columns at these places."""
        return Mat([self[i].take(columns) for i in rows])


def zeros(n: int = 3) -> Vec:
    """The zero vector with n components."""
    return Vec([ZERO] * n)


def zero_matrix(rows: int = 3, columns: int = 3) -> Mat:
    """The zero matrix, rows × columns."""
    return Mat([zeros(columns) for _ in range(rows)])


def unit(k: int) -> Vec:
    """e_k of three dimensions."""
    e = zeros()
    e[k] = ONE
    return e


def identity() -> Mat:
    """The identity matrix of three dimensions."""
    return Mat([unit(k) for k in XYZ])


def variables(name: str, size: int, first: int = 0) -> Vec:
    """The symbols name[first], name[first + 1] …"""
    return Vec([variable(f"{name}[{i}]") for i in range(first, first + size)])


def stack(*parts: Sequence[Expr]) -> Vec:
    """[a; b; …]."""
    return Vec([x for part in parts for x in part])


def dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    """a·b."""
    total = ZERO
    for x, y in zip(a, b, strict=True):
        if x is not ZERO and y is not ZERO:
            xy = mul(x, y)
            total = xy if total is ZERO else add(total, xy)
    return total


def norm(a: Sequence[Expr]) -> Expr:
    """|a| = √(a·a)."""
    return sqrt(dot(a, a))


def cross(a: Sequence[Expr], b: Sequence[Expr]) -> Vec:
    """a × b."""
    (ax, ay, az), (bx, by, bz) = a, b
    return Vec([_minor(ay, bz, az, by), _minor(az, bx, ax, bz), _minor(ax, by, ay, bx)])


def _minor(a: Expr, b: Expr, c: Expr, d: Expr) -> Expr:
    """a b − c d."""
    ab = ZERO if a is ZERO or b is ZERO else mul(a, b)
    return ab if c is ZERO or d is ZERO else sub(ab, mul(c, d))


def skew(a: Sequence[Expr]) -> Mat:
    """a~, with a~ b = a × b."""
    x, y, z = a
    return Mat([Vec([ZERO, -z, y]), Vec([z, ZERO, -x]), Vec([-y, x, ZERO])])


def outer(a: Sequence[Expr], b: Sequence[Expr]) -> Mat:
    """a bᵀ."""
    return Mat([Vec([mul(x, y) for y in b]) for x in a])


def symmetric_outer(a: Sequence[Expr], b: Sequence[Expr]) -> Mat:
    """a bᵀ + b aᵀ."""
    return symmetric([[a[i] * b[j] + b[i] * a[j] for j in range(i, 3)] for i in XYZ])


def congruent(R: Mat, E: Mat) -> Mat:
    """R E Rᵀ of a symmetric E."""
    RE = R @ E
    return symmetric([[dot(RE[i], R[j]) for j in range(i, 3)] for i in XYZ])


def symmetric(upper: Sequence[Sequence[Expr]]) -> Mat:
    """The symmetric matrix from its rows, which start at the diagonal."""
    n = len(upper)
    return Mat([Vec([upper[min(i, j)][abs(i - j)] for j in range(n)]) for i in range(n)])
