"""What a model already knows of the parameters, together with what a log tells: two independent Gaussian estimates.

Λ = Λ_log + Λ₀,  x = Λ⁻¹(Λ_log x̂ + Λ₀ x₀),  Λ₀ = 1/σ₀². The data add 1 − (σ/σ₀)²: 0 if they tell nothing, 1 if all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symbody.motion.data import Array

MODEL_SHARE = 0.2  # σ₀ of a parameter from a drawing, relative to its size


@dataclass(frozen=True, eq=False)
class Combined:
    """Parameters and their covariance by model and log, and the share of the variance that the log removed."""

    x: Array
    covariance: Array
    added: Array


def with_prior(x: Array, covariance: Array, expected: Array, known: Array) -> Combined:
    """An estimate x with its covariance, together with expected values of standard deviation `known`."""
    scaled = covariance / np.outer(known, known)  # in units of σ₀, against rounding
    gain = np.linalg.solve(scaled + np.eye(len(x)), scaled)  # C (C + 1)⁻¹ = (C⁻¹ + 1)⁻¹
    after = gain * np.outer(known, known)
    found = x + known * (gain.T @ ((expected - x) / known))
    return Combined(found, 0.5 * (after + after.T), 1.0 - np.diag(gain))


@dataclass(frozen=True, eq=False)
class Essential:
    """Parameters that a log determines to a bound; the others keep their expected values."""

    chosen: NDArray[np.bool_]
    x: Array
    sigma: Array  # 0 for parameters that keep their expected values


def essential(x: Array, covariance: Array, expected: Array, most: Array) -> Essential:
    """Drop the parameter with the largest σ/most again and again, until all σ are below `most` (p,).

    A dropped parameter j has its expected value from then on, which changes the others by C_ij/C_jj (x₀ − x)_j.
    """
    x, C = np.array(x), np.array(covariance)
    chosen = np.ones(len(x), dtype=bool)
    while np.any(chosen):
        over = np.where(chosen, np.sqrt(np.maximum(np.diag(C), 0.0)) / most, 0.0)
        worst = int(np.argmax(over))
        if over[worst] <= 1.0:
            break
        gain = C[:, worst] / C[worst, worst]
        x += gain * (expected[worst] - x[worst])
        C -= np.outer(gain, C[worst])
        chosen[worst], x[worst] = False, expected[worst]
        C[worst], C[:, worst] = 0.0, 0.0
    return Essential(chosen, x, np.where(chosen, np.sqrt(np.maximum(np.diag(C), 0.0)), 0.0))
