"""A figure or statement of a document, the function that computes it, and how both are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

SAME, ORDER, NOT, FAILED = "same", "same order", "not", "not computed"
VERDICTS = (SAME, ORDER, NOT, FAILED)
CLOSE = 0.05  # relative difference of a figure that is the same
FACTOR = 3.0  # between figures of the same order of magnitude
MOST = 0.8  # share of seeds in which a statement of the same order holds
COLUMNS = ("document", "item", "figure or statement", "document says", "here", "seeds", "verdict", "reason")


@dataclass(frozen=True)
class Outcome:
    """What came out, as text, and how it compares; seeds: number of seeds, starts or settings that were run."""

    here: str
    verdict: str
    seeds: int = 1


@dataclass(frozen=True)
class Row:
    """A row of the table. `why` is the reason, in one line, of a known difference from the document.

    patience: how many times the limit of a row it may take.
    """

    document: str
    item: str
    what: str
    says: str
    compute: Callable[[], Outcome]
    why: str = ""
    patience: float = 1.0

    def record(self, found: Outcome, reason: str = "") -> dict[str, Any]:
        """The row with its outcome; the reason of a failure replaces the known one."""
        known = "" if found.verdict == SAME else self.why
        values = (
            self.document, self.item, self.what, self.says, found.here, found.seeds, found.verdict, reason or known,
        )  # fmt: skip
        return dict(zip(COLUMNS, values, strict=True))

    def failed(self, reason: str) -> dict[str, Any]:
        """The row without an outcome."""
        return self.record(Outcome("", FAILED, 0), reason)


# -- comparisons -------------------------------------------------------------------------------------------------------


def number(value: float, printed: float, unit: str = "", close: float = CLOSE, seeds: int = 1) -> Outcome:
    """A figure against the printed one: the same within a relative difference, of the same order within a factor."""
    ratio = value / printed
    if not np.isfinite(ratio):
        return Outcome(shown(value, unit), NOT, seeds)
    near = SAME if abs(ratio - 1.0) <= close else ORDER if 1.0 / FACTOR < ratio < FACTOR else NOT
    return Outcome(shown(value, unit), near, seeds)


def at_most(value: float, bound: float, unit: str = "", seeds: int = 1) -> Outcome:
    """A figure that the document bounds from above: the same if it is within the bound."""
    return Outcome(shown(value, unit), SAME if value <= bound else ORDER if value <= FACTOR * bound else NOT, seeds)


def holds(kept: Sequence[bool], here: str) -> Outcome:
    """A statement, once for each seed: the same if it holds in all of them, of the same order if in most."""
    count = sum(map(bool, kept))
    told = here if count == len(kept) else f"{here}; in {count} of {len(kept)}"
    return Outcome(told, SAME if count == len(kept) else ORDER if count >= MOST * len(kept) else NOT, len(kept))


def ordered(values: Mapping[str, Sequence[float]], unit: str = "") -> Outcome:
    """An order, from least to largest, with values of each name over the same seeds."""
    kept = [all(a < b for a, b in pairwise(row)) for row in zip(*values.values(), strict=True)]
    told = " < ".join(f"{name} {shown(float(np.mean(row)), unit)}" for name, row in values.items())
    return holds(kept, told)


def same_order_as(values: Mapping[str, tuple[float, float]], unit: str = "", close: float = CLOSE) -> Outcome:
    """Figures here and as printed, by name: the same within `close`, or in the same order, or not."""
    here, printed = ([pair[k] for pair in values.values()] for k in (0, 1))
    told = ", ".join(f"{name} {shown(value[0], unit)}" for name, value in values.items())
    if np.allclose(here, printed, rtol=close, atol=0.0):
        return Outcome(told, SAME)
    return Outcome(told, ORDER if np.array_equal(np.argsort(here), np.argsort(printed)) else NOT)


def shares(seed: int, count: int = 1, spread: float = 0.1) -> list[float]:
    """Factors about 1 that a seed draws, to vary forces, masses or speeds; those of seed 0 are 1."""
    drawn = np.random.default_rng(seed).uniform(-1.0, 1.0, count)
    return [1.0 + spread * float(x) * (seed != 0) for x in drawn]


def shown(value: float, unit: str = "") -> str:
    """Three digits and the unit."""
    return f"{value:.3g} {unit}".rstrip()
