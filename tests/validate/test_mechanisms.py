"""Random closed mechanisms against the multiplier equations: none is silently wrong, and the check finds wrong runs.

Tests of validate/mechanisms.py, mechanism_check.py, random_mechanisms.py and multipliers.py; cli/validate.py.
"""

import json
import warnings
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import symbody as sb
from symbody.cli import main
from symbody.errors import ModelError
from symbody.model.components import CUT_KINDS
from symbody.results.run import Run
from symbody.stepping.registry import METHODS
from symbody_bench.validate import mechanisms
from symbody_bench.validate.mechanism_check import STEP, Judge, Way, every_way, judge, verdicts
from symbody_bench.validate.mechanisms import by_way, examined, reasons, run_mechanisms, silently_wrong
from symbody_bench.validate.multipliers import Acting, Drive, Motion, reference, solution
from symbody_bench.validate.random_mechanisms import random_mechanism

SEED = 27


@pytest.mark.parametrize("number", range(4))
def test_a_few_mechanisms_are_not_silently_wrong(number):
    assert silently_wrong([examined(SEED, number, ways=2)], SEED) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 200, 25))
def test_two_hundred_mechanisms_are_not_silently_wrong(first):
    """One way each, drawn at random; `make mechanisms` simulates all mechanisms in all ways."""
    records = [examined(SEED, number, ways=1) for number in range(first, first + 25)]
    assert silently_wrong(records, SEED) == []
    assert sum(record["equal"] for record in records) > 12


@pytest.mark.slow
def test_more_mechanisms_than_one_process_takes(monkeypatch):
    monkeypatch.setattr(mechanisms, "RECYCLED", 2)
    records = run_mechanisms(5, SEED, ways=1, jobs=1)
    assert [record["mechanism"] for record in records] == list(range(5))


def test_every_method_and_closure_is_a_way():
    ways = every_way()
    assert {w.method for w in ways} >= {m.name for m in METHODS.values() if m.name != "cvode"}
    assert {w.closure for w in ways if w.method == "trapezoidal"} == {"partitioning", "penalty", "augmented"}
    assert Way("rk4", repartition=True) in ways
    assert len(set(ways)) == len(ways)


def test_the_draws_cover_what_they_claim():
    drawn = [random_mechanism(SEED, number) for number in range(120)]
    models = [m.model for m in drawn]
    assert {cut.kind for m in models for cut in m.cuts.values()} == set(CUT_KINDS)
    assert {len(m.cuts) for m in models} == {1, 2, 3, 4}
    natures = {joint.nature for m in models for joint in m.joints()}
    assert natures == {"independent", "dependent", "driven", "locked"}
    traits = Counter(trait for m in drawn for trait in m.traits)
    assert {"planar", "spatial", "redundant", "near-singular", "fast", "gear", "laws"} <= set(traits)
    assert any(m.inputs for m in drawn)
    assert any(m.acting.struts for m in drawn)
    assert "ball" in {joint.type for m in models for joint in m.joints()}


def test_the_same_seed_draws_the_same_mechanism():
    first, again, other = (random_mechanism(SEED, number) for number in (3, 3, 4))
    np.testing.assert_array_equal(first.q, again.q)
    assert first.acting == again.acting
    assert first.q.shape != other.q.shape or np.any(first.q != other.q)


def test_the_solution_of_the_multiplier_equations_keeps_its_energy_balance():
    """energy' = power, with springs, dampers, inputs and drives: the accelerations are those of the forces."""
    balanced = 0
    for number in range(6):
        m = random_mechanism(SEED, number)
        found = solution(m.model, m.q, m.v, STEP * np.arange(0, 41), m.acting, singular=1e-2)
        if len(found.t) < 41:
            continue
        states = [reference(m.model, q, v, t=t, acting=m.acting) for t, q, v in zip(*vars_of(found), strict=True)]
        power, energy = ([getattr(r, name) for r in states] for name in ("power", "energy"))
        work = STEP / 3 * (power[0] + power[-1] + 4 * sum(power[1:-1:2]) + 2 * sum(power[2:-1:2]))
        assert energy[-1] - energy[0] == pytest.approx(work, abs=1e-6 * (1 + max(map(abs, power))))
        assert max(np.abs(r.h).max() for r in states) < 1e-8
        balanced += 1
    assert balanced > 2


def vars_of(motion):
    return motion.t, motion.q, motion.v


def test_the_solution_ends_where_drives_contradict_the_loops():
    m = random_mechanism(SEED, first_with("1 loops"))
    drives = {i: Drive(0.0, 0.0, 1.0 + i, 3.0) for i in range(m.model.nv)}
    found = solution(m.model, m.q, m.v, np.array([0.0, 0.1]), Acting(prescribed=drives))
    assert found.ended == "contradictory"
    assert len(found.t) == 1


def first_with(*traits):
    """The first number of a mechanism with these traits that moves freely and regularly."""
    drawn = ((number, random_mechanism(SEED, number)) for number in range(100))
    avoided = {"driven", "locked", "near-singular", "fast", "redundant", "gear"} - set(traits)
    return next(n for n, m in drawn if {*traits} <= {*m.traits} and not avoided & {*m.traits})


@pytest.fixture(scope="module")
def good():
    """A run that is right, and its judge."""
    m = random_mechanism(SEED, first_with("planar"))
    judging, way = judge(m), Way("rk4")
    assert judging.verdict(way).what == "equal"
    s, _ = judging.system("partitioning")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = sb.simulate(s, 0.2, inputs=m.inputs, **way.options())
    return judging, way, run


def spoilt(run, column, change, first=100):
    values = run.values.copy()
    values[first:, run.names.index(column)] += change
    return Run(run.system, run.t, values, names=run.names)


@pytest.mark.parametrize(
    ("ending", "change", "found"),
    [(".q", 1e-3, "loops are open"), (".qd", 0.5, "open"), (".qdd", 1.0, "accelerations differ"),
     (".q", np.nan, "not finite")],
)  # fmt: skip
def test_a_wrong_channel_is_found(good, ending, change, found):
    judging, way, run = good
    joint = run.model.velocities[run.system.partition.dependent[0]]
    assert found in judging.error_of(spoilt(run, f"{joint}{ending}", change), way)


def test_a_wrong_force_of_a_cut_is_found(good):
    judging, way, run = good
    cut = next(iter(run.model.cuts))
    assert "cut forces" in judging.error_of(spoilt(run, f"{cut}.force.x", 1.0), way)


def test_another_motion_of_the_same_mechanism_is_found(good):
    """It satisfies all equations at each of its states, so only the solution shows that it is wrong."""
    judging, way, run = good
    slower = replace(judging.truth, v=0.9 * judging.truth.v)
    assert "the motion differs" in Judge(judging.mechanism, slower, {}).error_of(run, way)


def test_jumps_and_energy_are_checked_where_the_solution_has_ended(good):
    judging, way, run = good
    short = Judge(judging.mechanism, Motion(*(x[:20] for x in vars_of(judging.truth))), {})
    assert short.error_of(run, way) == ""
    joint = run.model.velocities[run.system.partition.dependent[0]]
    assert "the motion jumps" in short._beyond(spoilt(run, f"{joint}.q", 0.1), 20)
    fast = Run(run.system, run.t, run.values.copy(), names=run.names)
    for name in [n for n in run.names if n.endswith(".qd")]:
        fast.values[100:, run.names.index(name)] *= 1.5
    assert "energy is off" in short._beyond(fast, 20) or "jumps" in short._beyond(fast, 20)


def record(number, verdict, why="", method="rk4"):
    run = {"method": method, "closure": "partitioning", "verdict": verdict, "why": why}
    return {"mechanism": number, "traits": "planar", "runs": [run]}


def test_the_table_counts_runs_and_reasons():
    why = "ModelError: random-0-{0}: b{0} is at {0}.5 m"
    records = [record(0, "equal"), record(1, "refused", why.format(1)), record(2, "refused", why.format(2))]
    row = {"method": "rk4", "runs": 3, "equal": 1, "refused": 2, "ended": 0, "warned": 0, "wrong": 0}
    assert by_way(records, "method") == [row]
    assert [(r["runs"], r["first"]) for r in reasons(records)] == [(2, 1)]
    assert silently_wrong(records, 0) == []


def test_a_wrong_run_gives_status_1_and_the_command_that_repeats_it(monkeypatch, capsys):
    monkeypatch.setattr(mechanisms, "run_mechanisms", lambda *_, **__: [record(17, "wrong", "loops are open by 1 m")])
    with pytest.raises(SystemExit) as ended:
        main(["validate", "--mechanisms", "30", "--seed", "5"])
    assert ended.value.code == 1
    said = capsys.readouterr().out
    assert "loops are open by 1 m" in said
    assert "symbody validate --mechanisms 1 --seed 5 --only 17" in said


def test_bad_arguments_are_refused():
    with pytest.raises(ModelError, match="positive"):
        run_mechanisms(0)
    with pytest.raises(ModelError, match="--only 17"):
        run_mechanisms(5, only=["A01"])


def test_ways_beyond_the_time_limit_are_counted(monkeypatch):
    def slow(*_):
        yield from ()
        raise TimeoutError

    monkeypatch.setattr(mechanisms, "verdicts", slow)
    found = examined(SEED, 0, ways=3, limit=1.0)
    assert found["refused"] == 3
    assert "time limit of 1 s" in found["runs"][0]["why"]


def test_errors_that_are_not_ours_are_wrong(monkeypatch):
    monkeypatch.setattr(sb, "simulate", lambda *_, **__: 1 / 0)
    [(_, verdict)] = verdicts(random_mechanism(SEED, first_with("planar")), [Way("rk4")])
    assert verdict.what == "wrong"
    assert "ZeroDivisionError" in verdict.why


@pytest.mark.slow
def test_the_command_prints_records(capsys):
    main(["validate", "--mechanisms", "2", "--seed", str(SEED), "--ways", "1", "--jobs", "1", "--json"])
    records = json.loads(capsys.readouterr().out)
    assert [r["mechanism"] for r in records] == [0, 1]
    assert all(run["verdict"] != "wrong" for r in records for run in r["runs"])
