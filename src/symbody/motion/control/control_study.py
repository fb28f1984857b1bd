"""Two experiments of a thesis on the full model: sliding mode by hand and by a swarm, and lifts with unknown loads.

Sliding mode follows the first seconds of a ski descent by optimal cueing (Houda 2020, section 5.3.3). Lifts are those
of section 6.1.3: two templates of the speed, loads of 0, 8 and 16 kg, PID.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from symbody.analysis.swarm import SwarmResult
from symbody.motion.control.ride_motion import descent_motion
from symbody.motion.control.sampled_loop import LoopOptions, LoopRun, loop_figures, run_loop
from symbody.motion.control.sliding_mode import SlidingMode
from symbody.motion.control.tuned_gains import SWARM
from symbody.motion.control.tuning import tuned_sliding_mode
from symbody.motion.data import PlatformData
from symbody.motion.tracking import LIFTED, LOADS, Tracking, tracked, tracking_figures

MODES = {"by hand": SlidingMode(), "by a swarm": SWARM}
SEARCHED = 1.5  # s of the descent in the search of the report
POSITION = 2000.0  # 1/s², weight of position errors in the search, as for `SWARM`
Row = dict[str, Any]
Counted = Callable[[Sequence[Any], str, str], Iterable[Any]]  # iterates with a progress bar


def mode_runs(data: PlatformData, lasts: float = 3.0) -> dict[str, LoopRun]:
    """Runs of sliding mode by hand and by a swarm over a part of the descent (s)."""
    motion = descent_motion(data, lasts=lasts)
    return {name: run_loop(mode, motion, data) for name, mode in MODES.items()}


def mode_rows(runs: dict[str, LoopRun]) -> list[Row]:
    """Errors, chattering and forces of runs after they have settled."""
    return [{"controller": f"sliding mode {name}"} | loop_figures(run.settled) for name, run in runs.items()]


def gain_search(data: PlatformData, particles: int = 8, iterations: int = 10) -> SwarmResult:
    """A short search of the gains from those by hand, without a load, for the plot of the fitness."""
    motion, options = descent_motion(data, lasts=SEARCHED), [LoopOptions(0.0)]
    found = tuned_sliding_mode(
        SlidingMode(), [motion], data, options=options, position=POSITION, particles=particles, iterations=iterations
    )
    return found.search


def load_runs(
    data: PlatformData, counted: Counted, loads: Sequence[float] = LOADS, lasts: float = 2.0
) -> dict[str, dict[float, Tracking]]:
    """Lifts with PID: template → load (kg) → run; lasts: of a move up or down (s)."""
    found: dict[str, dict[float, Tracking]] = {template: {} for template in LIFTED}
    for template, load in counted([(t, m) for t in LIFTED for m in loads], "lift", "loads"):
        found[template][load] = tracked("PID", template, load, data, lasts)
    return found


def load_rows(runs: dict[str, dict[float, Tracking]]) -> list[Row]:
    """Errors and forces of lifts."""
    return [
        {"controller": "PID", "template": template, "load_kg": load} | tracking_figures(run)
        for template, by_load in runs.items()
        for load, run in by_load.items()
    ]
