"""All cueing methods on one record of a scene, with and without the table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from symbody.analysis.swarm import SwarmResult
from symbody.motion.cueing.adaptive import Adaptive
from symbody.motion.cueing.classic import Classic
from symbody.motion.cueing.cueing_model import cueing_model, run_over
from symbody.motion.cueing.method import CueingMethod
from symbody.motion.cueing.optimal import Optimal
from symbody.motion.cueing.predictive import Predictive, PredictivePlanner
from symbody.motion.cueing.scene_record import SceneRecord
from symbody.motion.cueing.score import CueingScore, score
from symbody.motion.cueing.tuning import tuned
from symbody.motion.data import PlatformData
from symbody.results.run import Run
from symbody.system.system import system

UPDATE = 2e-2  # s, between the plans of predictive cueing
PARTICLES, ITERATIONS = 20, 30  # of the swarm
METHODS = tuple(
    f"{name}, {moved}"
    for name in ("classic", "adaptive", "swarm", "optimal", "predictive")
    for moved in ("hexapod", "table")
)


@dataclass(frozen=True, eq=False)
class CuedRun:
    """A method on a record.

    Parameters
    ----------
    method : CueingMethod
        With its numbers.
    run : Run
        Of the cueing model.
    score : CueingScore
        How well it reproduces the scene.
    search : SwarmResult, optional
        Of the swarm that tuned it.
    """

    method: CueingMethod
    run: Run
    score: CueingScore
    search: SwarmResult | None = None


def cued(
    name: str,
    record: SceneRecord,
    data: PlatformData,
    *,
    particles: int = PARTICLES,
    iterations: int = ITERATIONS,
    seed: int = 0,
    progress: bool = False,
) -> CuedRun:
    """Run a method over a record. A swarm tunes its method on this record first.

    Parameters
    ----------
    name : str
        Of `METHODS`.
    record : SceneRecord
        The scene.
    data : PlatformData
        The platform.
    particles, iterations, seed : int
        Of the swarm. Defaults 20, 30, 0.
    progress : bool
        Whether a progress bar is printed. Default False.

    Returns
    -------
    CuedRun
        Run and score.
    """
    searches: list[SwarmResult] = []

    def by_swarm(table: bool) -> Classic:
        by_hand = Classic(label="swarm") if table else Classic(table=None, label="swarm")
        found = tuned(
            by_hand, record, data.limits, particles=particles, iterations=iterations, seed=seed, progress=progress
        )
        searches.append(found.search)
        return found.method

    makers: Mapping[str, Callable[[bool], CueingMethod]] = {
        "classic": lambda table: Classic() if table else Classic(table=None),
        "adaptive": lambda table: Adaptive() if table else Adaptive.hexapod(),
        "swarm": by_swarm,
        "optimal": lambda table: Optimal() if table else Optimal.hexapod(),
        "predictive": lambda table: Predictive(PredictivePlanner(data, table=table)),
    }
    kind, _, moved = name.partition(", ")
    method = makers[kind](moved == "table")
    plans = method.plans(record, UPDATE) if isinstance(method, Predictive) else {}
    run = run_over(system(cueing_model(method)), record, inputs=plans)
    return CuedRun(method, run, score(run), searches[0] if searches else None)


def compared(
    record: SceneRecord, data: PlatformData, names: Iterable[str] = METHODS, progress: bool = False
) -> dict[str, CuedRun]:
    """Runs of several methods over a record.

    Parameters
    ----------
    record : SceneRecord
        The scene.
    data : PlatformData
        The platform.
    names : iterable of str, optional
        Of `METHODS`. Default: all.
    progress : bool
        Whether a progress bar is printed. Default False.

    Returns
    -------
    dict of str to CuedRun
        By name.
    """
    return {name: cued(name, record, data, progress=progress) for name in names}
