"""The playable piano on its real loop, stepped by the test, so that nothing depends on how busy the machine is."""

from contextlib import contextmanager
from functools import cache

import numpy as np

from symbody.machines.piano.model import DIP
from symbody.machines.piano.page import DEEPEST
from symbody.machines.piano.page import page as piano_machine
from symbody.machines.piano.strokes import DT, through
from symbody.studio.hands import TICK, Hands
from symbody.studio.machine_loop import machine_loop
from waiting import eventually

RUNNING = 1.0
OFTEN = 0.05  # s
machine = cache(piano_machine)


def loop_of(m, **options):
    """The loop of a machine, as the studio makes it, with a longer memory."""
    return machine_loop(m, priority=0, history=20.0, **options)


class Stage:
    """A loop and hands that move only when they are told to."""

    def __init__(self, loop, m):
        self.loop, self.machine = loop, m
        self.hands = Hands(loop, m.controls, clock=lambda: loop.latest().t)

    def later(self, seconds):
        """Let some time of the model pass."""
        for _ in range(round(seconds / TICK)):
            self.hands.follow()
            self.loop.step(round(TICK * self.machine.rate))

    def press(self, seconds, hold=0.2):
        """Send the key down within some seconds, hold it, and let it go."""
        begun = self.loop.latest().t
        for _ in range(round((seconds + hold) / OFTEN)):
            self.hands.move("key.q", DEEPEST, seconds)  # said again and again, as by a browser
            self.later(OFTEN)
        self.hands.let_go()
        self.later(0.3)
        return self.loop.history(since=begun)


@contextmanager
def stage(escapement="double"):
    m = machine(escapement)
    with loop_of(m, stale=None, overrun=None) as loop:
        loop.pause()
        eventually(lambda: loop.state == "paused")
        loop.slow(0.1)
        yield Stage(loop, m)


def blows(run):
    """Times and peaks (N) of what is heard of the string."""
    heard = run["string_heard"]
    begins = np.flatnonzero(np.diff((heard > 1.0).astype(int)) == 1) + 1
    parts = np.split(heard, begins)[1:]
    return run.t[begins], np.array([part.max() for part in parts])


def assert_harmless(loop, m):
    """Every record: efforts within the limit, zero unless the loop runs, and nothing that is no number."""
    _, rows = loop.records()
    place = {name: k for k, name in enumerate(loop.names)}
    effort, state = rows[:, place["key.effort"]], rows[:, place["loop.state"]]
    assert np.isfinite(rows).all()
    assert np.abs(effort).max() <= m.effort_limits["key.effort"]
    assert np.all(effort[state != RUNNING] == 0.0)


def at_random(seed, until, dt=DT):
    """A stroke between random dips within 15 to 150 ms each; the key is released at the end."""
    rng = np.random.default_rng(seed)
    waypoints = [(0.0, 0.0)]
    while waypoints[-1][0] < until - 0.5:
        waypoints.append((waypoints[-1][0] + rng.uniform(0.015, 0.15), rng.uniform(0.0, DIP)))
    return through([*waypoints, (waypoints[-1][0] + 0.1, 0.0)], until, dt)
