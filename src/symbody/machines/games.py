"""Machines as games: a machine with a file `game.yaml` in its folder has players, scores and a leaderboard."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import make_dataclass, replace
from pathlib import Path
from typing import Any

from symbody.errors import ModelError
from symbody.links.rejected import Rejected
from symbody.machines.register import HERE
from symbody.scenario.game import Game, read_game
from symbody.scenario.game_referee import GameReferee
from symbody.scenario.ghosts import Ghosts
from symbody.scenario.score_book import LONGEST, ScoreBook
from symbody.scenario.score_tables import ScoreTables, game_pages
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
    referee = GameReferee(game, book)
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
        machine, referee=referee, pages=[*pages, *game_pages(game, labels)], verbs={**machine.verbs, **verbs},
        store=ScoreTables(game, book), particles=[*machine.particles, *seen],
    )  # fmt: skip


def _message(name: str, fields: Sequence[str]) -> type:
    """The dataclass of a form's message: short texts."""
    return make_dataclass(name, [(one, str, checked(text(1, LONGEST))) for one in fields], frozen=True)
