"""Results of a validation: motions with their references, and errors with their thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from time import thread_time
from typing import Any

import numpy as np

from symbody.analysis.simulate import simulate
from symbody.results.run import Run
from symbody.system.system import System

Array = np.ndarray
ENERGY = 1e-6  # largest energy error, relative to the largest kinetic energy
GRAVITY = 9.81  # m/s², as stated in the problems, independent of symbody's models
PLACE = 1e-4  # m, largest error of a reference point


@dataclass(frozen=True)
class Peer:
    """Another engine on the same problem: its error by the same measure, and the seconds of its steps."""

    engine: str
    error: float
    seconds: float


@dataclass(frozen=True)
class Figure:
    """An error with its threshold, and the seconds of the steps on one core (wall time)."""

    name: str
    figure: str
    reference: str
    error: float
    threshold: float
    seconds: float
    peer: Peer | None = None

    @property
    def met(self) -> bool:
        return bool(self.error <= self.threshold)

    def record(self) -> dict[str, Any]:
        """A row of the table."""
        kept: dict[str, Any] = {
            "name": self.name, "figure": self.figure, "reference": self.reference, "error": self.error,
            "threshold": self.threshold, "seconds": self.seconds,
        }  # fmt: skip
        if self.peer is not None:
            kept |= {"peer": self.peer.engine, "peer_error": self.peer.error, "peer_seconds": self.peer.seconds}
        return kept


@dataclass(frozen=True)
class SolvedProblem:
    """A solved problem: its reference point over time (or another `axis`), ours and the reference's, and figures."""

    name: str
    t: Array
    labels: tuple[str, ...]  # of the columns of ours and reference
    ours: Array
    reference: Array
    energy: Array | None  # error over time, relative to the largest kinetic energy
    figures: list[Figure]
    axis: str = "t (s)"


def timed(s: System, until: float, dt: float, sample: float) -> tuple[Run, float]:
    """A motion recorded every `sample` s, and the seconds of a repetition when everything is compiled."""
    simulate(s, until, dt, every=sample)
    start = thread_time()
    run = simulate(s, until, dt, every=sample)
    return run, thread_time() - start


def place(run: Run, sensor: str, axes: str) -> Array:
    """Coordinates (m) of a sensor, one column per axis."""
    return np.stack([run[f"{sensor}.position.{axis}"] for axis in axes], axis=1)


def energy_error(run: Run, more: Array | float = 0.0) -> Array:
    """Change of the energy over time, relative to the largest kinetic energy; `more`: energies besides gravity (J)."""
    total = run.kinetic + run.potential + more
    return np.asarray((total - total[0]) / np.max(run.kinetic))


def largest(error: Array) -> float:
    """Largest magnitude."""
    return float(np.max(np.abs(error)))


def conserved(name: str, error: Array, seconds: float) -> Figure:
    """The figure of a conservative motion."""
    return Figure(name, "energy error, relative", "conservation", largest(error), ENERGY, seconds)
