"""Analyses of the command line in the editor: forms of the options, arguments of a form, results as tables."""

import json
from pathlib import Path

import numpy as np
import pytest
from test_document import FOUR_BAR

import symbody as sb
from symbody.cli import ALONE
from symbody.cli.analyses import OFFERED, forms
from symbody.editor.analyses import arguments_of
from symbody.editor.analysis_job import AnalysisJob, files_of, tables_of
from symbody.editor.data_files import DataFiles
from symbody.editor.document import NEW
from symbody.links.rejected import Rejected
from waiting import PATIENCE

pytestmark = pytest.mark.clock
ROD = NEW + (
    "parameters: {c: 0.2}\n"
    "bodies:\n"
    "  rod: {on: ground, joints: [{type: R2, q0: 0.1}], mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01]}\n"
    "joint_forces: {rod: -c*qd}\n"
)
ANALYSES = {"check", "assemble", "simulate", "equilibrium", "modal", "inverse", "sensitivity", "optimise", "sweep"}


@pytest.fixture(scope="module")
def by_name():
    return {form["name"]: form for form in forms()}


def no_file(name):
    raise Rejected("no such file", name)


def test_every_analysis_of_the_command_line_has_a_form(by_name):
    assert ANALYSES | {"identify", "fit", "estimate", "generate", "export"} == set(by_name) == set(OFFERED)
    serving = {"animate", "node", "studio", "edit", "demo", "scores", "validate", "bench", "cache"}
    assert ALONE - set(OFFERED) == serving  # a new command is an analysis, or is named here
    flags = {option["flag"] for form in by_name.values() for option in form["options"]}
    assert not flags & {"--output", "--json", "--floating", "--package", "--help"}
    assert all(option["about"] for form in by_name.values() for option in form["options"] if option["flag"] != "--lang")
    json.dumps([*by_name.values()])


def test_a_filled_form_becomes_arguments_that_the_command_takes(by_name):
    from symbody.cli import parser

    values = {"--set": ["c=0.1:0.4:3"], "--measure": ["max(rod.q)"], "--until": "0.5", "--seed": 3, "--method": "rk4"}
    words = arguments_of(by_name["sweep"], values, no_file)
    parsed = parser(["sweep"]).parsed(["sweep", "m.yaml", *words])
    assert (parsed.set, parsed.measure, parsed.until, parsed.seed, parsed.method) == (
        ["c=0.1:0.4:3"], ["max(rod.q)"], 0.5, 3, "rk4",
    )  # fmt: skip
    listed = {"--log": ["a.csv"], "--parameters": ["c", "d"]}
    words = arguments_of(by_name["fit"], listed, lambda name: Path("/data") / name)
    parsed = parser(["fit"]).parsed(["fit", "m.yaml", *words])
    assert (parsed.log, parsed.parameters) == (["/data/a.csv"], ["c", "d"])


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("sweep", {}),  # a measure is required
        ("sweep", {"--measure": ["x"], "--samples": "many"}),
        ("sweep", {"--measure": ["x"], "--until": "inf"}),
        ("sweep", {"--measure": ["x"], "--method": "guess"}),
        ("sweep", {"--measure": ["x"] * 1000}),
        ("sweep", {"--measure": [{"a": 1}]}),
        ("sweep", {"--measure": ["x"], "--output": "/tmp"}),
        ("simulate", {"--repartition": "yes"}),
        ("simulate", {"--until": ["1", "2"]}),
        ("simulate", {"--inputs": "../secret.csv"}),
        ("fit", {"--log": ["a.csv"], "--parameters": ["--output=/tmp"]}),
    ],
)
def test_wrong_values_are_refused(by_name, name, values):
    with pytest.raises(Rejected):
        arguments_of(by_name[name], values, no_file)


def test_files_of_an_analysis_have_plain_names(tmp_path):
    (tmp_path / "log.csv").write_text("t,q\n0,1\n")
    (tmp_path / "secret.txt").write_text("x")
    files = DataFiles(lambda: tmp_path / "model.yaml")
    files.keep("../sent file.csv", b"t,q\n0,1\n")
    assert set(files.names()) == {"log.csv", "sent_file.csv"}
    assert files.path("log.csv") == (tmp_path / "log.csv").resolve()
    for name in ("../log.csv", "/etc/passwd", "secret.txt", "gone.csv", "a\\b.csv", ""):
        with pytest.raises(Rejected):
            files.path(name)
    with pytest.raises(Rejected):
        files.keep("run.sh", b"echo")
    files.close()
    assert files.names() == ["log.csv"]


def test_results_become_tables():
    told = {
        "model": "m",
        "stable": True,
        "notes": ["a b"],
        "modes": [{"hz": 1.5, "shape": [1, 2]}, {"hz": None}],
        "n": 3,
    }
    facts, modes = tables_of(told)
    assert facts["rows"] == [["model", "m"], ["stable", "yes"], ["notes", "a b"], ["n", 3]]
    assert (modes["title"], modes["head"], modes["rows"]) == ("modes", ["hz", "shape"], [[1.5, "1, 2"], [None, None]])


def test_written_files_are_shown_saved_or_plotted(tmp_path):
    (tmp_path / "run.csv").write_text("t,rod.q\n0,1\n1,2\n")
    (tmp_path / "x.fmu").write_bytes(b"PK")
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.c").write_text("int x;")
    (tmp_path / "link.txt").symlink_to("/etc/hosts")
    found = files_of(tmp_path)
    assert found["t"] == [0.0, 1.0]
    assert found["channels"] == {"rod.q": [1.0, 2.0]}
    assert set(found["files"]) == {"run.csv", "code/a.c"}
    assert [one["name"] for one in found["downloads"]] == ["x.fmu"]


def done(form, text, arguments):
    news: list[dict] = []
    job = AnalysisJob(form, text, arguments, news.append)
    assert job.wait(PATIENCE)
    return news


@pytest.mark.slow
def test_a_sweep_runs_with_progress_and_measures_as_the_library(by_name):
    values = {"--set": ["c=0.1,0.3"], "--measure": ["final(rod.q)"], "--until": "0.2", "--dt": "0.01"}
    news = done(by_name["sweep"], ROD, arguments_of(by_name["sweep"], values, no_file))
    assert news[-1]["state"] == "done", news[-1]
    (csv,) = news[-1]["result"]["files"].values()
    rows = np.array([[float(x) for x in line.split(",")] for line in csv.strip().splitlines()[1:]])
    from symbody.files.yaml_file import model_of_text

    for row, c in zip(rows, (0.1, 0.3), strict=True):
        s = sb.system(model_of_text(ROD))
        s.parameters["c"] = c
        assert row[-1] == pytest.approx(sb.simulate(s, 0.2, 0.01)["rod.q"][-1], rel=1e-6)
    wrong = done(by_name["sensitivity"], ROD, [])
    assert (wrong[-1]["state"], "objective" in wrong[-1]["problem"]) == ("failed", True)


@pytest.mark.slow
def test_a_long_analysis_is_cancelled_with_its_workers(by_name):
    news: list[dict] = []
    values = {"--set": ["c=0:1:500"], "--measure": ["max(rod.q)"], "--until": "100"}
    job = AnalysisJob(by_name["sweep"], FOUR_BAR, arguments_of(by_name["sweep"], values, no_file), news.append)
    job.cancel()
    assert job.wait(PATIENCE)
    assert news[-1]["state"] == "cancelled"
