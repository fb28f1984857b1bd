"""The thread that looks at the newest model: figures, view and operations, in this order."""

from test_document import FOUR_BAR

from symbody.editor.analyst import Analyst
from symbody.editor.job import job_result
from symbody.files.yaml_file import model_of_text
from symbody.system.assembly import assemble
from waiting import eventually


def test_figures_view_and_operations_come_for_the_newest_version():
    news: list[dict] = []
    analyst = Analyst(news.append)
    model = model_of_text(FOUR_BAR)
    for version in range(5):
        analyst.look_at(version, model)
    eventually(lambda: any(one.get("operations", {}).get("version") == 4 for one in news))
    analyst.close()
    last = [one for one in news if 4 in (inner.get("version") for inner in one.values())]
    assert [next(iter(one)) for one in last] == ["figures", "view", "operations"]
    assert len(last[1]["view"]["points"]) == 8  # two of the ground and of each body


def test_a_model_with_problems_has_no_figures():
    news: list[dict] = []
    analyst = Analyst(news.append)
    analyst.look_at(1, model_of_text(FOUR_BAR.replace("mass: 1.5", "mass: -1")))
    analyst.look_at(2, model_of_text(FOUR_BAR))
    eventually(lambda: any("operations" in one for one in news))
    analyst.close()
    assert {inner["version"] for one in news for inner in one.values()} == {2}


def test_the_assembled_start_is_that_of_the_library(tmp_path):
    model = model_of_text(FOUR_BAR)
    found = job_result(model, {"kind": "assemble"}, tmp_path)
    assert [*found["start"].values()] == assemble(model).tolist()
    assert [row[0] for row in found["table"]["rows"]] == model.coordinates
