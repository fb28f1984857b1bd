"""Scenarios and games for any machine: virtual sensors, tasks, breakdowns, players, scores, as files and an engine."""

from symbody.scenario.attempt import Attempt, AttemptState, attempted
from symbody.scenario.game import Game, Measure, read_game
from symbody.scenario.game_referee import GameReferee
from symbody.scenario.referee import ScenarioReferee
from symbody.scenario.scenario import Breakdown, DriverTask, Instrument, Scenario, VirtualSensor
from symbody.scenario.scenario_file import read_scenario, scenario_of
from symbody.scenario.score_book import ScoreBook
from symbody.scenario.standings import PlayedAttempt, Standing, leaderboard
from symbody.scenario.study import compared_attempts, drivers_plot, sensor_history

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
    "compared_attempts",
    "drivers_plot",
    "leaderboard",
    "read_game",
    "read_scenario",
    "scenario_of",
    "sensor_history",
]  # fmt: skip
