"""Fits with many logs as one batch, against the same fit run by run."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.analysis.fit_batch import FitBatch
from symbody.analysis.fit_log import measured
from symbody.system.sensitivity import Sensitive, slope_name

N, DT, UNTIL = 64, 2e-3, 0.04
TRUE = {"k_strut": 2.3e4, "c_strut": 1100.0}


@pytest.fixture(scope="module")
def logs():
    """Runs of a quarter car over bumps of different heights, with noise."""
    rng, s = np.random.default_rng(5), sb.system(machines.model("quarter-car"))
    s.parameters.update(TRUE)
    found = []
    for height in rng.uniform(0.0, 0.05, N):
        run = sb.simulate(s, UNTIL, DT, inputs={"road": float(height)}, every=2 * DT, energy="ignore")
        noise = 1e-5 * rng.normal(size=len(run.t))
        found.append({"t": run.t, "heave.q": run["heave.q"] + noise, "road": np.full(len(run.t), height)})
    return found


def test_a_batch_of_logs_gives_the_runs_and_derivatives_of_single_logs(logs):
    s = Sensitive(sb.system(machines.model("quarter-car")), {}, list(TRUE), ["heave.q"])
    given = [measured(log, k) for k, log in enumerate(logs)]
    runs = FitBatch(s, given, None, DT).runs([TRUE] * N, {})
    s.parameters.update(TRUE)
    for k in range(0, N, 7):
        one = sb.simulate(s.restarted(), UNTIL, DT, at=given[k].t, inputs=given[k].inputs(s), energy="ignore")
        for channel in ("heave.q", *(slope_name("heave.q", name) for name in TRUE)):
            np.testing.assert_allclose(runs[k][channel], one[channel], rtol=1e-9, atol=1e-12 * np.ptp(one[channel]))
    assert FitBatch(s, given[:5], None, DT).runs([TRUE] * 5, {}) is None  # too few for a kernel
    assert FitBatch(s, given, None, None).runs([TRUE] * N, {}) is None  # variable steps


def test_a_fit_of_many_logs_finds_the_parameters_as_run_by_run(logs, monkeypatch):
    s = sb.system(machines.model("quarter-car"))
    options = {"channels": ["heave.q"], "dt": DT}
    together = sb.fit(s, logs, list(TRUE), **options)
    for name, wanted in TRUE.items():
        k = together.names.index(name)
        assert abs(together.values[name] - wanted) < 5.0 * np.sqrt(together.covariance[k, k])
    monkeypatch.setattr("symbody.analysis.fit_batch.FEWEST", N + 1)
    apart = sb.fit(s, logs, list(TRUE), **options)
    assert together.values == pytest.approx(apart.values, rel=1e-6)
