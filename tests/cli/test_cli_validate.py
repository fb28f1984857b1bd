"""The command: a table, plots, and its status."""

import json
from argparse import ArgumentParser

import numpy as np
import pytest

from symbody.cli import validate
from symbody.errors import ModelError
from symbody_bench.validate import run
from symbody_bench.validate.figures import Figure, Peer, SolvedProblem
from symbody_bench.validate.plots import file_name

KEYS = ["name", "figure", "reference", "error", "threshold", "seconds"]


def solved(error):
    t = np.linspace(0.0, 1.0, 5)
    figures = [
        Figure("A00 none", "x (m)", "zero", error, 1e-4, 0.1, Peer("other", 1e-5, 1.0)),
        Figure("A00 none", "energy error, relative", "conservation", 1e-9, 1e-6, 0.1),
    ]
    return SolvedProblem("A00 none", t, ("x (m)",), error * t[:, None], 0 * t[:, None], error * t, figures)


@pytest.fixture
def command(monkeypatch, tmp_path):
    """Run the command on one made-up problem with an error."""

    def called(error, *options):
        monkeypatch.setattr(run, "PROBLEMS", {"A00 none": lambda: solved(error)})
        parser = ArgumentParser()
        parser.add_argument("--json", action="store_true")
        validate.options(parser)
        return validate.run(parser.parse_args(["-o", str(tmp_path / "plots"), *options]))

    return called


def test_json_is_a_list_of_records(command):
    records = command(1e-6, "--json")
    assert json.loads(json.dumps(records)) == records
    assert list(records[0]) == [*KEYS, "peer", "peer_error", "peer_seconds"]
    assert list(records[1]) == KEYS


def test_each_problem_is_drawn(command, tmp_path):
    table = command(1e-6)
    assert table["missed"] == []
    assert table["plots"] == [str(tmp_path / "plots" / "validation-a00-none.png")]
    assert (tmp_path / "plots" / "validation-a00-none.png").stat().st_size > 5000


@pytest.mark.parametrize("options", [[], ["--json"]])
@pytest.mark.parametrize("error", [1e-2, float("nan")])
def test_a_missed_threshold_is_a_failure_after_the_table(command, capsys, options, error):
    with pytest.raises(SystemExit) as left:
        command(error, *options)
    assert left.value.code == 1
    out = capsys.readouterr().out
    assert "A00 none" in out
    if options:
        assert len(json.loads(out)) == 2


def test_only_takes_words_of_the_names():
    assert run.selection(["A02"]) == [name for name in run.PROBLEMS if "four-bar" in name]
    assert run.selection(["pendulum", "a04"]) == ["A01 pendulum", "A04 bricard"]
    assert run.selection() == list(run.PROBLEMS)
    with pytest.raises(ModelError, match="use one of A01"):
        run.selection(["A99"])


def test_names_become_files():
    assert file_name("A02 n-four-bar, N = 40, penalty") == "validation-a02-n-four-bar-n-40-penalty.png"
