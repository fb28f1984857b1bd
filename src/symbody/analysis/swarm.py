"""Particle swarm optimisation: a small global optimiser without derivatives.

    v ← w v + c₁ r₁ (p − x) + c₂ r₂ (g − x),   x ← clip(x + v),

with the best place p of each particle and g of the swarm (Kennedy and Eberhart 1995). The inertia w falls from 1.1 by
a factor 0.9 each iteration to 0.1 (Houda 2020, section 4.3.4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from symbody.analysis.cluster import Cluster, connected, mapped, sharing
from symbody.errors import ModelError

PARTS = 16  # of a swarm on a cluster
Array = NDArray[np.float64]
Fitness = Callable[[Array], Array]  # places (n, d) → values (n,), smaller is better; NaN counts as infinite


@dataclass(frozen=True)
class SwarmSchedule:
    """Inertia from `first` to `last`, times `decay` each iteration; pull to the own (c₁) and the common best (c₂)."""

    first: float = 1.1
    last: float = 0.1
    decay: float = 0.9
    own: float = 2.0
    common: float = 1.5

    def inertia(self, iteration: int) -> float:
        """w of an iteration, from 0."""
        return max(self.last, self.first * self.decay**iteration)


@dataclass(frozen=True)
class SwarmResult:
    """Best place (d,) and value; `history`: the best value after each iteration; `evaluations`: calls of one place."""

    x: Array
    value: float
    history: Array
    evaluations: int


def swarm(
    fitness: Fitness,
    low: Sequence[float],
    high: Sequence[float],
    *,
    particles: int = 100,
    iterations: int = 70,
    start: Sequence[float] | None = None,
    schedule: SwarmSchedule | None = None,
    target: float = -np.inf,
    seed: int = 0,
    progress: bool = False,
    cluster: Cluster = None,
) -> SwarmResult:
    """Minimise `fitness` between `low` and `high` with a swarm.

    start: a place for the first particle, such as numbers tuned by hand; the others are drawn uniformly. The search
    ends after `iterations`, or when the best value is at most `target`. cluster: as in `sweep`; `fitness` is sent to
    each worker once, and a place that ends its worker counts as infinite.
    """
    if cluster:
        with on_cluster(fitness, cluster) as there:
            return swarm(
                there, low, high, particles=particles, iterations=iterations, start=start, schedule=schedule,
                target=target, seed=seed, progress=progress,
            )  # fmt: skip
    lower, upper = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    if lower.shape != upper.shape or lower.ndim != 1 or not (lower < upper).all() or particles < 2 or iterations < 1:
        cure = "give low < high for each number, at least two particles and one iteration"
        raise ModelError("invalid bounds or sizes of a swarm", element="swarm", cure=cure)
    rng, plan = np.random.default_rng(seed), schedule or SwarmSchedule()
    x = rng.uniform(lower, upper, (particles, len(lower)))
    if start is not None:
        x[0] = np.clip(start, lower, upper)
    v = np.zeros_like(x)
    best, values = x.copy(), _finite(fitness(x))
    history = []
    with tqdm(total=iterations, disable=not progress, desc="swarm") as bar:
        for k in range(iterations):
            leader = best[values.argmin()]
            r1, r2 = rng.uniform(size=(2, *x.shape))
            v = plan.inertia(k) * v + plan.own * r1 * (best - x) + plan.common * r2 * (leader - x)
            x = np.clip(x + v, lower, upper)
            now = _finite(fitness(x))
            better = now < values
            best[better], values[better] = x[better], now[better]
            history.append(float(values.min()))
            bar.set_postfix_str(f"best {history[-1]:.4g}")
            bar.update()
            if history[-1] <= target:
                break
    k = int(values.argmin())
    if not np.isfinite(values[k]):
        raise ModelError("no place has a finite value", element="swarm", cure="widen the bounds or correct the fitness")
    return SwarmResult(best[k], float(values[k]), np.array(history), particles * (len(history) + 1))


def _finite(values: Array) -> Array:
    found = np.asarray(values, dtype=float)
    return np.where(np.isnan(found), np.inf, found)


@contextmanager
def on_cluster(fitness: Fitness, cluster: Cluster, died: Any = np.inf) -> Iterator[Fitness]:
    """The same fitness, computed in parts on a cluster. died: the value of a place that ends its worker."""
    with connected(cluster) as client, sharing(client, fitness) as key:

        def there(x: Array) -> Array:
            parts = [part for part in np.array_split(x, PARTS) if len(part)]
            return np.array([y for part in mapped(client, partial(_part_on_worker, key), parts, died) for y in part])

        yield there


def _part_on_worker(key: str, x: Array) -> list[Any]:
    from symbody.analysis.cluster_worker import LOCK, shared

    with LOCK:
        return list(shared(key).what(x))
