"""How well a platform restores a scene: the performance indicator, felt errors, and what it took."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.motion.cueing.method import CHANNELS
from symbody.motion.data import Array
from symbody.results.run import Run


@dataclass(frozen=True)
class CueingScore:
    """How well a run reproduces its scene.

    Parameters
    ----------
    pi : float
        100 (1 − ‖a − a_s‖/‖a‖) of surge and sway together (%).
    felt : float
        The same of felt accelerations (%).
    tilt : float
        Largest angle (°).
    tilt_rate : float
        Largest rate (°/s).
    table, hexapod : float
        Largest distances from neutral (m).
    left : float
        Largest distance of an axis from neutral at the end (m, rad).
    """

    pi: float
    felt: float
    tilt: float
    tilt_rate: float
    table: float
    hexapod: float
    left: float


def indicator(given: Array, restored: Array) -> float:
    """100 (1 − ‖a − a_s‖₂/‖a‖₂) in %, Houda 2020 (4.3.32)."""
    return float(100.0 * (1.0 - np.linalg.norm(given - restored) / np.linalg.norm(given)))


def score(run: Run) -> CueingScore:
    """Score the run of a cueing model.

    Parameters
    ----------
    run : Run
        Of `run_over`.

    Returns
    -------
    CueingScore
        Percentages, angles and distances.
    """
    axes, turns = [c.axis for c in CHANNELS], [c.turn for c in CHANNELS]
    given, made, felt, platform = (
        np.stack([run[f"{kind}.{axis}"] for axis in axes]) for kind in ("given", "restored", "scene.felt", "felt")
    )
    table, hexapod = ([f"table.{axis}" for axis in axes], axes)
    return CueingScore(
        pi=indicator(given, made),
        felt=indicator(felt, platform),
        tilt=float(np.degrees(_largest(run, turns))),
        tilt_rate=float(np.degrees(_largest(run, [f"{turn}.rate" for turn in turns]))),
        table=_largest(run, table),
        hexapod=_largest(run, hexapod),
        left=max(abs(float(run[name][-1])) for name in (*table, *hexapod, *turns)),
    )


def _largest(run: Run, names: list[str]) -> float:
    return max(float(np.abs(run[name]).max()) for name in names)
