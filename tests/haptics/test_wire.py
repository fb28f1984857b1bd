"""Packets as values of frames (wire.py): there and back, and what does not fit is refused with a reason."""

import ctypes
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbody.haptics.two_rates.packet import CONSTRAINTS, LocalConstraint, ToolDynamics, proxy_packet, world_packet
from symbody.haptics.two_rates.wire import WIDTH, WORLD_HEAD, proxy_of, proxy_values, world_of, world_values
from symbody.links.rejected import Rejected


def packet(n=3, nv=3, nq=3, held=0, seed=1):
    rng = np.random.default_rng(seed)
    found = [
        LocalConstraint(
            rng.normal(size=3), rng.normal(size=3), rng.normal(size=3), s, body=k - 1, kind="sphere", radius=0.1
        )
        for k, s in enumerate(np.sort(rng.normal(size=n)))
    ]
    made = world_packet(
        7, 0.25, found, ToolDynamics(rng.normal(size=(nv, nv)), rng.normal(size=nv), nq), 4000.0, 30.0, 0.5
    )
    made.held[: held * held] = rng.normal(size=held * held).tolist()
    made.paid = 0.125
    return made


@pytest.mark.parametrize(
    ("n", "nv", "nq", "held"), [(0, 3, 3, 0), (5, 3, 3, 3), (CONSTRAINTS, 6, 7, 6), (1, 24, 24, 0)]
)
def test_a_packet_of_the_world_comes_back_bit_by_bit(n, nv, nq, held):
    made = packet(n, nv, nq, held)
    values = world_values(made)
    assert bytes(world_of(values)) == bytes(made)
    assert len(values) == WORLD_HEAD + nv * nv + nv + held * held + WIDTH * n


def test_a_packet_of_the_proxy_comes_back():
    made = proxy_packet(3, 2, 0.5, np.arange(7.0), np.arange(6.0))
    made.paid = 0.5
    assert bytes(proxy_of(proxy_values(made))) == bytes(made)


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (0, np.nan, "whole numbers"), (0, 0.5, "whole numbers"), (0, 1e300, "whole numbers"),
        (1, 25.0, "count"), (1, 2.0, "count"), (2, 0.0, "count"), (2, -3.0, "count"), (3, 4.0, "count"),
        (4, CONSTRAINTS + 1.0, "count"), (4, -1.0, "count"), (4, 2.0, "size"), (2, 2.0, "size"),
        (WORLD_HEAD + 12, 0.25, "whole numbers"),
    ],
)  # fmt: skip
def test_numbers_that_do_not_fit_are_refused(place, value, reason):
    values = world_values(packet())
    values[place] = value
    with pytest.raises(Rejected, match=reason):
        world_of(values)


@given(st.lists(st.floats(width=64), max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_numbers_are_taken_or_refused(numbers):
    values = np.array(numbers, dtype=float)
    for read in (world_of, proxy_of):
        with suppress(Rejected):
            assert ctypes.sizeof(read(values)) > 0
