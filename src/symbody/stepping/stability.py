"""The stability function R of a one-step method: for ẋ = λx a step gives x₁ = R(λΔt) x₀, for ẋ = A x, x₁ = R(AΔt) x₀.

If A is constant over a step, R(AΔt) also propagates errors along a motion (Hairer and Wanner, IV.2, 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symbody.system.system import Array


@dataclass(frozen=True)
class StabilityFunction:
    """R(z) = Σ c_k yᵏ with y = 1/(1 − γz); for explicit methods (γ = 0) y = z."""

    gamma: float
    c: tuple[float, ...]

    def __call__(self, z: complex) -> complex:
        return complex(np.polyval(self.c[::-1], 1.0 / (1.0 - self.gamma * z) if self.gamma else z))

    def growth(self, z: complex) -> float:
        """|R(z)|."""
        return abs(self(z))

    def matrix(self, X: Array) -> Array:
        """R(X) of a square matrix, or of many (…, n, n), by Horner's rule."""
        eye = np.broadcast_to(np.eye(X.shape[-1]), X.shape)
        Y = np.linalg.solve(eye - self.gamma * X, eye) if self.gamma else X
        R = self.c[-1] * eye
        for c in self.c[-2::-1]:
            R = Y @ R + c * eye
        return np.asarray(R)

    @cached_property
    def of_constants(self) -> tuple[float, ...]:
        """e of (R(z) − 1)/z = γ Σ e_k yᵏ, for explicit methods Σ e_k yᵏ⁻¹, k from 1: for a constant rate."""
        tail = np.cumsum(self.c[:0:-1])[::-1] if self.gamma else self.c[1:]
        return tuple(float(e) for e in tail)
