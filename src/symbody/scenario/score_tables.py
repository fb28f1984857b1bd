"""Tables and charts of a game for its pages, read from the score book."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any

from symbody.scenario.game import Game
from symbody.scenario.play_statistics import by_option, choices, reach_band, reversals
from symbody.scenario.score_book import ScoreBook
from symbody.scenario.score_charts import PlayRecords, charts_of, simulated_game
from symbody.scenario.standings import leaderboard, scored
from symbody.studio.machine_pages import Board, Form, FormField, MachinePage
from symbody.web.store import KeyValueStore

Row = dict[str, str | float]
MOST_LOGS = 50  # attempts whose logs a table reads
SIMULATED_KEY = "simulated"


def leaderboard_rows(game: Game, book: ScoreBook, played: str = "") -> list[Row]:
    """Rank, player, score in %, attempts and means. played: the name in the book, if it is not that of the game."""
    rows: list[Row] = []
    for k, row in enumerate(leaderboard(book.attempts(played or game.name), game.measures)):
        score = round(100.0 * row.score, 1)
        rows.append({"rank": k + 1, "player": row.player, "score": score, "attempts": row.attempts})
        rows[-1] |= {name: round(row.means[name], one.digits) for name, one in game.measures.items()}
    return rows


def simulated_rows(game: Game, book: ScoreBook) -> list[Row]:
    """The leaderboard of simulated users."""
    return leaderboard_rows(game, book, simulated_game(game.name))


def choice_rows(game: Game, book: ScoreBook) -> list[Row]:
    """Options by how often they were chosen, with the interval of their share in %."""
    return [
        {
            "option": option,
            "count": count,
            "share": round(100.0 * share),
            "interval": f"{100 * low:.0f} – {100 * high:.0f}",
        }
        for option, (count, share, low, high) in choices(book.attempts(game.name)).items()
    ]


def option_rows(game: Game, book: ScoreBook) -> list[Row]:
    """Options by their score in %, with means ± half widths of their intervals."""
    rows = []
    for option, found in by_option(book.attempts(game.name), game.measures).items():
        row: Row = {"option": option, "score": round(100.0 * found["score"].value, 1), "count": found["score"].n}
        for name, measure in game.measures.items():
            mean, half = found[name].value, found[name].half
            spread = f" ± {half:.{measure.digits}f}" if isfinite(half) else ""
            row[name] = f"{mean:.{max(measure.digits, 1)}f}{spread}"
        rows.append(row)
    return rows


def reach_rows(game: Game, book: ScoreBook, sensor: str = "reach") -> list[Row]:
    """For the newest finished attempts: the band of 90 % of the reach, its width, and how often it turned back."""
    rows = []
    for one in scored(book.attempts(game.name), game.measures)[-MOST_LOGS:]:
        log = book.log(one.number)
        if len(log["t"]) > 1 and sensor in log:
            low, high = reach_band(log[sensor])
            turns = reversals(log[sensor])
            row: Row = {"player": one.player, "option": one.option, "low": round(low, 2), "high": round(high, 2)}
            row |= {"width": round(high - low, 2), "turns": turns, "time": round(float(log["t"][-1]), 1)}
            rows.append(row)
    return rows


def answer_rows(game: Game, book: ScoreBook) -> list[Row]:
    """Answers of the questionnaire with their shares in %."""
    return [
        {"question": question, "answer": given, "count": count, "share": round(100.0 * count / sum(counts.values()))}
        for question, counts in book.answers(game.name).items()
        for given, count in counts.items()
    ]


TABLES: Mapping[str, Callable[[Game, ScoreBook], list[Row]]] = {
    "leaderboard": leaderboard_rows,
    "choices": choice_rows,
    "by-option": option_rows,
    "reach": reach_rows,
    "answers": answer_rows,
    SIMULATED_KEY: simulated_rows,
}


class ScoreTables(KeyValueStore):
    """Tables and charts of a game as a store for the pages of a machine; they are computed, so nothing can be put."""

    def __init__(self, game: Game, book: ScoreBook, places: Sequence[str] = ()):
        self.game, self.book = game, book
        self._records = PlayRecords(game, book, places)
        self._charts = {key: make for key, (_, make) in charts_of(game, {}, places).items()}
        self._seen: object = None
        self._ended: object = None

    @property
    def version(self) -> object:
        """Changes when an attempt ends, an answer comes or a player is deleted; not with each second of a log."""
        if (now := self.book.version) != self._seen:
            before = self._ended
            self._seen, self._ended = now, [self.book.ended(name) for name in self._games()]
            if self._ended != before:
                self._records.forget()
        return self._ended

    def _games(self) -> tuple[str, str]:
        return self.game.name, simulated_game(self.game.name)

    def get(self, key: str, default: Any = None) -> Any:
        if key in self._charts:
            return self._charts[key](self._records)
        return TABLES[key](self.game, self.book) if key in TABLES else default

    def put(self, key: str, value: Any) -> None:
        raise self.book.refuse("scores are computed", "play")

    def update(self, key: str, change: Callable[[Any], Any], default: Any = None) -> None:
        self.put(key, None)

    def delete(self, key: str) -> None:
        self.put(key, None)

    def keys(self) -> list[str]:
        return sorted({*TABLES, *self._charts})


def game_pages(
    game: Game, labels: Mapping[str, str], play: str = "Play", panels: Sequence[Any] = ("view", "controls"),
    places: Sequence[str] = (),
) -> list[MachinePage]:  # fmt: skip
    """Pages "Leaderboard" and "Statistics" with the forms of a game. labels: of its measures.

    places: channels of the log with x and y of the tool, for a heat map.
    """
    measures = {name: labels.get(name, name) for name in game.measures}
    several = len(game.options) > 1
    enter = [FormField("player", "Nickname", most=24)]
    if several:
        enter.append(FormField("option", "Option", "choice", choices=game.options))
    ask = [FormField("player", "Nickname", most=24)] + [
        FormField(name, labels.get(name, name), "choice", choices=answers) for name, answers in game.questions.items()
    ]
    forms = [Form("attempt", "New attempt", enter, play)] + (
        [Form("answer", "Questions", ask, "Send")] if game.questions else []
    )
    first = {"player": "Player", "score": "Score (%)", "attempts": "Attempts"} | measures
    picked = {"option": "Option", "count": "Plays", "share": "Share (%)", "interval": "95 % interval"}
    results = {"option": "Option", "score": "Score (%)", "count": "Plays"} | measures
    given = {"question": "Question", "answer": "Answer", "count": "Players", "share": "Share (%)"}
    boards = [
        Board("choices", "Choices", picked, "count"),
        Board("by-option", "Results by option", results, "score"),
        Board("answers", "Answers", given, "count"),
    ]
    if "reach" in game.scenario.sensors:
        columns = {"player": "Player", "option": "Option", "low": "From (m)", "high": "To (m)", "width": "Width (m)",
                   "turns": "Turns", "time": "Time (s)"}  # fmt: skip
        boards.append(Board("reach", "Reach", columns, "time", ascending=True))
    simulated = {"player": "Driver", "score": "Score (%)", "attempts": "Attempts"} | measures
    boards.append(Board(SIMULATED_KEY, "Simulated users", simulated, "score"))
    charts = [chart for chart, _ in charts_of(game, labels, places).values()]
    return [
        MachinePage("Leaderboard", panels, boards=[Board("leaderboard", "Leaderboard", first, "score")], forms=forms),
        MachinePage("Statistics", [], boards=boards if several else boards[1:], charts=charts),
    ]
