"""What a person holds, seen from the I/O node: it measures, it is commanded, it can be made safe.

An impedance device measures motion and takes force; an admittance device measures force and takes motion. The names of
what it measures and takes say which: `x.q`, `x.qd` (m, m/s or rad, rad/s) and `x.Q` (N or N m), as of joints.
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
        """The newest measures, (len(measures),); NaN where there is none to be believed."""

    def command(self, values: Array) -> None:
        """Ask for forces (N, N m) or a motion (m, rad), (len(takes),)."""

    def safe(self) -> None:
        """No force and no motion until the next command."""

    def close(self) -> None:
        """Make it safe, and give it back to the system."""
