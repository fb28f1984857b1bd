"""The loop makes the steps of `simulate`, keeps pace with the clock, and takes over inputs and parameters whole.

Tests of loop_arrays.py.
"""

import errno
import itertools
import os
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from loop_models import cart, copies, swinging

import symbody as sb
from symbody import machines
from symbody.codegen import only_tier
from symbody.links.memory_path import memory_path
from symbody.realtime import Loop, Safety, Scheduling
from symbody.realtime.loop import _ended
from symbody.realtime.stepper import system_model
from symbody.stepping.newton import Newton
from symbody.stepping.registry import suited_fixed
from waiting import PATIENCE, eventually

pytestmark = pytest.mark.posix  # the real-time loop

GROUPS = {"safety": Safety, "scheduling": Scheduling}
FREE = Safety(stale=None, overrun=None)  # the loop runs on, however late it is


def ran(s, steps, rate=1000.0, method=None, **options):
    loop = Loop(s, rate, method, safety=FREE, **options)
    with loop:
        assert loop.wait(steps, PATIENCE)
    return loop


@pytest.mark.parametrize(
    ("make", "closure", "method"),
    [
        (machines.entry("four-bar").model, "partitioning", "rk4"),
        (machines.entry("four-bar").model, "partitioning", "semi-implicit"),
        (machines.entry("four-bar").model, "partitioning", "rodas4"),
        (machines.entry("four-bar").model, "partitioning", "trapezoidal"),
        (machines.entry("four-bar").model, "augmented", None),
        (machines.entry("stewart").model, "partitioning", "rk4"),
        (machines.entry("bicycle").model, "partitioning", "rk4"),  # wheels that roll without slip
    ],
)
def test_steps_are_those_of_simulate(make, closure, method):
    s = sb.system(make(), closure=closure)
    exact = Newton() if suited_fixed(s, method).newton else None
    run = ran(s, 100, method=sb.FixedStep(method, exact)).history()
    reference = sb.simulate(s, 0.1, 1e-3, method=sb.FixedStep(method, newton=exact))
    assert list(run.names) == list(reference.names)
    np.testing.assert_array_equal(run.values[:100], reference.values[:100])
    np.testing.assert_allclose(run.t[:100], reference.t[:100])


@pytest.mark.parametrize("tier", ["quick", "optimised"])
def test_loop_says_how_its_code_was_compiled(tier):
    with only_tier(tier):
        s = sb.system(machines.open("stewart"))
        assert ran(s, 5).tier == tier == s.rates_function.tier


def test_substeps_are_steps_of_the_integrator():
    s = sb.system(swinging())
    run = ran(s, 50, rate=500.0, substeps=4).history("bob.q")
    reference = sb.simulate(s, 0.1, 0.5e-3, every=0.002)["bob.q"]
    np.testing.assert_array_equal(run["bob.q"][:50], reference[:50])


def test_model_time_does_not_drift_from_the_wall_clock():
    s = sb.system(swinging())
    before = time.monotonic()
    with Loop(s, 2000.0, safety=FREE) as loop:
        after = time.monotonic()
        loop.wait(3000, PATIENCE)
        # after 1.5 s, sleeping 0.1 ms too long each time would be 0.3 s behind and never be on time again
        eventually(lambda: abs(time.monotonic() - after - loop.latest().t) < 0.02)
        assert loop.latest().t <= time.monotonic() - before
    late = loop.history("loop.wake", "loop.late")
    assert np.all((late["loop.wake"] >= before) & (late["loop.wake"] <= time.monotonic()))  # no clock that is set
    deadlines = late["loop.wake"] - late["loop.late"]
    running = slice(0, 3000)
    np.testing.assert_allclose(np.diff(deadlines[running]), 5e-4, atol=2e-9 + 1e-15 * deadlines[0])


def test_inputs_arrive_and_are_recorded():
    s = sb.system(cart())
    with Loop(s, safety=FREE) as loop:
        loop.give({"push": 3.0})
        eventually(lambda: loop.latest().outputs[loop.outputs.index("drive")] == 30.0)
        loop.give([4.0])
        eventually(lambda: loop.latest().outputs[loop.outputs.index("drive")] == 40.0)
    run = loop.history("push", "drive")
    assert set(run["push"]) <= {0.0, 3.0, 4.0}
    running = loop.history("loop.state")["loop.state"] == 1
    np.testing.assert_array_equal(run["drive"][running], 10.0 * run["push"][running])
    assert s.u0[0] == 0.0  # the system is as it was
    assert loop.statistics().received == 2


@contextmanager
def giving(loop, count):
    """Samples of equal numbers, as fast as they can be given."""
    stop = threading.Event()

    def give():
        for k in itertools.takewhile(lambda _: not stop.is_set(), itertools.count()):
            loop.give(np.full(count, float(k)))

    writer = threading.Thread(target=give)
    writer.start()
    try:
        yield
    finally:
        stop.set()
        writer.join()


def test_a_snapshot_is_of_one_step_whoever_writes_meanwhile():
    n = 30
    s = sb.system(copies(n), outputs=["time*", "input*"])
    last = -1
    with Loop(s, 10000.0, safety=FREE, history=0.01) as loop, giving(loop, n):
        while last < 3000:
            step, t, y = loop.latest()
            assert step >= last
            assert t == pytest.approx(step * 1e-4)
            assert len(set(y[:n])) == 1
            assert len(set(y[n:])) == 1
            last = step
            _, rows = loop.records()
            values = rows[:, -2 * n :]
            assert np.all(np.diff(rows[:, 0]) == 1)  # whole records, in order, none left out
            assert np.all(values[:, :n] == values[:, :1])
            assert np.all(values[:, n:] == values[:, n : n + 1])
    assert loop.statistics().received > 100


def test_parameters_change_all_at_once_between_steps():
    s = sb.system(copies(1))
    with Loop(s, 5000.0, safety=FREE) as loop:
        k = 1.0
        while loop.latest().step < 2000:
            k += 1.0
            loop.parameters.update(a=k, b=k)
        assert dict(loop.parameters) == {"a": k, "b": k} == dict(s.parameters)
        first = loop.latest().step
        loop.parameters["a"] = k + 2.0
        loop.wait(first + 100, PATIENCE)
    run = loop.history("difference", "drift")
    changed = int(np.argmax(run["difference"] != 0.0))
    assert changed >= first
    np.testing.assert_array_equal(run["difference"][:changed], 0.0)  # no step saw one of two
    np.testing.assert_array_equal(run["drift"][: changed + 1], 0.0)  # nor did the rates
    assert set(run["difference"][changed:]) == {2.0}
    assert run["drift"][changed + 10] == pytest.approx(2.0 * 10 / 5000.0)
    with pytest.raises(sb.ModelError, match="finite"):
        loop.parameters["a"] = np.nan


def test_a_paused_loop_makes_the_steps_it_is_told():
    s = sb.system(cart())
    loop = Loop(s, safety=FREE)
    loop.pause()
    with loop:
        assert loop.state == "paused"
        for k in range(5):
            loop.give([float(k)])
            loop.step()
        loop.step(7)
        assert loop.latest().step == 11
        pushed = loop.history("push", "loop.step", "loop.state")
        steps = pushed["loop.state"] == 1
        np.testing.assert_array_equal(pushed["push"][steps], [0, 1, 2, 3, *[4] * 8])
        np.testing.assert_array_equal(pushed["loop.step"][steps], range(12))
        loop.resume()
        assert loop.wait(50, PATIENCE)
        assert loop.state == "running"
        with pytest.raises(sb.ModelError, match="pause"):
            loop.step()
        loop.restart()
        at = loop.latest().step
        assert loop.wait(at + 20, PATIENCE)
    assert loop.state == "stopped"
    run = loop.history("x.q")
    begun_again = np.flatnonzero(run["x.q"] == 0.1)
    assert len(begun_again) >= 2  # the state of the start came again, and time went on
    assert np.all(np.diff(run.t) >= 0)


def test_a_restart_names_its_first_step():
    """The record of that step is the first from the start state; those before it are not."""
    with Loop(sb.system(cart()), safety=Safety(stale=None)) as loop:
        assert loop.begun == (0, 0)
        for k in range(1, 6):
            assert loop.wait(loop.latest().step + 20, PATIENCE)
            loop.restart()
            eventually(lambda k=k: loop.begun[0] == k)
            first = loop.begun[1]
            assert loop.wait(first + 5, PATIENCE)
            run = loop.history("x.q", "loop.step")
            x = dict(zip(run["loop.step"].astype(int), run["x.q"], strict=True))
            assert x[first] == 0.1
            assert x[first - 1] != 0.1


def test_after_a_restart_laws_of_time_begin_again():
    """A driven joint is where it was at the start, and the time of the records goes on."""
    m = sb.Model("ramp")
    m.body("slide", joints=[sb.Joint("x", "T1", "driven")], mass=1.0)
    m.trajectory("x")(lambda t, p: 0.2 * t)
    with Loop(sb.system(m), safety=FREE) as loop:
        for _ in range(3):
            assert loop.wait(loop.latest().step + 50, PATIENCE)
            count, before = loop.begun
            loop.restart()
            eventually(lambda count=count: loop.begun[0] == count + 1)
            first = loop.begun[1]
            assert first > before
            assert loop.wait(first + 20, PATIENCE)
            run = loop.history("x.q", "loop.step")
            since = (run["loop.step"] - first)[run["loop.step"] >= first]
            np.testing.assert_allclose(run["x.q"][-len(since) :], 0.2e-3 * since, atol=1e-12)
            assert run.t[-1] > 1e-3 * first


def test_going_on_does_not_overrule_beginning_again():
    """Both are told before the loop wakes: it begins again, and goes on."""
    with Loop(sb.system(cart()), safety=Safety(stale=None)) as loop:
        assert loop.wait(50, PATIENCE)
        loop.slow(300.0)
        loop.restart()
        loop.resume()
        at = loop.latest().step
        loop.slow(1.0)
        assert loop.wait(at + 20, PATIENCE)
        assert 0.1 in loop.history("x.q", since=at * 1e-3)["x.q"]  # the state of the start


def test_another_pace_does_not_wait_for_the_end_of_a_long_period():
    """At a millionth of the pace a period lasts a quarter of an hour: faster again, steps are made at once."""
    with Loop(sb.system(cart()), safety=Safety(stale=None)) as loop:
        loop.slow(1e6)
        eventually(lambda: loop.latest().step == (time.sleep(0.2), loop.latest().step)[1])  # it waits, and long
        loop.pause()
        assert not loop.step(5, timeout=0.01)  # and nobody waits for them
        loop.slow(1.0)
        loop.resume()
        before = loop.latest().step
        eventually(lambda: loop.latest().step > before + 50)


def test_slow_motion_is_the_same_motion():
    s = sb.system(swinging())
    loop = Loop(s, safety=FREE)
    loop.slow(5.0)
    with loop:
        loop.wait(20, PATIENCE)
        loop.slow(0.5)
        assert loop.wait(100, PATIENCE)
    run = loop.history("bob.q", "loop.wake", "loop.late")
    np.testing.assert_array_equal(run["bob.q"][:100], sb.simulate(s, 0.1, 1e-3)["bob.q"][:100])
    between = np.diff(run["loop.wake"] - run["loop.late"])[:100]
    assert between[:15] == pytest.approx(5e-3)
    assert between[60:90] == pytest.approx(0.5e-3)
    with pytest.raises(sb.ModelError, match="positive"):
        loop.slow(0.0)


def test_bad_loops_are_refused_with_a_cure():
    s = sb.system(cart())
    for options, told in (
        ({"rate": 0.0}, "positive"),
        ({"safety": {"recovery": "panic"}}, "latch"),
        ({"inputs": {"pull": (0, 1)}}, "push"),
        ({"inputs": {"push": (1, 0)}}, "lower one first"),
        ({"safety": {"limits": {"y.q": (0, 1)}}}, "unknown output"),
        ({"safety": {"effort_limits": {"drive": -1.0}}}, "not negative"),
        ({"track": {"x": None}}, "inputs="),
        ({"scheduling": {"core": 10**6}}, "processor"),
        ({"name": "a/b"}, "letters"),
        ({"method": "euler"}, "semi-implicit"),
    ):
        with pytest.raises(sb.ModelError, match=told):
            Loop(s, **{name: GROUPS[name](**given) if name in GROUPS else given for name, given in options.items()})
    with Loop(s, safety=FREE) as loop:
        with pytest.raises(sb.ModelError, match="once"):
            loop.start()
        with pytest.raises(sb.ModelError, match="push"):
            loop.give({"pull": 1.0})
        with pytest.raises(sb.ModelError, match="shape"):
            loop.give([1.0, 2.0])
        with pytest.raises(KeyError, match="live parameter"):
            loop.parameters["stiffness"] = 1.0


def test_a_law_in_python_cannot_run_in_real_time():
    s = sb.system(cart(sb.numeric(lambda q, qd, p: -1.0 if q > 0 else 1.0)))
    with pytest.raises(sb.ModelError, match="c_law"):
        Loop(s)


def test_a_system_without_loops_raises_before_memory_is_made(monkeypatch):
    def unsupported():
        raise sb.ModelError("no loops here")

    made = []
    monkeypatch.setattr("symbody.realtime.loop.library", unsupported)
    monkeypatch.setattr("symbody.realtime.loop.create_memory", lambda *arguments: made.append(arguments))
    with pytest.raises(sb.ModelError, match="no loops here"):
        Loop(sb.system(swinging()))
    assert not made


# -- a loop before its start -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mass():
    return sb.system(cart())


def test_a_source_is_asked_for_the_model_of_its_loop(mass):
    class Source:
        def loop_model(self, *asked):
            self.asked = asked
            return system_model(mass, asked[0], asked[2])

    source = Source()
    loop = Loop(source, 500.0, "rk4", substeps=4)
    assert source.asked == (0.5e-3, 4, sb.FixedStep("rk4"))
    assert loop.channels.outputs == Loop(mass).channels.outputs


def test_a_loop_is_made_with_its_documented_numbers(mass):
    loop = Loop(mass)
    made, block = loop._loop, loop._block
    assert (loop.rate, block.period, block.capacity, made.substeps) == (1000.0, 1e-3, 10_000, 1)
    assert (made.patience, made.core, made.priority) == (
        max(1, round(1000.0 * Safety().calm)),
        -1,
        Scheduling().priority,
    )
    assert (made.stale, made.slack) == (Safety().stale, Safety().overrun)
    assert loop.channels.momentary == []
    assert made.parameters.middle == 1 | 4  # the loop has its own copy of the parameters from now on
    assert repr(loop) == f"<Loop {loop.name}: 1000 Hz, stopped, 0 steps>"
    one = Loop(
        mass, 0.5, safety=Safety(stale=None, overrun=None, calm=0.0), history=1e-9, scheduling=Scheduling(core=0)
    )
    made = one._loop
    assert (made.patience, made.stale, made.slack, made.core, one._block.capacity) == (1, np.inf, np.inf, 0, 2)
    one._block.fault = 4
    assert repr(one) == f"<Loop {one.name}: 0.5 Hz, stopped (stale input: x.q = 0), 0 steps>"


@pytest.mark.parametrize(
    "numbers",
    [{"rate": np.inf}, {"rate": np.nan}, {"rate": -1.0}, {"substeps": 0}, {"history": 0.0}, {"history": np.inf}],
)
def test_numbers_that_are_not_positive_are_refused(mass, numbers):
    with pytest.raises(sb.ModelError, match=r"a loop at .*\(give positive numbers"):
        Loop(mass, **numbers)


class Refusing:
    """A library that cannot start a thread."""

    def loop_start(self, loop):
        loop._obj.thread = 7
        return errno.EAGAIN


def test_a_thread_that_the_system_refuses_is_an_error_and_never_stopped(mass):
    loop = Loop(mass)
    loop._library = Refusing()
    with pytest.raises(sb.ModelError, match=f"cannot start a thread .{os.strerror(errno.EAGAIN)}"):
        loop.start()
    assert loop._loop.thread == 0
    loop.stop()
    assert not memory_path(loop.name).exists()


def test_the_end_of_a_forked_child_leaves_the_loop_alone(mass):
    loop = Loop(mass)
    path = memory_path(loop.name)
    _ended(os.getpid() + 1, path, loop._loop, None)
    assert os.path.lexists(path)
    path.unlink()  # somebody else has removed the name
    loop.stop()


def test_waiting_tells_whether_the_steps_were_made(mass):
    loop = Loop(mass, safety=FREE)
    loop.pause()
    with loop:
        assert loop.step()
        assert loop.step(3)
        assert loop.wait(4, 0.0)
        assert not loop.wait(5, 0.0)
    assert not loop.wait(5)  # it has stopped
