"""Machines as games: a machine with a file `game.yaml` in its folder has players, scores and a leaderboard.

A file `players.py` beside it, with a function `simulated_users`, has scripted drivers that play the game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import make_dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from symbody.errors import ModelError
from symbody.links.rejected import Rejected
from symbody.machines.register import HERE, entry
from symbody.scenario.attempt import Attempt
from symbody.scenario.game import Game, read_game
from symbody.scenario.game_referee import GameReferee
from symbody.scenario.ghosts import Ghosts
from symbody.scenario.score_book import LONGEST, ScoreBook
from symbody.scenario.score_charts import simulated_game
from symbody.scenario.score_tables import ScoreTables, game_pages
from symbody.scenario.scripted_play import ScriptedPlay, keep_play
from symbody.scenario.simulated_again import simulated_again
from symbody.stepping.step_options import FixedStep
from symbody.studio.machine import Machine, Particles
from symbody.studio.machine_pages import MachinePage, MachineVerb
from symbody.suggestions import did_you_mean
from symbody.visual.scene import Cloud
from symbody.web.checks import text
from symbody.web.store import KeyValueStore, data_folder
from symbody.web.verbs import checked

FILE = "game.yaml"
GHOSTS, GHOST = 3, (0.35, "#5fb0e6")  # how many; radius (m) and colour
Choose = Callable[[str], Mapping[str, float]]  # prepares a machine for an option → parameters that it gets


def games() -> list[str]:
    """Names of the machines with a game."""
    return sorted(path.parent.name.replace("_", "-") for path in HERE.glob(f"*/{FILE}"))


def game_of(machine: str) -> Game:
    """The game of a machine."""
    if machine not in games():
        raise ModelError("no game", element=machine, cure=did_you_mean(machine, games(), "games"))
    return read_game(HERE / machine.replace("-", "_") / FILE)


def score_file() -> Path:
    """The file that keeps players and scores of all games."""
    return data_folder() / "scores.sqlite"


def with_game(
    machine: Machine, name: str, labels: Mapping[str, str], pages: Sequence[MachinePage], choose: Choose | None = None,
    ghosts: tuple[str, ...] = (),
) -> Machine:  # fmt: skip
    """A machine as the game of its file.

    labels: of measures and questions. pages: before those of the game. ghosts: channels of the place of a tool, x, y
    and z, at which earlier attempts are shown.
    """
    game, book = game_of(name), ScoreBook(score_file())
    referee = GameReferee(game, book, tick=1.0 / machine.rate if machine.substeps == 1 else None, prepare=choose)
    earlier = Ghosts(game, book, referee, GHOSTS, ghosts) if ghosts else None
    seen = [Particles(Cloud(0, GHOSTS, *GHOST), earlier.points)] if earlier else []

    def attempt(message: Any, channels: Mapping[str, float], store: KeyValueStore) -> Mapping[str, float]:
        option = getattr(message, "option", game.options[0])
        referee.enter(message.player, option)
        if earlier:
            earlier.call()
        return choose(option) if choose else {}

    def answer(message: Any, channels: Mapping[str, float], store: KeyValueStore) -> None:
        given = {question: getattr(message, question) for question in game.questions}
        for question, one in given.items():
            if one not in game.questions[question]:
                raise Rejected("unknown answer", f"use {', '.join(game.questions[question])}")
        book.answer(game.name, message.player, given)

    entered = ["player", *(["option"] if len(game.options) > 1 else [])]
    verbs = {"attempt": MachineVerb(_message("EnterAttempt", entered), attempt, rate=0.5, resets=True)}
    if game.questions:
        verbs["answer"] = MachineVerb(_message("GiveAnswers", ["player", *game.questions]), answer, rate=0.5)
    return replace(
        machine, referee=referee, pages=[*pages, *game_pages(game, labels, places=ghosts[:2])],
        verbs={**machine.verbs, **verbs}, store=ScoreTables(game, book, ghosts[:2]),
        particles=[*machine.particles, *seen],
    )  # fmt: skip


def attempt_again(name: str, book: ScoreBook, number: int) -> Attempt:
    """An attempt of a person at the game of a machine, simulated again from its logged inputs.

    Raises ModelError if its inputs were not logged, or not all of them.
    """
    drive, kept = book.drive(number), {one.number: one for one in book.attempts(game_of(name).name)}
    if number not in kept or drive is None:
        raise ModelError("no logged inputs", element=f"attempt {number}", cure="see --attempts for other numbers")
    if not drive.exact:
        problem = "some inputs are missing, or the optimised code replaced the quick one meanwhile"
        raise ModelError(problem, element=f"attempt {number}", cure="play again")
    machine = entry(name).page()
    referee = machine.referee
    assert isinstance(referee, GameReferee)
    steps = FixedStep(machine.method, machine.newton)

    def prepare() -> None:
        if referee.prepare is not None:
            referee.prepare(kept[number].option)

    return simulated_again(machine.source or machine.system, referee.game, drive, steps, prepare)


def keep_simulated_users(name: str, book: ScoreBook, seeds: Sequence[int] = (0,)) -> Iterator[tuple[str, str]]:
    """Let the simulated users of a machine play, and keep their attempts in place of earlier ones.

    Yields player and option of each attempt when it has ended.
    """
    game, folder = game_of(name), name.replace("-", "_")
    if not (HERE / folder / "players.py").is_file():
        raise ModelError("no simulated users", element=name, cure="play yourself, or use the excavator")
    users = import_module(f"symbody.machines.{folder}.players").simulated_users
    shown = replace(game, name=simulated_game(game.name))
    book.delete_attempts(shown.name)
    plays: Iterator[tuple[str, str, ScriptedPlay]] = users(seeds)
    for player, option, play in plays:
        keep_play(book, shown, play, player, option, 100_000)
        yield player, option


def _message(name: str, fields: Sequence[str]) -> type:
    """The dataclass of a form's message: short texts."""
    return make_dataclass(name, [(one, str, checked(text(1, LONGEST))) for one in fields], frozen=True)
