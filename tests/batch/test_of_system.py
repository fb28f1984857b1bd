"""Batches of systems against runs of single states, and what happens to states that fail."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.batch import cuda, lanes, of_system, threads
from symbody.errors import CompileError, ModelError

STEPS, EVERY, DT = 60, 20, 1e-3
CHANNELS = {"pendulum": ["bob.q", "bob.qd"], "quarter-car": ["heave.q", "heave.qd"]}


@pytest.fixture(scope="module")
def systems():
    return {name: sb.system(machines.model(name)) for name in CHANNELS}


def alone(s, x, channels, method="rk4", inputs=None):
    """The channels (rows, n) of one run."""
    run = sb.simulate(s, STEPS * DT, DT, every=EVERY * DT, x0=x, method=method, inputs=inputs, energy="ignore")
    return np.stack([np.asarray(run[name]) for name in channels], axis=1)


@pytest.mark.parametrize("method", ["rk4", "semi-implicit", "trapezoidal"])
@pytest.mark.parametrize("name", CHANNELS)
def test_a_batch_gives_the_runs_of_its_states(systems, name, method):
    s, channels = systems[name], CHANNELS[name]
    x = s.x0 + 1e-2 * np.random.default_rng(3).normal(size=(10, len(s.x0)))
    found = sb.batch(s, 10, x=x, dt=DT, method=method, channels=channels).rollout(STEPS, every=EVERY)
    assert found.failures == {}
    for i, start in enumerate(x):
        tolerance = 1e-7 if method == "trapezoidal" else 1e-11  # Newton's method stops at 1e-7 in a single run
        np.testing.assert_allclose(found.values[:, i], alone(s, start, channels, method), atol=tolerance)


def test_a_pendulum_swings_with_its_period(systems):
    """Small swings: the angle is back after 2π √(J/(m g l)), from the linearised equation of each state."""
    s = systems["pendulum"]
    b = sb.batch(s, 5, dt=DT, channels=["bob.q"])
    A = b.linear().A
    np.testing.assert_allclose(A, np.broadcast_to(s.linear(0.0, s.x0).A, (5, 2, 2)), atol=1e-12)
    rest = sb.equilibrium(s).x
    if s.linear(0.0, rest).A[1, 0] > 0.0:  # upright
        rest = rest + np.array([np.pi, 0.0])
    period = 2 * np.pi / np.sqrt(-s.linear(0.0, rest).A[1, 0])
    x = np.tile(rest, (5, 1))
    x[:, 0] += np.linspace(1e-4, 5e-4, 5)
    steps = 2000
    b = sb.batch(s, 5, dt=period / steps, x=x, channels=["bob.q"])
    np.testing.assert_allclose(b.step(steps=steps), x, atol=1e-9)


def test_one_bad_state_is_frozen_alone(systems):
    s, channels = systems["quarter-car"], CHANNELS["quarter-car"]
    b = sb.batch(s, 20, dt=DT, channels=channels)
    b.x[7, 0] = np.nan
    found = b.rollout(STEPS, every=EVERY)
    assert list(found.failures) == [7]
    assert "not finite" in found.failures[7]
    assert np.isnan(found.values[:, 7]).all()
    others = np.delete(found.values, 7, axis=1)
    np.testing.assert_allclose(others, np.broadcast_to(alone(s, s.x0, channels)[:, None], others.shape), atol=1e-12)
    before = b.x[8].copy()
    b.step()
    assert np.isnan(b.x[7, 0])
    assert not np.array_equal(b.x[8], before)
    b.reset()
    assert b.failures == {}


def test_each_state_has_its_own_parameters(systems):
    s, channels = systems["quarter-car"], CHANNELS["quarter-car"]
    k = s.parameters["k_strut"] * np.linspace(0.8, 1.2, 10)
    found = sb.batch(s, 10, dt=DT, channels=channels, parameters={"k_strut": k}).rollout(STEPS, every=EVERY)
    before = s.parameters["k_strut"]
    try:
        for i, value in enumerate(k):
            s.parameters["k_strut"] = value
            np.testing.assert_allclose(found.values[:, i], alone(s, s.x0, channels), atol=1e-12)
    finally:
        s.parameters["k_strut"] = before


def test_shared_parameters_follow_the_system(systems):
    s, channels = systems["quarter-car"], CHANNELS["quarter-car"]
    b = sb.batch(s, 3, dt=DT, channels=channels)
    before = s.parameters["k_strut"]
    try:
        s.parameters["k_strut"] = 0.5 * before
        found = b.rollout(STEPS, every=EVERY)
        np.testing.assert_allclose(found.values[:, 2], alone(s, s.x0, channels), atol=1e-12)
    finally:
        s.parameters["k_strut"] = before


def test_inputs_are_held_or_linear(systems):
    s, channels = systems["quarter-car"], CHANNELS["quarter-car"]
    (name,) = s.inputs
    rows = 1e-2 * np.sin(0.1 * np.arange(STEPS + 1))
    b = sb.batch(s, 4, dt=DT, channels=channels)
    linear = b.rollout(STEPS, rows[:, None], every=EVERY, linear=True)
    np.testing.assert_allclose(linear.values[:, 3], alone(s, s.x0, channels, inputs={name: rows}), atol=1e-12)
    b.reset()
    held = b.rollout(STEPS, {name: [0.0, 0.01, 0.02, 0.03]}, every=EVERY)
    np.testing.assert_allclose(held.values[:, 2], alone(s, s.x0, channels, inputs={name: 0.02}), atol=1e-12)
    b.reset()
    each = b.rollout(STEPS, np.full((STEPS, 4, 1), 0.02), every=EVERY)
    np.testing.assert_allclose(each.values[:, 0], held.values[:, 2], atol=1e-15)


def test_the_result_does_not_depend_on_threads_or_neighbours(systems, monkeypatch):
    s = systems["quarter-car"]
    x = s.x0 + 1e-2 * np.random.default_rng(5).normal(size=(33, len(s.x0)))
    one = sb.batch(s, 33, x=x, dt=DT, threads=1).step(steps=50).copy()
    monkeypatch.setattr(threads, "WORTH", 1.0)
    np.testing.assert_array_equal(sb.batch(s, 33, x=x, dt=DT, threads=3).step(steps=50), one)
    np.testing.assert_array_equal(sb.batch(s, 1, x=x[20:21], dt=DT).step(steps=50)[0], one[20])


def test_errors_name_the_cure(systems, monkeypatch):
    s = systems["pendulum"]
    with pytest.raises(ModelError, match="unknown device 'gpu'"):
        sb.batch(s, 2, device="gpu")
    with pytest.raises(ModelError, match="no method 'rodas4'"):
        sb.batch(s, 2, method="rodas4")
    with pytest.raises(ModelError, match=r"unknown channel 'bob\.w'"):
        sb.batch(s, 2, channels=["bob.w"])
    with pytest.raises(ModelError, match="unknown precision 'half'"):
        sb.batch(s, 2, precision="half")
    with pytest.raises(ModelError, match="are shared"):
        sb.batch(s, 2).set_parameters({"g": 1.0})
    with pytest.raises(ValueError, match="n=0"):
        sb.batch(s, 0)
    with pytest.raises(ValueError, match=r"expected \(2,\) or \(3, 2\)"):
        sb.batch(s, 3, x=np.zeros((2, 2)))
    monkeypatch.setattr(lanes, "free_memory", lambda: 1000)
    with pytest.raises(ModelError, match="states fit"):
        sb.batch(s, 10**6)


def test_without_a_card_cuda_is_refused(systems, monkeypatch):
    monkeypatch.setattr(cuda, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match="PyTorch or CuPy"):
        sb.batch(systems["pendulum"], 2, device="cuda")


def test_a_law_in_python_is_refused_by_name():
    m = sb.Model("plant")
    m.body("block", m.ground["origin"], "T1", 1.0)
    m.joint_force("block")(sb.numeric(lambda q, v, p: -3.0 * q))
    with pytest.raises(CompileError, match="block"):
        sb.batch(sb.system(m), 2)


def test_reasons_cover_the_statuses_of_the_kernel():
    assert set(of_system.REASONS) == {1, 2, 3, 4, 7}


@pytest.mark.parametrize("name", ["quarter-car", "four-bar"])
def test_single_precision_in_lanes(name):
    """Twice as many lanes; the runs differ from double precision by rounding of single precision only."""
    s = sb.system(machines.model(name))
    x = s.x0 + 1e-2 * np.random.default_rng(4).normal(size=(10, len(s.x0)))
    both = [
        sb.batch(s, 10, x=x, dt=DT, channels=s.outputs[:4], precision=precision) for precision in ("double", "single")
    ]
    wanted, found = (b.rollout(STEPS, every=EVERY) for b in both)
    assert found.failures == {}
    assert both[1].x.dtype == np.float32
    if both[0].kernel.lanes > 1:
        assert both[1].kernel.lanes == 2 * both[0].kernel.lanes
    size = np.abs(wanted.values).max(axis=(0, 1)) + 1e-3
    np.testing.assert_allclose(found.values / size, wanted.values / size, atol=1e-3)
    assert not np.array_equal(found.values, wanted.values)  # it is another precision


def test_a_batch_of_a_system_with_sensitivities(systems):
    """dx/dp in each state against central differences of whole runs, at its own parameters."""
    s, name, share = systems["pendulum"], "length", 1e-4
    sensitive = sb.sensitivity_system(s, {}, [name], ["bob.q"])
    k = s.parameters[name] * np.linspace(0.8, 1.2, 10)
    starts = np.tile(sensitive.x0, (10, 1))
    channel = f"d(bob.q)/d({name})"
    b = sb.batch(sensitive, 10, dt=DT, channels=["bob.q", channel], parameters={name: k}, x=starts)
    found = b.rollout(STEPS, every=EVERY)
    ends = [
        sb.batch(s, 10, dt=DT, channels=["bob.q"], parameters={name: k * (1.0 + side)}).rollout(STEPS, every=EVERY)
        for side in (share, -share)
    ]
    slope = (ends[0]["bob.q"] - ends[1]["bob.q"]) / (2.0 * share * k)
    np.testing.assert_allclose(found[channel], slope, rtol=1e-6, atol=1e-8 * np.abs(slope).max())
    with pytest.raises(ModelError, match="sensitivities in a batch have one method"):
        sb.batch(sensitive, 10, method="semi-implicit")


def test_linear_of_closed_loops_at_many_states():
    s = sb.system(machines.model("four-bar"))
    b = sb.batch(s, 10, x=s.x0 + 1e-2 * np.random.default_rng(6).normal(size=(10, len(s.x0))), dt=DT)
    x = b.step(steps=3)
    A, B, C, D = found = b.linear({"torque": 2.0})
    for i in range(10):
        one = s.linear(b.t, x[i], np.array([2.0]))
        np.testing.assert_allclose(A[i], one.A, rtol=1e-8, atol=1e-8 * np.abs(one.A).max())
        np.testing.assert_allclose(C[i], one.C, rtol=1e-8, atol=1e-8 * np.abs(one.C).max())
        np.testing.assert_allclose(B[i], one.B, rtol=1e-8, atol=1e-8 * np.abs(one.B).max())
        np.testing.assert_allclose(D[i], one.D, rtol=1e-8, atol=1e-8 * np.abs(one.D).max(initial=1.0))
    assert (found.states, found.inputs, found.outputs) == (s.states, s.inputs, s.outputs)
