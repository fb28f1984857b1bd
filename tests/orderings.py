"""Orderings, declared as data: one name has smaller values than another in every one of at least ten seeds or starts.

A test module lists its orderings in `ORDERINGS` and checks each with `check`. An ordering also has to fail with its two
names exchanged, which a measure that ignores its name, or that is not a number, does not do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

SEEDS = range(10)


@dataclass(frozen=True)
class Ordering:
    """measure(less, seed) < factor · measure(more, seed) for all seeds."""

    what: str
    less: str
    more: str
    measure: Callable[[str, int], float]
    factor: float = 1.0
    seeds: Sequence[int] = SEEDS

    def __post_init__(self) -> None:
        if len(set(self.seeds)) < len(SEEDS):
            raise ValueError(f"{self}: {len(set(self.seeds))} seeds; an ordering needs {len(SEEDS)}")
        if not 0.0 < self.factor <= 1.0:
            raise ValueError(f"{self}: with a factor of {self.factor} the exchanged ordering could hold, too")

    def __str__(self) -> str:
        return f"{self.what}: {self.less} < {self.more}"

    @property
    def exchanged(self) -> Ordering:
        """The same with exchanged names."""
        return replace(self, less=self.more, more=self.less)

    @property
    def broken(self) -> list[str]:
        """The seeds in which it does not hold, with the values."""
        pairs = {seed: (self.measure(self.less, seed), self.measure(self.more, seed)) for seed in self.seeds}
        wrong = {seed: pair for seed, pair in pairs.items() if not pair[0] < self.factor * pair[1]}
        return [f"{self}, seed {seed}: {a:.4g}, {b:.4g}" for seed, (a, b) in wrong.items()]


def check(ordering: Ordering) -> None:
    """It holds in every seed, and in none with exchanged names."""
    broken = ordering.broken
    assert not broken, "; ".join(broken)
    exchanged = ordering.exchanged
    assert len(exchanged.broken) == len(exchanged.seeds), f"{exchanged} holds in some seed, too"
