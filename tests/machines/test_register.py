"""The register: found from the folders, read without importing them, and every name works everywhere.

Tests of register.py, overview.py, general_report.py.
"""

import subprocess
import sys
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest

import symbody as sb
from symbody import machines
from symbody.cli import main
from symbody.errors import ModelError
from symbody.files.formats import READERS
from symbody.machines.overview import with_table
from symbody.machines.register import HERE, SUFFIXES, TEXTBOOK
from symbody.model.model import Model

DOCS = Path(__file__).parents[2] / "docs"
SHARED = {"hydraulics"}  # folders that hold what several machines share


def test_what_lies_there_is_what_there_is():
    folders = {path.name for path in HERE.iterdir() if path.is_dir() and path.name != "__pycache__"} - SHARED
    models = {path.stem for path in (HERE / TEXTBOOK).glob("*.py")} - {"__init__"}
    assert {name.replace("-", "_") for name in machines.names()} == (folders - {TEXTBOOK}) | models
    kinds = [one.kind for one in machines.entries()]
    assert kinds == sorted(kinds, key=["touch", "figures", "model"].index)


@pytest.mark.parametrize("one", machines.entries(), ids=lambda one: one.name)
def test_an_entry_says_what_its_folder_has(one):
    assert 20 < len(one.line) < 120
    assert one.line.endswith(".")
    assert one.picture.read_bytes().startswith(b"\x89PNG")
    assert isinstance(one.model(), Model)
    builder = import_module(one.module)
    for variant, argument in one.variants.items():
        assert argument in signature(builder.model).parameters
        assert machines.entry(f"{one.name}-{variant}").variant == variant
    if one.variants:
        assert signature(builder.model).parameters[argument].default == next(iter(one.variants))
    for kind, there in (("report", one.has_report), ("page", one.has_page)):
        if there:
            assert callable(getattr(import_module(f"{one.package}.{kind}"), kind))
    assert one.steps.keys() == {"until", "dt", "every", "method", "closure"}


def test_listing_imports_no_machine():
    code = """import sys; from symbody import machines; machines.entries()
print([name for name in sys.modules if name.startswith("symbody.machines.") and name.count(".") > 2])"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_variant_is_a_machine_by_its_name():
    assert machines.model("piano-single").nv == machines.model("piano").nv - 1
    assert machines.model("crash-bus").values["truck_mass"] == machines.model("crash").values["truck_mass"]
    # one run: printed numbers
    assert machines.model("crash-bus").values["speed"] < machines.model("crash").values["speed"]
    assert machines.entry("crash-car").file == machines.entry("crash").file
    assert machines.entry("crash-bus").file is None  # the file is of the car
    with pytest.raises(ModelError, match="car, bus"):
        machines.entry("crash").of("tram")


@pytest.mark.slow
def test_a_page_that_has_no_such_variant_is_that_of_any_model():
    assert machines.entry("car-lane-change").page().title == "car"
    assert machines.entry("car-lane-change").page().controls == ()


def test_arguments_reach_the_builder():
    assert machines.model("n-pendulum", 7).nv == 7
    assert machines.model("attenuator", parts=2).nv == 21


def test_open_takes_files_and_names(tmp_path):
    sb.save(machines.model("four-bar"), tmp_path / "mine.yaml")
    assert machines.open(tmp_path / "mine.yaml").bodies == machines.open("four-bar").bodies
    assert machines.open("crane").name == "crane"  # built: it has no file
    assert machines.find(tmp_path / "mine.yaml") is None
    assert machines.find("crane").kind == "figures"
    assert machines.steps(tmp_path / "mine.yaml")["dt"] == 1e-3
    assert machines.steps("andrews")["dt"] == 1e-5


@pytest.mark.parametrize(
    ("said", "meant"), [("stewar", "stewart"), ("fourbar", "four-bar"), ("piano-singel", "piano-single")]
)
def test_a_name_that_is_nearly_right_gets_a_proposal(said, meant):
    for ask in (machines.entry, machines.model, machines.open):
        with pytest.raises(ModelError, match=f"did you mean.*{meant}"):
            ask(said)


def test_a_name_that_is_like_none_gets_the_list():
    with pytest.raises(ModelError, match=r"crane.*stewart"):
        machines.entry("zzzzzz")


SLOW_NAMES = ("flyball", "piano", "quick-return-hydraulic", "car-driven", "n-four-bar")
EVERY = ["crane", *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW_NAMES)]


@pytest.mark.parametrize("name", EVERY)
def test_every_command_takes_every_name(name, capsys, tmp_path):
    assert main(["check", name]) == 0
    if name != "car-driven":  # it compiles for a minute
        assert main(["simulate", name, "--until", "0.05", "-o", str(tmp_path)]) == 0


@pytest.mark.parametrize(("name", "freedom"), [("stewart", 6), ("n-four-bar", 1), ("double-pendulum", 2)])
def test_the_general_report_counts_what_is_free(name, freedom):
    (record,) = machines.entry(name).report(machines.ReportOptions(until=0.01)).figures
    assert record["degrees_of_freedom"] == freedom


@pytest.mark.slow
def test_a_machine_without_a_report_has_a_general_one(capsys, tmp_path):
    assert main(["demo", "slider-crank", "--until", "0.2", "--report", str(tmp_path)]) == 0
    assert "degrees_of_freedom" in capsys.readouterr().out
    assert len(list(tmp_path.glob("slider-crank-*.png"))) == 3
    assert '<iframe sandbox="' in (tmp_path / "slider-crank.html").read_text(encoding="utf-8")
    assert main(["demo", "slider-crank", "--only", "heavy"]) == 2


def test_the_documentation_lists_them_all():
    """Written anew by `python -m symbody.machines.overview docs/machines`."""
    index = (DOCS / "machines" / "index.md").read_text(encoding="utf-8")
    documented = {page.stem for page in (DOCS / "machines").glob("*.md")}
    assert with_table(index, machines.entries(), documented) == index
    assert all(f"`{name}`" in index for name in machines.names())


def test_files_of_machines_are_of_all_kinds_that_can_be_read():
    assert set(SUFFIXES) == set(READERS)
