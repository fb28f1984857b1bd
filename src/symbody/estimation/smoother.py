"""Smoothing: later measurements improve earlier estimates (Rauch, Tung and Striebel 1965).

C = P⁺ₖ Fᵀ (P⁻ₖ₊₁)⁻¹,   xₖ ← x⁺ₖ ⊞ C (xₖ₊₁ ⊟ x⁻ₖ₊₁),   Pₖ ← P⁺ₖ + C (Pₖ₊₁ − P⁻ₖ₊₁) Cᵀ
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from symbody.analysis.tangent_coordinates import displaced, inverse_tangent, tangent
from symbody.estimation.error_state import ErrorStateFilter
from symbody.system.system import Array


class Smoothed(NamedTuple):
    """Smoothed states after each step.

    Parameters
    ----------
    mean : array, shape (steps, nx)
        States.
    sigma : array, shape (steps, nx)
        Standard deviations of their errors.
    """

    mean: Array
    sigma: Array


class _Step(NamedTuple):
    x_before: Array  # before the measurements
    P_before: Array
    F: Array
    x: Array
    P: Array


def smoothed(twin: ErrorStateFilter, u: Array, z: Array) -> Smoothed:
    """Run a filter over rows of inputs and measurements, then smooth the states backwards.

    Parameters
    ----------
    twin : ErrorStateFilter
        A fresh filter from `sb.estimate`.
    u : array, shape (steps, inputs)
        Inputs during each step, in the order of the system's inputs.
    z : array, shape (steps, sensors)
        Measurements after each step; NaN if there is none.

    Returns
    -------
    Smoothed
        States and standard deviations after each step. Estimated inputs and parameters keep the filter's values.
    """
    steps = [_forward(twin, u[k], z[k]) for k in range(len(z))]
    s = twin.system
    errors = tangent(s, twin.x).shape[1]
    means, sigmas = [steps[-1].x], [np.sqrt(np.diag(steps[-1].P)[:errors])]
    x, P = steps[-1].x, steps[-1].P
    for here, after in zip(steps[-2::-1], steps[:0:-1], strict=True):
        C = _divided(here.P @ after.F.T, after.P_before)
        away = np.zeros(len(P))
        away[:errors] = inverse_tangent(tangent(s, after.x_before)) @ (x - after.x_before)
        x = displaced(s, here.x, tangent(s, here.x) @ (C @ away)[:errors])
        P = here.P + C @ (P - after.P_before) @ C.T
        means.append(x)
        sigmas.append(np.sqrt(np.maximum(np.diag(P)[:errors], 0.0)))
    return Smoothed(np.array(means[::-1]), np.array(sigmas[::-1]))


def _forward(twin: ErrorStateFilter, u: Array, z: Array) -> _Step:
    twin.predict(u)
    before = twin.x, twin.covariance, twin.transition()
    twin.correct(z)
    return _Step(*before, twin.x, twin.covariance)


def _divided(A: Array, P: Array) -> Array:
    """A P⁻¹ after scaling (lengths and pressures differ by many orders of magnitude); P may be singular."""
    sigma = np.sqrt(np.diag(P))
    scale = np.where(sigma > 0.0, sigma, 1.0)
    return np.asarray(A / scale @ np.linalg.pinv(P / np.outer(scale, scale), rcond=1e-13, hermitian=True) / scale)
