"""Lines that lose and delay (impairment.py): statistics, order, and the same at each run."""

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.haptics.two_rates.impairment import ImpairedLine, Impairment


def received(impairment, n=2000, period=0.01):
    line = ImpairedLine(impairment)
    times = {}
    for k in range(n):
        for packet in line.arrived(k * period):
            times[packet] = k * period
        line.send(k * period, k)
    while line.next_arrival() < np.inf:
        t = line.next_arrival()
        times |= dict.fromkeys(line.arrived(t), t)
    return line, times


def test_a_perfect_line_gives_at_once():
    line = ImpairedLine(Impairment())
    line.send(1.0, "a")
    assert line.arrived(0.999) == []
    assert line.arrived(1.0) == ["a"]
    assert line.next_arrival() == np.inf


def test_loss_delay_and_jitter_are_those_asked_for():
    line, times = received(Impairment(delay=0.04, jitter=0.02, loss=0.2, seed=3))
    assert line.lost / line.sent == pytest.approx(0.2, abs=0.03)
    assert len(times) == line.sent - line.lost
    late = np.array([t - 0.01 * k for k, t in times.items()])
    assert late.min() >= 0.04 - 1e-12
    assert late.max() < 0.07  # seen at the next look
    assert list(times) != sorted(times)  # jitter beyond the period reorders


def test_the_same_seed_loses_the_same():
    impaired = Impairment(delay=0.01, jitter=0.05, loss=0.3, seed=5)
    assert received(impaired)[1] == received(impaired)[1]
    assert received(impaired)[1] != received(Impairment(0.01, 0.05, 0.3, 6))[1]


@pytest.mark.parametrize("numbers", [{"loss": 1.5}, {"delay": -1.0}, {"jitter": np.nan}, {"loss": -0.1}])
def test_numbers_that_cannot_be_are_refused(numbers):
    with pytest.raises(ModelError):
        Impairment(**numbers)
