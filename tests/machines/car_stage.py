"""The driving simulator as the studio runs it, faster than the clock, and what must hold of every record."""

from contextlib import contextmanager
from dataclasses import replace
from functools import cache

import numpy as np

from symbody.machines.car.page import STRONGEST
from symbody.machines.car.page import page as car_machine
from symbody.studio import Live

RUNNING = 1.0
machine = cache(car_machine)


@contextmanager
def driven(speed=1.0, **changes):
    """The car in its loop, `speed` seconds in a second; every record is harmless in the end."""
    live = Live(replace(machine(), priority=0, **changes)).start()
    live.loop.slow(1.0 / speed)
    try:
        yield live
    finally:
        live.close()
    assert_harmless(live.loop)


def value(live, name):
    """Of an output, the newest one."""
    return live.loop.latest().outputs[live.loop.outputs.index(name)]


def assert_harmless(loop, limit=STRONGEST):
    """Every record: the torque within the limit, zero unless the loop runs, and nothing that is no number."""
    _, rows = loop.records()
    place = {name: k for k, name in enumerate(loop.names)}
    effort, state = rows[:, place["wheel.effort"]], rows[:, place["loop.state"]]
    assert np.isfinite(rows).all()
    assert np.abs(effort).max() <= limit
    assert np.all(effort[state != RUNNING] == 0.0)
