"""Figures of a scene's log: penetration, settling, peaks, energy, drift."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Log = NDArray[Any]


def settling(t: Array, x: Array, final: float, within: float) -> float:
    """The time (s) after which x stays within a distance of its final value; NaN if it never does."""
    outside = np.flatnonzero(np.abs(x - final) > within)
    if not len(outside):
        return float(t[0])
    return float(t[outside[-1] + 1]) if outside[-1] + 1 < len(t) else float("nan")


def drift(log: Log) -> float:
    """The largest distance between device and tool (m)."""
    return float(np.max(np.linalg.norm(log["x"][:, :2] - log["tool"][:, :2], axis=1)))


def intervals(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Begin and end (exclusive) of each interval in which the flags are true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def bounces(contacts: Array) -> int:
    """How often contact is lost after it began."""
    return max(0, len(intervals(contacts > 0)) - 1)


def growth(log: Log) -> float:
    """The largest growth of kinetic energy (J) in a tick with an impact; negative if every impact dissipates."""
    hit = log["impacts"] > 0
    return float(np.max((log["after"] - log["before"])[hit])) if hit.any() else 0.0
