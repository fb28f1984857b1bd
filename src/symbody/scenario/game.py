"""Rules of a game as plain data: attempts, options, the measures of a score with their weights, and what is logged.

They are the part `game` of a scenario file. A measure is a formula over the sensors at the end of an attempt:

    game:
      name: excavator
      attempts: 3
      options: [L/S, L/M, L/L]
      measures:
        time: {formula: time, unit: s}
        fuel: {formula: fuel, unit: l, weight: 2}
      inputs: [boom_command, slew_command]
      questions: {difficulty: [challenging, easy]}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from symbody.errors import ModelError
from symbody.files.safe_file import FilePath, naming
from symbody.files.safe_yaml import YamlNode, read_nodes
from symbody.files.yaml_values import entries_of, list_of, named_entries, plain_number, text_of, yaml_error
from symbody.scenario.attempt import Attempt
from symbody.scenario.condition import check_formula, value_of
from symbody.scenario.scenario import CLOCKS, Scenario
from symbody.scenario.scenario_file import TOP, read_scenario

_GAME = ("name", "attempts", "options", "measures", "inputs", "log", "questions")
_MEASURE = ("formula", "unit", "weight", "digits", "better")
BETTER = ("less", "more")


@dataclass(frozen=True)
class Measure:
    """A number of the score.

    Parameters
    ----------
    name : str
        Unique in the game.
    formula : str
        Over the sensors at the end of an attempt.
    unit : str, optional
        Of the result.
    weight : float
        Share in the score. Default 1.
    digits : int
        Decimals that are shown. Default 1.
    better : str
        "less" or "more". Default "less".
    """

    name: str
    formula: str
    unit: str = ""
    weight: float = 1.0
    digits: int = 1
    better: str = "less"

    def __post_init__(self) -> None:
        if not (isfinite(self.weight) and self.weight >= 0.0):
            raise ModelError(f"a weight of {self.weight}", element=self.name, cure="give zero or a positive number")
        if self.better not in BETTER:
            raise ModelError(f"better: {self.better}", element=self.name, cure="give less or more")


@dataclass(frozen=True)
class Game:
    """A scenario with attempts that are scored.

    Parameters
    ----------
    name : str
        Of the game.
    scenario : Scenario
        Its tasks.
    measures : mapping of str to Measure
        Of the score, by name.
    attempts : int
        Scored attempts of a player. Default 3.
    options : sequence of str
        Variants of the machine, which a session assigns. Default ("",).
    inputs, log : sequence of str, optional
        Channels and sensors that are logged besides the channels of the scenario.
    questions : mapping of str to sequence of str, optional
        Answers by question, for a questionnaire.
    """

    name: str
    scenario: Scenario
    measures: Mapping[str, Measure]
    attempts: int = 3
    options: Sequence[str] = ("",)
    inputs: Sequence[str] = ()
    log: Sequence[str] = ()
    questions: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.attempts < 1 or not self.options or not self.measures:
            cure = "give at least one attempt, one option and one measure"
            raise ModelError("a game without attempts, options or measures", element=self.name, cure=cure)
        if not sum(one.weight for one in self.measures.values()) > 0.0:
            raise ModelError("all weights are zero", element=self.name, cure="give a measure a weight")
        for measure in self.measures.values():
            check_formula(measure.formula, (*self.scenario.sensors, *CLOCKS), f"measures.{measure.name}")
        for sensor in self.log:
            if sensor not in self.scenario.sensors:
                raise ModelError(f"unknown sensor '{sensor}'", element="log", cure="log a sensor of the scenario")

    @property
    def channels(self) -> list[str]:
        """Channels of the machine that a log holds: those of the scenario, then the inputs."""
        return list(dict.fromkeys([*self.scenario.channels, *self.inputs]))

    def results(self, attempt: Attempt) -> dict[str, float]:
        """The measures of an attempt as it is now."""
        return {name: value_of(one.formula, attempt.values) for name, one in self.measures.items()}


def read_game(path: FilePath) -> Game:
    """Read a scenario file with a part `game`.

    Parameters
    ----------
    path : path of a .yaml file

    Returns
    -------
    Game

    Raises
    ------
    ModelError
        With file, line and cure.
    """
    scenario = read_scenario(path)
    with naming(path):
        root = read_nodes(path)
        node = entries_of(root, "", TOP).get("game")
        if node is None:
            raise yaml_error("a scenario without a game", root, "game", "add `game` with its measures")
        return _game(node, scenario)


def _game(node: YamlNode, scenario: Scenario) -> Game:
    top = entries_of(node, "game", _GAME, required=("name", "measures"))

    def texts(key: str) -> list[str]:
        found = top.get(key)
        return [] if found is None else [text_of(one, f"game.{key}") for one in list_of(found, f"game.{key}")]

    def answers(name: str, child: YamlNode, path: str) -> list[str]:
        return [text_of(one, path) for one in list_of(child, path)]

    return Game(
        text_of(top["name"], "game.name"),
        scenario,
        named_entries(top["measures"], "game.measures", _measure),
        int(plain_number(top["attempts"], "game.attempts")) if "attempts" in top else 3,
        texts("options") or ("",),
        texts("inputs"),
        texts("log"),
        named_entries(top.get("questions"), "game.questions", answers),
    )


def _measure(name: str, node: YamlNode, path: str) -> Measure:
    entries = entries_of(node, path, _MEASURE, required=("formula",))
    more: dict[str, Any] = {key: text_of(entries[key], f"{path}.{key}") for key in ("unit", "better") if key in entries}
    if "weight" in entries:
        more["weight"] = plain_number(entries["weight"], f"{path}.weight")
    if "digits" in entries:
        more["digits"] = int(plain_number(entries["digits"], f"{path}.digits"))
    return Measure(name, _text(entries["formula"], path), **more)


def _text(node: YamlNode, path: str) -> str:
    return str(node.value) if isinstance(node.value, (int, float)) else text_of(node, path)
