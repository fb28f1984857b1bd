"""Frames that are lost and late on purpose (impaired.py): the shares, the delays, and the same at each run."""

import time
from collections import Counter

import numpy as np

from symbody.haptics.two_rates.impaired import ImpairedTransport
from symbody.haptics.two_rates.impairment import Impairment
from symbody.links.packet import Packet


class Plenty:
    """A line on which all frames lie ready."""

    def __init__(self, n):
        self.frames = [Packet(1, 0, k, 0, 0, 0, np.zeros(0)) for k in range(n)]
        self.refused, self.sent, self.closed = Counter(), [], False

    def send(self, frame):
        self.sent.append(frame)

    def receive(self, timeout):
        if self.frames:
            return self.frames.pop(0)
        time.sleep(timeout)
        return None

    def close(self):
        self.closed = True


def received(impairment, n=400, seconds=0.3):
    line = ImpairedTransport(Plenty(n), impairment)
    end, got = time.monotonic() + seconds, []
    while time.monotonic() < end:
        frame = line.receive(0.02)
        if frame is not None:
            got.append(frame.sequence)
    return got, line


def test_a_share_is_lost_and_counted_the_same_at_each_run():
    (first, line), (second, _) = (received(Impairment(loss=0.2, seed=3)) for _ in range(2))
    assert first == second == sorted(first)
    assert line.refused["dropped"] == 400 - len(first)
    assert 40 < line.refused["dropped"] < 120


def test_frames_are_late_and_with_jitter_out_of_order():
    line = ImpairedTransport(Plenty(1), Impairment(delay=0.05))
    begin = time.monotonic()
    assert line.receive(0.01) is None
    assert line.receive(1.0).sequence == 0
    assert time.monotonic() - begin >= 0.05
    got, _ = received(Impairment(jitter=0.1, seed=1))
    assert sorted(got) == list(range(400))
    assert got != sorted(got)


def test_what_is_sent_goes_on_untouched():
    inner = Plenty(0)
    line = ImpairedTransport(inner, Impairment(loss=1.0))
    line.send("frame")
    line.close()
    assert inner.sent == ["frame"]
    assert inner.closed
