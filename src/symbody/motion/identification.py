"""Inertia and friction of the platform from a log: regression on forces or energies, with instrumental variables.

Y = W x + ρ (`regressors.py`). W comes from measured motion and is noisy, so plain least squares is biased. There are
three methods. "raw" uses differences of the encoders without a filter, to show the bias. "filtered" passes encoders and
forces through one zero-phase low-pass filter; noise below the cutoff still causes a bias. "instruments" needs
references in the log: the instruments are the same regressor along the reference, which contains no noise. Total least
squares would need independent errors of equal size in all columns of W; here all errors come from the same eight
encoders.

Examples
--------
>>> from symbody.machines.platform import platform_data
>>> from symbody.motion import synthetic_log
>>> from symbody.motion.identification import PlatformFit, Validation, base_parameters, bias_study, exciting
>>> from symbody.motion.identification import groupings
>>> from symbody.motion.identification import identify_platform, validate
>>> data = platform_data()
>>> base_parameters(data).number, len(groupings(data))
(90, 90)
>>> moves = exciting(data, moves=24).moves
>>> fit: PlatformFit = identify_platform(synthetic_log(moves, data, dt=1e-2, seed=1)[0], data)
>>> found: Validation = validate(fit, synthetic_log(moves[:3], data, dt=1e-2, seed=2)[0])
>>> found.energy < 0.1
True
>>> sorted(bias_study(data, moves=24))[:1]
['filtered']
"""

from __future__ import annotations

from collections.abc import Sequence
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
from symbody.motion.information import force_rows
from symbody.motion.log_motion import filtered_friction_shapes, log_motion
from symbody.motion.parameter_groups import LEG_INERTIA, groups, largest_percent, sizes
from symbody.motion.platform_log import LogNoise, PlatformLog, check_log, synthetic_log
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.prior_knowledge import MODEL_SHARE, Combined, Essential, essential, with_prior
from symbody.motion.regressors import ParameterSet, energy_regressor, force_regressor, over_intervals, parameter_set

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
VAGUE = 20.0  # σ₀ for the choice of moves, relative to sizes: parameters that are hard to find count, too


@dataclass(frozen=True, eq=False)
class PlatformFit:
    """Identified parameters of a platform.

    Parameters
    ----------
    data : PlatformData
        The platform as it was expected.
    values : array, shape (p,)
        Parameters.
    covariance : array, shape (p, p)
        Of the parameters.
    condition : float
        Number of the equations.
    rows : int
        Number of equations.
    residual : float
        Norm of the residuals relative to the measurements.
    """

    data: PlatformData
    values: Array
    covariance: Array
    condition: float
    rows: int
    residual: float

    @property
    def what(self) -> ParameterSet:
        """The parameters: their names and their values in the data."""
        return parameter_set(self.data)

    @property
    def names(self) -> list[str]:
        """Base parameters as sums over inertial parameters, then friction."""
        return self.what.names

    @property
    def leads(self) -> list[str]:
        """Short names."""
        return self.what.leads

    @property
    def expected(self) -> Array:
        """Values of the data."""
        return self.what.values

    @property
    def sigma(self) -> Array:
        """Standard deviations."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def sigma_percent(self) -> Array:
        """σ_r = 100 σ/|x|; large for parameters near zero."""
        return np.asarray(100.0 * self.sigma / np.maximum(np.abs(self.values), 1e-300))

    @property
    def groups(self) -> dict[str, NDArray[np.bool_]]:
        """Masks of the parameters of sliders, platform and legs, without parameters that are zero by symmetry."""
        return groups(self.what)

    @property
    def sigma_percent_by_group(self) -> dict[str, float]:
        """The largest 100 σ/|x| of each group, with x from the data."""
        return largest_percent(self.sigma, self.what)

    @property
    def sigma_percent_max(self) -> float:
        """Largest value of sliders, platform and friction; leg inertias have less effect than the noise."""
        return self._poorest[0]

    @property
    def sigma_percent_max_of(self) -> str:
        """The parameter with this value, and the parameters that were compared."""
        others = int(self.groups[LEG_INERTIA].sum())
        return f"{self._poorest[1]}, of sliders, platform and friction of legs; {others} inertias of legs are left out"

    @property
    def _poorest(self) -> tuple[float, str]:
        own = np.any([mask for group, mask in self.groups.items() if group != LEG_INERTIA], axis=0)
        percent = np.where(own, 100.0 * self.sigma / sizes(self.what), 0.0)
        return float(percent.max()), self.leads[int(np.argmax(percent))]

    def with_prior(self, share: float = MODEL_SHARE) -> Combined:
        """Together with the data as a model whose parameters have a standard deviation of this share of their sizes."""
        return with_prior(self.values, self.covariance, self.expected, share * sizes(self.what))

    def essential(self, most: float = 5.0) -> Essential:
        """The parameters that the log determines to `most` % of their sizes; the others are as in the data."""
        return essential(self.values, self.covariance, self.expected, 0.01 * most * sizes(self.what))

    @property
    def deviation(self) -> Array:
        """(found − expected)/σ; a good estimate has a few values above 2 and hardly any above 4."""
        return np.asarray((self.values - self.expected) / self.sigma)

    @property
    def table(self) -> list[dict[str, Any]]:
        """A row for each parameter: by the log, by the model (the prior), by both, and whether it is essential."""
        both, prior, chosen = self.with_prior(), MODEL_SHARE * sizes(self.what), self.essential().chosen
        together = np.sqrt(np.diag(both.covariance))
        columns = zip(self.names, self.values, self.sigma, self.sigma_percent, self.expected, strict=True)
        return [
            {"parameter": name, "value": float(x), "sigma": float(s), "sigma_percent": float(r), "data": float(e),
             "prior_sigma": float(prior[k]), "with_prior": float(both.x[k]), "with_prior_sigma": float(together[k]),
             "added": float(both.added[k]), "essential": "yes" if chosen[k] else "no"}
            for k, (name, x, s, r, e) in enumerate(columns)
        ]  # fmt: skip

    def forces(self, motion: PlatformMotion) -> Array:
        """Γ (n, 8) of a motion with these parameters (N)."""
        return np.asarray(force_regressor(motion) @ self.values)


def identify_platform(
    logs: PlatformLog | Sequence[PlatformLog],
    data: PlatformData,
    *,
    rows: str = "forces",
    method: str | None = None,
    cutoff: float = CUTOFF,
) -> PlatformFit:
    """Identify 90 base parameters and 32 friction parameters from logs, each with its standard deviation.

    Parameters
    ----------
    logs : PlatformLog or sequence of PlatformLog
        Encoders (m) and forces (N) of all actuators, such as `synthetic_log(exciting(data).moves, data)[0]`. The
        equations of several logs are stacked.
    data : PlatformData
        The platform as it is expected to be.
    rows : str
        Equations, one of `ROWS`. Default "forces".
    method : str, optional
        One of `METHODS`. Default: "instruments" if all logs have references, else "filtered".
    cutoff : float
        Of the low-pass filter (Hz). Default 40.

    Returns
    -------
    PlatformFit
        With covariance and residual.

    Raises
    ------
    ModelError
        If a log is unusable, or its motion does not excite all parameters.
    """
    logs = [logs] if isinstance(logs, PlatformLog) else list(logs)
    known = all(log.reference is not None for log in logs)
    method = method or ("instruments" if known else "filtered")
    if method not in METHODS or rows not in ROWS or (method == "instruments" and not known):
        cure = f'methods: {", ".join(METHODS)}; rows: {" or ".join(ROWS)}; "instruments" needs references in the log'
        raise ModelError(
            f"no method '{method}' with rows '{rows}' for this log", element="identify_platform", cure=cure
        )
    if not logs:
        raise ModelError("no log", element="identify_platform", cure="give at least one")
    parts = [_equations(log, data, rows, method, cutoff) for log in logs]
    W, Y, noise, Z = (np.concatenate(same) for same in zip(*parts, strict=True))
    what = parameter_set(data)
    weights = variance_weights(Y - W @ instrumental_variables(Z, W, Y, what.leads).x, noise)
    fit = instrumental_variables(Z * weights[..., None], W * weights[..., None], Y * weights, what.leads)
    residual = float(np.linalg.norm(Y - W @ fit.x) / np.linalg.norm(Y))
    return PlatformFit(data, fit.x, fit.covariance, fit.condition, Y.size, residual)


def exciting(data: PlatformData, moves: int = 40, seed: int = 0, noise: LogNoise | None = None) -> ExcitingMotion:
    """Moves that excite all parameters, for `synthetic_log` or for the platform itself.

    Parameters
    ----------
    data : PlatformData
        The platform.
    moves : int
        Their number. Default 40.
    seed : int
        Of the search. Default 0.
    noise : LogNoise, optional
        Of the forces.

    Returns
    -------
    ExcitingMotion
        With the condition number of its equations.
    """
    known = VAGUE * sizes(parameter_set(data))
    expected = noise or LogNoise()
    return exciting_motion(lambda motion: force_rows(motion, expected), known, data, moves=moves, seed=seed)


# -- the equations: W and Y by instants, and shapes for the variance of their errors ---------------------


def _equations(
    log: PlatformLog, data: PlatformData, rows: str, method: str, cutoff: float
) -> tuple[Array, Array, Array, Array]:
    """W, Y, shapes of the variance, and the instruments Z of a log."""
    check_log(log, data)
    made, every = _forces if rows == "forces" else _energies, max(1, round(0.5 / cutoff / log.dt))
    W, Y, noise = made(smooth_record(log.t, log.q, log.forces, None if method == "raw" else cutoff), data, every)
    if method != "instruments":
        return W, Y, noise, W
    assert log.reference is not None
    return W, Y, noise, made(smooth_record(log.t, log.reference, log.forces, cutoff), data, every)[0]


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
    """Errors of the predicted forces and energy of another motion, relative to the largest value.

    Parameters
    ----------
    forces : dict of str to float
        Root mean square by actuator.
    energy : float
        Largest error.
    """

    forces: dict[str, float]
    energy: float


def validate(fit: PlatformFit, log: PlatformLog, cutoff: float = CUTOFF) -> Validation:
    """Predict forces and energy of a log that was not used for the fit.

    Parameters
    ----------
    fit : PlatformFit
        Of `identify_platform`.
    log : PlatformLog
        Another motion.
    cutoff : float
        Of the low-pass filter (Hz). Default 40.

    Returns
    -------
    Validation
        Relative errors.
    """
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
    """Fit the same noisy log by each of `METHODS`.

    Parameters
    ----------
    data : PlatformData
        The platform.
    position : float
        Standard deviation of the encoders (m). Default 1e-5.
    moves : int
        Of the exciting motion. Default 24.
    seed : int
        Of moves and noise. Default 0.

    Returns
    -------
    dict of str to PlatformFit
        By method.
    """
    log, _ = synthetic_log(exciting(data, moves).moves, data, noise=LogNoise(position=position), seed=seed)
    return {method: identify_platform(log, data, method=method) for method in METHODS}
