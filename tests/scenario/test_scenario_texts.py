"""Lines of the built-in scenarios over the view are in the catalogue of languages."""

import json
import re
from pathlib import Path

import pytest

from symbody.machines.games import game_of
from symbody.scenario import ScenarioReferee, scenario_of

CATALOGUE = json.loads(
    (Path(__file__).parents[2] / "frontend" / "src" / "language" / "catalogue.json").read_text(encoding="utf-8")
)["machines"]
PLACE = re.compile(r"\{(\w+)\}")
SCENARIOS = {
    "tractor": lambda: scenario_of("symbody.machines.tractor"),
    **{name: lambda name=name: game_of(name).scenario for name in ("car", "ride", "excavator")},
}


def german(text):
    """The translation as a page makes it: the text itself, or its form with translated values."""
    if text in CATALOGUE:
        return CATALOGUE[text]["de"]
    for form, words in ((form, words["de"]) for form, words in CATALOGUE.items() if PLACE.search(form)):
        pattern = "(.+?)".join(re.escape(part) for part in re.split(r"\{\w+\}", form))
        found = re.fullmatch(pattern, text)
        if found:
            values = dict(zip(PLACE.findall(form), map(german, found.groups()), strict=True))
            return PLACE.sub(lambda place, values=values: values[place[1]], words)
    return text


@pytest.mark.parametrize("name", SCENARIOS)
def test_tasks_and_ends_of_attempts_are_translated(name):
    scenario = SCENARIOS[name]()
    referee = ScenarioReferee(scenario)
    first, *_ = referee.lines()
    assert german(first).startswith(f"Aufgabe 1 von {len(scenario.tasks)}: ")
    for task in scenario.tasks:
        assert german(task.say) != task.say
        assert f"Aufgabe 1 von 2: {german(task.say)}" == german(f"Task 1 of 2: {task.say}")
    for end in [*(one.say for one in scenario.breakdowns), "Done."]:
        assert german(f"{end} 12.5 s") != f"{end} 12.5 s"


def test_a_clock_and_a_set_point_are_translated():
    assert german("Task 2 of 5: Drive forwards into the heap, 12 s left") == (
        "Aufgabe 2 von 5: Fahren Sie vorwärts in den Haufen, noch 12 s"
    )
    assert german("way 120 m, set point 300 m") == "way 120 m, Sollwert 300 m"
    assert german("a text that nobody has translated") == "a text that nobody has translated"
    assert all(set(PLACE.findall(k)) == set(PLACE.findall(v["de"])) for k, v in CATALOGUE.items())
