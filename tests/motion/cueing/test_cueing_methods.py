"""Cueing methods: filters against transfer functions, return to neutral, limits of predictive plans, orderings."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import signal

import symbody as sb
from symbody.errors import ModelError
from symbody.machines.platform.data import platform_data
from symbody.model.plain_numbers import GRAVITY
from symbody.motion.cueing import (
    Adaptive,
    Classic,
    Optimal,
    Predictive,
    PredictivePlanner,
    SceneRecord,
    cueing_model,
    descent,
    run_over,
    score,
)
from symbody.motion.data import AXES
from symbody.motion.limits import leg_states
from symbody.motion.redundancy import share_of

DATA = platform_data()
METHODS = [Classic(table=None), Classic(), Adaptive.hexapod(), Adaptive(), Optimal()]


def step_record(until=90.0, height=1.0, dt=5e-3):
    """A sustained acceleration ahead and to the left, and a short turn in each direction."""
    t = np.arange(0.0, until, dt)
    acceleration = np.tile([height, -0.5 * height, 0.0], (len(t), 1))
    rate = np.where((t > 5.0) & (t < 6.0), 0.1, 0.0)[:, None] * np.ones(3)
    return SceneRecord(t, acceleration, rate)


def test_the_classic_filters_are_those_of_the_document():
    method = Classic()
    record = descent(5e-3)
    run = run_over(sb.system(cueing_model(method)), record)
    a = record.acceleration[:, 0]
    h, t, b = method.hexapod, method.tilt, method.table
    high = np.polymul([1.0, 2.0 * h.damping * h.cutoff, h.cutoff**2], [1.0, h.washout])
    _, x, _ = signal.lsim(([h.gain, 0.0], high), a, record.t)
    np.testing.assert_allclose(run["x"], x, atol=2e-4)
    low = [1.0, 2.0 * t.damping * t.cutoff, t.cutoff**2]
    quiet = replace(record, rate=0.0 * record.rate)
    tilt = run_over(sb.system(cueing_model(method)), quiet)["pitch"]
    _, theta, _ = signal.lsim(([t.gain * t.cutoff**2 / GRAVITY], low), a, record.t)
    np.testing.assert_allclose(-tilt, theta, atol=2e-4)
    band = [1.0, b.centre / b.quality, b.centre**2]
    wash = np.polymul([1.0, b.washout], [1.0, b.washout])
    _, table, _ = signal.lsim(([b.gain * b.centre / b.quality, 0.0], np.polymul(band, wash)), a, record.t)
    np.testing.assert_allclose(run["table.x"], table, atol=1e-3)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_everything_but_the_tilt_returns_to_neutral(method):
    run = run_over(sb.system(cueing_model(method)), step_record())
    for axis in ("table.x", "table.y", "x", "y", "z", "yaw"):
        assert abs(run[axis][-1]) < 0.02, axis
    assert run["restored.x"][-1] == pytest.approx(1.0, abs=0.15)  # the tilt holds the sustained acceleration


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_rates_and_accelerations_are_derivatives_of_the_references(method):
    record = descent(1e-3)
    short = SceneRecord(record.t[:8000], record.acceleration[:8000], record.rate[:8000])
    run = run_over(sb.system(cueing_model(method)), short)
    for axis in AXES:
        for lower, upper in ((axis, f"{axis}.rate"), (f"{axis}.rate", f"{axis}.second")):
            slope = np.gradient(run[lower], 1e-3)[2:-2]
            assert np.abs(slope - run[upper][2:-2]).max() <= 0.05 * np.abs(run[upper]).max() + 2e-3, upper


def test_a_limit_of_the_tilt_rate_holds():
    record = descent(5e-3)
    quiet = replace(record, rate=0.0 * record.rate)
    run = run_over(sb.system(cueing_model(Classic().limited(3.0))), quiet)
    assert np.degrees(np.abs(run["pitch.rate"]).max()) == pytest.approx(3.0, abs=1e-6)
    free = run_over(sb.system(cueing_model(Classic())), quiet)
    assert np.degrees(np.abs(free["pitch.rate"]).max()) > 6.0


def test_the_share_of_the_hexapod_is_that_of_the_document():
    assert share_of((1.276, 0.313, 0.798), (1.0, 1.2, 1.7)) == pytest.approx(0.276 / 1.276, abs=1e-12)
    assert share_of((0.9, 0.3, 0.5), (1.0, 1.2, 1.7)) == 0.0
    assert share_of((10.0, 0.3, 0.5), (1.0, 1.2, 1.7)) == 0.285


def test_the_optimal_filter_minimises_its_cost():
    """No scaled regulator has a smaller felt error at the same weights: the closed loop is stable and restores most."""
    found = Optimal().filter
    assert np.linalg.eigvals(found.A).real.max() < 0.0
    assert score(run_over(sb.system(cueing_model(Optimal())), descent(5e-3))).pi > 85.0


def predicted(record, preview, tilt_rate=None):
    pytest.importorskip("daqp")
    method = Predictive(PredictivePlanner(DATA, tilt_rate=tilt_rate), preview)
    plans = method.plans(record, 2e-2)
    return run_over(sb.system(cueing_model(method)), record, inputs=plans)


def within_limits(run):
    for axis in AXES:
        limit = DATA.limits[axis]
        middle = 0.5 * (limit.low + limit.high)
        offset = 0.0 if axis != "z" else DATA.neutral_height - middle
        assert np.abs(run[axis] + offset).max() <= 0.5 * (limit.high - limit.low) + 1e-6, axis
        assert np.abs(run[f"{axis}.rate"]).max() <= limit.speed + 1e-6, axis
        assert np.abs(run[f"{axis}.second"]).max() <= limit.acceleration + 1e-6, axis
    pose = DATA.neutral + np.stack([run[axis] for axis in AXES[2:]], axis=-1)
    legs = leg_states(pose, DATA)[0]
    assert DATA.legs.shortest <= legs.min() <= legs.max() <= DATA.legs.longest


def test_predictive_cueing_keeps_all_limits_on_a_descent():
    within_limits(predicted(descent(5e-3).until(4.0), True))


def test_predictive_plans_keep_the_limits_whatever_the_scene_does():
    rng = np.random.default_rng(5)
    t = np.arange(0.0, 4.0, 5e-3)
    wild = np.repeat(rng.uniform(-90.0, 90.0, (20, 6)), 40, axis=0)
    run = predicted(SceneRecord(t, wild[:, :3], 0.1 * wild[:, 3:]), False)
    within_limits(run)


@pytest.mark.parametrize("bad", ["nan", "units", "steps", "shape"])
def test_records_that_cannot_be_are_refused(bad):
    t, a, w = np.arange(0.0, 1.0, 0.1), np.zeros((10, 3)), np.zeros((10, 3))
    if bad == "nan":
        a[4, 1] = np.nan
    elif bad == "units":
        a[4, 1] = 981.0
    elif bad == "steps":
        t[5] += 0.05
    else:
        w = w[:5]
    with pytest.raises(
        ModelError, match={"nan": "scene_y", "units": "scene_y", "steps": "equal", "shape": "shapes"}[bad]
    ):
        SceneRecord(t, a, w)


def test_optimal_cueing_without_the_table_keeps_the_stroke_of_the_hexapod():
    run = run_over(sb.system(cueing_model(Optimal.hexapod())), descent(5e-3))
    assert 0.05 < score(run).hexapod <= DATA.limits["x"].high
    assert score(run).table == 0.0


def test_predictive_plans_without_the_table_leave_it_in_its_middle():
    pytest.importorskip("daqp")
    method = Predictive(PredictivePlanner(DATA, table=False))
    record = descent(5e-3).until(4.0)
    run = run_over(sb.system(cueing_model(method)), record, inputs=method.plans(record, 5e-2))
    assert method.name == "predictive, hexapod"
    assert max(np.abs(run[axis]).max() for axis in ("table.x", "table.y")) < 1e-6
    assert np.abs(run["x"]).max() > 0.02
    within_limits(run)


def test_a_record_can_be_cut_and_extended():
    record = descent(1e-2)
    assert record.until(10.0).t[-1] == pytest.approx(10.0)
    longer = record.at_rest_after(5.0)
    assert longer.t[-1] == pytest.approx(65.0)
    assert not longer.acceleration[-400:].any()
    np.testing.assert_array_equal(longer.acceleration[: len(record.t)], record.acceleration)
