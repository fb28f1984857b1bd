"""`symbody bench --editor`: the models that it opens, its command, and one short measurement in a browser."""

import json

import pytest

from symbody.cli import main
from symbody.model.check import problems
from symbody.studio.photograph import browser
from symbody_bench import editor_pages
from symbody_bench.editor_pages import MODELS, measured, tree


def test_the_models_can_be_opened():
    made = {name: make() for name, make in MODELS.items()}
    assert {name: len(model.bodies) for name, model in made.items()} == {"tree30": 30, "chain400": 400}
    assert not any(problems(model) for model in made.values())


def test_the_page_of_the_editor_is_measured_by_its_own_command(monkeypatch, capsys, tmp_path):
    asked = []

    def counted(output, names, seconds, *, progress):
        asked.append((output, names, seconds, progress))
        return {"rows": [{"model": "tree30"}]}

    monkeypatch.setattr(editor_pages, "editor_bench", counted)
    command = ["bench", "--editor", "-o", str(tmp_path)]
    assert main([*command, "--json", "--only", "tree30", "--duration", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == [{"model": "tree30"}]
    assert asked == [(tmp_path, ["tree30"], 2.0, False)]
    assert main([*command, "--only", "unicycle"]) == main([*command, "--duration", "-1"]) == 2
    assert "unknown model" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.clock
def test_a_page_is_opened_and_each_gesture_draws_pictures(monkeypatch, tmp_path):
    monkeypatch.setenv("SYMBODY_DRAFTS", str(tmp_path))
    with browser() as chrome:
        row = measured(chrome, tree(8), 0.3)
    assert row["bodies"] == 8
    assert all(row[f"{gesture} pictures/s"] > 0.0 for gesture in ("drag", "pan", "zoom"))
    assert 0.0 < row["diagram CPU s"] <= row["3-D CPU s"]
