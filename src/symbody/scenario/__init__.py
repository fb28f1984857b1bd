"""Scenarios and games for any machine: virtual sensors, tasks, breakdowns, players, scores, as files and an engine.

Examples
--------
A task, a breakdown and a recorded run:

>>> import numpy as np
>>> import symbody as sb
>>> from symbody.scenario import Attempt, AttemptState, Breakdown, DriverTask, Instrument, Scenario, VirtualSensor
>>> from symbody.scenario import attempted, compared_attempts, drivers_plot, sensor_history
>>> speed = VirtualSensor("speed", "3.6 * v", {"v": "car.speed"}, "km/h", 0)
>>> task = DriverTask("Accelerate", "Drive faster than 60 km/h", ["speed > 60"], within=20.0)
>>> broken = Breakdown("Too fast", ["speed > 200"], "Slow down")
>>> sixty = Scenario("To sixty", {"speed": speed}, [task], [broken], [Instrument("speed", "round", high=120.0)])
>>> t = np.arange(0.0, 12.0, 0.01)
>>> run = sb.Run(None, t, 2.0 * t[:, None], names=["car.speed"])
>>> ended: Attempt = attempted(sixty, run)
>>> ended.state is AttemptState.DONE, round(ended.finished["Accelerate"], 1)
(True, 8.3)
>>> [one["driver"] for one in compared_attempts(sixty, {"A": run})]
['A']
>>> times, values = sensor_history(sixty, run, ["speed"])
>>> plot = drivers_plot(sixty, {"A": run}, ["speed"])

A game keeps scores; a referee judges a running machine:

>>> import tempfile
>>> from pathlib import Path
>>> from symbody.scenario import Game, GameReferee, Measure, PlayedAttempt, ScenarioReferee, ScoreBook, Standing
>>> from symbody.scenario import leaderboard
>>> time = {"time": Measure("time", "time", "s")}
>>> played = [PlayedAttempt(1, "Ada", "", "done", {"time": 8.4}), PlayedAttempt(2, "Bo", "", "done", {"time": 9.0})]
>>> best: Standing = leaderboard(played, time)[0]
>>> best.player
'Ada'
>>> referee = ScenarioReferee(sixty)
>>> book = ScoreBook(Path(tempfile.mkdtemp()) / "scores.sqlite")
>>> judge = GameReferee(Game("sixty", sixty, time), book)
>>> book.close()

Scenarios and games are usually files, as that of the tractor:

>>> from importlib.resources import files
>>> from symbody.scenario import read_game, read_scenario, scenario_of
>>> file = files("symbody.machines.tractor") / "scenario.yaml"
>>> read_scenario(file).title == scenario_of("symbody.machines.tractor").title
True
>>> try:
...     read_game(file)
... except sb.ModelError as error:
...     print("no game")
no game
"""

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
