"""Inertia and friction of the platform from a log: least squares on forces or energies, with instruments without noise.

Y = W x + ρ (`regressors.py`). W comes from measured motion, so it is noisy, and plain least squares is biased: E[WᵀW]
has the noise's own square. Three methods are offered. "raw": differences of the encoders as they are, to show the bias.
"filtered": encoders and forces through one zero-phase low-pass filter; what the filter passes still biases.
"instruments" (where the log has references): filtered, and x = (ZᵀW)⁻¹ZᵀY with Z the same regressor along the
reference, which knows nothing of the noise: E[Zᵀρ] = 0. Total least squares would need errors of W that are independent
and alike in all columns; here they all come from the same eight encoders, through products and second differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbody.errors import ModelError
from symbody.machines.platform.data import ACTUATORS, Array, PlatformData, platform_data
from symbody.machines.platform.excitation import ExcitingMotion, exciting_motion
from symbody.machines.platform.groupings import base_parameters as base_parameters
from symbody.machines.platform.groupings import groupings as groupings
from symbody.machines.platform.motion import PlatformMotion
from symbody.machines.platform.platform_log import LogNoise, PlatformLog, check_log, synthetic_log
from symbody.machines.platform.regressors import (
    FRICTION_NAMES,
    energy_regressor,
    force_regressor,
    over_intervals,
    parameter_set,
)
from symbody.machines.platform.smooth_log import SmoothLog, smooth_log

METHODS = ("raw", "filtered", "instruments")
ROWS = ("forces", "energies")  # eight equations for each instant, or one for each interval
CUTOFF = 40.0  # Hz
LAGS = 4  # rows whose errors may belong together, since the filter and the intervals join them
NOTHING = 1e-9  # kg, kg m, kg m²: zero but for rounding
UNSEEN = 1e6  # condition number beyond which a log does not show all parameters


@dataclass(frozen=True, eq=False)
class PlatformFit:
    """Parameters with standard deviations, what the data say, and how well they were seen."""

    data: PlatformData
    names: list[str]  # base parameters as sums over inertial ones, then friction
    leads: list[str]  # short names
    values: Array
    sigma: Array
    expected: Array  # as the data have them
    condition: float
    rows: int
    residual: float  # standard deviation of what is left over, relative to the energies

    @property
    def sigma_percent(self) -> Array:
        """σ_r = 100 σ/|x|; large where a parameter is as good as zero."""
        return np.asarray(100.0 * self.sigma / np.maximum(np.abs(self.values), 1e-300))

    @property
    def groups(self) -> dict[str, NDArray[np.bool_]]:
        """Which parameters belong to sliders, platform and legs, without those that are zero by symmetry."""
        starts = {"sliders": "table", "platform": "platform", "friction of legs": "rod"}
        friction = np.array([name in FRICTION_NAMES for name in self.leads])
        groups = {group: np.array([name.startswith(begin) for name in self.leads]) for group, begin in starts.items()}
        groups["friction of legs"] &= friction
        groups["inertia of legs"] = ~np.any(list(groups.values()), axis=0)
        there = np.abs(self.expected) > NOTHING
        return {group: own & there for group, own in groups.items()}

    @property
    def sigma_percent_by_group(self) -> dict[str, float]:
        """The largest 100 σ/|x| of each group, x as the data have it."""
        relative = 100.0 * self.sigma / np.maximum(np.abs(self.expected), NOTHING)
        return {group: float(np.max(relative[own])) for group, own in self.groups.items()}

    @property
    def sigma_percent_max(self) -> float:
        """Of sliders, platform and friction: inertias of the legs are felt by less than the noise of the forces."""
        return max(value for name, value in self.sigma_percent_by_group.items() if name != "inertia of legs")

    @property
    def deviation(self) -> Array:
        """(found − expected)/σ: of a sound estimate some are above 2, hardly one above 4."""
        return np.asarray((self.values - self.expected) / self.sigma)

    @property
    def table(self) -> list[dict[str, Any]]:
        """A row for each parameter."""
        columns = zip(self.names, self.values, self.sigma, self.sigma_percent, self.expected, strict=True)
        return [
            {"parameter": name, "value": float(x), "sigma": float(s), "sigma_percent": float(r), "data": float(e)}
            for name, x, s, r, e in columns
        ]

    def forces(self, motion: PlatformMotion) -> Array:
        """Γ (n, 8) that the parameters found give for a motion (N)."""
        return np.asarray(force_regressor(motion) @ self.values)


def identify_platform(
    log: PlatformLog | None = None,
    data: PlatformData | None = None,
    *,
    rows: str = "forces",
    method: str | None = None,
    cutoff: float = CUTOFF,
) -> PlatformFit:
    """The 90 base parameters and 32 numbers of friction from a log, each with its standard deviation.

    log: of encoders and forces; without one, a synthetic one of an exciting motion. data: what is expected.
    rows: what the equations are, one of `ROWS`. method: one of `METHODS`; by default "instruments" where the log has
    references, else "filtered". cutoff: Hz.
    """
    data = data or platform_data()
    log = log or synthetic_log(exciting(data).moves, data)[0]
    method = method or ("filtered" if log.reference is None else "instruments")
    if method not in METHODS or rows not in ROWS or (method == "instruments" and log.reference is None):
        cure = f"methods are {', '.join(METHODS)}, rows {' or '.join(ROWS)}; instruments need the references in the log"
        raise ModelError(
            f"no method '{method}' with rows '{rows}' for this log", element="identify_platform", cure=cure
        )
    check_log(log, data)
    equations = _forces if rows == "forces" else _energies
    every = max(1, round(0.5 / cutoff / log.dt))
    W, Y, noise = equations(smooth_log(log.t, log.q, log.forces, None if method == "raw" else cutoff), data, every)
    Z = W
    if method == "instruments":
        assert log.reference is not None
        Z = equations(smooth_log(log.t, log.reference, log.forces, cutoff), data, every)[0]
    weights = _weights(Y - W @ _instrumental(Z, W, Y).x, noise)
    fit = _instrumental(Z * weights[..., None], W * weights[..., None], Y * weights)
    what = parameter_set(data)
    residual = float(np.linalg.norm(Y - W @ fit.x) / np.linalg.norm(Y))
    return PlatformFit(
        data,
        what.names,
        what.leads,
        fit.x,
        np.sqrt(np.diag(fit.covariance)),
        what.values,
        fit.condition,
        Y.size,
        residual,
    )


def exciting(data: PlatformData | None = None, moves: int = 40, seed: int = 0) -> ExcitingMotion:
    """Moves by which all parameters are seen, for `synthetic_log` or the platform itself."""

    return exciting_motion(force_regressor, data, moves=moves, seed=seed)


# -- the equations: W and Y by instants, and the shapes that the variance of their errors may have ---------------------


def _forces(log: SmoothLog, data: PlatformData, every: int) -> tuple[Array, Array, Array]:
    """Γ = Y x at each `every` samples (n, 8, 122); each actuator has noise of its own."""
    W = force_regressor(log.motion(data, every), log.friction_shapes(data)[::every])
    each = np.broadcast_to(np.eye(len(ACTUATORS)), (len(W), len(ACTUATORS), len(ACTUATORS)))
    return W, log.forces[::every], each


def _energies(log: SmoothLog, data: PlatformData, every: int) -> tuple[Array, Array, Array]:
    """∫Γᵀq̇ dt = W x over each `every` samples (n, 1, 122); noise does work with the speeds of sliders and of legs."""
    W = energy_regressor(log.motion(data, every), log.t, log.qd, every)
    power, squares = (log.forces * log.qd).sum(axis=1), log.qd**2
    speeds = np.stack([squares[:, :2].sum(axis=1), squares[:, 2:].sum(axis=1), np.ones(len(squares))], axis=1)
    return W[:, None], over_intervals(log.t, power, every)[:, None], over_intervals(log.t, speeds, every)[:, None]


def _weights(left: Array, shapes: Array) -> Array:
    """1/standard deviation of each equation: ρ² = Σ a_i shape_i, a_i ≥ 0, of what a first estimate leaves over."""
    from scipy.optimize import nnls  # here, because it takes longer to import than all of symbody

    flat = shapes.reshape(-1, shapes.shape[-1])
    scale = flat.mean(axis=0)
    shares = nnls(flat / scale, left.ravel() ** 2)[0]
    variance = shapes / scale @ np.maximum(shares, 1e-6 * np.mean(left**2))
    return np.asarray(1.0 / np.sqrt(variance))


@dataclass(frozen=True, eq=False)
class Estimate:
    """Parameters, their covariance, and the condition number of W with columns of equal length."""

    x: Array
    covariance: Array
    condition: float


def _instrumental(Z: Array, W: Array, Y: Array) -> Estimate:
    """x = (ZᵀW)⁻¹ZᵀY of equations (instants, rows, parameters).

    Its covariance B S Bᵀ, B = (ZᵀW)⁻¹, S = Σ of Zᵀρ ρᵀZ over instants up to `LAGS` apart (Newey and West), does not
    suppose that errors are alike or unrelated.
    """
    _n, p = len(W), W.shape[-1]
    flat_Z, flat_W = Z.reshape(-1, p), W.reshape(-1, p)
    sizes, own = np.linalg.norm(flat_W, axis=0), np.linalg.norm(flat_Z, axis=0)
    if np.any(sizes == 0.0) or np.any(own == 0.0):
        name = parameter_names()[int(np.argmin(sizes * own))]
        raise ModelError("a parameter is not seen at all", element=name, cure="move all axes, in both directions")
    flat_Z, flat_W = flat_Z / own, flat_W / sizes
    condition = max(_require_seen(flat_Z), _require_seen(flat_W))
    B = np.linalg.inv(flat_Z.T @ flat_W)
    x = B @ (flat_Z.T @ Y.ravel())
    left = (Y.ravel() - flat_W @ x).reshape(Y.shape)
    u = np.einsum("nrp,nr->np", flat_Z.reshape(Z.shape), left)
    S = u.T @ u
    for lag in range(1, LAGS + 1):
        joined = u[lag:].T @ u[:-lag]
        S += (1.0 - lag / (LAGS + 1.0)) * (joined + joined.T)
    spare = Y.size / max(Y.size - p, 1)
    covariance = spare * (B @ S @ B.T) / np.outer(sizes, sizes)
    return Estimate(x / sizes, covariance, condition)


def _require_seen(W: Array) -> float:
    """The condition number of columns of equal length; refused where some parameters are not seen."""
    values, vectors = np.linalg.eigh(W.T @ W)
    if len(W) < W.shape[1] or values[0] * UNSEEN**2 < values[-1]:
        name = parameter_names()[int(np.argmax(np.abs(vectors[:, 0])))]
        raise ModelError("the motion does not show all parameters", element=name, cure="move as `exciting()` proposes")
    return float(np.sqrt(values[-1] / values[0]))


def parameter_names() -> list[str]:
    """Short names of the 122 parameters."""
    return parameter_set(platform_data()).leads


# -- does it hold? -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Validation:
    """Forces and energy of another motion, rebuilt from the parameters found: errors relative to the largest value."""

    forces: dict[str, float]  # root mean square by actuator
    energy: float  # largest


def validate(fit: PlatformFit, log: PlatformLog, cutoff: float = CUTOFF) -> Validation:
    """Rebuild a log's forces and energy, one that was not used to find the parameters."""
    check_log(log, fit.data)
    smooth = smooth_log(log.t, log.q, log.forces, cutoff)
    every = max(1, round(0.5 / cutoff / log.dt))
    rebuilt, measured = fit.forces(smooth.motion(fit.data, every)), smooth.forces[::every]
    size = np.maximum(np.max(np.abs(measured), axis=0), 1e-300)
    errors = np.sqrt(np.mean((rebuilt - measured) ** 2, axis=0)) / size
    t, v = smooth.t[::every], smooth.qd[::every]
    energies = [np.cumsum(over_intervals(t, (force * v).sum(axis=1), 1)) for force in (rebuilt, measured)]
    apart = float(np.max(np.abs(energies[0] - energies[1])) / max(float(np.ptp(energies[1])), 1e-300))
    return Validation(dict(zip(ACTUATORS, map(float, errors), strict=True)), apart)


def bias_study(
    data: PlatformData | None = None, position: float = 1e-5, moves: int = 24, seed: int = 0
) -> dict[str, PlatformFit]:
    """The same noisy log by each method: raw, filtered, instruments; position: standard deviation of encoders (m)."""
    data = data or platform_data()
    log, _ = synthetic_log(exciting(data, moves).moves, data, noise=LogNoise(position=position), seed=seed)
    return {method: identify_platform(log, data, method=method) for method in METHODS}
