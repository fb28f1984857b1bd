"""Frequency responses of the senses and of cueing filters, and the acceleration that a hexapod does not restore."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbody.model.plain_numbers import GRAVITY
from symbody.motion.cueing.classic import CRITICAL, Classic
from symbody.motion.cueing.optimal import LinearFilter
from symbody.motion.data import Array
from symbody.motion.filter_chain import product, second_order
from symbody.motion.vestibular import Canal, Otolith
from symbody.results.run import Run

Response = NDArray[np.complex128]


def rational(numerator: list[Any], denominator: list[Any], frequencies: Array) -> Response:
    """B(jω)/A(jω) at frequencies (Hz); coefficients lowest power first."""
    s = 2j * np.pi * frequencies
    return np.asarray(np.polyval(numerator[::-1], s) / np.polyval(denominator[::-1], s), dtype=np.complex128)


def sense_response(organ: Otolith | Canal, frequencies: Array) -> Response:
    """f̂/f of an otolith or ω̂/ω of a canal at frequencies (Hz)."""
    return rational(organ.numerator(), [*organ.denominator(), 1.0], frequencies)


def classic_responses(method: Classic, frequencies: Array) -> dict[str, Response]:
    """Restored by given acceleration at frequencies (Hz): shares of hexapod, tilt (g θ) and table."""
    h, t, b = method.hexapod, method.tilt, method.table
    high = product(second_order(h.damping, h.cutoff), [h.washout, 1.0])
    found = {
        "hexapod": rational([0.0, 0.0, 0.0, h.gain], high, frequencies),
        "tilt": rational([t.gain * t.cutoff**2], second_order(t.damping, t.cutoff), frequencies),
    }
    if b is not None:
        band = product(second_order(0.5 / b.quality, b.centre), second_order(CRITICAL, b.washout))
        found["table"] = rational([0.0, 0.0, 0.0, b.gain * b.centre / b.quality], band, frequencies)
    return found


def linear_response(filter: LinearFilter, frequencies: Array) -> Response:
    """a_s + g θ by the given acceleration of the optimal filter at frequencies (Hz)."""
    read = filter.C[4] + GRAVITY * filter.C[2]  # outputs: ∫∫a, ∫a, θ, θ̇, a
    direct = filter.D[4, 1] + GRAVITY * filter.D[2, 1]
    n = len(filter.A)
    s = 2j * np.pi * frequencies
    states = np.linalg.solve(s[:, None, None] * np.eye(n) - filter.A, np.broadcast_to(filter.B[:, 1:], (len(s), n, 1)))
    return np.asarray(states[..., 0] @ read + direct, dtype=np.complex128)


class Lack(NamedTuple):
    """Times (s), acceleration that is missing (m/s²), and speed and position of a table that would restore it."""

    t: Array
    acceleration: Array
    speed: Array
    position: Array


def lack(run: Run, axis: str = "x") -> Lack:
    """What a table would have to do in a direction to restore all that a run does not restore."""
    missing = run[f"given.{axis}"] - run[f"restored.{axis}"]
    steps = np.diff(run.t, prepend=run.t[0])
    speed = np.cumsum(missing * steps)
    return Lack(run.t, missing, speed, np.cumsum(speed * steps))
