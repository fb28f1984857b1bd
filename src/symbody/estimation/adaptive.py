"""Adaptive sensor noise: the residuals after corrections determine its variance.

R ← R + (ε² + H P⁺ Hᵀ − R)/memory with ε = z − h(x⁺) (Mohamed and Schwarz 1999), for any filter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.estimation.state_filter import StateFilter

MEMORY = 300  # measurements


def adaptive_step(twin: StateFilter, u: Any = None, z: Any = None, memory: float = MEMORY) -> None:
    """Make a step of a filter, then update the noise variance `twin.R` of each sensor that was used.

    Model errors look like sensor noise: specify them first with `model_error`.

    Parameters
    ----------
    twin : StateFilter
        A filter from `sb.estimate`.
    u : mapping or array, optional, optional
        Inputs during the step.
    z : mapping or array, optional, optional
        Measurements after the step.
    memory : float
        Number of measurements to average over. Default 300.

    Raises
    ------
    ModelError
        If the memory is less than one measurement.
    """
    if not memory >= 1.0:
        raise ModelError(f"a memory of {memory} measurements", element="memory", cure="give 1 or more; 300 is usual")
    twin.step(u, z)
    if z is None or not np.any(twin.used > 0):
        return
    mean, sigma = twin.mean, twin.sigma
    given = z if isinstance(z, dict) else dict(zip(twin.sensors, z, strict=True))
    for k, name in enumerate(twin.sensors):
        if twin.used[k] > 0:
            twin.R[k] += ((given[name] - mean[name]) ** 2 + sigma[name] ** 2 - twin.R[k]) / memory
