"""Messages of the editor are as editor/contract.py declares them; editor/contract.ts is generated from them."""

import json
import runpy
from pathlib import Path

import pytest
from test_document import FOUR_BAR

from message_faults import faults
from symbody.cli.analyses import forms
from symbody.editor.analyst import Analyst
from symbody.editor.application import EditorApplication
from symbody.editor.contract import EditorNews
from symbody.editor.desk import Desk
from symbody.editor.document import ModelDocument
from symbody.editor.job import job_result
from symbody.editor.properties import PROPERTIES, documentation
from symbody.files.yaml_file import model_of_text
from waiting import eventually

FRONTEND = Path(__file__).parents[2] / "frontend"


def test_the_typescript_is_that_of_the_declarations():
    made = runpy.run_path(str(FRONTEND / "contract.py"))["editor_typescript"]()
    path = FRONTEND / "src" / "editor" / "contract.ts"
    assert path.read_text(encoding="utf-8") == made, "run `python frontend/build.py`"


@pytest.fixture
def desk(monkeypatch, tmp_path):
    monkeypatch.setenv("SYMBODY_DRAFTS", str(tmp_path / "drafts"))
    made = Desk(ModelDocument(FOUR_BAR + '# editor: {"at": {"crank": [1, 2]}}\n'), lambda news: None)
    yield made
    made.close()


def test_real_messages_are_as_declared(desk, tmp_path):
    news: list[dict] = []
    analyst = Analyst(news.append)
    analyst.look_at(1, model_of_text(FOUR_BAR))
    eventually(lambda: any("operations" in one for one in news))
    analyst.close()
    news += [desk.state(), desk.tried(("links", "spring", "law"), "k*length"), desk.script()]
    news.append(EditorApplication(desk.document)._welcome())
    news.append({"analyses": forms(), "files": ["a.csv"]})
    model = model_of_text(FOUR_BAR)
    news.append({"job": {"kind": "x", "state": "done", "result": job_result(model, {"kind": "assemble"}, tmp_path)}})
    for one in news:
        assert faults(json.loads(json.dumps(one)), EditorNews) == []


def test_a_wrong_message_would_be_found():
    assert faults({"said": 3}, EditorNews)
    assert faults({"said": "x", "unknown": 1}, EditorNews)


def test_every_element_of_the_panel_is_documented():
    found = documentation()
    assert set(PROPERTIES) <= set(found)
    assert all(text.strip() and "Parameters" not in text and "`" not in text for text in found.values())
    assert without_german(text.split("\n\n")[0] for text in found.values()) == []


def test_every_option_of_an_analysis_is_explained_in_german():
    assert without_german(one["about"] for form in forms() for one in (form, *form["options"]) if one["about"]) == []


def without_german(texts):
    """Texts from Python that the catalogue of languages does not have in German."""
    catalogue = json.loads((FRONTEND / "src" / "language" / "catalogue.json").read_text(encoding="utf-8"))
    return [text for text in texts if "de" not in catalogue["machines"].get(text, {})]
