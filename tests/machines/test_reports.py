"""`symbody demo`: the register, figures as JSON, pages that need nothing else; and the crane at work.

Tests of the reports, of hydraulics/plots.py and of visual/report.py.
"""

import copy
import json
import re
from pathlib import Path

import numpy as np
import pytest
from hydraulic_runs import CRANE, figure, solved

from symbody import machines
from symbody.analysis.balance import energy_balance
from symbody.cli import main
from symbody.errors import ModelError
from symbody.html_text import in_words
from symbody.hydraulics.case import CLOSURES
from symbody.machines.crane.model import CYLINDERS
from symbody.visual.primitives import ram
from symbody.visual.report import Plot, Report, table
from symbody.visual.report_options import ReportOptions
from symbody.visual.shapes import scene

DOCS = Path(__file__).parents[2] / "docs"
CASES = {"four-bar-hydraulic", "quick-return-hydraulic", "four-bar-friction"}
NUMBERS = {
    "work_J", "drift_percent", "iterations_mean", "iterations_max", "constraint_max", "realtime_factor",
}  # fmt: skip


def printed(capsys, *arguments: str) -> dict:
    assert main(["demo", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


# -- the command -------------------------------------------------------------------------------------------------------


def test_demos_are_listed_with_a_line_each(capsys):
    listed = printed(capsys)["demos"]
    assert {demo["demo"] for demo in listed} > CASES
    assert [demo["demo"] for demo in listed] == machines.names()
    assert all(20 < len(demo["about"]) < 120 for demo in listed)
    assert {demo["demo"]: demo["kind"] for demo in listed}["crane"] == "figures"
    assert all(Path(demo["picture"]).read_bytes().startswith(b"\x89PNG") for demo in listed)
    assert main(["demo"]) == 0
    assert "crane" in capsys.readouterr().out


def test_figures_are_printed_for_each_closure_and_friction(capsys):
    asked = ["--only", "augmented", "--only", "penalty", "--only", "lugre", "--until", "1.2"]
    result = printed(capsys, "four-bar-friction", *asked)
    assert [(r["closure"], r["friction"]) for r in result["figures"]] == [("augmented", "lugre"), ("penalty", "lugre")]
    for record in result["figures"]:
        assert record.keys() >= NUMBERS
        assert all(isinstance(record[name], int | float) and np.isfinite(record[name]) for name in NUMBERS)
        assert record["realtime_factor"] > 0.0


def test_a_run_that_does_no_work_has_no_share_of_drift(capsys):
    asked = ["--only", "partitioning", "--only", "brown-mcphee", "--until", "0.01"]
    (record,) = printed(capsys, "four-bar-friction", *asked)["figures"]
    assert record["drift_J"] < 1e-9


def test_unknown_names_are_told(capsys):
    assert main(["demo", "organ"]) == 2
    assert "crane" in capsys.readouterr().err
    with pytest.raises(ModelError, match="four-bar-friction"):
        machines.entry("organ")
    assert main(["demo", "crane", "--only", "magic"]) == 2
    assert "penalty" in capsys.readouterr().err


def test_an_impossible_end_is_told(capsys):
    assert main(["demo", "four-bar-friction", "--only", "brown-mcphee", "--until", "0"]) == 2
    assert "cannot simulate" in capsys.readouterr().err


def test_variants_are_chosen_in_their_order():
    assert ReportOptions().chosen(["a", "b"]) == ["a", "b"]
    assert ReportOptions(("b", "x")).chosen(["a", "b"]) == ["b"]
    assert ReportOptions(("x",)).chosen(["a", "b"]) == ["a", "b"]  # of another kind


# -- the page ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_report_is_one_page_with_its_plots_and_its_motion(tmp_path, capsys):
    folder = tmp_path / "new" / "report"
    asked = ["--only", "partitioning", "--only", "brown-mcphee", "--until", "1.2", "--report", str(folder)]
    result = printed(capsys, "four-bar-friction", *asked)
    page = Path(result["report"]).read_text(encoding="utf-8")
    pictures = sorted(folder.glob("*.png"))
    assert len(pictures) >= 6
    assert page.count('src="data:image/png;base64,') == len(pictures)
    assert all(picture.read_bytes().startswith(b"\x89PNG") for picture in pictures)
    assert '<iframe sandbox="' in page
    assert not re.findall(r'(?:src|href)="(?!data:)', page)
    assert "brown-mcphee" in page
    assert "As published" in page
    written = json.loads((folder / "four-bar-friction.json").read_text())
    assert written == result["figures"]
    assert not list(folder.glob(".*"))  # nothing half-written is left


def test_a_page_that_cannot_be_finished_leaves_the_old_one(tmp_path):
    def broken(figure):
        raise RuntimeError("no ink")

    Report("case", "Good", "Text.", [{"a": 1.0}]).save(tmp_path)
    before = (tmp_path / "case.html").read_text()
    with pytest.raises(RuntimeError, match="no ink"):
        Report("case", "Bad", "Text.", [{"a": 2.0}], [Plot("Broken", broken)]).save(tmp_path)
    assert (tmp_path / "case.html").read_text() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["case.html", "case.json"]


def test_text_of_a_report_cannot_become_markup():
    page = Report("x", "<b>Title</b>", "a < b\n\nsecond", [{"name": "<script>", "value": 1.23456}]).page()
    assert "&lt;b&gt;Title" in page
    assert "a &lt; b</p>\n<p>second" in page
    assert "<script>" not in page
    assert "1.235" in page


def test_tables_have_rows_for_records_or_columns_where_these_are_few():
    records = [{"k": i, "x": 0.5 * i} for i in range(3)]
    assert table(records).count("<tr>") == 4
    assert table([{"a": 1, "b": 2, "c": None}]).count("<tr>") == 3
    assert in_words(None) == ""
    assert in_words(1e-9) == "1e-09"


# -- the crane at work -------------------------------------------------------------------------------------------------


def test_the_crane_does_what_it_is_told():
    run = solved("crane", "brown-mcphee").run
    height, slew = run["hook.position.z"], np.degrees(run["slew.q"])
    at = {t: int(np.searchsorted(run.t, t)) for t in (1.0, 4.5, 10.0, 13.5)}
    # one run: one run at several times
    assert height[at[4.5]] > height[0] + 1.0  # lifted
    assert slew[at[1.0]] == pytest.approx(0.0, abs=1e-6)
    assert 75.0 < slew[at[10.0]] < 95.0  # slewed
    assert run["jib.q"][at[10.0]] > run["jib.q"][0] + 0.2  # unfolded
    assert height[at[13.5]] < height[at[10.0]] - 0.4  # lowered
    radius = np.hypot(run["hook.position.x"], run["hook.position.y"])
    assert radius.max() < 5.5


def test_the_load_swings_as_a_pendulum_on_an_arm_that_gives_way():
    run = solved("crane", "brown-mcphee").run
    late = run.t > 10.0  # the slewing valve is shut
    crossings = run.t[late][:-1][np.diff(np.sign(run["sway.q"][late])) != 0]
    load, hook, depth = 800.0, 15.0, 0.9  # kg, m: the pallet hangs below the hook's 1.2 m of rope
    lever = (hook * 1.2 + load * (1.2 + depth / 2)) / (hook + load)
    rigid = 2 * np.pi * np.sqrt(lever / 9.81)
    assert rigid < 2 * np.diff(crossings).mean() < 1.3 * rigid  # oil and column yield: slower


def test_the_crane_balances_and_its_closures_agree():
    for record in figure("crane", "brown-mcphee", *CLOSURES):
        assert record["drift_percent"] < 1e-3
        assert record["iterations_max"] <= 5
        assert record["apart_rad"] < 1e-5
        assert record["constraint_max"] < 1e-7
    run = solved("crane", "brown-mcphee").run
    whole = energy_balance(run, elements=["*"])
    assert whole.drift < 1e-5 * whole.given[-1]


def test_pressures_stay_between_tank_and_what_the_tubes_bear():
    run = solved("crane", "brown-mcphee").run
    for name in CYLINDERS:
        for side in ("piston", "rod"):
            p = run[f"{name}_{side}_p"]
            assert p.min() > 0.0
            assert p.max() < 25e6


def test_cylinders_are_drawn_as_such():
    run = solved("crane", "brown-mcphee").run
    spans = [span for span in scene(run.model, run.parameters).spans if span.role == "link"]
    assert [span.mesh for span in spans] == ["ram"] * len(CYLINDERS)
    with_stops = copy.deepcopy(run.model)
    one = with_stops.links[next(iter(CYLINDERS))]
    with_stops.link("stop", one.b, one.a)
    with_stops.link("spring", "ground", one.b)
    spans = [span.mesh for span in scene(with_stops, run.parameters).spans if span.role == "link"]
    assert spans == ["ram"] * len(CYLINDERS) + ["coil", "cylinder"]  # a stop beside a cylinder is not a second spring
    mesh = ram()
    corners = mesh.vertices[mesh.triangles]
    volume = np.linalg.det(corners).sum() / 6  # of what the triangles enclose, positive if they face outwards
    assert volume == pytest.approx(np.pi * (0.6 * 1.0**2 + 1.0 * 0.5**2), rel=0.01)


def test_commands_are_inputs_of_the_crane():
    assert set(CRANE.commands) == set(solved("crane", "brown-mcphee").run.system.inputs)


@pytest.mark.parametrize("name", [one.name for one in machines.entries() if one.has_report])
def test_each_machine_with_a_report_has_its_picture_and_its_words_in_the_documentation(name):
    picture = machines.entry(name).picture
    assert 10_000 < picture.stat().st_size < 150_000
    text = "".join(page.read_text() for page in (DOCS / "demos.md", *(DOCS / "machines").glob("*.md")))
    assert f"/{picture.parent.name}/{picture.name}" in text
    assert f"symbody demo {name}" in text


@pytest.mark.parametrize("page", ["demos.md", "machines/crane.md", "machines/hydraulic-mechanisms.md"])
def test_the_pictures_of_the_pages_are_there(page):
    text = (DOCS / page).read_text()
    pictures = re.findall(r"\]\(([^)]+\.png)\)", text)
    assert pictures
    assert all(((DOCS / page).parent / picture).is_file() for picture in pictures)
