"""The loop beside browsers, packets and a recording: rows that hold together, clients that did what they are for.

Tests of load.py, load_clients.py, cli/bench.py.
"""

import json

import pytest

import symbody as sb
from symbody.cli import main
from symbody_bench import load

pytestmark = [pytest.mark.posix, pytest.mark.clock]  # the real-time loop


@pytest.mark.slow
def test_a_loop_is_measured_alone_and_under_load(monkeypatch, capsys, tmp_path):
    pytest.importorskip("mcap")
    pytest.importorskip("websockets")
    pytest.importorskip("serial")
    monkeypatch.setattr(load, "SETTLED", 0.1)
    monkeypatch.setattr(load, "TOGETHER", 2)
    command = ["bench", "--load", "--only", "pendulum", "--duration", "4", "--browsers", "3", "--json"]
    assert main([*command, "-o", str(tmp_path)]) == 0
    found = json.loads(capsys.readouterr().out)
    alone, loaded = found["load"]
    assert (alone["loop"], loaded["loop"]) == ("alone", "under load")
    for row in (alone, loaded):
        assert row["steps"] > 0
        assert row["latency 50 %"] <= row["latency 99 %"] <= row["latency max"]
    counted = {}
    for one in found["clients"]:
        counted.setdefault(one["client"], []).append(one)
    assert sorted(one["browsers"] for one in counted["watch"]) == [1, 2]
    assert all(one["lost"] == 0 and one["messages/s"] > 0 for one in counted["watch"] + counted["touch"])
    assert counted["flood"][0]["packets/s"] > 0
    assert counted["node"][0]["refused"] > 0
    assert counted["serial"][0]["refused"] > 0
    assert counted["pause"][0]["pauses"] > 0
    assert counted["pause"][0]["lost"] == 0
    assert all(one["asked/s"] > 0 for one in counted["watch"])
    assert counted["record"][0]["records"] > 0
    assert (counted["record"][0]["missed"], counted["record"][0]["lost"], counted["record"][0]["failed"]) == (0, 0, "")
    assert json.loads((tmp_path / "load.json").read_text())["load"] == found["load"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--browsers", "0"], "a load of 0 browsers"),
        (["--duration", "nan"], "a rate or duration of nan"),
        (["--only", "unicycle"], "no such model"),
    ],
)
def test_what_cannot_be_measured_is_refused(arguments, told, capsys, tmp_path):
    assert main(["bench", "--load", *arguments, "-o", str(tmp_path / "none")]) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_a_client_that_does_not_start_is_named(tmp_path):
    with (
        load.client("", "record", "no-such-loop", str(tmp_path / "x.mcap")) as work,
        pytest.raises(sb.ModelError, match="a client does not start"),
    ):
        load.await_ready("record", work)
