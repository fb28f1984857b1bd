"""From the making of a `Live` to its end: only `start()` compiles and starts threads, and `close()` ends them.

Tests of live.py.
"""

import threading

import numpy as np
import pytest
from studio_models import crank_machine, swing

from symbody.errors import ModelError
from symbody.studio import Live
from waiting import eventually

pytestmark = pytest.mark.posix


class Recorder:
    """A companion that notes what happens to it; broken: it does not start."""

    def __init__(self, broken=False):
        self.broken, self.notes = broken, []

    def start(self):
        self.notes.append("start")
        if self.broken:
            raise ModelError("no world")

    def close(self):
        self.notes.append("close")


class Counter:
    """Lines over the view: how many records it has seen, and whether one was missing."""

    channels = ("wheel.q",)

    def __init__(self):
        self.t = []

    def see(self, t, values):
        assert values.shape == (len(t), 1)
        self.t.extend(t)

    def __call__(self, channels):
        return [f"{len(self.t)} records"]


def test_lines_over_the_view_may_see_every_record():
    counter = Counter()
    with Live(crank_machine(shows=counter)) as live:
        for later in (20, 60):
            eventually(lambda later=later: live.loop.latest().step > later)
            assert live.status()["lines"][0].endswith("records")
            assert len(counter.t) > later
    np.testing.assert_allclose(np.diff(counter.t), 1.0 / live.machine.rate)


def test_making_one_compiles_nothing_and_starts_nothing(monkeypatch):
    def fail(*_, **__):
        raise AssertionError("nothing may be compiled or started yet")

    companion = Recorder()
    machine = crank_machine(companions=[companion])
    before = set(threading.enumerate())
    monkeypatch.setattr("symbody.studio.live.run_machine", fail)
    monkeypatch.setattr("symbody.studio.live.model_machine", fail)
    assert [Live(swing()).title, Live(machine).title] == ["swing", "crank"]
    assert set(threading.enumerate()) <= before
    assert companion.notes == []


def test_what_needs_a_start_says_so():
    live = Live(swing())
    for ask in (lambda: live.loop, lambda: live.dials, live.status, live.poses):
        with pytest.raises(ModelError, match=r"swing.*has not started.*start\(\)"):
            ask()
    live.close()  # there is nothing to close


def test_it_runs_from_start_to_close_and_can_be_read_afterwards():
    companion = Recorder()
    with Live(crank_machine(companions=[companion])) as live:
        assert live.start() is live  # it goes on
        assert companion.notes == ["start"]
        eventually(lambda: live.loop.latest().step > 5)
        assert {"hands"} <= {thread.name for thread in threading.enumerate()}
    live.close()
    assert companion.notes == ["start", "close"]
    assert live.loop.state == "stopped"
    assert "hands" not in {thread.name for thread in threading.enumerate()}
    assert len(live.samples(0, ["wheel.q"])[1]) > 5


def test_a_machine_that_fails_to_start_leaves_nothing_running():
    first, second = Recorder(), Recorder(broken=True)
    live = Live(crank_machine(companions=[first, second]))
    with pytest.raises(ModelError, match="no world"):
        live.start()
    assert first.notes == ["start", "close"]
    with pytest.raises(ModelError, match="has not started"):
        _ = live.loop
