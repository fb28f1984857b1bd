"""Simulated users: scripted drivers of different skill who play the game with chosen options."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from symbody.machines.excavator.driver import SKILLS, ExcavatorDriver
from symbody.machines.excavator.site import TICK, Site, site
from symbody.machines.games import game_of
from symbody.scenario.game import Game
from symbody.scenario.scripted_play import ScriptedPlay, play, play_again
from symbody.scenario.standings import PlayedAttempt

LONGEST = 240.0  # s


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


def user_play(skill: str, option: str, seed: int = 0, number: int = 0, longest: float = LONGEST) -> UserPlay:
    """One attempt of a driver with an option; the seed decides where the driver digs and how it wavers."""
    place = shared_site()
    place.choose(option)
    made = play(place.chain, TICK, game(), ExcavatorDriver(SKILLS[skill], seed), longest)
    results = game().results(made.attempt)
    return UserPlay(PlayedAttempt(number, skill, option, made.attempt.state.value, results), made)


def user_play_again(one: UserPlay) -> UserPlay:
    """The attempt again, from its logged inputs."""
    place = shared_site()
    place.choose(one.played.option)
    made = play_again(place.chain, TICK, game(), one.play)
    state, results = made.attempt.state.value, game().results(made.attempt)
    return UserPlay(PlayedAttempt(one.played.number, one.played.player, one.played.option, state, results), made)
