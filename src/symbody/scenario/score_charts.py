"""Charts of a game for a product team: choices, measures and scores by option, answers, and the reach of the tool.

Attempts of people and of simulated users are separate series. Bars have confidence intervals of 95 %.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf, nan
from typing import Any

import numpy as np

from symbody.scenario.game import Game
from symbody.scenario.play_statistics import (
    BINS,
    Mean,
    best_option,
    by_option,
    choices,
    heat_map,
    histogram,
    share_of,
)
from symbody.scenario.score_book import ScoreBook
from symbody.scenario.standings import PlayedAttempt, attempt_scores, scored
from symbody.studio.charts import MOST_POINTS, Chart, ChartContent, SeriesData, chart_content, chart_series

Array = np.ndarray
PEOPLE, SIMULATED = "people", "simulated users"
MOST_LOGS = 50  # newest attempts whose logs are read
HISTORIES = 3  # best attempts whose reach is drawn, beside the last one
NONE = Mean(nan, inf, 0)


def simulated_game(game: str) -> str:
    """The name under which the book keeps attempts of simulated users."""
    return f"{game} (simulated)"


class PlayRecords:
    """Attempts of a game with their logs, read once: the log of an ended attempt does not change.

    places: channels of the log with x and y of the tool.
    """

    def __init__(self, game: Game, book: ScoreBook, places: Sequence[str] = ()):
        self.game, self.book, self.places = game, book, tuple(places[:2])
        self._logs: dict[int, dict[str, Array]] = {}

    def played(self, who: str) -> list[PlayedAttempt]:
        """All attempts of people or of simulated users."""
        return self.book.attempts(self.game.name if who == PEOPLE else simulated_game(self.game.name))

    def groups(self) -> dict[str, list[PlayedAttempt]]:
        """Attempts by who played; a group without attempts is left out."""
        found = {who: self.played(who) for who in (PEOPLE, SIMULATED)}
        return {who: played for who, played in found.items() if played}

    def logs(self, who: str) -> list[tuple[PlayedAttempt, dict[str, Array]]]:
        """The newest scored attempts and their logs."""
        newest = scored(self.played(who), self.game.measures)[-MOST_LOGS:]
        for one in newest:
            if one.number not in self._logs:
                self._logs[one.number] = self._read(one.number)
        return [(one, self._logs[one.number]) for one in newest if len(self._logs[one.number]["t"]) > 1]

    def forget(self) -> None:
        """Forget logs of attempts that were deleted."""
        known = {one.number for played in self.groups().values() for one in played}
        self._logs = {number: log for number, log in self._logs.items() if number in known}

    def _read(self, number: int) -> dict[str, Array]:
        log = self.book.log(number)
        return {name: log[name].copy() for name in ("t", "reach", *self.places) if name in log}


def choices_chart(records: PlayRecords) -> ChartContent:
    """Shares (%) of the options that people chose."""
    found = choices(records.played(PEOPLE))
    rows = [tuple(100.0 * x for x in row[1:]) for row in found.values()]
    return chart_content(
        [*found], [chart_series(PEOPLE, [p for p, _, _ in rows], ends=[(a, b) for _, a, b in rows])] if rows else []
    )


def measure_chart(measure: str) -> Callable[[PlayRecords], ChartContent]:
    """Means of a measure by option, or of the score (%)."""

    def chart(records: PlayRecords) -> ChartContent:
        scale = 100.0 if measure == "score" else 1.0
        means = {who: by_option(played, records.game.measures) for who, played in records.groups().items()}
        names = [one for one in records.game.options if any(one in found for found in means.values())]
        several = []
        for who, found in means.items():
            rows = [found[name][measure] if name in found else NONE for name in names]
            several.append(
                chart_series(who, [scale * row.value for row in rows], halves=[scale * row.half for row in rows])
            )
        note = ""
        if measure == "score" and names:
            best = {who: best_option(played, records.game.measures) for who, played in records.groups().items()}
            note = "; ".join(f"Best combination, {who}: {option}" for who, option in best.items() if option)
        return chart_content([name or "all" for name in names], several if names else [], note=note)

    return chart


def answers_chart(records: PlayRecords) -> ChartContent:
    """Shares (%) of the answers to each question."""
    names, values, ends = [], [], []
    for question, counts in records.book.answers(records.game.name).items():
        for given, count in counts.items():
            share, low, high = share_of(count, sum(counts.values()))
            names.append(f"{question.capitalize()}: {given}")
            values.append(100.0 * share)
            ends.append((100.0 * low, 100.0 * high))
    return chart_content(names, [chart_series(PEOPLE, values, ends=ends)] if names else [])


def _shown_logs(records: PlayRecords) -> list[tuple[str, dict[str, Array]]]:
    """Logs of the best attempts and of the last one, with their labels: of people first, then of simulated users."""
    shown = []
    for who in (PEOPLE, SIMULATED):
        found = [pair for pair in records.logs(who) if "reach" in pair[1]]
        scores = attempt_scores([one for one, _ in found], records.game.measures)
        order = sorted(range(len(found)), key=lambda k: -scores[k])
        for k in [*order[:HISTORIES], *order[HISTORIES:][-1:]]:
            one, log = found[k]
            mark = "" if who == PEOPLE else " (simulated)"
            shown.append((f"{one.player}, {one.option}{mark}" if one.option else f"{one.player}{mark}", log))
    return shown


def reach_chart(records: PlayRecords) -> ChartContent:
    """Reach (m) over time of the best attempts and of the last one."""
    several: list[SeriesData] = []
    for label, log in _shown_logs(records):
        every = -(-len(log["t"]) // MOST_POINTS)
        several.append(chart_series(label, log["reach"][::every], log["t"][::every] - log["t"][0]))
    return chart_content((), several)


def reach_shares_chart(records: PlayRecords) -> ChartContent:
    """Histograms (% of the samples) of the same reaches."""
    logs = _shown_logs(records)
    if not logs:
        return chart_content()
    low, high = (float(pick([pick(log["reach"]) for _, log in logs])) for pick in (min, max))
    high = max(high, low + 1e-6)
    middles = low + (np.arange(BINS) + 0.5) * (high - low) / BINS
    shares = {label: 100.0 * np.array(histogram(log["reach"], low, high)) / len(log["reach"]) for label, log in logs}
    return chart_content((), [chart_series(label, list(share), list(middles)) for label, share in shares.items()])


def places_chart(who: str) -> Callable[[PlayRecords], ChartContent]:
    """Where the tool was over all attempts of a group, from above: shares (%) of the samples in each cell."""

    def chart(records: PlayRecords) -> ChartContent:
        logs = [log for _, log in records.logs(who) if len(records.places) == 2 and set(records.places) <= set(log)]
        if not logs:
            return chart_content()
        x, y = (np.concatenate([log[name] for log in logs]) for name in records.places)
        ranges = float(x.min()), float(y.min()), float(x.max()) + 1e-6, float(y.max()) + 1e-6
        grid = 100.0 * np.array(heat_map(x, y, ranges)) / len(x)
        return chart_content((), (), [[round(float(share), 4) for share in row] for row in grid], ranges)

    return chart


def charts_of(game: Game, labels: Mapping[str, str], places: Sequence[str]) -> dict[str, tuple[Chart, Any]]:
    """The charts of a game by key, each with the function of its content. labels: of its measures."""
    found: list[tuple[Chart, Any]] = []
    if len(game.options) > 1:
        found.append((Chart("choices-chart", "Choices", "bars", "Option", "Share (%)"), choices_chart))
    for name in ("score", *game.measures):
        label = labels.get(name, "Score (%)" if name == "score" else name)
        found.append((Chart(f"{name}-chart", label, "bars", "Option", label), measure_chart(name)))
    if "reach" in game.scenario.sensors:
        found.append((Chart("reach-chart", "Reach over time", "lines", "Time (s)", "Reach (m)"), reach_chart))
        shares = Chart("reach-shares", "Histogram of the reach", "lines", "Reach (m)", "Share (%)")
        found.append((shares, reach_shares_chart))
    if places:
        title = "Heat map: places of the tool from above"
        found.append((Chart("places-people", title, "map", "x (m)", "y (m)"), places_chart(PEOPLE)))
        again = Chart("places-simulated", "Heat map of simulated users", "map", "x (m)", "y (m)")
        found.append((again, places_chart(SIMULATED)))
    if game.questions:
        found.append((Chart("answers-chart", "Answers", "bars", "", "Share (%)"), answers_chart))
    return {chart.key: (chart, make) for chart, make in found}
