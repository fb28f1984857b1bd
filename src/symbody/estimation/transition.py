"""Propagation of errors over a step: [F Γ] of δz(t + dt) = F δz(t) + Γ δp, from δż = A δz + G δp.

"step": F = R(A dt) with the stability function R of the model's method, so that errors propagate as the model steps,
stiff or not. "exact": F = e^{A dt} for a constant A. "held": as "step", but errors of all states other than coordinates
and velocities stay as they are (Jaiswal 2021, §3.1: the evolution of pressure errors is unknown, ∂ṗ/∂x = 0).
A and G may be those of many filters: (…, n, n) and (…, n, m).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symbody.stepping.registry import suited_fixed
from symbody.stepping.stability import StabilityFunction
from symbody.system.system import Array, System

Transition = Callable[[Array, Array, float], Array]  # (A, G, dt) → [[F, Γ], [0, I]]
TRANSITIONS = ("step", "exact", "held")
SMALL = 0.25  # limit of ‖A dt‖ up to which the approximant below is accurate to 1e-11
TAKEN = (1.0, 1 / 2, 1 / 9, 1 / 72, 1 / 1008, 1 / 30240)  # Padé (5, 5) of eˣ


def stability_of(s: System, method: str | None) -> StabilityFunction | None:
    """R of the filter's method; None if its steps are not a function of A dt."""
    return suited_fixed(s, method).stability if s.options.closure != "augmented" else None


def transition_of(R: StabilityFunction | None) -> Transition:
    """The transition of steps with a stability function; exact without one."""
    return exact if R is None else lambda A, G, dt: stepped(R, A, G, dt)


def stepped(R: StabilityFunction, A: Array, G: Array, dt: float) -> Array:
    """R([[A, G], [0, 0]] dt): the effect of a step on errors and constant parameters."""
    found, n = R.matrix(dt * with_constants(A, G)), A.shape[-1]
    found[..., n:, :] = np.eye(found.shape[-1])[n:]  # removes rounding errors
    return found


def exact(A: Array, G: Array, dt: float) -> Array:
    """e^{[[A, G], [0, 0]] dt}, exact for a constant A."""
    whole = with_constants(A, G)
    each = [exponential(X, dt) for X in whole.reshape(-1, *whole.shape[-2:])]
    return np.reshape(each, whole.shape)


def held(A: Array, G: Array, mechanical: int) -> tuple[Array, Array]:
    """A and G of errors that only move in the first rows, of coordinates and velocities."""
    some = (np.arange(A.shape[-1]) < mechanical)[:, np.newaxis]
    return A * some, G * some


def with_constants(A: Array, G: Array) -> Array:
    """[[A, G], [0, 0]]: parameters are constant. An error in balance, A δz + G δp = 0, then stays so, as it must."""
    n, m = G.shape[-2:]
    whole = np.zeros((*G.shape[:-2], n + m, n + m))
    whole[..., :n, :] = np.concatenate([A, G], axis=-1)
    return whole


def exponential(A: Array, dt: float) -> Array:
    """e^{A dt}, exact for a constant A: Padé approximant of A dt/2ᵏ, squared k times."""
    X = A * dt
    # Scaling by powers of two balances lengths and pressures without rounding errors.
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


def _balance(X: Array, sweeps: int = 4) -> Array:
    """Powers of two d that balance rows and columns of D⁻¹ X D (Parlett and Reinsch); 1 for constants."""
    d, off = np.ones(len(X)), np.abs(X) * (1.0 - np.eye(len(X)))
    for _ in range(sweeps):
        for k in range(len(X)):
            row, column = (off[k] * d).sum() / d[k], (off[:, k] / d).sum() * d[k]
            if column > 0.0:
                d[k] *= 2.0 ** np.round(0.5 * np.log2(row / column) if row > 0.0 else -np.log2(column))
    return d
