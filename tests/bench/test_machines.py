"""The benchmark of machines with hydraulics: what it measures is there, and runs to its end; no timing is asserted."""

from dataclasses import replace

import pytest

import symbody as sb
from symbody.errors import DivergenceError
from symbody.stepping.step_equations import newton_program
from symbody_bench.multiphysics import CASES, chain_of_volumes, solver_records, step_records
from symbody_bench.run import markdown, selection


def test_each_tangent_takes_the_whole_course():
    name = "four-bar-friction, lugre"
    records = list(step_records({name: replace(CASES[name], until=1.2)}))
    assert [r["tangent"] for r in records] == ["exact", "kept", "numerical"]
    exact, _, numerical = records
    assert 1.0 <= exact["iterations"] <= 1.01 * numerical["iterations"]
    assert name in markdown(records)


@pytest.mark.slow
def test_a_course_that_ends_early_is_not_measured():
    case = CASES["crane"]
    with pytest.raises(DivergenceError, match="of 5000 steps"):
        list(step_records({"crane": replace(case, inputs={"lift_command": lambda t: -10.0}, until=5.0)}))


@pytest.mark.slow
def test_solvers_of_others_come_to_the_same_motion(monkeypatch):
    monkeypatch.setitem(CASES, "crane", replace(CASES["crane"], until=0.2))
    records = list(solver_records("crane"))
    ours, *others = records
    assert ours["error"] < 1e-5
    assert others[0]["solver"] == "SciPy BDF"
    assert others[0]["error"] < 1e-5


@pytest.mark.slow
def test_a_growing_circuit_costs_in_proportion():
    def operations(n: int) -> int:
        return sb.system(chain_of_volumes(n), outputs=[]).function("newton", newton_program).operations.total

    assert operations(40) - operations(20) == pytest.approx(2 * (operations(20) - operations(10)), rel=0.05)


def test_machines_are_no_models_of_the_other_tables():
    assert selection(only=["crane", "stewart"]) == (["stewart"], ["stewart"])
