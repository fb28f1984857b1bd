"""Simulated users: scripted drivers of different skill who play the game with chosen options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from symbody.machines.excavator.driver import SKILLS, ExcavatorDriver
from symbody.machines.excavator.site import TICK, Site, site
from symbody.machines.games import game_of
from symbody.scenario.game import Game
from symbody.scenario.scripted_play import ScriptedPlay, play
from symbody.scenario.standings import PlayedAttempt

LONGEST = 240.0  # s
CHOICES = ("L/S", "L/M", "L/L")


@dataclass(frozen=True)
class UserPlay:
    """An attempt of a simulated user, as the book would have it, and its motion."""

    played: PlayedAttempt
    play: ScriptedPlay


@cache
def shared_site() -> Site:
    """One compiled excavator for all plays."""
    return site()


@cache
def game() -> Game:
    """The rules."""
    return game_of("excavator")


def user_play(
    skill: str, option: str, seed: int = 0, number: int = 0, longest: float = LONGEST, rules: Game | None = None
) -> UserPlay:
    """One attempt of a driver with an option; the seed decides where the driver digs and how it wavers."""
    place, of = shared_site(), rules or game()
    place.choose(option)
    made = play(place.chain, TICK, of, ExcavatorDriver(SKILLS[skill], seed), longest)
    results = of.results(made.attempt)
    return UserPlay(PlayedAttempt(number, skill, option, made.attempt.state.value, results), made)


def simulated_users(seeds: Sequence[int], options: Sequence[str] = CHOICES) -> Iterator[tuple[str, str, ScriptedPlay]]:
    """Attempts of all skills with all options: skill, option and play."""
    for skill, option, seed in product(SKILLS, options, seeds):
        yield skill, option, user_play(skill, option, seed).play
