"""Input and output devices: they measure, take commands, and have a safe state.

An impedance device measures motion and takes force; an admittance device measures force and takes motion. The names of
its channels say which: `x.q`, `x.qd` (m, m/s or rad, rad/s) and `x.Q` (N or N m), as for joints.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

Array = np.ndarray


class Device(Protocol):
    """The interface of all devices: `measures` and `takes` are the names of its channels."""

    measures: tuple[str, ...]
    takes: tuple[str, ...]

    def read(self) -> Array:
        """The newest measurements, (len(measures),); NaN if there is no valid one."""

    def command(self, values: Array) -> None:
        """Command forces (N, N m) or a motion (m, rad), (len(takes),)."""

    def safe(self) -> None:
        """No force and no motion until the next command."""

    def close(self) -> None:
        """Bring the device to its safe state and release it."""
