"""Every command fails alike, takes inputs alike, and is completed by shells.

Tests of cli/parsing.py, cli/option_names.py, cli/completion.py, cli/run_options.py,
cli/preconditions.py and cli/inverse.py.
"""

import json
import shlex
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import symbody as sb
from symbody import machines
from symbody.cli import COMMANDS, main, parser
from symbody.cli.completion import bash, command_words, fish, zsh
from symbody.cli.option_names import in_options
from symbody.cli.run_options import assigned

NEEDS = {
    "inverse": ["--trajectory", "f.csv"], "identify": ["--data", "f.csv"], "export": ["--c", "-o", "f"],
    "sweep": ["--measure", "max(a.q)", "--set", "a=1"], "sensitivity": ["--final", "a.q"],
    "optimise": ["--final", "a.q", "--between", "k=0:1"], "estimate": ["--sensors", "a.q", "--log", "f.csv"],
    "fit": ["--log", "f.csv", "--parameters", "k"], "scores": ["car"],
}  # fmt: skip
WITH_MODEL = sorted(set(COMMANDS) - {"scores", "validate", "bench", "cache", "completion"})
SHORT = ["--until", "0.02", "--json"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def failed(capsys, *words):
    """The one line of a command that fails, after the address where a page was served already."""
    assert main([*map(str, words)]) == 2
    (said,) = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("studio: http")]
    assert said.startswith("symbody: ")
    return said


@pytest.mark.parametrize("command", WITH_MODEL)
def test_a_misspelt_model_is_answered_alike(command, capsys):
    role = ["model"] if command == "node" else []
    said = failed(capsys, command, *role, "four-bra", *NEEDS.get(command, []))
    assert "no such model (did you mean four-bar" in said


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_a_misspelt_option_is_answered_alike(command, capsys):
    role = ["model"] if command == "node" else ["bash"] if command == "completion" else []
    model = ["four-bar"] if command in WITH_MODEL else []
    said = failed(capsys, command, *role, *model, *NEEDS.get(command, []), "--jsn")
    assert f"symbody {command} takes no --jsn (did you mean --json" in said


def test_a_misspelt_command_and_choice(capsys):
    assert "unknown 'simulat' (did you mean simulate" in failed(capsys, "simulat")
    assert "--method: unknown 'rk5' (did you mean rk4" in failed(capsys, "simulate", "four-bar", "--method", "rk5")
    assert "see symbody simulate --help" in failed(capsys, "simulate")
    assert main(["simulate", "--json"]) == 2
    assert "required" in json.loads(capsys.readouterr().out)["error"]


@pytest.mark.parametrize(
    "words",
    [
        ["simulate", "four-bar", *SHORT],
        ["animate", "four-bar", *SHORT],
        ["equilibrium", "four-bar"],
        ["modal", "four-bar"],
        ["sensitivity", "four-bar", "--final", "crank.q", *SHORT],
        ["optimise", "four-bar", "--final", "crank.q", "--between", "friction=0:1", *SHORT],
        ["export", "four-bar", "--octave", "-o", "f"],
        ["studio", "four-bar", "--no-open", "--port", "0"],
    ],
    ids=lambda words: words[0],
)
def test_a_misspelt_parameter_is_answered_alike(words, capsys):
    assert "unknown parameter or input (did you mean friction" in failed(capsys, *words, "--set", "frction=1")


@pytest.mark.parametrize("command", ["simulate", "animate", "equilibrium", "modal", "sensitivity", "optimise", "sweep"])
def test_every_command_that_takes_inputs_reads_files_and_starts(command):
    made = parser().parse_args([command, "four-bar", *NEEDS.get(command, []), "--inputs", "log.csv", "--x0", "a.q=1"])
    assert made.inputs == "log.csv"
    assert made.x0 == ["a.q=1"]


def test_a_file_of_inputs_and_a_start_by_name(capsys, tmp_path):
    (tmp_path / "log.csv").write_text("t,torque [N mm]\n0,100\n1,100\n")
    both = ["--x0", "crank.q=-1.3", "--no-picture", "-o", str(tmp_path)]
    assert main(["simulate", "four-bar", *SHORT, "--inputs", "log.csv", *both]) == 0
    run = sb.Run.load(json.loads(capsys.readouterr().out)["table"])
    plain = sb.simulate(machines.model("four-bar"), 0.02, 1e-3, inputs={"torque": 0.1}, x0={"crank.q": -1.3})
    assert run["crank.q"] == pytest.approx(plain["crank.q"], rel=1e-12)
    said = failed(capsys, "simulate", "four-bar", "--x0", "crnk.q=1", "--no-picture")
    assert "did you mean crank.q" in said
    (tmp_path / "log.csv").write_text("t,torqe\n0,100\n1,100\n")
    assert "torq" in failed(capsys, "equilibrium", "four-bar", "--inputs", "log.csv")


def test_a_motion_is_followed_against_a_file_of_inputs(capsys, tmp_path):
    """1 kg moved along x = t² needs 2 N, less what pushes it already."""
    m = sb.Model("cart", gravity=(0, 0, 0))
    m.input("push", unit="N")
    m.body("cart", joints="T1", mass=1.0)
    m.joint_force("cart")(lambda q, qd, p: p.push)
    sb.save(m, "cart.yaml")
    Path("motion.csv").write_text("t,cart\n" + "".join(f"{k / 10},{(k / 10) ** 2}\n" for k in range(11)))
    Path("push.csv").write_text("t,push\n0,0.5\n1,0.5\n")
    assert main(["inverse", "cart.yaml", "--trajectory", "motion.csv", "--inputs", "push.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["efforts"][0]["largest"] == pytest.approx(1.5)


def test_numbers_with_units():
    assert assigned("k=20 N/mm") == ("k", pytest.approx(2e4))
    assert assigned("k=2e4") == ("k", 2e4)
    assert assigned("a = -90deg") == ("a", pytest.approx(-1.5707963267948966))
    with pytest.raises(sb.ModelError, match=r"--set k=20 N/mn: unknown unit 'N/mn'"):
        assigned("k=20 N/mn")
    with pytest.raises(sb.ModelError, match="is not NAME=VALUE"):
        assigned("k")


def test_messages_name_options(capsys):
    said = failed(capsys, "simulate", "four-bar", "--dt", "0.01", "--every", "0.015", "--no-picture")
    assert "--every: 0.015 s is not a multiple" in said
    assert "use a whole multiple of --dt" in said
    asked = parser().parse_args(["simulate", "four-bar"])
    assert in_options("simulate with repartition=True", asked) == "simulate with --repartition"
    assert in_options("give every=0.02, or closure='augmented'", asked) == "give --every 0.02, or --closure augmented"
    assert in_options("recorded with outputs=[…]", asked) == "recorded with --record …"
    assert in_options("start with x0=…, newton=3", asked) == "start with --x0 STATE=VALUE, newton=3"
    searched = parser().parse_args(["equilibrium", "four-bar"])
    assert in_options("free 1 inputs with free_inputs=[…]", searched) == "free 1 inputs with --free INPUT"


def test_warnings_are_one_line_in_the_words_of_the_command(tmp_path):
    """A pendulum in steps that are too long loses energy: in a process of its own, since pytest catches warnings."""
    words = shlex.split(f"simulate double-pendulum --until 3 --dt 0.1 --no-picture --json -o {tmp_path}")
    said = subprocess.run([sys.executable, "-m", "symbody", *words], capture_output=True, text=True).stderr
    assert said.startswith("symbody: double-pendulum: energy is not accounted for")
    assert "--method" in said
    assert said.count("\n") == 1


def test_without_matplotlib_the_table_is_written(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["simulate", "pendulum", *SHORT, "-o", str(tmp_path)]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["picture"] is None
    assert "pip install 'symbody[plot]'" in said["note"]
    assert (tmp_path / "pendulum.csv").exists()


def test_a_second_sweep_leaves_the_first_alone(capsys, tmp_path):
    words = ["sweep", "four-bar", "--measure", "max(crank.q)", "--workers", "1", *SHORT, "-o", str(tmp_path)]
    tables = []
    for value in ("0.1", "0.2", "0.3"):
        assert main([*words, "--set", f"friction={value}"]) == 0
        tables.append(json.loads(capsys.readouterr().out)["table"])
    assert [name.rpartition("/")[2] for name in tables] == [f"four-bar-sweep{k}.csv" for k in ("", "-2", "-3")]
    values = [Path(name).read_text().splitlines()[1].partition(",")[0] for name in tables]
    assert list(map(float, values)) == [0.1, 0.2, 0.3]


def test_completion_knows_commands_options_and_machines():
    words = {c.name: c for c in command_words(parser().parse_args(["cache"]).parsers)}
    assert set(words) == set(COMMANDS)
    assert "rk4" in words["simulate"].options["--method"]
    assert "four-bar" in words["simulate"].words
    assert "four-bar" not in words["cache"].words
    assert "--token" not in words["studio"].options  # it is a secret
    for script in (bash, zsh, fish):
        text = script(list(words.values()))
        assert "four-bar" in text
        assert "rodas4" in text


@pytest.mark.parametrize("typed", ["sim", "simulate four-b", "simulate --meth", "simulate --method tr", "completion f"])
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes(typed, capsys, tmp_path):
    assert main(["completion", "bash"]) == 0
    (tmp_path / "c.sh").write_text(capsys.readouterr().out)
    expected = {"sim": "simulate", "simulate four-b": "four-bar", "simulate --meth": "--method"}
    expected |= {"simulate --method tr": "trapezoidal", "completion f": "fish"}
    words = ["symbody", *typed.split()]
    asked = (
        f"source c.sh; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _symbody; echo ${{COMPREPLY[@]}}"
    )
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert expected[typed] in done.stdout.split()


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_read_the_script(shell, capsys, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    assert main(["completion", shell]) == 0
    (tmp_path / "c").write_text(capsys.readouterr().out)
    subprocess.run([shell, "-n", str(tmp_path / "c")], check=True)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_example_of_a_command_is_a_command(command):
    given = parser().parsed([command, *shlex.split(import_module(f"symbody.cli.{command}").EXAMPLE)])
    assert given.command == command


def test_help_begins_with_what_must_be_given(capsys):
    for words, first in (
        (["--help"], "usage: symbody COMMAND [options]"),
        (["demo", "--help"], "usage: symbody demo [name] [options]"),
        (["fit", "--help"], "usage: symbody fit model --log FILE --parameters NAME [options]"),
        (["export", "--help"], "usage: symbody export model --output DIR (--fmu | --c | --octave) [options]"),
    ):
        with pytest.raises(SystemExit):
            main(words)
        assert capsys.readouterr().out.splitlines()[0] == first
