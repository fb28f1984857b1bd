"""Inertia and friction of the platform from a log: regression on forces or energies, with instrumental variables.

Y = W x + ρ (`regressors.py`). W comes from measured motion and is noisy, so plain least squares is biased. There are
three methods. "raw" uses differences of the encoders without a filter, to show the bias. "filtered" passes encoders and
forces through one zero-phase low-pass filter; noise below the cutoff still causes a bias. "instruments" needs
references in the log: the instruments are the same regressor along the reference, which contains no noise. Total least
squares would need independent errors of equal size in all columns of W; here all errors come from the same eight
encoders.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbody.analysis.instrumental_variables import instrumental_variables, variance_weights
from symbody.analysis.smooth_record import SmoothRecord, smooth_record
from symbody.errors import ModelError
from symbody.motion.base_parameters import base_parameters as base_parameters
from symbody.motion.base_parameters import groupings as groupings
from symbody.motion.data import ACTUATORS, Array, PlatformData
from symbody.motion.excitation import ExcitingMotion, exciting_motion
from symbody.motion.log_motion import filtered_friction_shapes, log_motion
from symbody.motion.platform_log import LogNoise, PlatformLog, check_log, synthetic_log
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.regressors import FRICTION_NAMES, energy_regressor, force_regressor, over_intervals, parameter_set

__all__ = [
    "PlatformFit",
    "Validation",
    "base_parameters",
    "bias_study",
    "exciting",
    "groupings",
    "identify_platform",
    "validate",
]

METHODS = ("raw", "filtered", "instruments")
ROWS = ("forces", "energies")  # eight equations for each instant, or one for each interval
CUTOFF = 40.0  # Hz
NOTHING = 1e-9  # kg, kg m, kg m²: zero up to rounding


@dataclass(frozen=True, eq=False)
class PlatformFit:
    """Parameters with standard deviations, the values of the data, and the quality of the fit."""

    data: PlatformData
    names: list[str]  # base parameters as sums over inertial parameters, then friction
    leads: list[str]  # short names
    values: Array
    sigma: Array
    expected: Array  # values of the data
    condition: float
    rows: int
    residual: float  # norm of the residuals relative to the measurements

    @property
    def sigma_percent(self) -> Array:
        """σ_r = 100 σ/|x|; large for parameters near zero."""
        return np.asarray(100.0 * self.sigma / np.maximum(np.abs(self.values), 1e-300))

    @property
    def groups(self) -> dict[str, NDArray[np.bool_]]:
        """Masks of the parameters of sliders, platform and legs, without parameters that are zero by symmetry."""
        starts = {"sliders": "table", "platform": "platform", "friction of legs": "rod"}
        friction = np.array([name in FRICTION_NAMES for name in self.leads])
        groups = {group: np.array([name.startswith(begin) for name in self.leads]) for group, begin in starts.items()}
        groups["friction of legs"] &= friction
        groups["inertia of legs"] = ~np.any(list(groups.values()), axis=0)
        there = np.abs(self.expected) > NOTHING
        return {group: own & there for group, own in groups.items()}

    @property
    def sigma_percent_by_group(self) -> dict[str, float]:
        """The largest 100 σ/|x| of each group, with x from the data."""
        relative = 100.0 * self.sigma / np.maximum(np.abs(self.expected), NOTHING)
        return {group: float(np.max(relative[own])) for group, own in self.groups.items()}

    @property
    def sigma_percent_max(self) -> float:
        """Largest value of sliders, platform and friction; leg inertias have less effect than the noise."""
        return max(value for name, value in self.sigma_percent_by_group.items() if name != "inertia of legs")

    @property
    def deviation(self) -> Array:
        """(found − expected)/σ; a good estimate has a few values above 2 and hardly any above 4."""
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
        """Γ (n, 8) of a motion with these parameters (N)."""
        return np.asarray(force_regressor(motion) @ self.values)


def identify_platform(
    log: PlatformLog,
    data: PlatformData,
    *,
    rows: str = "forces",
    method: str | None = None,
    cutoff: float = CUTOFF,
) -> PlatformFit:
    """Identify 90 base parameters and 32 friction parameters from a log, each with its standard deviation.

    Args:
        log: encoders (m) and forces (N) of all actuators, such as `synthetic_log(exciting(data).moves, data)[0]`.
        data: the platform as it is expected to be.
        rows: equations, one of `ROWS`.
        method: one of `METHODS`; default: "instruments" if the log has references, else "filtered".
        cutoff: of the low-pass filter (Hz).

    Raises:
        ModelError: the log is unusable (`check_log`), or its motion does not excite all parameters.
    """
    method = method or ("filtered" if log.reference is None else "instruments")
    if method not in METHODS or rows not in ROWS or (method == "instruments" and log.reference is None):
        cure = f'methods: {", ".join(METHODS)}; rows: {" or ".join(ROWS)}; "instruments" needs references in the log'
        raise ModelError(
            f"no method '{method}' with rows '{rows}' for this log", element="identify_platform", cure=cure
        )
    check_log(log, data)
    equations = _forces if rows == "forces" else _energies
    every = max(1, round(0.5 / cutoff / log.dt))
    W, Y, noise = equations(smooth_record(log.t, log.q, log.forces, None if method == "raw" else cutoff), data, every)
    Z = W
    if method == "instruments":
        assert log.reference is not None
        Z = equations(smooth_record(log.t, log.reference, log.forces, cutoff), data, every)[0]
    what = parameter_set(data)
    weights = variance_weights(Y - W @ instrumental_variables(Z, W, Y, what.leads).x, noise)
    fit = instrumental_variables(Z * weights[..., None], W * weights[..., None], Y * weights, what.leads)
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


def exciting(data: PlatformData, moves: int = 40, seed: int = 0) -> ExcitingMotion:
    """Moves that excite all parameters, for `synthetic_log` or for the platform itself."""
    return exciting_motion(force_regressor, data, moves=moves, seed=seed)


# -- the equations: W and Y by instants, and shapes for the variance of their errors ---------------------


def _forces(log: SmoothRecord, data: PlatformData, every: int) -> tuple[Array, Array, Array]:
    """Γ = Y x at each `every` samples (n, 8, 122); each actuator has its own noise."""
    W = force_regressor(log_motion(log, data, every), filtered_friction_shapes(log, data)[::every])
    each = np.broadcast_to(np.eye(len(ACTUATORS)), (len(W), len(ACTUATORS), len(ACTUATORS)))
    return W, log.forces[::every], each


def _energies(log: SmoothRecord, data: PlatformData, every: int) -> tuple[Array, Array, Array]:
    """∫Γᵀq̇ dt = W x over each `every` samples (n, 1, 122); the noise scales with the speeds of sliders and legs."""
    W = energy_regressor(log_motion(log, data, every), log.t, log.qd, every)
    power, squares = (log.forces * log.qd).sum(axis=1), log.qd**2
    speeds = np.stack([squares[:, :2].sum(axis=1), squares[:, 2:].sum(axis=1), np.ones(len(squares))], axis=1)
    return W[:, None], over_intervals(log.t, power, every)[:, None], over_intervals(log.t, speeds, every)[:, None]


# -- validation -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Validation:
    """Errors of the predicted forces and energy of another motion, relative to the largest value."""

    forces: dict[str, float]  # root mean square by actuator
    energy: float  # largest


def validate(fit: PlatformFit, log: PlatformLog, cutoff: float = CUTOFF) -> Validation:
    """Predict forces and energy of a log that was not used for the fit."""
    check_log(log, fit.data)
    smooth = smooth_record(log.t, log.q, log.forces, cutoff)
    every = max(1, round(0.5 / cutoff / log.dt))
    rebuilt, measured = fit.forces(log_motion(smooth, fit.data, every)), smooth.forces[::every]
    size = np.maximum(np.max(np.abs(measured), axis=0), 1e-300)
    errors = np.sqrt(np.mean((rebuilt - measured) ** 2, axis=0)) / size
    t, v = smooth.t[::every], smooth.qd[::every]
    energies = [np.cumsum(over_intervals(t, (force * v).sum(axis=1), 1)) for force in (rebuilt, measured)]
    apart = float(np.max(np.abs(energies[0] - energies[1])) / max(float(np.ptp(energies[1])), 1e-300))
    return Validation(dict(zip(ACTUATORS, map(float, errors), strict=True)), apart)


def bias_study(data: PlatformData, position: float = 1e-5, moves: int = 24, seed: int = 0) -> dict[str, PlatformFit]:
    """Fit the same noisy log by each of `METHODS`; position: standard deviation of the encoders (m)."""
    log, _ = synthetic_log(exciting(data, moves).moves, data, noise=LogNoise(position=position), seed=seed)
    return {method: identify_platform(log, data, method=method) for method in METHODS}
