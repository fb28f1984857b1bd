"""The referee of a game: it runs a player's attempt, logs what it sees at 50 Hz, and lets the book keep the result.

The server computes times and scores from the records of the loop. A page sends a nickname, an option, and the movements
of its controls.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np

from symbody.links.rejected import Rejected
from symbody.scenario.attempt import PERIOD, Attempt, AttemptState
from symbody.scenario.game import Game
from symbody.scenario.input_log import Drive, InputLog
from symbody.scenario.referee import ScenarioReferee
from symbody.scenario.score_book import GIVEN_UP, ScoreBook, ScoreBookError
from symbody.studio.machine import LoopStart

Array = np.ndarray
CHUNK = 50  # rows that are written at once: a second


class GameReferee(ScenarioReferee):
    """Attempts of players, one at a time on a machine; without a player nothing is judged.

    Parameters
    ----------
    game : Game
        With its measures.
    book : ScoreBook
        Where sessions and scores are kept.
    period : float
        Time between two looks at the channels (s). Default 0.02.
    tick : float, optional
        Step of the loop (s); with it, inputs are logged at the steps at which they take effect.
    prepare : function, optional
        Prepares the machine for an option.
    """

    def __init__(
        self, game: Game, book: ScoreBook, period: float = PERIOD, tick: float | None = None,
        prepare: Callable[[str], object] | None = None,
    ):  # fmt: skip
        self.prepare = prepare
        self.game, self.book, self._lock = game, book, threading.RLock()
        self.player, self.number, self.last = "", 0, ""
        self._rows: list[list[float]] = []
        self._written, self._begun, self._stopped = 0, False, False
        self._tick, self._start, self._tier = tick, LoopStart((), {}, str), ""
        self._inputs, self._inputs_written = InputLog(), 0
        super().__init__(game.scenario, period)
        self.channels = game.channels

    def enter(self, player: str, option: str) -> int:
        """A player begins an attempt, which counts from the next start of the machine; returns its number."""
        if option not in self.game.options:
            raise Rejected("unknown option", f"use {', '.join(self.game.options)}")
        with self._lock:
            if self.player:
                raise self.book.refuse("already playing", f"{self.player} is playing")
            self.number = self.book.begin(self.game.name, player, option, self.channels, self.game.attempts)
            self.player = player.strip()
            self._rows, self._written, self._begun = [], 0, False
            return self.number

    def begin_again(self, start: LoopStart | None = None) -> None:
        """The machine starts again: a player who has entered begins, one who plays gives up."""
        with self._lock:
            if self.player and self._begun:
                self._end(GIVEN_UP)
            super().begin_again()
            self._begun, self._stopped = bool(self.player), False
            self._inputs, self._inputs_written = InputLog(), 0
            self._start = start or LoopStart((), {}, str)
            self._tier = self._start.tier()

    def see_inputs(self, steps: Array, inputs: Array) -> None:
        """Inputs of new steps, in columns: logged while somebody plays."""
        with self._lock:
            if self._begun and self._tick is not None:
                self._inputs.take(steps, inputs)

    def locks(self) -> bool:
        """While somebody plays, with one set of parameters for the whole attempt."""
        return self._begun

    def see(self, t: Array, values: Array) -> None:
        """Records: times (s), and the channels in columns. The first in each period counts, while somebody plays."""
        with self._lock:
            if not self._begun:
                return
            super().see(t, values)
            with suppress(ScoreBookError):  # the next second tries again
                self._flush(CHUNK)
            if self.attempt.state is not AttemptState.RUNNING:
                self._end(self.attempt.state.value)

    def sample(self, t: float, channels: dict[str, float]) -> None:
        """One sample of all channels at t (s)."""
        if self.attempt.state is AttemptState.RUNNING:
            self._rows.append([t, *(channels[name] for name in self.channels)])
        super().sample(t, channels)

    def stops(self) -> bool:
        """Whether a breakdown has ended the attempt of a player."""
        return self._stopped

    def _flush(self, least: int) -> None:
        if len(self._rows) >= least:
            self.book.write_log(self.number, self._written, np.array(self._rows))
            self._written, self._rows = self._written + len(self._rows), []
            changes = self._inputs.taken_rows()
            if len(changes):
                self.book.write_inputs(self.number, self._inputs_written, changes)
                self._inputs_written += len(changes)

    def _end(self, state: str) -> None:
        """Keep the result; on a full disk without the rest of its log."""
        with suppress(ScoreBookError):
            self._flush(1)
            if self._tick is not None and self._inputs.first >= 0:
                exact = self._inputs.complete and self._start.tier() == self._tier
                start = self._start.inputs, self._inputs.first, self._tick, self._start.parameters
                self.book.keep_drive(self.number, Drive(*start, self._tier, exact))
        self.book.finish(self.number, state, self.game.results(self.attempt))
        self.last = f"{self.player}: {state}, {self.attempt.time:.1f} s"
        self.player, self.number, self._begun = "", 0, False
        self._stopped = state == AttemptState.BROKEN.value

    def lines(self) -> Sequence[str]:
        """Who plays and the task; otherwise how the last attempt ended."""
        if not self._begun:
            return [self.last] if self.last else []
        return [f"Player: {self.player}", *super().lines()]


def replayed(game: Game, log: dict[str, Array]) -> Attempt:
    """The attempt that a log is: the same samples give the same result, bit for bit."""
    attempt = Attempt(game.scenario)
    for k, t in enumerate(log["t"]):
        attempt.see(float(t), {name: float(log[name][k]) for name in game.scenario.channels})
    return attempt
