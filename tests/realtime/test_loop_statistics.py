"""What the loop counts is what it recorded; and the benchmark of it writes its tables and pictures."""

import json
import os

import numpy as np
import pytest
from loop_models import PATIENCE, cart, swinging

import symbody as sb
from symbody.bench.realtime import held_stewart, realtime_bench
from symbody.cli import main
from symbody.realtime import Histogram, Loop
from symbody.realtime.block import LOCKED, PRIORITY
from symbody.realtime.picture import plot_statistics
from symbody.realtime.statistics import bin_edges, rights_in_words


def test_histograms_count_what_was_recorded():
    loop = Loop(sb.system(swinging()), 2000.0, stale=None, overrun=None)
    with loop:
        loop.wait(1000, PATIENCE)
    seen = loop.statistics()
    late = loop.history("loop.late", "loop.state")
    late = late["loop.late"][late["loop.state"] == 1]
    assert len(late) == seen.steps == seen.latency.total == seen.duration.total
    edges = np.append(seen.latency.edges, np.inf)
    np.testing.assert_array_equal(seen.latency.counts, np.histogram(late, edges)[0])
    assert seen.latency.largest == pytest.approx(late.max())
    assert seen.latency.mean == pytest.approx(late.mean())
    assert 0 < seen.duration.mean < seen.duration.largest
    assert seen.period == 5e-4
    assert f"{seen.steps} steps of 500 µs" in str(seen)


def test_quantiles_are_those_of_the_numbers():
    rng = np.random.default_rng(5)
    numbers = rng.lognormal(-11.0, 1.0, 100_000)
    edges = bin_edges(160)
    h = Histogram(edges, np.histogram(numbers, np.append(edges, np.inf))[0], numbers.mean(), numbers.max())
    ratio = edges[2] / edges[1]
    for share in (0.01, 0.5, 0.99, 0.9999):
        exact = np.quantile(numbers, share)
        assert exact / 1.001 <= h.quantile(share) <= exact * ratio * 1.001
    assert h.quantile(1.0) == numbers.max()
    assert Histogram(edges, np.zeros(161, dtype=int), 0.0, 0.0).quantile(0.5) == 0.0


def test_what_the_machine_does_not_allow_is_said():
    assert rights_in_words(PRIORITY | LOCKED) == ("real-time priority", "memory locked")
    assert "may delay" in rights_in_words(LOCKED)[0]
    assert "paged out" in rights_in_words(PRIORITY)[1]
    core = min(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    with Loop(sb.system(cart()), priority=0, core=core, stale=None, overrun=None) as loop:
        loop.wait(10, PATIENCE)
        if core is not None:
            assert os.sched_getaffinity(loop.thread) == {core}
    rights = loop.statistics().rights
    assert rights[0].startswith("ordinary priority")  # it was not asked for
    assert ("bound to one processor" in rights) == (core is not None)


def test_the_platform_of_the_benchmark_stands():
    """Its legs are held: a disturbed platform comes back to rest near where it stood."""
    s = sb.system(held_stewart(), outputs=["platform.z", "platform.vz"])
    run = sb.simulate(s, 3.0, 1e-3, inputs={"f1": 900.0}, every=100)
    assert abs(run["platform.vz"][-1]) < 1e-4
    assert abs(run["platform.z"][-1] - run["platform.z"][0]) < 0.01


def test_the_benchmark_writes_tables_and_pictures(tmp_path):
    found = realtime_bench(tmp_path, seconds=0.2, rates=(1000.0, 2000.0), names=["quarter-car"], progress=False)
    assert [row["loop"] for row in found["realtime"]] == [
        f"{rate} Hz, {load}" for rate in (1000, 2000) for load in ("idle", "under load")
    ]
    for row in found["realtime"]:
        assert row["steps"] >= 200
        assert row["latency 50 %"] <= row["latency max"]
    assert json.loads((tmp_path / "realtime.json").read_text())["realtime"] == found["realtime"]
    assert "overrun" in (tmp_path / "realtime.txt").read_text()
    assert (tmp_path / "realtime-quarter-car.png").read_bytes().startswith(b"\x89PNG")


def test_a_picture_of_loops_that_missed_nothing(tmp_path):
    with Loop(sb.system(cart()), stale=None, overrun=None) as loop:
        loop.wait(50, PATIENCE)
    path = plot_statistics({"cart": loop.statistics()}, tmp_path / "cart.png")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_the_command_knows_its_models(capsys, tmp_path):
    assert main(["bench", "--realtime", "--only", "four-bar", "-o", str(tmp_path)]) == 2
    assert "stewart" in capsys.readouterr().err
    arguments = ["--only", "quarter-car", "--rate", "500", "--duration", "0.2", "-o", str(tmp_path), "--json"]
    assert main(["bench", "--realtime", *arguments]) == 0
    assert len(json.loads(capsys.readouterr().out)["realtime"]) == 2
