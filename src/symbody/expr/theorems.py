"""The addition theorems of sine and cosine, found in pairs of products; this module builds no nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from symbody.expr.structure import ExprLike

E = TypeVar("E", bound=ExprLike)

SINES = ("sin", "cos")


class Theorem(NamedTuple, Generic[E]):
    """±function(a ± b)·Π shared."""

    function: str  # "sin" or "cos"
    a: E
    b: E
    total: bool  # a + b, else a − b
    negative: bool
    shared: list[E]


def addition_theorem(x: Sequence[E], y: Sequence[E], opposite: bool) -> Theorem[E] | None:
    """Πx + Πy (Πx − Πy if opposite) as one product, such as C1·C2 − S1·S2 = C12, keeping shared factors."""
    if len(x) != len(y):
        return None
    fx, fy, shared = list(x), list(y), []
    for f in x:
        if f in fy:
            fx.remove(f)
            fy.remove(f)
            shared.append(f)
    if len(fx) != 2 or any(f.op not in SINES for f in (*fx, *fy)):
        return None
    (f1, g1), (f2, g2) = fx, fy
    a, b = f1.args[0], g1.args[0]
    if {f2.args[0], g2.args[0]} != {a, b}:
        return None
    if f2.args[0] is not a:
        f2, g2 = g2, f2
    match f1.op, g1.op, f2.op, g2.op:
        case "cos", "cos", "sin", "sin":
            return Theorem("cos", a, b, opposite, False, shared)
        case "sin", "sin", "cos", "cos":
            return Theorem("cos", a, b, opposite, opposite, shared)
        case "sin", "cos", "cos", "sin":
            return Theorem("sin", a, b, not opposite, False, shared)
        case "cos", "sin", "sin", "cos":
            return Theorem("sin", a, b, not opposite, opposite, shared)
    return None


def sine_and_cosine(factors: Sequence[E]) -> tuple[E, list[E]] | None:
    """An angle whose sine and cosine are both among the factors, and the other factors."""
    cosines = {f.args[0]: f for f in factors if f.op == "cos"}
    for f in factors:
        if f.op == "sin" and f.args[0] in cosines:
            others = list(factors)
            others.remove(f)
            others.remove(cosines[f.args[0]])
            return f.args[0], others
    return None
