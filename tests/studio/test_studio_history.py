"""What is remembered of a run (history.py): every so many-th record, the newest, in order, and not too much."""

import numpy as np
import pytest

from symbody.studio import history
from symbody.studio.history import Memory


class Records:
    """A loop whose record k was made at k/rate and holds k."""

    names = ("loop.step", "loop.time", "x")

    def __init__(self, rate, history=1000):
        self.rate, self.head, self.history = rate, 0, history
        self.times = {}

    def records(self, since=0):
        first = max(since, self.head - self.history, 0)
        k = np.arange(first, self.head)
        t = [self.times.get(int(i), i / self.rate) for i in k]
        return self.head, np.column_stack([k, t, 10.0 * k]) if len(k) else np.empty((0, 3))


@pytest.fixture
def loop():
    return Records(600.0)


def test_every_tenth_record_is_kept_however_they_come(loop):
    kept = Memory(loop, loop.rate)
    for head in (7, 8, 95, 95, 301):
        loop.head = head
        kept.take()
    assert kept.rows()[:, 0].tolist() == list(range(0, 301, 10))
    assert kept.since() == 0.0


def test_old_instants_go(loop, monkeypatch):
    monkeypatch.setattr(history, "LONGEST", 1.0)
    kept = Memory(loop, loop.rate)
    assert kept.span == 1.0
    for head in range(0, 3001, 250):
        loop.head = head
        kept.take()
    t = kept.rows()[:, 1]
    assert len(t) == 60
    assert np.allclose(np.diff(t), 1.0 / 60.0)
    assert t[-1] == pytest.approx(2990 / 600)
    assert kept.since() == t[0]


def test_instants_and_columns_are_found_wherever_the_ring_begins(loop, monkeypatch):
    monkeypatch.setattr(history, "LONGEST", 1.0)
    kept = Memory(loop, loop.rate)
    for head in range(0, 2001, 70):
        loop.head = head
        kept.take()
        rows = kept.rows()
        np.testing.assert_array_equal(kept.rows([1, 2]), rows[:, [1, 2]])
        for t in np.linspace(rows[0, 1] - 0.1, rows[-1, 1] + 0.1, 17) if len(rows) else ():
            after = int(np.searchsorted(rows[:, 1], t))
            np.testing.assert_array_equal(kept.around(t), rows[max(after - 1, 0) : after + 1])


def test_a_machine_of_many_channels_remembers_less(loop, monkeypatch):
    monkeypatch.setattr(history, "BYTES", 8.0 * 3 * 60 * 5)
    assert Memory(loop, loop.rate).span == pytest.approx(5.0)


def test_an_instant_lies_between_two_rows(loop):
    kept = Memory(loop, loop.rate)
    assert len(kept.around(1.0)) == 0
    assert np.isnan(kept.since())
    loop.head = 601
    kept.take()
    assert kept.around(0.105)[:, 0].tolist() == [60, 70]
    assert kept.around(-3.0)[:, 0].tolist() == [0]
    assert kept.around(99.0)[:, 0].tolist() == [600]


def test_what_stands_still_is_one_instant(loop):
    kept = Memory(loop, loop.rate)
    loop.times = dict.fromkeys(range(60, 400), 0.1)
    loop.head = 400
    kept.take()
    t = kept.rows()[:, 1]
    assert (np.diff(t) > 0.0).all()
    assert t[-1] == pytest.approx(0.1)
