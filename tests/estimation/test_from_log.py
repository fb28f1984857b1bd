"""A filter over a log: as if stepped by hand, within its bands, and with doubts where a sensor lies."""

import numpy as np
import pytest
from test_error_state import pendulum

import symbody as sb
from symbody.estimation.estimate import estimate
from symbody.estimation.from_log import SIGMA, estimate_log
from symbody.estimation.sensor_log import sensor_log

DT, NOISE = 5e-3, 0.02


@pytest.fixture(scope="module")
def truth():
    return sb.simulate(pendulum(), 2.0, DT)


def logged(truth, seed=0, **changed):
    seen = truth["arm.q"] + NOISE * np.random.default_rng(seed).normal(size=len(truth))
    for place, value in changed.get("set", {}).items():
        seen[place] = value
    return sensor_log(truth.t + 10.0, {"arm.q": seen}, {"arm.q": NOISE}, [], DT)


def twin(**options):
    return estimate(pendulum(), ["arm.q"], {"arm.q": NOISE}, {"arm.qd": 0.05}, dt=DT, gate=25.0, **options)


def test_it_is_what_steps_by_hand_give(truth):
    log, other = logged(truth), twin()
    found = estimate_log(twin(), log)
    other.correct(log.z[0])
    for k in range(1, len(log.z)):
        other.step(z=log.z[k])
    assert [found.run[name][-1] for name in ("arm.q", "arm.qd")] == pytest.approx(other.x.tolist())
    assert found.run["arm.q" + SIGMA][-1] == pytest.approx(other.sigma["arm.q"])
    assert found.run.t[0] == 10.0
    assert found.doubts == []


def test_outputs_by_name_are_those_of_the_states(truth):
    log = logged(truth)
    states, outputs = estimate_log(twin(), log).run, estimate_log(twin(), log, record=["arm.q", "energy.kinetic"]).run
    assert outputs["arm.q"] == pytest.approx(states["arm.q"])
    assert outputs["arm.q" + SIGMA] == pytest.approx(states["arm.q" + SIGMA])
    inertia = 0.08 + 0.25  # about the hinge: σ of ½ I ω² is I ω σ
    expected = inertia * np.abs(states["arm.qd"]) * states["arm.qd" + SIGMA]
    assert outputs["energy.kinetic" + SIGMA] == pytest.approx(expected)


def test_a_jump_is_refused_and_a_liar_is_doubted(truth):
    once = estimate_log(twin(), logged(truth, set={150: 9.0}))
    assert once.sensors[0].refused == 1
    assert once.doubts == []
    assert np.abs(once.run["arm.q"] - truth["arm.q"])[50:].max() < 0.03
    lying = estimate_log(
        twin(), logged(truth, set=dict.fromkeys(range(200, 260), 9.0) | {k: 9.0 + k for k in range(200, 260)})
    )
    assert lying.sensors[0].refused == 60
    assert "rejected" in lying.doubts[0]
    noisier = estimate_log(
        estimate(pendulum(), ["arm.q"], {"arm.q": NOISE / 3}, {"arm.qd": 0.05}, dt=DT), logged(truth)
    )
    assert "instead of 1" in noisier.doubts[0]


def test_in_a_gap_the_band_grows_and_nothing_is_nan(truth):
    log = logged(truth, set=dict.fromkeys(range(150, 300), np.nan))
    run = estimate_log(twin(), log).run
    assert np.all(np.isfinite(run.values))
    assert run["arm.qd" + SIGMA][150:299].max() > 1.5 * run["arm.qd" + SIGMA][149]
