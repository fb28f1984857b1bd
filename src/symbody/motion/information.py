"""How well a motion will determine the parameters, before it is made: information Λ = WᵀR⁻¹W of force or energy rows.

Forces: Γ = Y x at each sample of the log, with the noise of each actuator. Energies: ∫Γᵀq̇ dt = W x over intervals;
their variance is dt Σ σ_i² ∫q̇_i² dt. Encoders are exact here, so a fit can only be worse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symbody.motion.data import Array
from symbody.motion.parameter_groups import BOUNDS, groups, largest_percent
from symbody.motion.platform_log import LogNoise
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.regressors import AT_ONCE, ParameterSet, energy_regressor, force_regressor, over_intervals

RATE = 1000.0  # Hz, of the log
INTERVAL = 0.0125  # s, of an energy, as in a fit with a filter of 40 Hz
LEVELS = (1.0, 0.1, 0.01, 1e-3, 1e-4)  # of the noise


def force_noise(noise: LogNoise) -> Array:
    """Standard deviations of the actuator forces (8,) (N)."""
    return np.repeat([noise.slider_force, noise.leg_force], (2, 6))


def force_rows(motion: PlatformMotion, noise: LogNoise) -> Array:
    """Y (n, 8, p) of Γ = Y x, each row divided by its noise."""
    return force_regressor(motion) / force_noise(noise)[:, None]


def force_information(motion: PlatformMotion, noise: LogNoise, rate: float = RATE) -> Array:
    """Λ (p, p) of the forces of a log with this rate (Hz); the motion may have fewer samples."""
    parts = (force_rows(part, noise) for part in motion.parts(AT_ONCE))
    products = (Y.T @ Y for Y in (rows.reshape(-1, rows.shape[-1]) for rows in parts))
    return np.asarray(sum(products) * (rate * float(np.median(np.diff(motion.t)))))


def energy_information(motion: PlatformMotion, noise: LogNoise, rate: float = RATE) -> Array:
    """Λ (p, p) of the energies over intervals of a log with this rate (Hz); the motion may have fewer samples."""
    v, every = motion.actuator_rates, max(1, round(INTERVAL / float(np.median(np.diff(motion.t)))))
    W = energy_regressor(motion.part(slice(0, None, every)), motion.t, v, every)
    variance = over_intervals(motion.t, (v * force_noise(noise)) ** 2, every).sum(axis=1) / rate
    W = W / np.sqrt(np.maximum(variance, 1e-6 * variance.max()))[:, None]
    return np.asarray(W.T @ W)


def expected_covariance(information: Array) -> Array:
    """Λ⁻¹, computed with a unit diagonal; very large variances without information."""
    scale = 1.0 / np.sqrt(np.maximum(np.diag(information), 1e-300))
    values, vectors = np.linalg.eigh(information * np.outer(scale, scale))
    values = np.maximum(values, len(values) * np.finfo(float).eps * values[-1])
    return np.asarray((vectors / values) @ vectors.T * np.outer(scale, scale))


def expected_sigma(information: Array) -> Array:
    """Standard deviations (p,) of an efficient fit."""
    return np.sqrt(np.diag(expected_covariance(information)))


def informations(motion: PlatformMotion, noise: LogNoise) -> dict[str, Array]:
    """Λ of the forces and of the energies of a motion."""
    return {"forces": force_information(motion, noise), "energies": energy_information(motion, noise)}


def noise_table(
    motions: Mapping[str, Sequence[Mapping[str, Array]]],
    what: ParameterSet,
    noise: LogNoise,
    levels: Sequence[float] = LEVELS,
) -> list[dict[str, Any]]:
    """Largest σ_r (%) of each group by force and energy rows, side by side, for stacked motions and levels of noise.

    motions: the `informations` of stacked motions by name. A row for each motion, level and group; `met`: the rows that
    are within the printed bound.
    """
    found = []
    for name, runs in motions.items():
        percent = {
            kind: largest_percent(expected_sigma(np.sum([run[kind] for run in runs], axis=0)), what)
            for kind in ("forces", "energies")
        }
        for level in levels:
            for group, bound in BOUNDS.items():
                own = {kind: level * values[group] for kind, values in percent.items()}
                found.append(
                    {
                        "motion": name,
                        "noise of legs (N)": level * noise.leg_force,
                        "group": group,
                        "printed bound (%)": bound,
                        **{f"{kind} (%)": value for kind, value in own.items()},
                        "met": ", ".join(kind for kind, value in own.items() if value <= bound) or "none",
                    }
                )
    return found


def noise_for_bounds(information: Array, noise: LogNoise, what: Any) -> dict[str, float]:
    """Noise of the leg forces (N) at which each group meets its printed bound."""
    percent = largest_percent(expected_sigma(information), what)
    return {group: noise.leg_force * bound / percent[group] for group, bound in BOUNDS.items()}


def alone(information: Array, what: Any) -> dict[str, float]:
    """Largest σ_r (%) of each group if all other parameters are known, as after a sequence of identifications."""
    found = {}
    for group, own in groups(what).items():
        sigma = np.full(len(information), np.nan)
        sigma[own] = expected_sigma(information[np.ix_(own, own)])
        found[group] = float(np.nanmax(100.0 * sigma[own] / np.abs(what.values[own])))
    return found
