"""The command line as a person or a script meets it.

Tests of cli/generate.py, cli/simulate.py, cli/optimise.py, cli/model_argument.py.
"""

import json
import subprocess
import sys

import pytest

import symbody as sb
from symbody.cli import COMMANDS, main, parser
from symbody.cli.model_argument import READING


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path / "cache"))


def run_command(capsys, *arguments, status=0):
    assert main([*map(str, arguments)]) == status
    return capsys.readouterr()


def test_the_version_by_the_command_and_by_the_module():
    row = subprocess.run([sys.executable, "-m", "symbody", "--version"], capture_output=True, text=True, check=True)
    assert row.stdout == f"symbody {sb.__version__}\n"


def test_check_counts_what_is_there(capsys):
    row = json.loads(run_command(capsys, "check", "double-pendulum", "--json").out)
    assert row["bodies"] == 2
    assert row["velocities"] == 2
    assert "double-pendulum" in run_command(capsys, "check", "double-pendulum").out


@pytest.mark.usefixtures("own_cache")
def test_generate_reports_each_function(capsys, tmp_path):
    out = run_command(
        capsys, "generate", "arm6", "--function", "inverse", "--function", "direct", "-o", tmp_path / "src", "--json"
    ).out
    row = json.loads(out)
    assert [f["name"] for f in row["functions"]] == ["inverse", "direct"]
    for f in row["functions"]:
        counts = f["operations"]
        assert counts["total"] == counts["add"] + counts["mul"] + counts["div"] + counts["neg"] > 0
        assert f["joints"] == 6
        assert f["statements"] > 0
        assert f["trig"] > 0
        assert f["hoisted"] > 0
        assert f["generate_s"] > 0
        assert f["compile_s"] > 0
        assert f["files"]
    text = next((tmp_path / "src").glob("*inverse*.c")).read_text()
    assert "operations" in text


@pytest.mark.parametrize(("language", "suffix"), [("python", ".py"), ("matlab", ".m"), ("javascript", ".mjs")])
def test_generate_other_languages(capsys, tmp_path, language, suffix):
    run_command(capsys, "generate", "double-pendulum", "--lang", language, "--function", "inverse", "-o", tmp_path)
    assert list(tmp_path.glob(f"*{suffix}"))


def test_generate_skips_what_the_model_cannot_have(capsys):
    """The quarter car's wheel frame has no inertia of its own: no direct dynamics as a tree, and a word about why."""
    row = json.loads(run_command(capsys, "generate", "quarter-car", "--json").out)
    assert {"inverse", "dynamics"} <= {f["name"] for f in row["functions"]}
    assert all(s["reason"] for s in row["skipped"])


def test_simulate_draws_the_motion(capsys, tmp_path):
    row = json.loads(run_command(capsys, "simulate", "double-pendulum", "--until", "0.5", "-o", tmp_path, "--json").out)
    assert row["energy_drift"] < 1e-8
    assert (tmp_path / "double-pendulum.png").read_bytes().startswith(b"\x89PNG")


def test_errors_are_one_line_with_place_and_cure(capsys, tmp_path):
    row = run_command(capsys, "check", tmp_path / "missing.yaml", status=2)
    assert "missing.yaml" in row.err
    assert row.err.count("\n") == 1
    row = run_command(capsys, "check", "no-such-model", "--json", status=2)
    assert "arm6" in json.loads(row.out)["error"]
    assert "did you mean inverse?" in run_command(capsys, "generate", "arm6", "--function", "invers", status=2).err
    assert "use a --dt above 0" in run_command(capsys, "simulate", "arm6", "--dt", "-1", status=2).err


def test_simulate_with_steps_chosen_by_their_error(capsys, tmp_path):
    row = json.loads(
        run_command(
            capsys,
            "simulate",
            "four-bar",
            "--until",
            "0.2",
            "--every",
            "0.01",
            "--method",
            "dop853",
            "--set",
            "torque=0.1",
            "--no-picture",
            "-o",
            tmp_path,
            "--json",
        ).out
    )
    assert row["instants"] == 21
    assert "nothing" in run_command(capsys, "simulate", "four-bar", "--set", "nothing=1", "-o", tmp_path, status=2).err


def test_optimise_finds_a_better_damper(capsys):
    wanted = ("optimise", "quarter-car", "--integral", "heave.qdd**2", "--until", "0.5")
    row = json.loads(run_command(capsys, *wanted, "--between", "c_strut=500:4000", "--json").out)
    assert row["objective"] < row["before"]
    assert 500 <= row["parameters"][0]["best"] <= 4000
    assert "NAME=LOW:HIGH" in run_command(capsys, *wanted, "--between", "c_strut", status=2).err


def test_every_command_that_takes_a_model_reads_it_as_asked():
    needs = {
        "inverse": ["--trajectory", "f"], "identify": ["--data", "f"], "sweep": ["--measure", "max(a)"],
        "export": ["--c", "-o", "f"], "estimate": ["--sensors", "a", "--log", "f"],
        "fit": ["--log", "f", "--parameters", "k"],
    }  # fmt: skip
    options = ["--floating", "--mimic", "ignore", "--hold-driven", "--inertia", "as given", "--snap", "1e-5"]
    options += [
        "--limits",
        "stop",
        "--package",
        "p=here",
        "--package",
        "q=there",
        "--argument",
        "n=2",
        "--keyframe",
        "k",
    ]
    pairs = [[("p", "here"), ("q", "there")], [("n", "2")]]
    for name in set(COMMANDS) - {"demo", "scores", "validate", "bench", "cache", "completion"}:  # these take none
        role = ["model"] if name == "node" else []
        made = parser().parse_args([name, *role, "robot.urdf", *options, *needs.get(name, [])])
        assert [getattr(made, option) for option in READING] == [
            True,
            "ignore",
            "stop",
            *pairs,
            "k",
            True,
            "as given",
            1e-5,
        ]


def test_snapped_angles_are_reported_with_what_they_save(capsys, tmp_path):
    path = tmp_path / "robot.urdf"
    link = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
    joint = (
        '<joint name="{}" type="revolute"><parent link="{}"/><child link="{}"/><origin xyz="0.1 0.2 0.3" '
        'rpy="1.5708 0 -1.5708"/><axis xyz="0 0 1"/></joint>'
    )
    chain = "abcd"
    hinges = [joint.format(f"j{i}", chain[i], chain[i + 1]) for i in range(3)]
    path.write_text(f'<robot name="r">{"".join([*map(link.format, chain), *hinges])}</robot>')
    found = json.loads(run_command(capsys, "check", path, "--snap", "1e-5", "--json").out)
    assert found["warnings"][0].startswith("6 angles snapped")
    (row,) = found["snap_operations"]
    assert row["snapped"] < row["as_written"]
    found = json.loads(run_command(capsys, "generate", path, "--snap", "1e-5", "--function", "mass", "--json").out)
    assert found["notes"][0].startswith("6 angles snapped")
    (row,) = found["snap_operations"]
    assert row["snapped"] == found["functions"][0]["operations"]["total"] < row["as_written"]
    assert "built in Python" in run_command(capsys, "check", "crane", "--snap", "1e-5", status=2).err
