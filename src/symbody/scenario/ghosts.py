"""Ghosts: where the tools of the best earlier attempts were at the same time, as balls in the view."""

from __future__ import annotations

import numpy as np

from symbody.scenario.game import Game
from symbody.scenario.game_referee import GameReferee
from symbody.scenario.score_book import ScoreBook
from symbody.scenario.standings import attempt_scores, scored

Array = np.ndarray
AXES = tuple(f"bucket.position.{axis}" for axis in "xyz")
AWAY = (0.0, 0.0, -100.0)  # m: out of sight


class Ghosts:
    """The best finished attempts of a game; `call` reads their logs, `points` is where they are now (m).

    places: channels of the log with x, y and z of the tool.
    """

    def __init__(self, game: Game, book: ScoreBook, referee: GameReferee, most: int, places: tuple[str, ...] = AXES):
        self._game, self._book, self._referee, self._most, self._places = game, book, referee, most, places
        self._tracks: list[tuple[Array, Array]] = []
        self.call()

    def call(self) -> None:
        """Read the logs of the best attempts."""
        counted = scored(self._book.attempts(self._game.name), self._game.measures)
        scores = attempt_scores(counted, self._game.measures)
        best = sorted(range(len(counted)), key=lambda k: -scores[k])[: self._most]
        logs = [self._book.log(counted[k].number) for k in best]
        self._tracks = [
            (log["t"] - log["t"][0], np.column_stack([log[name] for name in self._places]))
            for log in logs
            if len(log["t"]) > 1 and all(name in log for name in self._places)
        ]

    def points(self) -> Array:
        """Their positions (n, 3) at the time of the present attempt; a ghost that has finished is out of sight."""
        now = self._referee.attempt.time
        found = [AWAY] * self._most
        for k, (t, xyz) in enumerate(self._tracks):
            if 0.0 < now <= t[-1]:
                found[k] = tuple(float(np.interp(now, t, column)) for column in xyz.T)  # type: ignore[assignment]
        return np.array(found)
