"""Injected faults: each ends in the safe state with its reason and zero effort, and in nothing else."""

import time

import numpy as np
import pytest
from loop_models import cart

import symbody as sb
from symbody.realtime import Loop, Safety
from waiting import PATIENCE, eventually

pytestmark = pytest.mark.posix  # the real-time loop

RUNNING, PAUSED, SAFE = 1.0, 2.0, 3.0


def drive_of(loop):
    return loop.latest().outputs[loop.outputs.index("drive")]


def feed(loop, until, values=(1.0,), **options):
    """Give samples until something is true."""

    def once():
        loop.give(list(values), **options)
        return until()

    eventually(once)


def only_numbers(loop):
    _, rows = loop.records()
    return np.all(np.isfinite(rows))


@pytest.fixture(scope="module")
def s():
    return sb.system(cart())


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_sensor_that_gives_no_number_is_refused_and_counted(s, bad):
    with Loop(s, safety=Safety(stale=None, overrun=None)) as loop:
        feed(loop, lambda: drive_of(loop) == 10.0)
        before = loop.statistics().refused["not a number"]
        assert before == 0
        feed(loop, lambda: loop.statistics().refused["not a number"] > 5, [bad])
        assert drive_of(loop) == 10.0  # the last good sample holds
        assert loop.state == "running"
        feed(loop, lambda: drive_of(loop) == 20.0, [2.0])
    assert only_numbers(loop)


@pytest.mark.parametrize(
    ("bad", "options", "kind", "told"),
    [
        (np.nan, {}, "not a number", "input not a number: push = nan"),
        (7.0, {}, "out of limits", "input out of limits: push = 7"),
        (1.0, {"stamp": time.time()}, "wrong clock", "input of a wrong time"),
        (1.0, {"stamp": 1e-9}, "wrong clock", "input of a wrong time"),
    ],
)
def test_bad_samples_for_too_long_are_a_fault(s, bad, options, kind, told):
    """A stamp of another clock (1970 instead of the machine's start) is refused in both directions."""
    loop = Loop(
        s,
        inputs={"push": (-5.0, 5.0)},
        safety=Safety(effort_limits={"drive": 100.0}, stale=0.3, overrun=None, calm=0.0),
    )
    with loop:

        def refused_for_too_long():  # where nothing was given for so long, the machine was busy: once more
            feed(loop, lambda: loop.state == "running" and drive_of(loop) == 10.0)
            feed(loop, lambda: loop.state == "safe", [bad], **options)
            return loop.reason != "stale input"

        eventually(refused_for_too_long)
        assert loop.reason == told
        assert loop.statistics().refused[kind] > 0
        assert drive_of(loop) == 0.0
        feed(loop, lambda: loop.state == "running" and drive_of(loop) == 10.0)
        assert loop.reason == ""
    assert only_numbers(loop)


def test_silence_is_a_fault_and_the_model_goes_on_from_where_it_was(s):
    with Loop(
        s, safety=Safety(effort_limits={"drive": 100.0}, stale=0.1, overrun=None, calm=0.05, watchdog=PATIENCE)
    ) as loop:
        feed(loop, lambda: loop.latest().step > 100)
        eventually(lambda: loop.state == "safe")
        assert loop.reason == "stale input"
        step = loop.latest().step
        assert drive_of(loop) == 0.0
        time.sleep(0.05)
        assert loop.latest().step == step  # it stands still
        feed(loop, lambda: loop.latest().step > step + 50)
    assert loop.statistics().faults["stale input"] >= 1
    run = loop.history("x.q", "x.qd", "push", "loop.state", "drive", "loop.step")
    stood = run["loop.state"] == SAFE
    assert np.all(run["drive"][stood] == 0.0)
    moved = run["loop.state"] == RUNNING
    np.testing.assert_array_equal(run["loop.step"][moved], np.arange(moved.sum()))
    jumps = np.abs(np.diff(run["x.q"][moved]) - 1e-3 * run["x.qd"][moved][:-1])
    assert jumps.max() < 1e-3 * 0.5 * 5.0 * 1e-3 * 10  # |q̈| dt²/2 of some m/s²: no jump of the state


def test_after_a_restart_the_model_begins_at_its_start(s):
    with Loop(s, safety=Safety(stale=0.1, overrun=None, calm=0.0, recovery="restart")) as loop:
        feed(loop, lambda: loop.latest().step > 100)
        eventually(lambda: loop.state == "safe")
        step = loop.latest().step
        feed(loop, lambda: loop.latest().step > step + 2)
    run = loop.history("x.q", "loop.step", "loop.state")
    first = np.flatnonzero((run["loop.step"] > step) & (run["loop.state"] == RUNNING))[0]
    assert run["x.q"][first] == 0.1


def test_a_latch_waits_for_somebody(s):
    with Loop(s, safety=Safety(stale=0.1, overrun=None, calm=0.0, recovery="latch")) as loop:
        feed(loop, lambda: loop.latest().step > 10)
        eventually(lambda: loop.state == "safe")
        for _ in range(50):
            loop.give([1.0])
            time.sleep(2e-3)
        assert loop.state == "safe"
        loop.give([1.0])
        loop.resume()
        feed(loop, lambda: loop.state == "running")


def test_a_model_that_diverges_is_held_at_its_last_good_state():
    s = sb.system(cart(lambda q, qd, p: sb.functions.where(p.push > 2.0, (q - 10.0) ** 0.5, p.push - p.k * q)))
    with Loop(s, safety=Safety(effort_limits={"drive": 100.0}, stale=None, overrun=None, calm=0.0)) as loop:
        feed(loop, lambda: drive_of(loop) == 10.0)
        feed(loop, lambda: loop.state == "safe", [3.0])
        assert loop.reason.startswith("diverged")
        assert drive_of(loop) == 0.0
        loop.give([1.0])
        time.sleep(0.05)
        assert loop.state == "safe"  # the same state would diverge again: somebody must look
        loop.resume()
        feed(loop, lambda: loop.state == "running" and drive_of(loop) == 10.0)
    assert loop.statistics().faults["diverged"] == 1
    assert only_numbers(loop)


@pytest.mark.parametrize(("push", "value"), [(50.0, "0.3"), (-50.0, "-0.3")])
def test_an_output_beyond_its_limits_is_a_fault(s, push, value):
    with Loop(
        s, safety=Safety(limits={"x.q": (-0.3, 0.3)}, stale=None, overrun=None, calm=PATIENCE, recovery="restart")
    ) as loop:
        feed(loop, lambda: loop.state == "safe", [push])
        assert loop.reason.startswith(f"output out of limits: x.q = {value}")
        loop.give([0.0])
        eventually(lambda: loop.statistics().received and loop.state == "safe")
        loop.restart()
        eventually(lambda: loop.state == "running")
    assert np.abs(loop.history("x.q")["x.q"]).max() <= 0.3


def test_efforts_are_clamped_and_zero_unless_the_loop_runs(s):
    with Loop(s, safety=Safety(effort_limits={"drive": 25.0}, stale=None, overrun=None, watchdog=PATIENCE)) as loop:
        feed(loop, lambda: drive_of(loop) == 20.0, [2.0])
        assert loop.statistics().clamped == 0
        feed(loop, lambda: drive_of(loop) == 25.0, [100.0])
        feed(loop, lambda: drive_of(loop) == -25.0, [-100.0])
        assert loop.statistics().clamped > 0
        loop.pause()
        eventually(lambda: loop.state == "paused")
        assert drive_of(loop) == 0.0
        loop.resume()
        eventually(lambda: drive_of(loop) == -25.0)
    assert drive_of(loop) == 0.0
    assert not loop.alive
    run = loop.history("drive", "loop.state")
    assert (run["loop.state"] == PAUSED).any()
    assert np.all(run["drive"][run["loop.state"] != RUNNING] == 0.0)  # in the ring, which is what recordings hold


BURNING = """
double burn(double q, double qd, double push)
{
    volatile double heat = 0.0;
    for (long i = 0; i < (push > 5.0 ? 20000000 : 0); i++)
        heat += 1.0;
    return -50.0*q + 0.0*heat*qd;
}
"""


def test_a_step_that_takes_too_long_is_an_overrun():
    """Twenty million additions, four times a step, are more than 20 ms on any machine."""
    s = sb.system(cart(sb.c_law("burn", BURNING, "push")))
    with Loop(
        s, safety=Safety(effort_limits={"drive": 1e9}, stale=None, overrun=0.02, calm=0.0, watchdog=PATIENCE)
    ) as loop:
        feed(loop, lambda: loop.latest().step > 5, [0.0])
        before = loop.statistics().faults["overrun"]  # a loaded machine may have had some
        feed(loop, lambda: loop.statistics().faults["overrun"] > before, [6.0])
        feed(loop, lambda: loop.state == "running" and drive_of(loop) == 10.0)
    assert loop.statistics().overruns > 0
    safe = loop.history("loop.state", "drive")
    assert np.all(safe["drive"][safe["loop.state"] == SAFE] == 0.0)


def test_lateness_is_caught_up_where_that_is_wanted():
    s = sb.system(cart(sb.c_law("burn", BURNING, "push")))
    with Loop(s, safety=Safety(stale=None, overrun=None)) as loop:
        began = time.monotonic()
        feed(loop, lambda: loop.statistics().overruns > 0, [6.0])
        feed(loop, lambda: abs(time.monotonic() - began - loop.latest().t) < 0.05, [0.0])  # on time again
        assert loop.state == "running"
    assert sum(loop.statistics().faults.values()) == 0
