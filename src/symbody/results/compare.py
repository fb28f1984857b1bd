"""Comparison of two runs: largest and root mean square differences of their channels at common times."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from symbody.errors import ModelError
from symbody.results.channels import matching
from symbody.results.drawing import draw

Array = np.ndarray
WITHIN = 1.959963984540054  # ± this many σ contain 95 % of a normal distribution


class Recording(Protocol):
    """Channels over time, as in a `Run`."""

    t: Array
    names: list[str]

    @property
    def name(self) -> str: ...
    @property
    def units(self) -> dict[str, str]: ...
    def __getitem__(self, name: str, /) -> Array: ...


@dataclass(frozen=True)
class Difference:
    """Difference of one channel: the largest, its time (s), the root mean square, and the channel's range."""

    name: str
    unit: str
    largest: float
    time: float
    rms: float
    range: float  # largest minus smallest value of the first run; reference of relative differences

    @property
    def relative(self) -> float:
        """The largest difference divided by the range; absolute if the channel is constant."""
        return self.largest / self.range if self.range > 0 else self.largest


@dataclass(frozen=True)
class Comparison:
    """Differences by channel: `c["arm.q"].largest`, `c.largest`; printed as a table, or plotted."""

    differences: list[Difference]
    t: Array  # the common times
    first: Array  # values of both runs there, one column per channel
    second: Array
    titles: tuple[str, str]

    def __getitem__(self, name: str) -> Difference:
        return self.differences[self.names.index(matching(self.names, [name])[0])]

    def __len__(self) -> int:
        return len(self.differences)

    @property
    def names(self) -> list[str]:
        return [d.name for d in self.differences]

    @property
    def largest(self) -> float:
        """The largest relative difference of all channels; NaN if only one run has finite values."""
        return float(np.max([d.relative for d in self.differences]))

    @property
    def worst(self) -> Difference:
        """The channel with the largest relative difference."""
        return self.differences[int(np.argmax([d.relative for d in self.differences]))]

    def __str__(self) -> str:
        width = max(len("channel"), *(len(d.name) for d in self.differences))
        units = max(len("unit"), *(len(d.unit) for d in self.differences))
        rows = [("channel", "unit", "largest", "at t (s)", "rms", "relative")]
        for d in self.differences:
            rows.append((d.name, d.unit, f"{d.largest:.3g}", f"{d.time:.4g}", f"{d.rms:.3g}", f"{d.relative:.3g}"))
        return "\n".join(
            f"{name:{width}}  {unit:{units}}  {'  '.join(f'{x:>10}' for x in rest)}" for name, unit, *rest in rows
        )

    def __repr__(self) -> str:
        return f"<Comparison of {len(self)} channels at {len(self.t)} times: largest {self.largest:.3g}, relative>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def plot(self) -> Any:
        """Plot both runs over time and their differences; return the Matplotlib axes, one row per unit."""
        return draw("comparison", self)


def compare(first: Recording, second: Recording, patterns: tuple[str, ...] = ()) -> Comparison:
    """Differences between two runs in their common channels over their common time.

    The times are those of the run with fewer records there; the other run is interpolated linearly.
    """
    shared = [name for name in first.names if name in set(second.names)]
    names = matching(shared, patterns)
    if not names:
        raise ModelError("the runs have no common channel", cure=f"the second has {', '.join(second.names[:5])}")
    t = _common_times(first.t, second.t)
    a, b = (_at(run, names, t) for run in (first, second))
    units = [_unit(name, first.units[name], second.units[name]) for name in names]
    columns = zip(names, units, a.T, b.T, strict=True)
    rows = [_difference(name, unit, t, x, y) for name, unit, x, y in columns]
    other = second.name if second.name != first.name else f"{second.name} (other)"
    return Comparison(rows, t, a, b, (first.name, other))


def _unit(name: str, here: str, there: str) -> str:
    if here and there and here != there:
        raise ModelError(
            f"the units differ: {here} and {there}", element=name, cure="convert one of the runs with in_units"
        )
    return here or there


def _common_times(a: Array, b: Array) -> Array:
    if not len(a) or not len(b) or max(a[0], b[0]) > min(a[-1], b[-1]):
        raise ModelError("the runs have no common time", cure="compare runs over the same time")
    begin, end = max(a[0], b[0]), min(a[-1], b[-1])
    slack = 1e-9 * max(abs(begin), abs(end), end - begin)  # 0.3 and 3·0.1 are the same instant
    inside = [t[(t >= begin - slack) & (t <= end + slack)] for t in (a, b)]
    return min((t for t in inside if len(t)), key=len)


def _at(run: Recording, names: list[str], t: Array) -> Array:
    """Values at times; recorded values are used unchanged, so that a NaN does not spread by interpolation."""
    k = np.minimum(np.searchsorted(run.t, t), len(run.t) - 1)
    recorded = run.t[k] == t
    columns = (run[name] for name in names)
    return np.column_stack([np.where(recorded, x[k], np.interp(t, run.t, x)) for x in columns])


def _difference(name: str, unit: str, t: Array, x: Array, y: Array) -> Difference:
    """The difference of one channel. Equal NaN or infinity is no difference; NaN in one run only gives NaN."""
    differs = (x != y) & ~(np.isnan(x) & np.isnan(y))
    gap = np.abs(np.subtract(x, y, where=differs, out=np.zeros(len(t))))
    k = int(np.argmax(gap))
    known = x[np.isfinite(x)]
    span = float(np.ptp(known)) if len(known) else 0.0
    return Difference(name, unit, float(gap[k]), float(t[k]), float(np.sqrt(np.mean(gap**2))), span)
