"""A piano action played at random for a long time: it neither diverges nor drifts, and no felt ever gives energy."""

import numpy as np
import pytest
from piano_stage import at_random

from optimised_code import optimised_code
from symbody.analysis.simulate import simulate
from symbody.machines.piano.model import model as piano
from symbody.machines.piano.play import STEP, settled
from symbody.machines.piano.strokes import DT, through
from symbody.system.system import system

PHRASE = 20.0  # s of playing, after which the key is let go
EVERY = 20 * DT  # s between records
RELEASED = through([(0.0, 0.0), (1.0, 0.0)], 1.5)  # the key rests


@pytest.fixture(scope="module")
def action():
    """The action with the power that each felt and pin takes (W)."""
    with optimised_code():  # four times as fast, and compiled in seconds
        s = system(piano(), inputs=["key.q"], outputs=["*.q", "*.qd", "*_memory", "*.dissipated", "energy.kinetic"])
        settled(s)
        return s


def played(s, stroke, start, **records):
    """The action under a stroke. The energy account of every step takes a third of the time: the felts are checked."""
    step = {"method": STEP, "energy": "ignore", "inputs": stroke.inputs, "x0": start}
    return simulate(s, stroke.until, stroke.dt, **step, **records)


def play(s, phrases):
    rest = start = settled(s)
    for seed in range(phrases):
        run = played(s, at_random(100 + seed, PHRASE), start, every=EVERY)
        assert np.isfinite(run.values).all()
        assert run["energy.kinetic"].max() < 0.5  # J: all moving parts at 2 m/s
        assert -4.0 < np.degrees(run["hammer.q"]).min() <= np.degrees(run["hammer.q"]).max() < 23.0
        taken = np.array([run[name] for name in run.find("*.dissipated")])
        assert len(taken) > 14
        assert EVERY * taken.min() > -1e-9  # J
        assert EVERY * taken.sum() > 0.3  # J: it was played
        start = played(s, RELEASED, run.last_state, at=[RELEASED.until]).last_state
        assert np.abs(start - rest).max() < 1e-8


@pytest.mark.slow
def test_twenty_seconds_of_random_playing_return_to_the_same_rest_and_felts_only_take(action):
    play(action, 1)


@pytest.mark.minutes
@pytest.mark.slow
def test_ten_minutes_of_random_playing_neither_diverge_nor_drift(action):
    play(action, round(600.0 / PHRASE))
