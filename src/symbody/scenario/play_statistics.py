"""What a product team learns from attempts: choices of options, measures per option, reach, and answers.

Confidence intervals of means are Student's t, those of shares Wilson's; both at 95 %.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np

from symbody.scenario.game import Measure
from symbody.scenario.standings import PlayedAttempt, attempt_scores, scored

Array = np.ndarray
NORMAL = 1.959963984540054  # quantile of 97.5 %
# Student's t at 97.5 % for 1 to 30 degrees of freedom (tables of any textbook on statistics)
STUDENT = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
BINS = 30


@dataclass(frozen=True)
class Mean:
    """A mean of n values with the half width of its confidence interval (inf for one value)."""

    value: float
    half: float
    n: int


def mean_of(values: Sequence[float]) -> Mean:
    """x̄ ± t s/√n."""
    n = len(values)
    x = float(np.mean(values)) if n else float("nan")
    if n < 2:
        return Mean(x, inf, n)
    quantile = STUDENT[n - 2] if n - 2 < len(STUDENT) else NORMAL
    return Mean(x, quantile * float(np.std(values, ddof=1)) / sqrt(n), n)


def share_of(count: int, n: int) -> tuple[float, float, float]:
    """A share and its interval by Wilson: (p + z²/2n ± z √(p(1−p)/n + z²/4n²))/(1 + z²/n)."""
    if n == 0:
        return 0.0, 0.0, 1.0
    p, z = count / n, NORMAL
    middle, half = p + z * z / (2 * n), z * sqrt(p * (1.0 - p) / n + z * z / (4 * n * n))
    return p, (middle - half) / (1.0 + z * z / n), (middle + half) / (1.0 + z * z / n)


def choices(played: Sequence[PlayedAttempt]) -> dict[str, tuple[int, float, float, float]]:
    """How often each option was chosen: count, share, and its interval; the most frequent first."""
    counts: dict[str, int] = {}
    for one in played:
        counts[one.option] = counts.get(one.option, 0) + 1
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return {option: (count, *share_of(count, len(played))) for option, count in ordered}


def by_option(played: Sequence[PlayedAttempt], measures: Mapping[str, Measure]) -> dict[str, dict[str, Mean]]:
    """Means of all measures and of the score over the scored attempts with each option; the best score first."""
    counted = scored(played, measures)
    scores = attempt_scores(counted, measures)
    found = {}
    for option in dict.fromkeys(one.option for one in counted):
        places = [k for k, one in enumerate(counted) if one.option == option]
        rows = {name: mean_of([counted[k].results[name] for k in places]) for name in measures}
        found[option] = rows | {"score": mean_of([scores[k] for k in places])}
    return dict(sorted(found.items(), key=lambda pair: -pair[1]["score"].value))


def best_option(played: Sequence[PlayedAttempt], measures: Mapping[str, Measure]) -> str:
    """The option with the best mean score; empty without scored attempts."""
    return next(iter(by_option(played, measures)), "")


def histogram(values: Array, low: float, high: float, bins: int = BINS) -> list[int]:
    """Counts in equal bins from low to high; the last bin includes its end, and values outside are left out."""
    width = (high - low) / bins
    places = np.floor((np.asarray(values, dtype=float) - low) / width).astype(int)
    places[np.asarray(values) == high] = bins - 1
    inside = places[(places >= 0) & (places < bins)]
    return [int(count) for count in np.bincount(inside, minlength=bins)]


def heat_map(x: Array, y: Array, ranges: tuple[float, float, float, float], bins: int = BINS) -> list[list[int]]:
    """Counts of points in a grid of bins × bins over (least x, least y, largest x, largest y); rows are y."""
    x0, y0, x1, y1 = ranges
    columns = np.floor((x - x0) / (x1 - x0) * bins).astype(int)
    rows = np.floor((y - y0) / (y1 - y0) * bins).astype(int)
    inside = (columns >= 0) & (columns < bins) & (rows >= 0) & (rows < bins)
    grid = np.zeros((bins, bins), dtype=int)
    np.add.at(grid, (rows[inside], columns[inside]), 1)
    return [[int(count) for count in row] for row in grid]


def reach_band(reach: Array, share: float = 0.9) -> tuple[float, float]:
    """The band that holds a share of the samples, without the lowest and highest (1 − share)/2."""
    low, high = np.quantile(reach, [(1.0 - share) / 2.0, (1.0 + share) / 2.0])
    return float(low), float(high)


def reversals(reach: Array, least: float = 0.1) -> int:
    """How often a history turns back by at least `least`."""
    turns, extreme, way = 0, float(reach[0]) if len(reach) else 0.0, 0
    for x in reach:
        if (way >= 0 and x > extreme) or (way <= 0 and x < extreme):
            way = way or (1 if x > extreme else -1)
            extreme = float(x)
        elif abs(x - extreme) >= least:
            turns, way, extreme = turns + 1, -way, float(x)
    return turns


def summary(
    played: Sequence[PlayedAttempt], measures: Mapping[str, Measure], answers: Mapping[str, Mapping[str, int]]
) -> dict[str, Any]:
    """All statistics without logs, as plain data for tables and JSON."""
    return {
        "attempts": len(played),
        "finished": len(scored(played, measures)),
        "choices": [
            {"option": option, "count": count, "share": share, "low": low, "high": high}
            for option, (count, share, low, high) in choices(played).items()
        ],
        "by_option": [
            {"option": option} | {f"{name}{end}": getattr(mean, key) for name, mean in rows.items()
                                  for end, key in (("", "value"), ("_half", "half"))} | {"n": rows["score"].n}
            for option, rows in by_option(played, measures).items()
        ],
        "best_option": best_option(played, measures),
        "answers": [
            {"question": question, "answer": given, "count": count, "share": count / sum(counts.values())}
            for question, counts in answers.items() for given, count in counts.items()
        ],
    }  # fmt: skip
