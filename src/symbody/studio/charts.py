"""Charts on a page of a machine as plain data: bars with intervals, lines, and maps of counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, TypedDict, cast

import numpy as np

Numbers = Sequence[float] | np.ndarray
ChartKind = Literal["bars", "lines", "map"]
MOST_SERIES, MOST_POINTS, MOST_CELLS = 8, 400, 100  # of a chart; points of a series; cells along an axis of a map


@dataclass(frozen=True)
class Chart:
    """A drawing of what the store keeps under a key, a `ChartContent`.

    Parameters
    ----------
    key : str
        In the store.
    title : str
        Above the chart.
    kind : str
        "bars", "lines" or "map".
    x, y : str
        Labels of the axes. Default: none.

    Examples
    --------
    >>> from symbody.studio import Chart
    >>> Chart("reach", "Reach of the bucket", "map", x="x (m)", y="z (m)").kind
    'map'
    """

    key: str
    title: str
    kind: ChartKind
    x: str = ""
    y: str = ""


class ChartData(TypedDict):
    """A chart, whose content comes later under its key."""

    key: str
    title: str
    kind: ChartKind
    x: str  # labels of the axes
    y: str


class SeriesData(TypedDict):
    """Values of one series of a chart, in the order of the names or of x; null: none."""

    label: str
    x: list[float]  # of lines
    y: list[float | None]
    low: list[float | None]  # ends of confidence intervals; empty: none
    high: list[float | None]


class ChartContent(TypedDict):
    """What a chart shows now."""

    names: list[str]  # of groups of bars
    series: list[SeriesData]
    grid: list[list[float]]  # counts of a map; rows are y
    ranges: list[float]  # least x, least y, largest x, largest y of a map
    note: str  # a sentence below


def chart_data(chart: Chart) -> ChartData:
    """A chart for the browser."""
    return ChartData(key=chart.key, title=chart.title, kind=chart.kind, x=chart.x, y=chart.y)


def chart_series(
    label: str,
    y: Numbers,
    x: Numbers = (),
    halves: Sequence[float] = (),
    ends: Sequence[tuple[float, float]] = (),
) -> SeriesData:
    """A series of a chart.

    Parameters
    ----------
    label : str
    y : sequence of float
        Heights of bars or of points; what is not finite is left out.
    x : sequence of float
        Of the points of lines.
    halves : sequence of float
        Half widths of the intervals of y; or
    ends : sequence of (float, float)
        both ends of each interval.

    Returns
    -------
    SeriesData

    Examples
    --------
    >>> from symbody.studio import chart_series
    >>> chart_series("people", [61.0], halves=[2.0])["high"]
    [63.0]
    """
    between = [(v - h, v + h) for v, h in zip(y, halves, strict=True)] if len(halves) else [*ends]
    return SeriesData(
        label=label,
        x=[float(v) for v in x],
        y=[_finite(v) for v in y],
        low=[_finite(low) for low, _ in between],
        high=[_finite(high) for _, high in between],
    )


def chart_content(
    names: Sequence[str] = (),
    several: Sequence[SeriesData] = (),
    grid: Sequence[Sequence[float]] = (),
    ranges: Sequence[float] = (),
    note: str = "",
) -> ChartContent:
    """What a chart shows; without series and grid it is empty.

    Parameters
    ----------
    names : sequence of str
        Of groups of bars.
    several : sequence of SeriesData
        At most eight, of at most 400 values each.
    grid : sequence of sequences of float
        Counts of a map, at most 100 × 100; rows are y.
    ranges : sequence of float
        Least x, least y, largest x and largest y of the map.
    note : str
        A sentence below the chart.

    Returns
    -------
    ChartContent
        For the store of a machine, under the key of a `Chart`.

    Examples
    --------
    >>> from symbody.studio import chart_content, chart_series
    >>> chart_content(["red"], [chart_series("people", [61.0])])["names"]
    ['red']
    """
    rows = [[float(count) for count in row] for row in grid]
    return ChartContent(names=[*names], series=[*several], grid=rows, ranges=[float(v) for v in ranges], note=note)


def checked_content(kept: Any) -> ChartContent:
    """The content that a store keeps, at most as much as a page draws; empty if it has another form."""
    if not isinstance(kept, Mapping) or set(kept) != set(ChartContent.__annotations__):
        return chart_content()
    several = [
        one for one in kept["series"] if isinstance(one, Mapping) and set(one) == set(SeriesData.__annotations__)
    ]
    short = [one for one in several if all(len(one[key]) <= MOST_POINTS for key in ("x", "y", "low", "high"))]
    grid = kept["grid"]
    whole = len(grid) <= MOST_CELLS and all(len(row) == len(grid[0]) <= MOST_CELLS for row in grid)
    return ChartContent(
        names=[str(name) for name in kept["names"]][:MOST_POINTS],
        series=[cast(SeriesData, dict(one)) for one in short][:MOST_SERIES],
        grid=grid if whole else [],
        ranges=kept["ranges"],
        note=str(kept["note"]),
    )


def _finite(x: float) -> float | None:
    return float(x) if isfinite(x) else None
