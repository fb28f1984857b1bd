"""Sweeps as one batch against the same sweeps in worker processes."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.analysis import sweep_batch
from symbody.analysis.sweep_workers import SweepJob

N, UNTIL, DT = 70, 0.05, 1e-3
MEASURES = ["max(heave.q)", "rms(heave.qd)", "final(heave.q - k_strut*0)", "integral(heave.qd)", "mean(t*heave.q)"]


@pytest.fixture(scope="module")
def s():
    return sb.system(machines.model("quarter-car"))


def by_workers(s, over, **options):
    return sb.sweep(s, over, UNTIL, DT, MEASURES, grid=False, workers=1, processes="fork", **options)


def test_a_batch_gives_the_numbers_of_the_workers(s):
    k = s.parameters["k_strut"] * np.random.default_rng(1).uniform(0.7, 1.3, N)
    options = {"grid": False, "every": 5 * DT}
    found = sb.sweep(s, {"k_strut": k}, UNTIL, DT, MEASURES, **options)
    assert found.failures == {}
    few = by_workers(s, {"k_strut": k[:10]}, every=5 * DT)
    np.testing.assert_allclose(found.values[:10], few.values, rtol=1e-10, atol=1e-13)


def test_inputs_vary_too_and_signals_over_time_are_kept(s):
    (name,) = s.inputs
    heights = np.linspace(0.0, 0.02, N)
    found = sb.sweep(s, {name: heights}, UNTIL, DT, MEASURES, grid=False)
    np.testing.assert_allclose(found.values[:10], by_workers(s, {name: heights[:10]}).values, rtol=1e-10, atol=1e-13)
    k = {"k_strut": np.linspace(0.9, 1.1, N) * s.parameters["k_strut"]}
    road = {name: lambda t: 0.01 * np.sin(60.0 * t)}
    moving = sb.sweep(s, k, UNTIL, DT, MEASURES, grid=False, inputs=road)
    few = by_workers(s, {"k_strut": k["k_strut"][:10]}, inputs=road)
    np.testing.assert_allclose(moving.values[:10], few.values, rtol=1e-10, atol=1e-13)


def test_a_sample_that_fails_has_its_reason_and_the_others_their_numbers(s):
    k = np.full(N, s.parameters["k_strut"])
    k[3] = np.nan
    found = sb.sweep(s, {"k_strut": k}, UNTIL, DT, ["max(heave.q)"], grid=False, workers=1)
    assert list(found.failures) == [3]
    assert np.isfinite(np.delete(found.values, 3)).all()


def test_what_a_batch_cannot_do_is_left_to_the_workers(s):
    k = np.full((N, 1), s.parameters["k_strut"])

    def rows(measures=None, names=("k_strut",), samples=k, **options):
        job = SweepJob(s, list(names), UNTIL, DT, measures or {"a": "max(heave.q)"}, options=options)
        return sweep_batch.batch_rows(job, samples, 1)

    assert len(rows()) == N
    assert rows(samples=k[:5]) == {}  # too few
    assert rows({"a": lambda run: 0.0}) == {}  # a measure in Python
    assert rows(method="rodas4") == {}
    assert rows(x0={"heave.q": 0.1}) == {}
    assert rows(names=("drop",)) == {}  # a parameter that changes the start
