"""`symbody sweep` with a Parquet table and on a cluster (cli/sweep.py)."""

import json

import numpy as np
import pytest

from symbody.cli import main

MEASURES = ["max(heave.q)", "rms(heave.qd)"]
WORDS = ["sweep", "quarter-car", "--until", "0.05", *(word for text in MEASURES for word in ("--measure", text))]
DRAWN = ["--draw", "k_strut=normal:2e4:1e3", "--samples", "6", "--seed", "3"]


def swept(capsys, folder, *words):
    """What the command says, and its table: columns by name."""
    assert main([*WORDS, *words, "--json", "-o", str(folder)]) == 0
    said = json.loads(capsys.readouterr().out)
    if not said["table"].endswith(".parquet"):
        return said, np.genfromtxt(said["table"], delimiter=",", names=True, deletechars="", replace_space=" ")
    parquet = pytest.importorskip("pyarrow.parquet")
    return said, parquet.read_table(said["table"]).to_pydict()


def test_a_parquet_table_has_the_numbers_of_the_csv_table(capsys, tmp_path):
    pytest.importorskip("pyarrow")
    values = ["--set", "k_strut=1e4:3e4:3", "--workers", "1"]
    as_text, table = swept(capsys, tmp_path, *values)
    said, columns = swept(capsys, tmp_path, *values, "--parquet")
    assert said["table"].endswith("quarter-car-sweep.parquet")
    for name in ("k_strut", *MEASURES):
        np.testing.assert_array_equal(columns[name], table[name])
    assert said["measures"] == as_text["measures"]
    assert (said["runs"], said["failed"]) == (3, 0)
    second, _ = swept(capsys, tmp_path, *values, "--parquet")
    assert second["table"].endswith("quarter-car-sweep-2.parquet")


@pytest.mark.slow
def test_a_cluster_on_this_computer_gives_the_same_numbers(capsys, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    pytest.importorskip("cryptography")
    monkeypatch.setattr("symbody.analysis.cluster.os.cpu_count", lambda: 1)  # one worker
    _, here = swept(capsys, tmp_path, *DRAWN, "--workers", "1")
    said, there = swept(capsys, tmp_path, *DRAWN, "--cluster", "--parquet")
    assert said["runs"] == 6
    for name in ("k_strut", *MEASURES):
        np.testing.assert_allclose(there[name], here[name], rtol=1e-12)


@pytest.mark.slow
def test_a_cluster_by_the_address_of_its_scheduler(capsys, tmp_path):
    distributed = pytest.importorskip("distributed")
    _, here = swept(capsys, tmp_path, *DRAWN, "--workers", "1")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp://", host="127.0.0.1", dashboard_address=None
    ) as cluster:
        _, there = swept(capsys, tmp_path, *DRAWN, "--cluster", cluster.scheduler_address)
    for name in ("k_strut", *MEASURES):
        np.testing.assert_allclose(there[name], here[name], rtol=1e-12)


def test_an_address_without_a_scheduler_is_reported(capsys, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("symbody.analysis.cluster.TIMEOUT", 0.5)
    assert main([*WORDS, *DRAWN, "--cluster", "tcp://127.0.0.1:1", "-o", str(tmp_path)]) == 2
    assert "no scheduler answers" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
