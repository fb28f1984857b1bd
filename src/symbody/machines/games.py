"""Machines as games: a machine with a file `game.yaml` in its folder has players, scores and a leaderboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from symbody.errors import ModelError
from symbody.machines.register import HERE
from symbody.scenario.game import Game, read_game
from symbody.scenario.game_referee import GameReferee
from symbody.scenario.score_book import ScoreBook
from symbody.scenario.score_tables import ScoreTables, game_pages
from symbody.studio.machine import Machine
from symbody.studio.machine_pages import MachinePage, MachineVerb
from symbody.suggestions import did_you_mean
from symbody.web.checks import text
from symbody.web.store import KeyValueStore, data_folder
from symbody.web.verbs import checked

FILE = "game.yaml"
LONGEST = 24  # characters of a nickname


@dataclass(frozen=True)
class EnterPlayer:
    """Begin an attempt that counts."""

    player: str = checked(text(1, LONGEST))


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


def with_game(machine: Machine, name: str, labels: Mapping[str, str], pages: Sequence[MachinePage]) -> Machine:
    """A machine as the game of its file, without options. labels: of the measures. pages: before the leaderboard."""
    game, book = game_of(name), ScoreBook(score_file())
    referee = GameReferee(game, book)

    def play(message: EnterPlayer, channels: Mapping[str, float], store: KeyValueStore) -> None:
        referee.enter(message.player, game.options[0])

    return replace(
        machine,
        referee=referee,
        pages=[*pages, *game_pages(game, labels)],
        verbs={"attempt": MachineVerb(EnterPlayer, play, rate=0.5, resets=True)},
        store=ScoreTables(game, book),
    )
