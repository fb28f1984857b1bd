"""Scenarios and games for any machine: virtual sensors, tasks, breakdowns, players, scores, as files and an engine."""

from symbody.scenario.attempt import Attempt, AttemptState, attempted
from symbody.scenario.game import Game, Measure, read_game
from symbody.scenario.game_referee import GameReferee
from symbody.scenario.referee import ScenarioReferee
from symbody.scenario.scenario import Breakdown, DriverTask, Instrument, Scenario, VirtualSensor
from symbody.scenario.scenario_file import read_scenario
from symbody.scenario.score_book import ScoreBook
from symbody.scenario.standings import PlayedAttempt, Standing, leaderboard

__all__ = [
    "Attempt",
    "AttemptState",
    "Breakdown",
    "DriverTask",
    "Game",
    "GameReferee",
    "Instrument",
    "Measure",
    "PlayedAttempt",
    "Scenario",
    "ScenarioReferee",
    "ScoreBook",
    "Standing",
    "VirtualSensor",
    "attempted",
    "leaderboard",
    "read_game",
    "read_scenario",
]  # fmt: skip
