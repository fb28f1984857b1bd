"""Statistics of a loop: histograms of latency and duration, and counters of faults."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symbody.realtime.loop_layout import BINS, LOCKED, PINNED, PRIORITY, Histograms, SharedBlock

REFUSALS = ("not a number", "out of limits", "wrong clock")
FAULTS = (  # in the order of loop.h
    "input not a number", "input out of limits", "input of a wrong time", "stale input", "overrun",
    "output out of limits", "diverged", "near a singular position", "not converged", "beyond a limit of the model",
    "too far away to close its loops",
)  # fmt: skip
QUANTILES = (0.5, 0.99, 0.999, 0.9999)
MOST = 1 << 53  # of a bin: more than any loop counts, and sums stay within 64 bits
SHORTEST, LONGEST = 1e-7, 10.0  # s: ends of the histograms' bins


def bin_edges(bins: int) -> NDArray[np.float64]:
    """Lower edges of the bins (s): 0, then in equal ratios; the last bin is open."""
    return np.concatenate([[0.0], np.geomspace(SHORTEST, LONGEST, bins)])


@dataclass(frozen=True)
class Histogram:
    """Number of durations per bin.

    Parameters
    ----------
    edges : array, shape (bins + 1,)
        Bin k begins at edges[k] (s).
    counts : array of int, shape (bins,)
        Durations in each bin.
    mean, largest : float
        Of all durations (s).
    """

    edges: NDArray[np.float64]
    counts: NDArray[np.int64]
    mean: float
    largest: float

    @property
    def total(self) -> int:
        """Number of counted durations."""
        return int(self.counts.sum())

    def quantile(self, share: float) -> float:
        """The duration (s) that this share does not exceed: the upper edge of its bin, or the largest of all."""
        if not self.total:
            return 0.0
        place = int(np.searchsorted(np.cumsum(self.counts), share * self.total))
        return min(float(np.append(self.edges[1:], np.inf)[place]), self.largest)

    def record(self, name: str) -> dict[str, float]:
        """Quantiles and the largest as entries of a row, in µs."""
        row = {f"{name} {100 * share:g} %": round(1e6 * self.quantile(share), 2) for share in QUANTILES}
        return row | {f"{name} max": round(1e6 * self.largest, 2)}


def histogram_of(times: NDArray[np.float64]) -> Histogram:
    """Histogram of times (s), with the bins of loops."""
    edges = bin_edges(BINS)
    counts = np.histogram(times, np.append(edges, np.inf))[0]
    return Histogram(edges, counts, float(times.mean()), float(times.max()))


@dataclass(frozen=True)
class Statistics:
    """Everything that a loop counted since its start.

    Parameters
    ----------
    period : float
        s.
    steps : int
        Number of steps.
    latency : Histogram
        From the deadline to the wake-up.
    duration : Histogram
        From the wake-up to the end of the step.
    overrun : Histogram
        Time after the next deadline, of steps that missed it.
    received : int
        Samples of inputs that the loop has seen.
    refused : dict of str to int
        Rejected samples by reason.
    faults : dict of str to int
        Transitions to the safe state by reason.
    clamped : int
        Efforts limited.
    capped : int
        Steps of the integrator accepted before Newton's method converged.
    doubted : int
        Steps in which a filter flagged its own estimate: its sensors are further off than expected.
    page_faults : int
        Of the loop's thread after its first step; known once it has stopped.
    rights : tuple of str
        Rights granted by the system, as text.
    """

    period: float
    steps: int
    latency: Histogram
    duration: Histogram
    overrun: Histogram
    received: int
    refused: dict[str, int]
    faults: dict[str, int]
    clamped: int
    capped: int
    doubted: int
    page_faults: int
    rights: tuple[str, ...]

    @property
    def overruns(self) -> int:
        """Steps that ended after the next deadline."""
        return self.overrun.total

    def record(self) -> dict[str, float]:
        """The figures as a row of a table, times in µs."""
        counts = {"steps": self.steps, "overruns": self.overruns, "cut short": self.capped}
        return counts | self.latency.record("latency") | self.duration.record("step")

    def __str__(self) -> str:
        rows = [["µs", *(f"{100 * share:g} %" for share in QUANTILES), "largest", "number"]]
        for name, h in (("latency", self.latency), ("step", self.duration), ("overrun", self.overrun)):
            times = [*map(h.quantile, QUANTILES), h.largest]
            rows.append([name, *(f"{1e6 * x:.4g}" for x in times), str(h.total)])
        happened = {"efforts clamped": self.clamped, "steps cut short": self.capped, "estimates flagged": self.doubted}
        happened |= {"page faults": self.page_faults}
        happened |= {f"rejected, {reason}": n for reason, n in self.refused.items()}
        happened |= {f"safe, {reason}": n for reason, n in self.faults.items()}
        lines = ["".join(cell.rjust(10) for cell in row) for row in rows]
        lines.append(f"{self.steps} steps of {1e6 * self.period:g} µs, {self.received} samples of inputs")
        return "\n".join([*lines, *(f"{name}: {n}" for name, n in happened.items() if n), *self.rights])


def statistics_of(b: SharedBlock) -> Statistics:
    """A copy of a loop's counters."""
    latency, duration, overrun = (_histogram(b, h) for h in b.histogram)
    refused, faults = dict(zip(REFUSALS, b.refused, strict=True)), dict(zip(FAULTS, b.faults[1:], strict=True))
    counted = (b.received, refused, faults, b.clamped, b.capped, b.doubted, b.page_faults)
    return Statistics(b.period, b.steps, latency, duration, overrun, *counted, rights_in_words(b.rights))


def _histogram(b: SharedBlock, h: Histograms) -> Histogram:
    counts = np.minimum(np.array(h.count, dtype=np.uint64), MOST).astype(np.int64)
    return Histogram(np.array(b.edges), counts, h.sum / max(int(counts.sum()), 1), h.largest)


def rights_in_words(rights: int) -> tuple[str, ...]:
    """The rights of a loop as sentences for a report."""
    return (
        "real-time priority" if rights & PRIORITY else "normal priority: other programs may delay the loop",
        "memory locked" if rights & LOCKED else "memory not locked: it may be paged out",
        *(["bound to one processor"] if rights & PINNED else []),
    )
