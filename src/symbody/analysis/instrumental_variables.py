"""Linear regression with instrumental variables, standard errors by Newey and West, and weights from the residuals.

Y = W x + ρ, where W comes from measurements and is noisy. Plain least squares is then biased, because E[WᵀW] contains
the square of the noise. Instruments Z are the same regressor without noise: x = (ZᵀW)⁻¹ZᵀY with E[Zᵀρ] = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symbody.errors import ModelError

Array = NDArray[np.float64]
LAGS = 4  # rows whose errors may be correlated, because a filter or an interval joins them
UNSEEN = 1e6  # condition number from which on a motion does not excite all parameters


@dataclass(frozen=True, eq=False)
class InstrumentalEstimate:
    """Parameters x (p,), their covariance (p, p), and the condition number of W with columns of equal length."""

    x: Array
    covariance: Array
    condition: float


def instrumental_variables(
    Z: Array, W: Array, Y: Array, names: Sequence[str], lags: int = LAGS
) -> InstrumentalEstimate:
    """x = (ZᵀW)⁻¹ZᵀY.

    The covariance B S Bᵀ, B = (ZᵀW)⁻¹, S = Σ Zᵀρ ρᵀZ over instants up to `lags` apart (Newey and West 1987), does not
    assume that errors have equal variance or are uncorrelated.

    Args:
        Z: instruments (instants, rows, p); W itself gives least squares.
        W: regressor (instants, rows, p).
        Y: measurements (instants, rows).
        names: of the p parameters, for messages.
        lags: instants over which errors may be correlated.

    Raises:
        ModelError: the motion does not excite all parameters.
    """
    p = W.shape[-1]
    flat_Z, flat_W = Z.reshape(-1, p), W.reshape(-1, p)
    sizes, own = np.linalg.norm(flat_W, axis=0), np.linalg.norm(flat_Z, axis=0)
    if np.any(sizes == 0.0) or np.any(own == 0.0):
        name = names[int(np.argmin(sizes * own))]
        raise ModelError("the motion does not excite this parameter", element=name, cure="move all axes, both ways")
    flat_Z, flat_W = flat_Z / own, flat_W / sizes
    condition = max(_require_excited(flat_Z, names), _require_excited(flat_W, names))
    B = np.linalg.inv(flat_Z.T @ flat_W)
    x = B @ (flat_Z.T @ Y.ravel())
    residual = (Y.ravel() - flat_W @ x).reshape(Y.shape)
    u = np.einsum("nrp,nr->np", flat_Z.reshape(Z.shape), residual)
    S = u.T @ u
    for lag in range(1, lags + 1):
        joined = u[lag:].T @ u[:-lag]
        S += (1.0 - lag / (lags + 1.0)) * (joined + joined.T)
    spare = Y.size / max(Y.size - p, 1)
    covariance = spare * (B @ S @ B.T) / np.outer(sizes, sizes)
    return InstrumentalEstimate(x / sizes, covariance, condition)


def _require_excited(W: Array, names: Sequence[str]) -> float:
    """The condition number of W, whose columns have equal length; an error if some parameters are not excited."""
    values, vectors = np.linalg.eigh(W.T @ W)
    if len(W) < W.shape[1] or values[0] * UNSEEN**2 < values[-1]:
        name = names[int(np.argmax(np.abs(vectors[:, 0])))]
        raise ModelError("the motion does not excite all parameters", element=name, cure="use an exciting motion")
    return float(np.sqrt(values[-1] / values[0]))


def variance_weights(residual: Array, shapes: Array) -> Array:
    """1/σ of each equation (instants, rows), with σ² = Σ a_i shape_i, a_i ≥ 0, fitted to the squared residuals.

    shapes: (instants, rows, n).
    """
    from scipy.optimize import nnls  # here, because it takes longer to import than all of symbody

    flat = shapes.reshape(-1, shapes.shape[-1])
    scale = flat.mean(axis=0)
    shares = nnls(flat / scale, residual.ravel() ** 2)[0]
    variance = shapes / scale @ np.maximum(shares, 1e-6 * np.mean(residual**2))
    return np.asarray(1.0 / np.sqrt(variance))
