"""A filter in the real-time loop: the one that Python drives; it hears once, goes on alone, says when in doubt."""

import numpy as np
import pytest
from loop_models import cart

import symbody as sb
from symbody.errors import ModelError
from symbody.estimation.from_log import SURPRISING
from symbody.estimation.noisy_sensor import NoisySensor
from symbody.realtime import LiveFilter, LiveTwin, Loop, Safety
from symbody.realtime.parameters import JoinedParameters
from symbody.stepping.newton import Newton
from waiting import eventually

pytestmark = pytest.mark.posix  # the real-time loop

DT, FAST = 1e-3, 2e-4  # s
NOISE = {"x.q": 0.01}


@pytest.fixture(scope="module")
def system():
    return sb.system(cart())


def twin(s, dt=DT, **options):
    return sb.estimate(s, list(NOISE), NOISE, {"x.qd": 0.1, "k": 2.0}, dt=dt, **options)


def alone(filtered, tell=(), **options):
    loop = Loop(LiveFilter(filtered, tell), 1.0 / filtered.dt, safety=Safety(stale=None, overrun=None), **options)
    loop.pause()
    return loop


def beside(what, **options):
    loop = Loop(what, 1.0 / FAST, history=2.0, safety=Safety(stale=None, overrun=None), **options)
    loop.pause()
    return loop


def recorded(loop, name):
    """A channel, a value for each step: a loop that pauses tells its last one again."""
    run = loop.history(name)
    return run[name][np.append(np.diff(run.t) > 0.0, True)]


def step(loop, inputs=None):
    if inputs is not None:
        loop.give(inputs)
    assert loop.step(timeout=30.0)
    return dict(zip(loop.outputs, loop.latest().outputs, strict=True))


def test_in_the_loop_it_is_the_filter_that_python_drives():
    """Through loops and oil, with a parameter considered, an input that changes, gates, and measurements missing."""
    s = sb.system(sb.machines.open("four-bar-hydraulic"))
    noise = {"boom.q": 0.017, "piston_p": 1e5}
    unsure = {"rocker.qd": 0.03, "piston_p": 3e5, "hydraulics_bulk": 1e7}
    slow, fast = (sb.estimate(s, list(noise), noise, unsure, method="trapezoidal", gate=9.0) for _ in range(2))
    rng, told = np.random.default_rng(2), ["boom.q", "rod_p"]
    with alone(fast, told, method=sb.FixedStep(newton=Newton())) as loop:
        for k in range(40):
            u, z = 3.0 * (k > 10), [slow.mean[name] + 1.5 * sigma * rng.normal() for name, sigma in noise.items()]
            z[k % 2] = np.nan
            found = step(loop, [*z, u])
            slow.u = np.array([u])
            slow.correct(z)
            for name in told:
                assert found[f"est.{name}"] == pytest.approx(slow.mean[name], rel=1e-9)
                assert found[f"est.{name}.sigma"] == pytest.approx(slow.sigma[name], rel=1e-6)
            slow.predict([u])
        assert found["est.refused"] == sum(slow.refused.values())
        assert loop.statistics().capped == 0


def test_a_measurement_counts_once_and_the_model_goes_on_without(system):
    other = twin(system)
    with alone(twin(system)) as loop:
        assert loop.channels.given == ["x.q", "push"]
        found = step(loop, {"x.q": 0.12})
        other.correct([0.12])
        assert found["est.x.q"] == pytest.approx(other.mean["x.q"], abs=1e-12)
        for _ in range(5):
            found = step(loop, {"push": 1.0})
            other.predict([0.0 if _ == 0 else 1.0])
        assert found["est.x.q.sigma"] == pytest.approx(other.sigma["x.q"], rel=1e-9)
        assert found["est.x.q"] == pytest.approx(other.mean["x.q"], abs=1e-12)
        wider = step(loop)["est.x.q.sigma"]
        assert wider > found["est.x.q.sigma"]


def test_old_samples_and_inputs_that_are_none_are_refused(system):
    with alone(twin(system)) as loop:
        before = step(loop, {"x.q": 0.1})["est.x.q.sigma"]
        loop.give({"x.q": 0.1}, stamp=1.0)  # long ago
        after = step(loop)["est.x.q.sigma"]
        assert loop.statistics().refused["wrong clock"] == 1
        assert after > before
        loop.give({"x.q": 0.1, "push": np.nan})
        step(loop)
        assert loop.statistics().refused["not a number"] == 1


def test_a_force_is_estimated(system):
    """A push of 3 N that nobody tells."""
    truth = sb.simulate(system, 1.0, FAST, inputs={"push": 3.0})
    unsure = sb.estimate(system, ["x.q"], {"x.q": 1e-4}, {"x.qd": 1e-3}, forces={"push": 1.0}, dt=FAST)
    with alone(unsure, ["x.qd"]) as loop:
        assert loop.channels.given == ["x.q"]
        for z in truth["x.q"][:3000]:
            found = step(loop, [z])
        assert abs(found["est.push"] - 3.0) < 4.0 * found["est.push.sigma"] < 1.0
        assert loop.channels.units["est.push.sigma"] == "N"


def test_it_never_tells_what_is_no_number(system):
    wild = sb.estimate(system, ["x.q"], {"x.q": 0.01}, {"x.qd": 1e160})
    with Loop(LiveFilter(wild), safety=Safety(stale=None, overrun=None)) as loop:
        eventually(lambda: loop.state == "safe")
        assert loop.reason.startswith("diverged")
        assert np.all(np.isfinite(loop.latest().outputs))


def test_a_leap_that_its_loops_cannot_follow_is_named():
    s = sb.system(sb.machines.open("four-bar-hydraulic"))
    free = sb.estimate(s, ["rocker.q"], {"rocker.q": 1e-3}, 0.05, start={"rocker.q": 10.0}, method="trapezoidal")
    with alone(free) as loop:
        loop.give({"rocker.q": 3.0})
        assert not loop.step(timeout=30.0)
        assert loop.reason == "too far away to close its loops"
        assert loop.statistics().faults["too far away to close its loops"] == 1


def both(system, sensor, **options):
    other = sb.system(cart())
    other.parameters["k"] = 51.0
    return LiveTwin(system, twin(other, FAST, **options), [sensor])


def test_beside_a_machine_bands_hold_the_truth_and_noise_that_nobody_told_is_doubted(system):
    with beside(both(system, NoisySensor("x.q", 0.01))) as loop:
        assert loop.step(4000, timeout=60.0)
        run = loop.history()
        off = np.abs(run["est.x.q"] - run["x.q"])[500:]
        assert np.mean(off <= 1.96 * run["est.x.q.sigma"][500:]) > 0.9
        noise = (run["measured.x.q"] - run["x.q"])[1:-1]
        assert off.max() < 0.5 * np.abs(noise).max()
        assert np.std(noise) == pytest.approx(0.01, rel=0.05)
        assert np.abs(np.mean(noise)) < 4.0 * 0.01 / np.sqrt(len(noise))
        assert np.abs(np.corrcoef(noise[1:], noise[:-1])[0, 1]) < 4.0 / np.sqrt(len(noise))  # white
        assert np.mean(np.abs(noise) < 0.01) == pytest.approx(0.683, abs=0.03)  # and normal
        assert 0.6 < run["est.nis"][-1] < SURPRISING
        assert loop.statistics().doubted == 0
        loop.give({"sensors.noise": 5.0})
        assert loop.step(2000, timeout=60.0)
        assert loop.latest().outputs[loop.outputs.index("est.nis")] > SURPRISING
        assert loop.statistics().doubted > 0
        assert "estimates flagged" in str(loop.statistics())
        loop.give({"est.noise": 5.0})  # now the filter knows
        assert loop.step(4000, timeout=60.0)
        assert loop.latest().outputs[loop.outputs.index("est.nis")] < SURPRISING
        loop.give({"sensors.x.q": 0.0})
        assert loop.step(500, timeout=60.0)
        sigma = loop.history()["est.x.q.sigma"][-400:]
        assert sigma[-1] > sigma[0]


def test_the_machine_is_as_it_would_be_without_a_filter(system):
    found = []
    for what in (system, both(system, NoisySensor("x.q", 0.01))):
        with beside(what) as loop:
            loop.give({"push": 2.0})
            assert loop.step(300, timeout=30.0)
            found.append(recorded(loop, "x.q"))
    assert np.array_equal(*found)


def test_sensors_are_those_of_simulated_truths(system):
    """Bias, steps, rate, delay and range, without noise."""
    sensor = NoisySensor("x.q", 0.0, bias=0.002, step=1e-3, rate=700.0, delay=3.3 * FAST, low=-0.05, high=0.08)
    unsure = sb.estimate(sb.system(cart()), ["x.q"], NOISE, 0.05, dt=FAST)
    with beside(LiveTwin(system, unsure, [sensor])) as loop:
        assert loop.step(2000, timeout=60.0)
        truth, measured = (recorded(loop, name) for name in ("x.q", "measured.x.q"))
    expected = sensor.measured(FAST * np.arange(2000), truth, np.random.default_rng(0))
    told = np.flatnonzero(np.isfinite(expected))
    assert len(told) == 280
    assert np.allclose(measured[told], expected[told], atol=1e-12)


def test_numbers_of_both_models_stay_live(system):
    filtered = both(system, NoisySensor("x.q", 0.01))
    with beside(filtered) as loop:
        assert loop.parameters["est.k"] == 51.0
        loop.parameters["est.k"] = 60.0
        assert (filtered.twin.system.parameters["k"], system.parameters["k"]) == (60.0, 50.0)
        assert set(JoinedParameters([("", {"k": 1.0}), ("est.", {"k": 2.0})])) == {"k", "est.k"}


def test_it_begins_again_where_it_began(system):
    other = twin(system)
    with alone(twin(system)) as loop:
        for _ in range(10):
            surer = step(loop, {"x.q": 0.3})["est.x.q.sigma"]
        loop.restart()
        eventually(lambda: loop.latest().step >= 10)
        run = loop.history()
    first = int(np.searchsorted(run.t, 10 * DT - 1e-9))
    assert run["est.x.q.sigma"][first] == pytest.approx(other.sigma["x.q"])
    assert other.sigma["x.q"] > 2.0 * surer
    assert run["est.x.q"][first] == pytest.approx(other.mean["x.q"])


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda s: LiveFilter(twin(s, 2e-3)), "step is 0.002 s, but the period is 0.001 s"),
        (lambda s: LiveFilter(twin(s), ["x.w"]), "unknown output"),
        (lambda s: LiveFilter(twin(s, filter="unscented")), "error-state"),
        (lambda s: LiveFilter(twin(s, parameters={"k": 1.0})), "cannot run in C"),
        (lambda s: LiveFilter(twin(s, backend="python")), "cannot run in C"),
        (lambda s: LiveTwin(s, twin(s), [NoisySensor("x.q", 0.1)]), "share one system"),
        (lambda s: LiveTwin(s, twin(sb.system(cart())), []), "not those of the filter"),
    ],
)
def test_what_cannot_run_is_refused(system, make, told):
    with pytest.raises(ModelError, match=told):
        Loop(make(system))
