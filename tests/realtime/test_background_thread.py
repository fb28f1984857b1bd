"""A thread beside the loop: it starts, ends, and is abandoned if it hangs."""

import threading

from symbody.realtime.background_thread import BackgroundThread
from waiting import eventually


class Counting(BackgroundThread):
    def __init__(self):
        super().__init__("counting")
        self.count = 0

    def _run(self):
        while not self._end.wait(1e-3):
            self.count += 1


def test_it_runs_from_start_to_close():
    with Counting() as thread:
        eventually(lambda: thread.count > 2)
        assert thread.alive
    assert not thread.alive
    thread.close()  # a second time does nothing


def test_a_thread_that_hangs_is_abandoned(monkeypatch):
    monkeypatch.setattr("symbody.realtime.background_thread.CLOSING", 0.01)
    released = threading.Event()
    thread = Counting()
    thread._run = released.wait
    thread._thread._target = released.wait
    thread.start()
    thread.close()
    assert thread.alive
    released.set()
    eventually(lambda: not thread.alive)


def test_a_thread_that_never_started_closes():
    thread = Counting()
    thread.close()
    assert not thread.alive
