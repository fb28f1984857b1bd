"""Linear filters as states of a model: integrators w⁽ⁿ⁾ = u − Σ c_k w⁽ᵏ⁾, whose derivatives form the outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from symbody.elements.element import Motion, Named
from symbody.model.model import Model

SMOOTHING = 300.0  # rad/s, of a lag of 3.3 ms that makes second derivatives finite
Law = Callable[[Motion, Named], Any]
Coefficients = Callable[[Named], Sequence[Any]]


class Reference(NamedTuple):
    """Laws of a position (m, rad) and of its first and second derivatives."""

    position: Law
    rate: Law
    second: Law


def add_chain(m: Model, name: str, coefficients: Coefficients, drive: Law) -> Callable[[int], Law]:
    """Add states NAME_0 … for w, ẇ, … with w⁽ⁿ⁾ = u − Σ c_k w⁽ᵏ⁾; returns k → the law of w⁽ᵏ⁾, k = 0 … n.

    coefficients: p → c_0 … c_(n−1) of the monic denominator. drive: the law of u.
    """
    order = len(coefficients(m.values))

    def top(s: Motion, p: Named) -> Any:
        return drive(s, p) - sum(c * p[f"{name}_{k}"] for k, c in enumerate(coefficients(p)))

    for k in range(order - 1):
        m.state(f"{name}_{k}")(lambda s, p, k=k: p[f"{name}_{k + 1}"])
    m.state(f"{name}_{order - 1}")(top)
    return lambda k: top if k == order else lambda s, p: p[f"{name}_{k}"]


def product(*factors: Sequence[Any]) -> list[Any]:
    """Coefficients, lowest power first, of the product of polynomials."""
    total: list[Any] = [1.0]
    for factor in factors:
        terms: list[Any] = [0.0] * (len(total) + len(factor) - 1)
        for i, a in enumerate(total):
            for j, b in enumerate(factor):
                terms[i + j] = terms[i + j] + a * b
        total = terms
    return total


def monic(*factors: Sequence[Any]) -> list[Any]:
    """c_0 … c_(n−1) of a product of monic polynomials."""
    return product(*factors)[:-1]


def second_order(damping: Any, cutoff: Any) -> list[Any]:
    """s² + 2ξω s + ω², lowest power first."""
    return [cutoff * cutoff, 2.0 * damping * cutoff, 1.0]


def smoothed(m: Model, name: str, value: Law, rate: Law) -> Reference:
    """A value behind a short lag, with finite derivatives: ẏ = Ω (x − y), ÿ = Ω (ẋ − ẏ)."""
    lagged = f"{name}_smooth"

    def slope(s: Motion, p: Named) -> Any:
        return SMOOTHING * (value(s, p) - p[lagged])

    m.state(lagged)(slope)
    return Reference(lambda s, p: p[lagged], slope, lambda s, p: SMOOTHING * (rate(s, p) - slope(s, p)))
