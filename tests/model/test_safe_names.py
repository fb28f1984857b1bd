"""Whatever a model is called, its files stay in their folder, its loop has a name, and its code compiles."""

import json
import os
import re

import pytest

import symbody as sb
from symbody.cli import main
from symbody.codegen.sources import LANGUAGES
from symbody.errors import ModelError, printable
from symbody.safe_name import DEVICES, LONGEST, file_name, identifier
from symbody.visual.report import Report

NAMES = {
    "outside": "../victim/keep",
    "absolute": "/tmp/symbody-absolute/here",
    "windows": "..\\victim\\keep",
    "spaced": "My Robot",
    "long": "r" * 300,
    "wide": "ü" * 300,
    "device": "con",
    "device with ending": "NUL.tar",
    "hidden": ".bashrc",
    "option": "-rf",
    "formula": "$\\frac{1}$",
    "comment": "a */ int x; /*",
    "format": "%s %n {0}",
    "digits": "3d",
    "dots": "..",
}
hostile = pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)

PENDULUM = """symbody: 1
name: {name}
bodies:
  bob:
    joints: [{{type: R2, q0: 0.5}}]
    mass: 1
    com: [0, 0, -1]
"""


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A folder to work in, beside one that nobody may touch."""
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "keep.csv").write_text("mine")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


def model_file(folder, name):
    path = folder / "model.yaml"
    path.write_text(PENDULUM.format(name=json.dumps(name)))
    return path


def only_in(folder, allowed):
    """Nothing outside `allowed` was written; what was there is as it was."""
    assert sorted(entry.name for entry in folder.iterdir()) == ["victim", "work"]
    assert [entry.read_text() for entry in (folder / "victim").iterdir()] == ["mine"]
    assert {entry.name for entry in (folder / "work").iterdir()} <= {"model.yaml", *allowed}


@hostile
def test_a_file_name_is_one_plain_word(name):
    made = file_name(name)
    assert re.fullmatch(r"[\w][\w.-]*", made)
    assert len(made.encode()) <= LONGEST
    assert made.partition(".")[0].lower() not in DEVICES
    assert os.path.basename(made) == made
    assert file_name(made) == made


@hostile
def test_an_identifier_is_one_in_every_language(name):
    made = identifier(name)
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", made)
    assert len(made) <= LONGEST
    assert made.lower() not in DEVICES
    assert identifier(made) == made


def test_plain_names_stay_as_they_are():
    for name in ("four-bar_2", "v1.2", "Käfer", "_hidden"):
        assert file_name(name) == name
    assert identifier("four_bar2") == "four_bar2"


def test_names_are_shortened_to_a_hundred_bytes_and_not_before():
    for make in (file_name, identifier):
        assert make("r" * 100) == "r" * 100
        assert re.fullmatch(r"r{91}_[0-9a-f]{8}", make("r" * 101))


def test_the_shortest_names():
    assert [file_name(name) for name in ("", "..", "a")] == ["unnamed", "unnamed", "a"]
    assert [identifier(name) for name in ("", "-", "a", "3", "a1")] == ["x", "x", "a", "x3", "a1"]


def test_long_names_that_differ_at_their_ends_stay_different():
    for make in (file_name, identifier):
        assert make("r" * 300 + "a") != make("r" * 300 + "b")


def test_half_characters_and_control_characters_are_replaced():
    assert file_name("a\ud800b\x1b[2Jc\0d") == "a_b_2Jc_d"
    assert identifier("a\ud800b\x1b[2Jc\0d") == "a_b_2Jc_d"


@pytest.mark.slow
@pytest.mark.parametrize("key", ["outside", "spaced", "long", "formula"])
def test_simulate_and_animate_write_into_their_folder(work, capsys, key):
    path = model_file(work, NAMES[key])
    assert main(["simulate", str(path), "--until", "0.02", "-o", "out", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["model"] == NAMES[key]
    assert main(["animate", said["table"]]) == 0
    made = file_name(NAMES[key])
    assert {entry.name for entry in (work / "out").iterdir()} == {f"{made}.{kind}" for kind in ("csv", "png", "html")}
    only_in(work.parent, {"out"})


@pytest.mark.parametrize("kind", ["--c", "--octave", "--fmu=2"])
@pytest.mark.parametrize("key", ["outside", "long", "device", "comment"])
def test_exports_write_into_their_folder(work, capsys, key, kind):
    path = model_file(work, NAMES[key])
    assert main(["export", str(path), kind, "-o", "out", "--no-binary", "--json"]) == 0
    for file in json.loads(capsys.readouterr().out)["files"]:
        assert os.path.dirname(file) == "out"
    only_in(work.parent, {"out"})


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", ["outside", "long", "digits"])
def test_generate_writes_into_its_folder(work, capsys, key, language):
    path = model_file(work, NAMES[key])
    assert main(["generate", str(path), "--function", "inverse", "--lang", language, "-o", "out", "--json"]) == 0
    files = json.loads(capsys.readouterr().out)["functions"][0]["files"]
    assert files
    assert all(os.path.dirname(file) == "out" for file in files)
    only_in(work.parent, {"out"})


def test_a_report_writes_into_its_folder(work):
    Report("../victim/keep", "title", "text", [{"a": 1}]).save("out")
    assert {entry.name for entry in (work / "out").iterdir()} == {"_victim_keep.html", "_victim_keep.json"}
    only_in(work.parent, {"out"})


@pytest.mark.parametrize("key", ["outside", "spaced", "wide"])
def test_a_loop_runs_under_any_name(work, key):
    from symbody.realtime.loop import Loop
    from symbody.realtime.loop_options import Safety, Scheduling

    model = sb.load(model_file(work, NAMES[key]))
    with Loop(sb.system(model), safety=Safety(stale=None, overrun=None), scheduling=Scheduling(priority=0)) as loop:
        assert loop.name == file_name(loop.name)
        assert loop.channels.model == NAMES[key]
    only_in(work.parent, set())


def test_a_loop_name_that_is_none_is_refused_with_one_that_is():
    from symbody.links.memory_path import memory_path

    with pytest.raises(ModelError, match="victim_keep"):
        memory_path("../victim/keep")


def test_the_studio_takes_any_name(work):
    from symbody.studio.live import Live

    live = Live(sb.load(model_file(work, "My Robot"))).start()
    try:
        assert live.title == "My Robot"
    finally:
        live.close()


def test_the_node_takes_any_name(work, capsys):
    arguments = ["node", "model", str(model_file(work, "My Robot")), "--until", "0.05", "--at", "127.0.0.1:0", "--json"]
    assert main(arguments) == 0
    assert "My_Robot runs at" in capsys.readouterr().err


def test_text_from_a_file_does_not_steer_the_terminal(work, capsys):
    path = work / "model.yaml"
    path.write_text(PENDULUM.format(name="pendulum") + '"\\e]0;owned\\a\\e[2J": 1\n')
    assert main(["check", str(path)]) == 2
    said = "".join(capsys.readouterr())
    assert "owned" in said
    assert "\x1b" not in said
    assert "\x07" not in said


def test_a_result_does_not_steer_the_terminal(work, capsys):
    path = work / "run.csv"
    notes = '# symbody run\n# format: 1\n# meta: {"model": "\\u001b[2Jrun"}\n'
    path.write_text(f"{notes}t,bob.q\n0,0\n1,0.1\n")
    assert sb.Run.load(path).name == "\\x1b[2Jrun"
    model_file(work, "pendulum")
    assert main(["animate", str(path), "--model", "model.yaml"]) == 0
    assert "\x1b" not in "".join(capsys.readouterr())


def test_printable_keeps_lines_and_letters():
    assert printable("Käfer\n\tµ") == "Käfer\n\tµ"
    assert printable("\x1b[31m\r\x9b\u202e\ud800") == "\\x1b[31m\\r\\x9b\\u202e\\ud800"
