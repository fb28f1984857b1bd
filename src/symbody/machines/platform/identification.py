"""Inertia and friction of the platform from a log: least squares on energies, with instruments that carry no noise.

Y = W x + ρ over short intervals (`energy_rows.py`). W comes from measured motion, so it is noisy, and plain least squares is
biased: E[WᵀW] has the noise's own square. Three ways are offered:
"raw": differences of the encoders as they are, to show the bias. "filtered": encoders and forces through one zero-phase low-pass
filter, which leaves what the filter passes. "instruments" (the default, where the log has references): filtered, and
x = (ZᵀW)⁻¹ZᵀY with Z the same regressor along the reference, which knows nothing of the noise: E[Zᵀρ] = 0. Total
least squares would need errors of W that are independent and alike in all columns; here they all come from the same eight
encoders, through products.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbody.analysis.low_pass import low_pass
from symbody.errors import ModelError
from symbody.machines.platform.data import ACTUATORS, Array, PlatformData, platform_data
from symbody.machines.platform.energy_rows import energy_regressor, force_regressor, parameter_set, work
from symbody.machines.platform.excitation import ExcitingMotion, exciting_motion
from symbody.machines.platform.groupings import base_parameters as base_parameters
from symbody.machines.platform.groupings import groupings as groupings
from symbody.machines.platform.log_motion import motion_of
from symbody.machines.platform.motion import PlatformMotion
from symbody.machines.platform.platform_log import LogNoise, PlatformLog, check_log, synthetic_log

METHODS = ("raw", "filtered", "instruments")
CUTOFF = 40.0  # Hz
EDGE = 0.1  # s at both ends of a log that the filter spoils
POOR = 10.0  # times the smallest σ_r: such a parameter is hardly seen (Houda 2020, §3.6.2)
UNSEEN = 1e8  # condition number beyond which a log does not show all parameters


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
    def well_seen(self) -> NDArray[np.bool_]:
        """Those whose σ_r is below ten times the smallest."""
        return np.asarray(self.sigma_percent <= POOR * np.min(self.sigma_percent))

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
    method: str | None = None,
    cutoff: float = CUTOFF,
) -> PlatformFit:
    """The 90 base parameters and 32 numbers of friction from a log, each with its standard deviation.

    log: of encoders and forces; without one, a synthetic one of an exciting motion. data: geometry, and what to compare with.
    method: one of `METHODS`; by default "instruments" where the log has references, else "filtered". cutoff: Hz.
    """
    data = data or platform_data()
    log = log or synthetic_log(exciting(data).moves, data)[0]
    method = method or ("filtered" if log.reference is None else "instruments")
    if method not in METHODS or (method == "instruments" and log.reference is None):
        cure = f"it is one of {', '.join(METHODS)}; instruments need the references in the log"
        raise ModelError(f"no method '{method}' for this log", element="identify_platform", cure=cure)
    check_log(log, data)
    W, Y, speeds = _equations(log.q, log, data, None if method == "raw" else cutoff)
    Z = W if method != "instruments" else _equations(_given(log.reference), log, data, cutoff)[0]
    weights = _weights(Z, W, Y, speeds)
    x, covariance, condition, left = _instrumental(Z * weights, W * weights, Y * weights[:, 0])
    what = parameter_set(data)
    relative = float(np.linalg.norm(Y - W @ x) / np.linalg.norm(Y))
    return PlatformFit(
        data, what.names, what.leads, x, left * np.sqrt(np.diag(covariance)), what.values, condition, len(Y), relative
    )


def exciting(data: PlatformData | None = None, moves: int = 60, seed: int = 0) -> ExcitingMotion:
    """Moves by which all parameters are seen, for `synthetic_log` or the platform itself."""
    return exciting_motion(energy_regressor, data, moves=moves, seed=seed)


def _given(reference: Array | None) -> Array:
    assert reference is not None
    return reference


def _equations(q: Array, log: PlatformLog, data: PlatformData, cutoff: float | None) -> tuple[Array, Array, Array]:
    """W, Y of encoders q over intervals of half a period of the cutoff; and ∫v² of sliders and legs in each of them."""
    edge = max(1, round(EDGE / log.dt))
    inside = slice(edge, -edge)
    whole = motion_of(log.t, q, data, cutoff)
    motion = PlatformMotion(*(part[inside] for part in (whole.t, whole.axes, whole.rates, whole.second)), data)
    forces = low_pass(log.forces, log.dt, cutoff)[inside]
    every = max(1, round(0.5 / (CUTOFF if cutoff is None else cutoff) / log.dt))
    squares = motion.actuator_rates**2
    speeds = np.stack([squares[:, :2].sum(axis=1), squares[:, 2:].sum(axis=1)], axis=1)
    return energy_regressor(motion, every), work(motion, forces, every), _summed(speeds, every)


def _summed(values: Array, every: int) -> Array:
    """Sums over whole intervals."""
    n = (len(values) - 1) // every
    return np.asarray(values[: n * every].reshape(n, every, -1).sum(axis=1))


def _weights(Z: Array, W: Array, Y: Array, speeds: Array) -> Array:
    """1/standard deviation of each row (rows, 1): noise of forces does work with the speeds of sliders and of legs.

    ρ² = a ∫v_sliders² + b ∫v_legs² + c with a, b, c ≥ 0 from what a first estimate leaves over.
    """
    from scipy.optimize import nnls  # here, because it takes longer to import than all of symbody

    first = Y - W @ _instrumental(Z, W, Y)[0]
    shapes = np.column_stack([speeds, np.ones(len(speeds))])
    scale = shapes.mean(axis=0)
    shares = nnls(shapes / scale, first**2)[0]
    variance = shapes / scale @ np.maximum(shares, 1e-6 * np.mean(first**2))
    return np.asarray(1.0 / np.sqrt(variance))[:, None]


def _instrumental(Z: Array, W: Array, Y: Array) -> tuple[Array, Array, float, float]:
    """x = (ZᵀW)⁻¹ZᵀY, its covariance for a unit variance of the rows, the condition number, what is left over by row."""
    sizes = np.linalg.norm(W, axis=0)
    if np.any(sizes == 0.0):
        raise ModelError("a parameter is not seen at all", element="log", cure="move all axes, in both directions")
    Z, W = Z / np.linalg.norm(Z, axis=0), W / sizes
    s = np.linalg.svd(W, compute_uv=False)
    if len(W) < W.shape[1] or s[-1] * UNSEEN < s[0]:
        raise ModelError("the motion does not show all parameters", element="log", cure="move as `exciting()` proposes")
    inverse = np.linalg.inv(Z.T @ W)
    x = inverse @ (Z.T @ Y)
    left = float(np.sqrt(np.sum((Y - W @ x) ** 2) / max(len(Y) - len(x), 1)))
    covariance = inverse @ (Z.T @ Z) @ inverse.T / np.outer(sizes, sizes)
    return x / sizes, covariance, float(s[0] / s[-1]), left


# -- does it hold? -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Validation:
    """Forces and energy of another motion, rebuilt from the parameters found: errors relative to the largest value."""

    forces: dict[str, float]  # root mean square by actuator
    energy: float  # largest


def validate(fit: PlatformFit, log: PlatformLog, cutoff: float = CUTOFF) -> Validation:
    """Rebuild a log's forces and energy, one that was not used to find the parameters."""
    check_log(log, fit.data)
    motion = motion_of(log.t, log.q, fit.data, cutoff)
    measured, edge = low_pass(log.forces, log.dt, cutoff), max(1, round(EDGE / log.dt))
    inside = slice(edge, -edge)
    rebuilt, measured = fit.forces(motion)[inside], measured[inside]
    size = np.maximum(np.max(np.abs(measured), axis=0), 1e-300)
    errors = np.sqrt(np.mean((rebuilt - measured) ** 2, axis=0)) / size
    v, steps = motion.actuator_rates[inside], log.dt
    energies = [np.cumsum((force * v).sum(axis=1)) * steps for force in (rebuilt, measured)]
    apart = float(np.max(np.abs(energies[0] - energies[1])) / max(float(np.ptp(energies[1])), 1e-300))
    return Validation(dict(zip(ACTUATORS, map(float, errors), strict=True)), apart)


def bias_study(
    data: PlatformData | None = None, position: float = 2e-5, moves: int = 60, seed: int = 0
) -> dict[str, PlatformFit]:
    """The same noisy log (position: standard deviation of the encoders, m) by each method: raw, filtered, instruments."""
    data = data or platform_data()
    log, _ = synthetic_log(exciting(data, moves).moves, data, noise=LogNoise(position=position), seed=seed)
    return {method: identify_platform(log, data, method=method) for method in METHODS}
