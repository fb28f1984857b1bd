"""`symbody node world` and `symbody node haptic` (cli/node_haptic.py): they find each other, end, and say what was."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import symbody
from symbody.cli import main

pytestmark = pytest.mark.posix
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(symbody.__file__).parents[1])}


def node(*arguments):
    command = [sys.executable, "-m", "symbody", "node", *arguments, "--json"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)


CUBE = (
    '<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="cube" pos="0 0 0.1"><freejoint/>'
    '<geom type="box" size="0.02 0.02 0.02" mass="0.5"/></body></worldbody></mujoco>'
)


@pytest.mark.parametrize(
    ("scene", "options"),
    [
        ("puck", []),
        pytest.param("linkage", ["--hold", "arm.link2"], marks=pytest.mark.slow),
        pytest.param("haptic", ["--contact", "penalty", "--controller", "virtual-coupler"], marks=pytest.mark.slow),
        pytest.param("FILE", [], marks=pytest.mark.slow),
    ],
)
def test_both_find_each_other_and_say_what_was(scene, options, tmp_path):
    line = ["--transport", "memory", "--name", f"node-{os.getpid()}"]
    if scene == "FILE":
        pytest.importorskip("mujoco")
        scene, line = str(tmp_path / "cube.xml"), [*line, "--tool", "cube"]
        Path(scene).write_text(CUBE)
    with node("world", scene, "--rate", "60", "--until", "60", *line) as world:
        try:
            with node("haptic", scene, "--rate", "500", "--until", "1", *options, *line) as hand:
                said, problem = hand.communicate(timeout=120)
            assert hand.returncode == 0, problem
            world.terminate()
            told, problem = world.communicate(timeout=60)
        finally:
            world.kill()
    found = json.loads(said)
    assert found["packets"]["taken"] > 5
    assert found["ticks"] > 100
    assert found["energy"]["least"] > -1e-3
    assert json.loads(told)["world"]["steps"] > found["packets"]["taken"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["world", "nowhere"], "unknown scene"),
        (["haptic", "nowhere"], "use one of puck, haptic-bench, linkage, or an MJCF file"),
        (["haptic", "linkage", "--hold", "link9"], "use one of link1, link2, link3"),
        (["haptic", "puck", "--hold", "link1"], "its tool is one body"),
        (["haptic", "puck", "--contact", "glue"], "unknown contact model 'glue'"),
        (["haptic", "puck", "--controller", "none"], "unknown controller 'none'"),
        (["haptic", "puck", "--rate", "0"], "rate = 0"),
        (["haptic", "puck", "--loss", "2"], "loss = 2"),
        (["world", "linkage", "--engine", "mujoco"], "unknown engine 'mujoco'"),
        (["world", "puck", "--engine", "vortex"], "unknown engine 'vortex'"),
        (["world", "puck", "--transport", "pigeon"], "unknown line 'pigeon'"),
        (["world", "puck", "--loss", "2"], "loss = 2"),
        (["world", "puck", "--rate", "0"], "rate = 0"),
        (["haptic", "puck", "--at", "10.0.0.1:5"], "is not on this computer"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(arguments, said, capsys):
    assert main(["node", *arguments, "--until", "0.01"]) == 2
    assert said in capsys.readouterr().err


def test_a_world_from_an_mjcf_file(tmp_path, capsys):
    pytest.importorskip("mujoco")
    file = tmp_path / "cube.xml"
    file.write_text(CUBE)
    assert main(["node", "world", str(file), "--tool", "cube", "--until", "0.2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["world"]["steps"] >= 1
