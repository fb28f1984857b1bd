"""Energy accounts (port_account.py): two ends never give more than they took, whatever becomes of their totals."""

import numpy as np
import pytest

from symbody.haptics.two_rates.port_account import MOST, PortAccount, Total


@pytest.mark.parametrize("seed", range(20))
def test_two_ends_never_give_more_than_they_took(seed):
    """Both spend all they may, whenever they may; totals are late, reordered, repeated and lost."""
    rng = np.random.default_rng(seed)
    ends, heard, on_their_way = [PortAccount(ceiling=10.0) for _ in range(2)], [Total(), Total()], []
    spent = 0.0
    for step in range(2000):
        k = int(rng.integers(2))
        end = ends[k]
        if rng.random() < 0.5:
            end.entered += rng.exponential(0.1)
        else:  # gives what it has, or part of it
            given = max(end.balance, 0.0) * min(1.0, rng.exponential(1.0))
            end.entered -= given
            spent += given
        end.settle()
        assert end.balance >= -1e-12
        on_their_way.append((step + rng.integers(200), 1 - k, end.paid))
        for _ in range(2 * (rng.random() < 0.5)):  # any of them, now
            _, to, paid = on_their_way[int(rng.integers(len(on_their_way)))]
            ends[to].received = heard[to].hear(paid)
        assert ends[0].entered + ends[1].entered >= -1e-9
    assert spent > 1.0  # something went over


def test_what_is_there_is_paid_and_what_is_stored_is_kept():
    account = PortAccount()
    account.entered, account.stored = 0.03, 0.01
    account.settle()
    assert account.paid == pytest.approx(0.02)
    assert account.balance == pytest.approx(0.0)
    account.stored = 0.0  # the spring is released
    account.settle()
    assert account.paid == pytest.approx(0.03)


def test_what_was_received_is_not_paid_back_and_has_a_ceiling():
    account = PortAccount(ceiling=0.05)
    account.received = 1.0
    account.settle()
    assert account.paid == 0.0
    assert account.balance == pytest.approx(0.05)


def test_totals_are_bounded_and_begin_anew_with_a_session():
    total = Total()
    assert total.hear(0.5, 1) == 0.5
    assert total.hear(0.2, 1) == 0.5  # late
    assert total.hear(0.3, 2) == 0.8  # a new start
    assert total.hear(1e9, 2) == 0.8 + MOST
    assert total.hear(float("nan"), 2) == 0.8 + MOST
    assert total.hear(float("inf"), 2) == 0.8 + MOST
