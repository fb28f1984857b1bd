"""Zero-phase Butterworth filter and finite differences for measured signals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symbody.errors import ModelError

Array = NDArray[np.float64]
ORDER = 4  # of the filter, which runs forwards and backwards
STENCIL = 5  # samples of a difference: exact for polynomials of degree 4


def low_pass(x: Array, dt: float, cutoff: float | None) -> Array:
    """Signals (n, …) sampled at dt (s) without components above the cutoff (Hz); None returns them unchanged."""
    if cutoff is None:
        return np.asarray(x, dtype=float)
    from scipy.signal import butter, sosfiltfilt  # imported here: it takes longer than the import of symbody

    if not 0.0 < cutoff < 0.5 / dt:
        cure = f"give a cutoff between 0 and {0.5 / dt:g} Hz, half the sampling rate"
        raise ModelError(f"cutoff = {cutoff:g} Hz", element="low_pass", cure=cure)
    return np.asarray(sosfiltfilt(butter(ORDER, cutoff, fs=1.0 / dt, output="sos"), x, axis=0))


def derivatives(x: Array, dt: float) -> tuple[Array, Array]:
    """First and second derivatives of signals (n, …), by differences over five samples."""
    from scipy.signal import savgol_filter

    first, second = (
        savgol_filter(x, STENCIL, STENCIL - 1, deriv=order, delta=dt, axis=0, mode="interp") for order in (1, 2)
    )
    return np.asarray(first), np.asarray(second)
