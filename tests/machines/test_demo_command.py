"""`symbody demo` at a terminal and without one: a page, a machine in the studio, figures; what is named exists."""

import html
import json
import re
import shlex
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

import symbody
from symbody import machines
from symbody.cli import COMMANDS, main, parser
from symbody.cli import demo as command
from symbody.machines import MachineEntry
from symbody.machines.overview import overview_page
from symbody.machines.register import register
from symbody.system.system import system
from symbody.visual.report import Report

ROOT = Path(__file__).parents[2]


def computed(options):
    return Report("mine", "Mine", "Text.", [{"computed": True}])


def no_page(weight="heavy"):
    raise AssertionError("nobody asked for the machine itself")


@pytest.fixture
def add(monkeypatch):
    """Add a machine that is no folder, with a report and a page of its own or without."""

    def added(name, report=computed, page=None, **fields):
        for kind, function in {"model": None, "report": report, "page": page}.items():
            monkeypatch.setitem(sys.modules, f"{name}.{kind}", SimpleNamespace(**{kind: function}))
        one = MachineEntry(name, "a < b", f"{name}.model", has_report=True, has_page=page is not None, **fields)
        monkeypatch.setitem(register(), name, one)
        return one

    return added


def test_the_list_is_a_page_that_needs_nothing_else(capsys, tmp_path):
    path = tmp_path / "new" / "demos.html"
    assert main(["demo", "--page", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["page"] == str(path)
    text = path.read_text(encoding="utf-8")
    assert text.count('src="data:image/png;base64,') == text.count("<article") == len(machines.names())
    assert not re.findall(r'(?:src|href)="(?!data:)', text)
    assert all(
        f"<code>symbody demo {one.name}</code>" in text and html.escape(one.line) in text for one in machines.entries()
    )


def test_a_machine_of_ones_own_is_a_card_even_without_a_picture(add):
    text = overview_page([add("mine", page=no_page)])
    assert "a &lt; b" in text
    assert "<small>touch</small>" in text
    assert "<img" not in text
    assert main(["demo", "crane", "--page", "x.html"]) == 2


def test_in_a_terminal_the_machines_are_shown_as_cards_that_start_them(capsys, monkeypatch, tmp_path):
    shown = []
    monkeypatch.setattr(command, "serve_gallery", lambda arguments: shown.append(arguments.port) or {})
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["demo", "--no-open"]) == 0
    assert main(["demo", "--json"]) == 0
    assert main(["demo", "--page", str(tmp_path / "machines.html")]) == 0
    assert "<h2>crane" in (tmp_path / "machines.html").read_text(encoding="utf-8")
    assert not shown
    assert main(["demo"]) == 0
    assert shown == [8765]


@pytest.mark.parametrize(
    ("terminal", "asked", "served"),
    [
        (True, [], True),
        (True, ["--port", "0", "--no-open"], True),
        (True, ["--headless"], False),
        (True, ["--json"], False),
        (True, ["--report", "."], False),
        (True, ["--until", "1"], False),
        (True, ["--only", "light"], True),
        (True, ["--only", "other"], False),
        (False, [], False),
        (False, ["--headless-screenshot", "page.png"], True),
    ],
)
def test_a_machine_is_served_where_somebody_can_touch_it(capsys, monkeypatch, tmp_path, add, terminal, asked, served):
    served_ones = []

    def serve(arguments, prepare, name=""):
        served_ones.append(arguments.name)
        return {"address": "http://here/"}

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "serve", serve)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    add("mine", page=no_page, variants={"light": "weight"})
    add("still")
    assert main(["demo", "mine", *asked]) == 0
    assert served_ones == ["mine"] * served
    assert ("computed" in capsys.readouterr().out) is not served
    assert main(["demo", "still", *asked]) == 0
    assert served_ones == ["mine"] * served + ["still"] * ("--headless-screenshot" in asked)  # any model has a picture


def test_a_record_of_records_is_printed_a_figure_a_line(capsys, add):
    record = {"plateau_N": 3.0, "bump_N": {"low": 1.7, "high": 2.75}}
    report = Report("mine", "Mine", "Text.", [record])
    add("mine", report=lambda options: report)
    assert main(["demo", "mine", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["figures"] == [record]
    assert main(["demo", "mine"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["plateau_N", "3"] in lines
    assert ["bump_N", "high", "2.75"] in lines


def test_a_demo_opens_the_studio_on_its_machine_and_says_what_to_do(capsys, monkeypatch, add):
    def interrupted():
        raise KeyboardInterrupt

    def page():
        from symbody.studio.machine import Machine

        return Machine("swing", system(machines.model("pendulum")), help=["press the space bar"])

    monkeypatch.setattr("symbody.cli.studio.wait_for_interrupt", interrupted)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    add("mine", page=page)
    assert main(["demo", "mine", "--port", "0", "--no-open"]) == 0
    said = capsys.readouterr()
    assert "studio: http://127.0.0.1:" in said.err
    assert "  press the space bar\n" in said.err
    assert "computed" not in said.out


def test_a_wheel_holds_all_files_of_the_package():
    """Pictures and model files lie in the folders of their machines: nothing has to be listed."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    assert wheel["wheel"]["packages"] == ["src/symbody"]
    assert wheel["wheel"]["artifacts"] == ["src/symbody/visual/web/*"]  # the pages and licences, which the build makes
    inside = Path(symbody.__file__).parent
    assert all(one.picture.is_relative_to(inside) for one in machines.entries())


@pytest.mark.parametrize("page", ["demos.md", "studio.md"])
def test_commands_of_the_pages_are_there(page):
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "docs" / page).read_text(), re.MULTILINE | re.DOTALL)
    lines = [line.partition("#")[0] for block in blocks for line in block.splitlines() if line.startswith("symbody ")]
    asked = [parser().parse_args(shlex.split(line)[1:]) for line in lines]
    named = {arguments.name for arguments in asked if arguments.command == "demo"} - {None}
    assert named
    assert named <= set(machines.names())


def test_commands_and_pictures_of_the_first_page_are_there():
    text = (ROOT / "README.md").read_text()
    assert set(re.findall(r"^symbody (\w+)", text, re.MULTILINE)) <= set(COMMANDS)
    for name in re.findall(r"symbody demo ([\w-]+)", text):
        machines.entry(name)  # refuses what is none
    pictures = re.findall(r"\]\(([^)]+\.png)\)", text)
    assert [picture for picture in pictures if not (ROOT / picture).is_file()] == []


def test_a_variant_is_the_machine_that_is_asked_for(capsys, monkeypatch, add):
    titles = []

    def serve(arguments, prepare, name=""):
        source = prepare()
        titles.append(source.title)
        source.close()
        return {}

    def page(weight="usual"):
        from symbody.studio.machine import Machine

        return Machine(weight, system(machines.model("pendulum")))

    monkeypatch.setattr(command, "serve", serve)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    add("mine", page=page, variants={"light": "weight"})
    assert main(["demo", "mine"]) == main(["demo", "mine", "--only", "light"]) == main(["demo", "mine-light"]) == 0
    assert titles == ["usual", "light", "light"]
    assert main(["demo", "mine", "--only", "heavy", "--headless-screenshot", "page.png"]) == 2
    assert "the variants are light" in capsys.readouterr().err
    assert list(machines.entry("piano").variants) == ["double", "single"]
