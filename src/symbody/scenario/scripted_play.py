"""Attempts at a game without a clock: by scripted drivers, and again from logged inputs.

A driver sees the channels and gives inputs 50 times a second, as a page does; between, they are constant. So the inputs
of a log give the same motion and the same score, bit for bit, on one machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from symbody.errors import DivergenceError
from symbody.realtime.stepper import LoopSource
from symbody.realtime.unclocked import Unclocked
from symbody.scenario.attempt import PERIOD, Attempt, AttemptState
from symbody.scenario.game import Game
from symbody.scenario.score_book import GIVEN_UP, ScoreBook

Array = np.ndarray
Pilot = Callable[[float, Mapping[str, float]], Mapping[str, float]]
LONGEST = 600.0  # s


@dataclass(frozen=True)
class ScriptedPlay:
    """An attempt as it ended, and its log: times (s), the inputs from each time on, and the channels of the game."""

    attempt: Attempt
    t: Array
    inputs: Mapping[str, Array]
    log: Array  # (n, 1 + channels): times and `game.channels`

    def column(self, game: Game, channel: str) -> Array:
        """A channel of the log."""
        return np.asarray(self.log[:, 1 + game.channels.index(channel)])


def play(source: LoopSource, dt: float, game: Game, pilot: Pilot, longest: float = LONGEST) -> ScriptedPlay:
    """One attempt of a pilot, from the start of a source with steps of dt (s).

    Parameters
    ----------
    source : LoopSource
        A system or a chain, such as that of a page.
    dt : float
        s, a part of the period of 20 ms.
    game : Game
    pilot : function
        (s since the start, channels) → inputs; others keep their values.
    longest : float
        s after which the attempt ends as it is.

    Returns
    -------
    ScriptedPlay
    """
    steps = Unclocked(source, dt)
    often, u = round(PERIOD / dt), np.array(steps.model.u0, dtype=float)
    names, place = steps.model.inputs, {name: k for k, name in enumerate(steps.model.outputs)}
    columns = [place[name] for name in game.channels]
    attempt, times, given, rows = Attempt(game.scenario), [], [], []
    for k in range(round(longest / dt)):
        steps.give(u)
        if not steps.step():
            raise DivergenceError(f"{steps.model.name} stopped at t = {k * dt:g} s", time=k * dt)
        if k % often:
            continue
        t, row = k * dt, steps.row
        channels = {name: float(row[column]) for name, column in place.items()}
        attempt.see(t, channels)
        rows.append([t, *(float(row[column]) for column in columns)])
        if attempt.state is not AttemptState.RUNNING:
            break
        for name, value in pilot(t, channels).items():
            u[names.index(name)] = value
        times.append(t)
        given.append(u.copy())
    held = np.array(given).reshape(len(given), len(names))
    return ScriptedPlay(attempt, np.array(times), dict(zip(names, held.T, strict=True)), np.array(rows))


def play_again(source: LoopSource, dt: float, game: Game, first: ScriptedPlay) -> ScriptedPlay:
    """The attempt again, from its logged inputs."""
    rows = iter(zip(*first.inputs.values(), strict=True))
    longest = len(first.log) * PERIOD

    def logged(t: float, channels: Mapping[str, float]) -> Mapping[str, float]:
        return dict(zip(first.inputs, next(rows), strict=True))

    return play(source, dt, game, logged, longest)


def keep_play(book: ScoreBook, game: Game, one: ScriptedPlay, player: str, option: str, most: int) -> int:
    """Enter an attempt with its log into a book, as one of at most `most` of the player; returns its number.

    One that was still running when its time was over is kept as given up.
    """
    number = book.begin(game.name, player, option, game.channels, most)
    book.write_log(number, 0, one.log)
    ended = one.attempt.state is not AttemptState.RUNNING
    book.finish(number, one.attempt.state.value if ended else GIVEN_UP, game.results(one.attempt))
    return number
