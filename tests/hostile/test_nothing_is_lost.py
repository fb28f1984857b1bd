"""Commands that fail: computed results stay, missing requirements are named first, and one line gives the reason.

Tests of cli/failure.py, cli/preconditions.py.
"""

import json
import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest

import symbody
from symbody.cli import failure, main, preconditions
from symbody.cli.failure import computed, without_secrets

SOURCE = str(Path(symbody.__file__).parents[1])
PENDULUM = "double-pendulum"
SHORT = ("--until", "0.1")


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """Reports and results go to a folder of the test."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))


def never(*_, **__):
    raise AssertionError("this must not be reached")


def broken(*_, **__):
    raise ZeroDivisionError("a fault\nof two lines \x1b[31m")


# -- faults ------------------------------------------------------------------------------------------------------------


def test_a_fault_of_ours_is_one_line_and_a_report(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("symbody.cli.check.warnings", broken)
    assert main(["check", PENDULUM]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "ZeroDivisionError: a fault" in said.err
    assert "\x1b" not in said.err
    (report,) = (tmp_path / "temporary").glob("symbody-report-*.txt")
    assert str(report) in said.err
    text = report.read_text()
    for part in (f"symbody check {PENDULUM}", "Traceback", "in broken", f"Python {sys.version}", "numpy "):
        assert part in text
    assert "\x1b" not in text


def test_a_report_lies_with_the_results_where_there_is_a_folder(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("symbody.analysis.simulate.simulate", broken)
    assert main(["simulate", PENDULUM, "-o", str(tmp_path / "out"), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["kind"] == "ZeroDivisionError"
    assert Path(told["report"]).parent == tmp_path / "out"


def test_where_no_report_can_be_written_it_is_printed(monkeypatch, capsys):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("symbody.cli.check.warnings", broken)
    monkeypatch.setattr(failure.tempfile, "mkstemp", full)
    assert main(["check", PENDULUM]) == 1
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert said.splitlines()[-1].startswith("symbody: ZeroDivisionError")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (PermissionError(13, "Permission denied", "x"), 2),
        (MemoryError(), 2),
        (symbody.ModelError("bad"), 2),
        (KeyError("x"), 1),
        (RecursionError("deep"), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_the_status_says_whose_fault_it_is(monkeypatch, capsys, error, status):
    def raising(*_):
        raise error

    monkeypatch.setattr("symbody.cli.check.warnings", raising)
    assert main(["check", PENDULUM]) == status
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "Traceback" not in said


def test_a_result_that_cannot_be_printed_is_a_fault_like_others(monkeypatch, capsys):
    monkeypatch.setattr("symbody.cli.check.warnings", lambda model: [object()])
    assert main(["check", PENDULUM, "--json"]) == 1
    assert "not JSON serializable" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (["studio", "x", "--token", "s3cret", "--port", "1"], ["studio", "x", "--token", "…", "--port", "1"]),
        (["studio", "--token=s3cret"], ["studio", "--token=…"]),
        (["studio", "--tok", "s3cret"], ["studio", "--tok", "…"]),
        (["node", "--token-file", "path"], ["node", "--token-file", "path"]),
        (["sweep", "--set", "k=1"], ["sweep", "--set", "k=1"]),
    ],
)
def test_reports_hold_no_secret(given, shown):
    assert without_secrets(given) == shown


# -- what was computed -------------------------------------------------------------------------------------------------


def test_what_was_computed_is_told_before_the_error(monkeypatch, capsys):
    def late(model):
        with computed({"figure": 42}):
            raise symbody.ModelError("too late")

    monkeypatch.setattr("symbody.cli.check.warnings", late)
    assert main(["check", PENDULUM]) == 2
    said = capsys.readouterr()
    assert "figure  42" in said.out
    assert "too late" in said.err
    assert main(["check", PENDULUM, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["computed"] == {"figure": 42}


def test_a_picture_that_fails_costs_no_motion(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("symbody.visual.plots.save_picture", broken)
    assert main(["simulate", PENDULUM, *SHORT, "-o", str(tmp_path)]) == 1
    assert f"{PENDULUM}.csv" in capsys.readouterr().out
    assert len(symbody.Run.load(tmp_path / f"{PENDULUM}.csv")) > 10


def test_an_animation_that_fails_costs_no_motion(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("symbody.visual.animate.page", broken)
    assert main(["animate", PENDULUM, *SHORT, "-o", str(tmp_path / "x.html")]) == 1
    assert "x.csv" in capsys.readouterr().out
    assert len(symbody.Run.load(tmp_path / "x.csv")) > 10
    assert main(["animate", str(tmp_path / "x.csv"), "-o", str(tmp_path / "y.html")]) == 1
    assert not (tmp_path / "y.csv").exists()


def test_a_mode_that_cannot_be_shown_costs_no_table(capsys):
    assert main(["modal", "quarter-car", "--animate", "99", "--json"]) == 2
    assert len(json.loads(capsys.readouterr().out)["computed"]["modes"]) >= 2


def test_a_table_that_cannot_be_saved_costs_no_sweep(monkeypatch, capsys):
    monkeypatch.setattr("symbody.analysis.sweep.Sweep.save", broken)
    options = ["--set", "k_tyre=1e5,2e5", "--measure", "max(heave.q)", "--workers", "1", *SHORT]
    status = main(["sweep", "quarter-car", *options, "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (status, told.get("computed", told).get("runs")) == (1, 2)


def test_figures_are_written_before_plots(monkeypatch, tmp_path):
    from symbody.visual.report import Plot, Report

    report = Report("x", "X", "text", [{"a": 1.0}], plots=[Plot("p", broken, "caption")])
    with pytest.raises(ZeroDivisionError):
        report.save(tmp_path)
    assert json.loads((tmp_path / "x.json").read_text()) == [{"a": 1.0}]


# -- before work begins ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "module"),
    [
        (["simulate", PENDULUM, "--no-picture", "--method", "cvode"], "sksundae"),
        (["animate", PENDULUM, "-o", "x.gif"], "PIL"),
        (["animate", PENDULUM, "-o", "x.mp4"], "imageio_ffmpeg"),
        (["demo", PENDULUM, "--report", "r"], "matplotlib"),
        (["node", "model", PENDULUM, "--mcap", "x.mcap"], "mcap"),
        (["node", "model", PENDULUM, "--transport", "dds"], "cyclonedds"),
        (["node", "io", "--device", "serial"], "serial"),
        (["studio", PENDULUM, "--headless-screenshot", "x.png"], "playwright"),
    ],
)
def test_a_missing_package_is_found_before_work_begins(monkeypatch, capsys, command, module):
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(import_module("symbody.system.system"), "system", never)
    monkeypatch.setattr("symbody.machines.register.MachineEntry.report", never)
    assert main(command) == 2
    said = capsys.readouterr().err
    assert f"needs {module}, which is not installed (pip install 'symbody[" in said


def test_without_a_picture_no_matplotlib_is_needed(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["simulate", PENDULUM, *SHORT, "--no-picture", "-o", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["picture"] is None
    assert Path(told["table"]).exists()


def test_every_extra_is_one_of_the_package():
    import tomllib

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {f"symbody[{name}]" for name in project["optional-dependencies"]}
    assert {extra for _, extra in preconditions.EXTRAS.values()} <= extras


@pytest.mark.parametrize(
    "command",
    [
        ["simulate", PENDULUM, "-o", "file/inside"],
        ["animate", PENDULUM, "-o", "file/inside/x.html"],
        ["animate", PENDULUM, "-o", "x.avi"],
        ["sweep", PENDULUM, "--set", "g=1,2", "--measure", "max(a.q)", "-o", "file/inside"],
        ["modal", PENDULUM, "--animate", "1", "-o", "file/inside"],
        ["demo", PENDULUM, "--report", "file/inside"],
    ],
)
def test_a_folder_that_cannot_be_written_is_found_before_work_begins(monkeypatch, capsys, tmp_path, command):
    (tmp_path / "file").touch()
    monkeypatch.setattr(import_module("symbody.system.system"), "system", never)
    monkeypatch.setattr("symbody.machines.register.MachineEntry.report", never)
    assert main(command) == 2
    assert capsys.readouterr().err.count("\n") == 1


# -- Ctrl-C ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.posix
@pytest.mark.parametrize(
    "command",
    [
        ["simulate", PENDULUM, "--until", "1e5", "--no-picture", "--every", "1"],
        ["sweep", "quarter-car", "--set", "k_tyre=1e5:2e5:64", "--measure", "max(heave.q)", "--until", "2e3"],
    ],
    ids=["simulate", "sweep"],
)
def test_ctrl_c_ends_with_130_and_without_a_traceback(tmp_path, command):
    env = os.environ | {"PYTHONPATH": SOURCE}
    process = subprocess.Popen(
        [sys.executable, "-m", "symbody", *command, "-o", str(tmp_path / "out")],
        env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # whatever runs the tests may ignore it
    )  # fmt: skip
    assert process.stderr is not None
    while process.poll() is None and not (tmp_path / "out").exists():  # the command has begun
        time.sleep(0.05)
    time.sleep(2.0)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60.0)
    assert process.returncode == 130, said
    assert "Traceback" not in said
