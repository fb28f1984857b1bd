"""Solvers of `symbody bench --cueing` find the same plans (symbody_bench/cueing_solvers.py)."""

import json
from itertools import islice

import numpy as np
import pytest

pytest.importorskip("daqp")

from symbody.errors import ModelError
from symbody.motion.quadratic_program import minimum
from symbody_bench.cueing_solvers import cost, excess, measured, programs, solvers, solvers_bench


@pytest.fixture(scope="module")
def some():
    return list(islice(programs(), 0, 200, 40))


@pytest.mark.parametrize("name", ["daqp", "piqp", "osqp"])
def test_every_solver_finds_the_same_plan(name, some):
    if name not in solvers():
        pytest.skip(f"{name} is not installed")
    for program in some:
        z, exact = solvers()[name](program), minimum(program)
        assert excess(program, z) < 1e-3
        assert cost(program, z) == pytest.approx(cost(program, exact), rel=1e-3, abs=1e-4)


def test_a_plan_is_a_minimum_within_its_bounds(some):
    """No step within the bounds along a random direction reduces the cost."""
    rng = np.random.default_rng(1)
    for program in some:
        z = minimum(program)
        assert excess(program, z) < 1e-6
        for _ in range(20):
            other = z + 1e-3 * rng.normal(size=len(z))
            if excess(program, other) <= 0.0:
                # one run: a minimum against points around it
                assert cost(program, other) > cost(program, z)


def test_a_solver_that_fails_or_errs_is_seen(some):
    best = [cost(program, minimum(program)) for program in some]
    failing = measured("none", lambda program: None, some, best)
    assert failing["failed"] == len(some)
    wrong = measured("zero", lambda program: 0.0 * program.f + 1.0, some, best)
    assert wrong["cost_excess"] > 0.01
    assert wrong["bound_excess"] > 0.0


def test_the_rows_are_written_and_unknown_solvers_are_refused(tmp_path):
    found = solvers_bench(tmp_path, ["daqp"], 5, progress=False)
    assert json.loads((tmp_path / "cueing.json").read_text()) == found["solvers"]
    assert found["solvers"][0]["worst_ms"] >= found["solvers"][0]["median_ms"] > 0.0
    with pytest.raises(ModelError, match="not a solver"):
        solvers_bench(tmp_path, ["magic"], 5)
