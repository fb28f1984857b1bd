"""Whole systems on the benchmark: the records, and that what is timed is what it is said to be."""

import shutil
from types import SimpleNamespace

import numpy as np
import pytest

from symbody import machines
from symbody.system.system import system
from symbody_bench import run, systems, throughput
from symbody_bench.plots import save_system_plots
from symbody_bench.systems import (
    DT,
    STEPS,
    advance,
    arguments,
    begun,
    closure_records,
    moving,
    real_time,
    system_record,
    time_steps,
)

SYSTEM = {
    "model": "four-bar",
    "rates_us": 0.2,
    "jacobian_us": 0.6,
    "difference_calls": 18,
    "rk4_us_per_step": 1.0,
    "semi_implicit_us_per_step": 0.3,
}
CLOSURE = {"model": "four-bar", "closure": "penalty", "us_per_step": 0.4, "iterations": None}


@pytest.fixture(scope="module", autouse=True)
def compiler():
    if not shutil.which("cc"):
        pytest.skip("no cc on this machine")


@pytest.fixture(scope="module")
def record():
    return system_record("four-bar", repeats=2)


@pytest.fixture(scope="module")
def closures():
    return {r["closure"]: r for r in closure_records("four-bar", repeats=2)}


def test_a_record_counts_what_the_system_has(record):
    assert [record[key] for key in ("model", "states", "inputs", "parameters", "outputs")] == ["four-bar", 2, 1, 6, 8]
    assert record["difference_calls"] == 2 * (2 + 1 + 6)
    # one run: operations of one program and of the same with its derivatives
    assert 0 < record["rates_operations"] < record["jacobian_operations"]


def test_ratios_of_a_record_follow_from_its_times(record):
    once, exact = record["rates_us"], record["jacobian_us"]
    assert record["jacobian_per_rates"] == pytest.approx(exact / once, abs=0.01)
    assert record["faster_than_differences"] == pytest.approx(18 * once / exact, abs=0.01)
    for method in ("rk4", "semi_implicit"):
        assert record[f"{method}_us_per_step"] > 0
        assert record[f"{method}_real_time"] == round(1e6 * DT / record[f"{method}_us_per_step"])


def test_all_closures_arrive_at_the_same_place(closures):
    assert list(closures) == ["partitioning", "augmented", "penalty"]
    assert closures["partitioning"]["error"] < 1e-7
    assert all(r["error"] < 1e-3 and r["open"] < 1e-6 and r["us_per_step"] > 0 for r in closures.values())


def test_iterations_are_those_of_the_augmented_closure(closures):
    augmented = closures["augmented"]
    assert augmented["method"] == "trapezoidal"
    assert 1 <= augmented["iterations"] <= augmented["most"]
    assert closures["penalty"]["iterations"] is None


@pytest.mark.parametrize("name", ["slider-crank", "quarter-car", "arm6"])
def test_timed_states_are_closed_and_move(name):
    s = system(moving(name))
    for t, x, u, guess in arguments(s, 4):
        found = s.rates_function(t, x, u, guess)
        assert np.isfinite(found.xd).all()
        np.testing.assert_allclose(found.v, guess, atol=1e-10)
        assert np.abs(found.xd[: len(s.layout.coordinates)]).max() > 0.05


def test_a_timed_second_is_a_second_of_motion():
    s = system(moving("quarter-car"))
    run = begun(s)
    assert advance(run, STEPS)
    assert np.abs(run.x - s.x0).max() > 0.01


def test_a_motion_that_stops_is_not_timed():
    stopped = SimpleNamespace(run=lambda steps, every: None, done=3)
    assert time_steps(lambda: stopped) is None
    assert real_time(None) is None


def test_machines_are_systems_and_some_are_closed_models_too():
    assert set(systems.NAMES) <= set(machines.names())
    assert run.selection() == ([*run.NAMED, *run.CLOSED], list(systems.NAMES))
    assert run.selection(quick=True) == (list(run.QUICK), list(systems.QUICK))
    assert run.selection(only=["stewart", "arm6", "a.mbs"]) == (["stewart", "a.mbs"], ["stewart", "arm6"])


def test_a_run_of_systems_alone_writes_and_returns_their_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(systems, "system_record", lambda name: SYSTEM | {"model": name})
    monkeypatch.setattr(systems, "closure_records", lambda name: [CLOSURE | {"model": name}])
    result = run.run_bench(tmp_path, progress=False, only=["arm6", "four-bar"])
    assert [r["model"] for r in result["systems"]] == ["arm6", "four-bar"]
    assert result["closures"] == [CLOSURE]
    assert result["measured"] == []
    text = (tmp_path / "bench.md").read_text()
    assert text.startswith("| model | rates_us |")
    assert "| four-bar | penalty | 0.4 |  |" in text
    assert str(tmp_path / "systems.png") in result["files"]


def test_systems_are_drawn(tmp_path):
    assert save_system_plots([], [], tmp_path) == []
    (picture,) = save_system_plots([SYSTEM | {"rk4_us_per_step": None}], [CLOSURE], tmp_path)
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_throughput_and_sensitivities_are_told(monkeypatch):
    monkeypatch.setattr(throughput, "STEPS", 50)
    monkeypatch.setattr(throughput, "REPEATS", 1)
    records = throughput.throughput_records("quarter-car")
    assert {r["engine"].split(",")[0].split()[0] for r in records} == {"symbody", "SciPy", "MuJoCo"}
    assert all(r["steps_per_s"] > 0 for r in records)
    record = throughput.sensitivity_record(until=0.1)
    assert record["deviation"] < 1e-5
    assert record["times_faster"] > 0
