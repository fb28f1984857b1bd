"""The largest stable step of an explicit method: the largest h at which no decaying motion e^λt grows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Growth = Callable[[complex], float]  # of hλ: the largest growth factor of e^λt in a step
FARTHEST = 6.0  # |hλ| beyond which none of our explicit methods is stable
POINTS = 600
ROUNDING = 1e-7  # of a growth of one


def semi_implicit_growth(z: complex) -> float:
    """The spectral radius of a step for an oscillator ẍ = −|λ|²x + 2 Re λ ẋ; for a real λ, |1 + z|."""
    if z.imag == 0.0:
        return abs(1 + z)
    damping, stiffness = 2 * z.real, abs(z) ** 2
    step = np.array([[1 - stiffness, 1 + damping], [-stiffness, 1 + damping]])  # first v, then x with the new v
    return float(np.abs(np.linalg.eigvals(step)).max())


def largest_stable_step(growth: Growth, eigenvalue: complex) -> float:
    """In s. A growing motion is treated as undamped, because no step makes it decay."""
    size = abs(eigenvalue)
    if size == 0.0:
        return np.inf
    direction = complex(min(eigenvalue.real, 0.0), eigenvalue.imag) / size
    if direction == 0.0:
        direction = -1.0 + 0.0j
    scan = np.linspace(0.0, FARTHEST, POINTS + 1)[1:]
    beyond = next((r for r in scan if growth(r * direction) > 1.0 + ROUNDING), FARTHEST)
    low, high = beyond - FARTHEST / POINTS, beyond
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if growth(middle * direction) <= 1.0 + ROUNDING else (low, middle)
    return float(low / size)


def eigenvalue_text(eigenvalue: complex) -> str:
    """As text: "-1.2e+05 1/s", "-3 ± 450i 1/s"."""
    if abs(eigenvalue.imag) <= ROUNDING * abs(eigenvalue):
        return f"{eigenvalue.real:.3g} 1/s"
    real = eigenvalue.real if abs(eigenvalue.real) > 1e-6 * abs(eigenvalue) else 0.0
    return f"{real:.3g} ± {abs(eigenvalue.imag):.3g}i 1/s"
