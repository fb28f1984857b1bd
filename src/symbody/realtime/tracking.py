"""Position, velocity and acceleration from a measured position: linear filters s ← A s + b z, s = (q, q̇, q̈).

Less noise costs more delay: `delay` gives the delay, `response` the frequency response.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, sqrt, tau
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symbody.errors import ModelError

Array = NDArray[np.float64]


class Tracker(Protocol):
    """A filter of a measured position, for a given time between samples."""

    def matrices(self, dt: float) -> tuple[Array, Array]:
        """A (3, 3) and b (3,) of s ← A s + b z, for samples dt (s) apart."""
        ...


@dataclass(frozen=True)
class LowPass(Tracker):
    """q̈ = ω²(z − q) − 2ζω q̇ by the trapezoidal rule: consistent derivatives, all with a delay of 2ζ/ω.

    Parameters
    ----------
    cutoff : float
        ω/2π (Hz). Default 100.
    damping : float
        ζ. The default has the flattest response.
    """

    cutoff: float = 100.0
    damping: float = sqrt(0.5)

    def matrices(self, dt: float) -> tuple[Array, Array]:
        omega, zeta, h = _omega(self.cutoff, dt), self.damping, dt / 2.0
        F = np.array([[1.0, dt, h * h], [0.0, 1.0, h], [0.0, 0.0, 0.0]])  # the known part of q and q̇
        G = np.array([h * h, h, 1.0])  # the part of the new q̈
        pull = np.array([omega * omega, 2.0 * zeta * omega, 0.0])
        gain = 1.0 / (1.0 + pull @ G)
        return F - gain * np.outer(G, pull @ F), gain * omega * omega * G


@dataclass(frozen=True)
class Smooth(Tracker):
    """d³q/dt³ = ω³(z − q) − 3ω² q̇ − 3ω q̈, exact for z held between samples: a delay of 3/ω, and no jump in q̈.

    For positions with a low rate and large steps, as from a mouse. (A + ω)³ = 0, so exp(A dt) is a polynomial.

    Parameters
    ----------
    cutoff : float
        ω/2π (Hz). Default 15.
    """

    cutoff: float = 15.0

    def matrices(self, dt: float) -> tuple[Array, Array]:
        omega = _omega(self.cutoff, dt)
        N = np.array([[omega, 1.0, 0.0], [0.0, omega, 1.0], [-(omega**3), -3.0 * omega**2, -2.0 * omega]])
        A = exp(-omega * dt) * (np.eye(3) + N * dt + N @ N * dt**2 / 2.0)
        return A, (np.eye(3) - A)[:, 0]


@dataclass(frozen=True)
class AlphaBetaGamma(Tracker):
    """Prediction with constant acceleration, corrected by gains that put all three poles at θ = exp(−2π cutoff dt).

    No delay for motions of constant acceleration, but more noise (Brookner, Tracking and Kalman Filtering Made Easy,
    1998: the critically damped filter).

    Parameters
    ----------
    cutoff : float
        Hz. Default 30.
    """

    cutoff: float = 30.0

    def matrices(self, dt: float) -> tuple[Array, Array]:
        theta = exp(-_omega(self.cutoff, dt) * dt)
        F = np.array([[1.0, dt, dt * dt / 2.0], [0.0, 1.0, dt], [0.0, 0.0, 1.0]])
        alpha, beta, gamma = 1.0 - theta**3, 1.5 * (1.0 - theta**2) * (1.0 - theta), (1.0 - theta) ** 3
        b = np.array([alpha, beta / dt, gamma / (dt * dt)])
        return F - np.outer(b, F[0]), b


def response(tracker: Tracker, frequency: float, dt: float) -> NDArray[np.complex128]:
    """Frequency response of a tracker.

    Parameters
    ----------
    tracker : Tracker
        The filter.
    frequency : float
        Hz.
    dt : float
        Sample time (s).

    Returns
    -------
    array of complex, shape (3,)
        Amplitudes of (q, q̇, q̈) for a motion exp(2πi·frequency·t). Exact would be 1, iω, −ω².
    """
    A, b = tracker.matrices(dt)
    return np.asarray(np.linalg.solve(np.eye(3) - A * np.exp(-1j * tau * frequency * dt), b))


def delay(tracker: Tracker, dt: float) -> float:
    """Delay of the position of a slow motion: −dφ/dω at ω = 0.

    Parameters
    ----------
    tracker : Tracker
        The filter.
    dt : float
        Sample time (s).

    Returns
    -------
    float
        s.
    """
    A, b = tracker.matrices(dt)
    R = np.linalg.inv(np.eye(3) - A)
    return float((R @ A @ R @ b)[0] * dt)


def _omega(cutoff: float, dt: float) -> float:
    if not 0.0 < cutoff < 0.5 / dt:
        cure = f"choose it between 0 and half the sampling rate, {0.5 / dt:g} Hz"
        raise ModelError(
            f"a cutoff of {cutoff:g} Hz at a sampling rate of {1.0 / dt:g} Hz", element="tracker", cure=cure
        )
    return tau * cutoff
