"""How errors of a state grow over a step: F of δz(t + dt) = F δz(t), from A of δż = A δz."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Array = np.ndarray
SMALL = 0.25  # of ‖A dt‖: up to there the approximant below is right to 1e-11
TAKEN = (1.0, 1 / 2, 1 / 9, 1 / 72, 1 / 1008, 1 / 30240)  # Padé (5, 5) of eˣ


def exponential(A: Array, dt: float) -> Array:
    """e^{A dt}, exact for an A that stays: Padé's approximant of A dt/2ᵏ, squared k times."""
    X = A * dt
    # Powers of two on both sides bring lengths beside pressures to one size, which rounds nothing.
    scale = _balance(X)
    X = X * scale[np.newaxis] / scale[:, np.newaxis]
    size = np.linalg.norm(X, 1)
    halvings = max(0, int(np.ceil(np.log2(size / SMALL)))) if size > SMALL else 0
    X = X / 2.0**halvings
    power, even, odd = np.eye(len(X)), np.zeros_like(X), np.zeros_like(X)
    for k, c in enumerate(TAKEN):
        (odd if k % 2 else even)[:] += c * power
        power = power @ X
    F = np.linalg.solve(even - odd, even + odd)
    for _ in range(halvings):
        F = F @ F
    return np.asarray(F / scale[np.newaxis] * scale[:, np.newaxis])


def trapezoidal(A: Array, dt: float) -> Array:
    """(I − A dt/2)⁻¹ (I + A dt/2): what a step of the trapezoidal rule does to an error."""
    eye = np.eye(len(A))
    return np.asarray(np.linalg.solve(eye - 0.5 * dt * A, eye + 0.5 * dt * A))


def with_parameters(F: Array, A: Array, G: Array, dt: float) -> Array:
    """[[F, Γ], [0, I]]: parameters stay, and act by G over the step; Γ = (I − A dt/2)⁻¹ G dt, as stiff as A."""
    n, m = G.shape
    whole = np.eye(n + m)
    whole[:n, :n] = F
    whole[:n, n:] = np.linalg.solve(np.eye(n) - 0.5 * dt * A, G * dt)
    return whole


def _balance(X: Array, sweeps: int = 4) -> Array:
    """Powers of two d that bring rows and columns of D⁻¹ X D to like sizes (Parlett and Reinsch)."""
    d, off = np.ones(len(X)), np.abs(X) * (1.0 - np.eye(len(X)))
    for _ in range(sweeps):
        for k in range(len(X)):
            row, column = (off[k] * d).sum() / d[k], (off[:, k] / d).sum() * d[k]
            if row > 0.0 and column > 0.0:
                d[k] *= 2.0 ** np.round(0.5 * np.log2(row / column))
    return d


TRANSITIONS: dict[str, Callable[[Array, float], Array]] = {"exact": exponential, "trapezoidal": trapezoidal}
