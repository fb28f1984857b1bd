"""Machines as games: a machine with a file `game.yaml` in its folder has a leaderboard."""

from __future__ import annotations

from pathlib import Path

from symbody.errors import ModelError
from symbody.machines.register import HERE
from symbody.scenario.game import Game, read_game
from symbody.suggestions import did_you_mean
from symbody.web.store import data_folder

FILE = "game.yaml"


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
