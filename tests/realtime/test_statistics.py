"""What the loop counts is what it recorded, and pictures of it."""

import os
import threading

import numpy as np
import pytest
from loop_models import cart, swinging

import symbody as sb
from symbody.realtime import Loop, Safety, Scheduling
from symbody.realtime.loop_layout import LOCKED, PRIORITY
from symbody.realtime.priority import set_realtime_priority
from symbody.realtime.statistics import Histogram, histogram_of, rights_in_words
from symbody.realtime.stepper import real_time_stepper
from symbody.stepping.newton import Newton
from symbody_bench.realtime_plots import plot_statistics
from waiting import PATIENCE

pytestmark = pytest.mark.posix  # the real-time loop


def test_histograms_count_what_was_recorded():
    loop = Loop(sb.system(swinging()), 2000.0, safety=Safety(stale=None, overrun=None))
    with loop:
        loop.wait(1000, PATIENCE)
    seen = loop.statistics()
    late = loop.history("loop.late", "loop.state")
    late = late["loop.late"][late["loop.state"] == 1]
    assert len(late) == seen.steps == seen.latency.total == seen.duration.total
    edges = np.append(seen.latency.edges, np.inf)
    np.testing.assert_array_equal(seen.latency.counts, np.histogram(late, edges)[0])
    assert seen.latency.largest == pytest.approx(late.max())
    assert seen.latency.mean == pytest.approx(late.mean())
    assert 0 < seen.duration.mean < seen.duration.largest
    assert seen.period == 5e-4
    assert f"{seen.steps} steps of 500 µs" in str(seen)


def test_quantiles_are_those_of_the_numbers():
    rng = np.random.default_rng(5)
    numbers = rng.lognormal(-11.0, 1.0, 100_000)
    h = histogram_of(numbers)
    edges = h.edges
    assert h.total == len(numbers)
    ratio = edges[2] / edges[1]
    for share in (0.01, 0.5, 0.99, 0.9999):
        exact = np.quantile(numbers, share)
        assert exact / 1.001 <= h.quantile(share) <= exact * ratio * 1.001
    assert h.quantile(1.0) == numbers.max()
    assert Histogram(edges, np.zeros(161, dtype=int), 0.0, 0.0).quantile(0.5) == 0.0


def test_what_the_machine_does_not_allow_is_said():
    assert rights_in_words(PRIORITY | LOCKED) == ("real-time priority", "memory locked")
    assert "may delay" in rights_in_words(LOCKED)[0]
    assert "paged out" in rights_in_words(PRIORITY)[1]
    core = min(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    with Loop(
        sb.system(cart()), safety=Safety(stale=None, overrun=None), scheduling=Scheduling(priority=0, core=core)
    ) as loop:
        loop.wait(10, PATIENCE)
        if core is not None:
            assert os.sched_getaffinity(loop.thread) == {core}
    rights = loop.statistics().rights
    assert rights[0].startswith("normal priority")  # it was not asked for
    assert ("bound to one processor" in rights) == (core is not None)


def test_the_loop_has_the_priority_that_the_system_allows():
    allowed = []
    probe = threading.Thread(target=lambda: allowed.append(set_realtime_priority(10)))
    probe.start()
    probe.join()
    with Loop(sb.system(cart()), safety=Safety(stale=None, overrun=None), scheduling=Scheduling(priority=10)) as loop:
        loop.wait(10, PATIENCE)
        policy = os.sched_getscheduler(loop.thread) if hasattr(os, "sched_getscheduler") else None
    assert loop.statistics().rights[0].startswith("real-time" if allowed[0] else "normal")
    assert policy in (None, os.SCHED_FIFO if allowed[0] else os.SCHED_OTHER)


def test_steps_that_were_cut_short_are_counted():
    """As many as the same steps count without a clock; none where Newton's method may go on."""
    s = sb.system(cart(lambda q, qd, p: -p.k * q * q * q - 40.0 * q))
    for limit, substeps in ((1, 1), (1, 3), (20, 1)):
        newton = Newton(tolerance=1e-12, limit=limit, strict=False)
        loop = Loop(
            s,
            2000.0,
            sb.FixedStep("trapezoidal", newton=newton),
            substeps=substeps,
            safety=Safety(stale=None, overrun=None),
        )
        loop.pause()
        with loop:
            loop.step(60)
        seen = loop.statistics()
        alone = real_time_stepper(s, 5e-4 / substeps, sb.FixedStep("trapezoidal", newton)).steps
        alone.run(seen.steps * substeps)
        assert seen.capped == alone.capped
        assert (seen.capped > 0) == (limit == 1)
        assert (f"steps cut short: {seen.capped}" in str(seen)) == (limit == 1)
        assert seen.record()["cut short"] == seen.capped
    with Loop(sb.system(cart()), safety=Safety(stale=None, overrun=None)) as loop:  # rk4 has no such method
        loop.wait(20, PATIENCE)
    assert loop.statistics().capped == 0


@pytest.mark.slow
def test_a_picture_of_loops_that_missed_nothing(tmp_path):
    with Loop(sb.system(cart()), safety=Safety(stale=None, overrun=None)) as loop:
        loop.wait(50, PATIENCE)
    path = plot_statistics({"cart": loop.statistics()}, tmp_path / "cart.png")
    assert path.read_bytes().startswith(b"\x89PNG")
