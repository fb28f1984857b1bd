"""Gains of sliding mode by a swarm: the sum of the actuators' acceleration errors is the fitness (Houda 2020, 5.3.2).

The swarm searches the logarithms of Λ, λ, K and ζ; the boundary layer stays. All legs may have the same gains (12
numbers), or each actuator its own (32, as in the source). Position errors may count, too: without them the best gains
are soft, and a load lowers the platform.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symbody.analysis.swarm import SwarmResult, swarm
from symbody.errors import DivergenceError
from symbody.motion.control.controller import SIZE, gains, with_gains
from symbody.motion.control.sampled_loop import LoopOptions, acceleration_error, position_error, run_loop
from symbody.motion.control.sliding_mode import SlidingMode
from symbody.motion.data import Array, PlatformData
from symbody.motion.platform_motion import PlatformMotion

BOUNDS = ((30.0, 120.0), (10.0, 900.0), (0.02, 10.0), (5.0, 300.0))  # Λ (1/s), λ (1/s²), K (m/s²), ζ (1/s): Λ² ≥ λ


@dataclass(frozen=True)
class TunedMode:
    """Result of `tuned_sliding_mode`.

    Parameters
    ----------
    controller : SlidingMode
        The best one.
    search : SwarmResult
        Its history.
    """

    controller: SlidingMode
    search: SwarmResult


def tuned_sliding_mode(
    by_hand: SlidingMode,
    motions: Sequence[PlatformMotion],
    data: PlatformData,
    *,
    options: Sequence[LoopOptions] = (LoopOptions(),),
    alike: bool = True,
    position: float = 0.0,
    particles: int = 100,
    iterations: int = 50,
    seed: int = 0,
    progress: bool = False,
) -> TunedMode:
    """Tune the gains by a particle swarm on motions with each of the options, such as loads.

    A particle that loses the platform counts as infinite.

    Parameters
    ----------
    by_hand : SlidingMode
        Initial gains.
    motions : sequence of PlatformMotion
        Sampled at `DT`.
    data : PlatformData
        The platform.
    options : sequence of LoopOptions, optional
        Conditions to average over. Default: without load.
    alike : bool
        Whether all legs have the same gains. Default True.
    position : float
        Weight (1/s²) of the root mean square of the position errors (m). Default 0.
    particles, iterations, seed : int
        Of the swarm. Defaults 100, 50, 0.
    progress : bool
        Whether a progress bar is printed. Default False.

    Returns
    -------
    TunedMode
        Gains with the least chattering and acceleration error.
    """
    start, owners = gains(by_hand), np.array([0, 1, *6 * (2,)]) if alike else np.arange(SIZE)
    first = [int((owners == k).argmax()) for k in range(owners.max() + 1)]
    low, high = (np.repeat(np.log(ends), len(first)) for ends in np.array(BOUNDS).T)
    layer = start[-1:]

    def controller(place: Array) -> SlidingMode:
        rows = np.exp(place).reshape(len(BOUNDS), -1)[:, owners]
        return with_gains(by_hand, np.vstack([rows, layer]))

    def fitness(place: Array) -> float:
        try:
            runs = [run_loop(controller(place), motion, data, one) for motion in motions for one in options]
        except DivergenceError:
            return np.inf
        costs = [acceleration_error(run) + position * position_error(run) for run in (one.settled for one in runs)]
        return float(np.mean(costs))

    search = swarm(
        lambda places: np.array([fitness(place) for place in places]),
        low.tolist(),
        high.tolist(),
        particles=particles,
        iterations=iterations,
        start=np.log(start[:-1, first]).ravel().tolist(),
        seed=seed,
        progress=progress,
    )
    return TunedMode(controller(search.x), search)
