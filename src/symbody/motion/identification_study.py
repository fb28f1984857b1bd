"""Which noise and which motions identify the platform to the printed bounds: expected σ of force and energy rows.

Motions are the exciting moves of `identification.exciting`, several of them stacked, and the same moves made faster
than the drives allow. Their information is computed along the exact motion (`information.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Any

from symbody.motion.data import PlatformData
from symbody.motion.excitation import AxisMove, sampled
from symbody.motion.identification import exciting
from symbody.motion.information import (
    LEVELS,
    alone,
    expected_sigma,
    force_information,
    informations,
    noise_for_bounds,
    noise_table,
)
from symbody.motion.parameter_groups import BOUNDS, largest_percent
from symbody.motion.platform_log import LogNoise
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.regressors import parameter_set

RUNS, MOVES = 3, 40  # stacked, and moves in each
FASTER = (3.0, 10.0, 30.0)  # speeds of moves that the drives cannot make; accelerations are their squares
SAMPLE = 2e-3  # s


@dataclass(frozen=True, eq=False)
class Study:
    """Rows of the table over motions, rows and noise; noise (N) that meets each bound; σ_r (%) if the rest is known."""

    table: list[dict[str, Any]]
    noise_for_bounds: dict[str, float]
    alone: dict[str, dict[str, float]]  # by forces and energies


def faster(moves: Sequence[AxisMove], factor: float) -> list[AxisMove]:
    """The same moves in less time; the drives may not be able to make them."""
    return [replace(move, duration=move.duration / factor) for move in moves]


def stacked(data: PlatformData, runs: int = RUNS, moves: int = MOVES) -> list[list[AxisMove]]:
    """Exciting moves of several seeds."""
    return [_exciting_moves(data, moves, seed) for seed in range(runs)]


@cache
def _exciting_moves(data: PlatformData, moves: int, seed: int) -> list[AxisMove]:
    return exciting(data, moves, seed).moves


def identification_study(
    data: PlatformData, runs: int = RUNS, moves: int = MOVES, levels: Sequence[float] = LEVELS
) -> Study:
    """One run, all runs, and all runs made faster; force and energy rows side by side; levels of noise."""
    made, noise, what = stacked(data, runs, moves), LogNoise(), parameter_set(data)
    each = [sampled(one, SAMPLE, data) for one in made]
    motions: dict[str, list[PlatformMotion]] = {
        f"{moves} moves": each[:1],
        f"{runs} × {moves} moves": each,
        **{
            f"the same, {factor:g} times as fast": [sampled(faster(one, factor), SAMPLE / factor, data) for one in made]
            for factor in FASTER
        },
    }
    known = {motion: informations(motion, noise) for motion in dict.fromkeys(chain.from_iterable(motions.values()))}
    forces, energies = known[each[0]].values()
    return Study(
        noise_table({name: [known[run] for run in runs] for name, runs in motions.items()}, what, noise, levels),
        noise_for_bounds(forces, noise, what),
        {"forces": alone(forces, what), "energies": alone(energies, what)},
    )


def expected_percent(motion: PlatformMotion, noise: LogNoise) -> dict[str, float]:
    """Largest σ_r (%) of each group that a fit of the forces of this motion can reach."""
    return largest_percent(expected_sigma(force_information(motion, noise)), parameter_set(motion.data))


def within_bounds(percent: dict[str, float]) -> dict[str, bool]:
    """Whether each group is within its printed bound."""
    return {group: percent[group] <= bound for group, bound in BOUNDS.items()}
