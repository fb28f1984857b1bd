"""The benchmark of real time: its tables hold together, its files are there, and what it does not know it refuses.

Tests of cli/bench.py.
"""

import json

import numpy as np
import pytest

import symbody as sb
from symbody.cli import main
from symbody.errors import ModelError
from symbody.realtime.statistics import QUANTILES, histogram_of
from symbody.studio.machine import Aim, Control, Machine
from symbody.studio.photograph import chromium
from symbody_bench import pictures, realtime_machines, realtime_roundtrip
from symbody_bench.realtime import LOOPS, NAMES, QUICKER, bins, chosen, realtime_bench
from symbody_bench.realtime_faults import BAD, CUTS, killed, severed
from symbody_bench.realtime_loops import held_stewart
from symbody_bench.realtime_machines import machines_part
from symbody_bench.realtime_output import output_part
from symbody_bench.realtime_roundtrip import round_trips_part
from symbody_bench.round_trips import round_trips

pytestmark = [pytest.mark.posix, pytest.mark.clock]  # the real-time loop

SHARES = [f"{100 * share:g} %" for share in QUANTILES] + ["max"]


def rises(row, kind):
    """Whether the quantiles of a row grow, from above zero."""
    times = [row[f"{kind} {share}"] for share in SHARES]
    return times[0] > 0.0 and times == sorted(times)


def test_the_platform_of_the_benchmark_stands():
    """Its legs are held: a disturbed platform comes back to rest near where it stood."""
    s = sb.system(held_stewart(), outputs=["platform.z", "platform.vz"])
    run = sb.simulate(s, 3.0, 1e-3, inputs={"f1": 900.0}, every=0.1)
    assert abs(run["platform.vz"][-1]) < 1e-4
    assert abs(run["platform.z"][-1] - run["platform.z"][0]) < 0.01


@pytest.mark.slow
def test_loops_are_measured_side_by_side(tmp_path):
    found = realtime_bench(tmp_path, only=LOOPS, seconds=0.2, rates=(1000.0, 2000.0), progress=False)
    assert [(row["model"], row["loop"]) for row in found["loops"]] == [
        (name, f"{rate} Hz, {load}") for name in LOOPS for rate in (1000, 2000) for load in ("idle", "under load")
    ]
    kept = json.loads((tmp_path / "realtime.json").read_text())
    assert kept["loops"] == found["loops"]
    for row in found["loops"]:
        assert row["steps"] >= 200
        for kind in ("latency", "step"):
            assert rises(row, kind)
            assert sum(kept["histograms"][f"{row['model']}, {row['loop']}, {kind}"]["number"]) == row["steps"]
    assert "overrun" in (tmp_path / "realtime.txt").read_text()
    assert all((tmp_path / f"realtime-{name}.png").read_bytes().startswith(b"\x89PNG") for name in LOOPS)
    assert len(found["rights"]) >= 2


def test_bins_are_those_of_the_numbers():
    times = np.array([2e-8, 2.0e-6, 2.0e-6, 3.0e-3, 50.0])
    seen = bins(histogram_of(times))
    assert seen["number"] == [1, 2, 1, 1]
    assert seen["from_us"][0] == 0.0
    assert all(low <= 1e6 * x for low, x in zip(seen["from_us"], np.unique(times), strict=True))


@pytest.mark.slow
def test_round_trips_are_a_distribution(tmp_path, monkeypatch):
    def counted(transport, count, priority):
        if priority:
            raise ModelError("no real-time priority", cure="ask for it")
        return round_trips(transport, count)

    monkeypatch.setattr(realtime_roundtrip, "round_trips", counted)
    part = round_trips_part(["udp"], tmp_path, trips=60)
    assert [(row["line"], row["nodes"], row["trips"]) for row in part.rows] == [
        ("udp", "idle", 60),
        ("udp", "under load", 60),
    ]
    assert all(rises(row, "trip") for row in part.rows)
    assert part.files[0].read_bytes().startswith(b"\x89PNG")
    assert part.missing == ["udp, under load, urgent: no real-time priority (ask for it)"]


def test_a_missing_package_is_a_line_and_no_end(tmp_path, monkeypatch):
    def nowhere(module):
        raise ModelError("Cyclone DDS cannot be used", element="dds", cure="install it")

    monkeypatch.setattr(realtime_roundtrip, "cyclone", nowhere)
    part = round_trips_part(["dds"], tmp_path)
    assert (part.rows, part.files) == ([], [])
    assert part.missing == ["dds: Cyclone DDS cannot be used (install it)"]


@pytest.mark.slow
def test_faults_end_in_safety_and_in_resumption():
    """The table has the time; the test only waits for the event."""
    rows = [killed("io", "udp", 1), severed(0.1, 0.1, **BAD)]
    for row, times in zip(rows, (1, CUTS), strict=True):
        assert row["times"] == times
        assert 0.0 < row["safe_ms"] <= row["safe_max_ms"]
        assert 0.0 < row["resumed_ms"] <= row["resumed_max_ms"]
    assert rows[1]["stated_ms"] == rows[0]["stated_ms"] + 1e3 * BAD["delay"]
    assert "safe before" in rows[1]


def test_parts_are_chosen_by_name():
    assert chosen(LOOPS, []) == list(LOOPS)
    assert chosen(LOOPS, ["stewart", "udp"]) == ["stewart"]
    assert set(LOOPS) | {"udp", "dds", "faults"} <= set(NAMES)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--only", "four-bar"], "four-bar: not a part of this benchmark (use one of quarter-car, stewart"),
        (["--duration", "0"], "a rate or duration of 0"),
        (["--rate", "nan"], "a rate or duration of nan"),
        (["--rate", "-5", "--json"], "a rate or duration of -5"),
    ],
)
def test_what_it_does_not_know_is_refused(arguments, told, capsys, tmp_path):
    assert main(["bench", "--realtime", *arguments, "-o", str(tmp_path / "none")]) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


@pytest.mark.slow
def test_the_command_prints_json(capsys, tmp_path):
    arguments = ["--only", "quarter-car", "--rate", "500", "--duration", "0.2", "-o", str(tmp_path), "--json"]
    assert main(["bench", "--realtime", *arguments]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [row["loop"] for row in said["loops"]] == ["500 Hz, idle", "500 Hz, under load"]
    assert {"histograms", "faults", "round_trips", "machines"} & set(said) == set()


def swinging_cart():
    """A small machine with a control and somebody who moves it."""
    m = sb.Model("cart", gravity=(0, 0, 0))
    m.input("push", 0.0, "N")
    m.body("cart", joints=[sb.Joint("x", "T1", q0=(0.1,))], mass=2.0)
    m.joint_force("x")(lambda q, qd, p: p.push - 50.0 * q - qd)
    control = Control("push", "Push", -5.0, 5.0, keys={"a": Aim(-5.0), "d": Aim(5.0)})
    pilots = {"sway": lambda t, channels: {"push": 4.0 * np.sin(3.0 * t)}}
    return Machine("Cart", sb.system(m), controls=[control], pilots=pilots)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(realtime_machines, "MACHINES", {"cart": swinging_cart})
    monkeypatch.setattr(realtime_machines, "SETTLED", 0.1)


def check_machine(row, part, label):
    assert row["steps"] > 0
    for kind in ("latency", "step"):
        assert rises(row, kind)
        assert part.histograms[f"cart, {label}, {kind}"].total == row["steps"]


@pytest.mark.slow
def test_a_machine_is_measured_without_a_browser_where_there_is_none(small, monkeypatch, tmp_path):
    def nothing():
        raise ModelError("a picture of the page needs Chromium", cure="install it")

    monkeypatch.setattr(realtime_machines, "browser", nothing)
    part = machines_part(["cart"], tmp_path, seconds=0.4)
    assert [row["browsers"] for row in part.rows] == [0]
    assert part.missing == ["cart, one browser: a picture of the page needs Chromium (install it)"]
    check_machine(part.rows[0], part, "no browser")
    assert (part.rows[0]["goal 99 %"], part.rows[0]["kept"], part.rows[0]["pictures/s"]) == (None, None, None)
    assert part.files[0].read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_a_machine_is_measured_while_a_browser_plays_it(small, monkeypatch, tmp_path):
    pytest.importorskip("playwright.sync_api")
    if chromium() is None:
        pytest.skip("no Chromium here")
    monkeypatch.setattr(realtime_machines, "GOALS", {"cart": 1e9})
    part = machines_part(["cart"], tmp_path, seconds=2.0)
    assert (part.missing, [row["browsers"] for row in part.rows]) == ([], [0, 1])
    check_machine(part.rows[1], part, "one browser")
    assert part.rows[1]["kept"] is True
    assert part.rows[1]["pictures/s"] > 0.0


def test_the_page_is_measured_by_its_own_command(monkeypatch, capsys, tmp_path):
    asked = []

    def counted(output, names, seconds, *, progress, **few):
        asked.append((output, list(names), seconds, progress, few))
        return {"pictures": [{"model": "car", "browsers": 1}]}

    monkeypatch.setattr(pictures, "pictures_bench", counted)
    command = ["bench", "--studio", "-o", str(tmp_path)]
    assert main([*command, "--json", "--only", "car", "--duration", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["pictures"] == [{"model": "car", "browsers": 1}]
    assert main([*command, "--quick"]) == main([*command, "--only", "car", "--browsers", "1"]) == 0
    assert asked == [
        (tmp_path, ["car"], 2.0, False, {}),
        (tmp_path, list(pictures.NAMES), pictures.SECONDS / QUICKER, False, {}),  # nobody is at a terminal
        (tmp_path, ["car"], pictures.SECONDS, False, {"browsers": (1,), "views": 1}),
    ]
    assert main([*command, "--only", "unicycle"]) == main([*command, "--duration", "-1"]) == 2
    assert "no such model" in capsys.readouterr().err


@pytest.mark.slow
def test_set_points_on_the_bus_are_measured_against_the_clock(tmp_path):
    pytest.importorskip("canopen")
    part = output_part(tmp_path, 1.5, ["idle"])
    (row,) = part.rows
    assert row["samples"] + row["missed"] >= 1.0 / 1e-6 / row["period"]
    assert rises(row, "late")
    assert sum(part.histograms["ride-output, idle, late"].counts) == row["samples"]
    assert part.files[0].read_bytes().startswith(b"\x89PNG")
