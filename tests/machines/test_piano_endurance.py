"""A piano action played at random for a long time: it neither diverges nor drifts, and no felt ever gives energy."""

import numpy as np
import pytest
from piano_stage import at_random

from symbody.codegen import only_tier
from symbody.machines.piano.model import model as piano
from symbody.machines.piano.play import played, settled
from symbody.machines.piano.strokes import DT, through
from symbody.system.system import system

PHRASE = 20.0  # s of playing, after which the key is let go


@pytest.fixture(scope="module")
def accounted():
    """The action with states that add up what each felt and pin takes (J), and their names."""
    m, taken = piano(), {}
    for name in [name for name in m.signals if name.endswith(".dissipated")]:
        taken[name] = f"lost_{name.partition('.')[0]}"
        m.state(taken[name])(m.signals[name].law)
    outputs = ["*.q", "*.qd", "*_memory", "lost_*", "energy.kinetic"]
    with only_tier("optimised"):  # three times as fast, and compiled in seconds
        return system(m, inputs=["key.q"], outputs=outputs), list(taken.values())


def play(accounted, phrases):
    s, lost = accounted
    rest = start = settled(s)
    moving = [k for k, name in enumerate(s.states) if name not in lost]
    for seed in range(phrases):
        run = played(s, at_random(100 + seed, PHRASE), start, every=40 * DT)
        assert np.isfinite(run.values).all()
        assert run["energy.kinetic"].max() < 0.5  # J: all moving parts at 2 m/s
        assert -4.0 < np.degrees(run["hammer.q"]).min() <= np.degrees(run["hammer.q"]).max() < 23.0
        for name in lost:
            assert np.diff(run[name]).min() > -1e-9  # J
        assert sum(run[name][-1] - run[name][0] for name in lost) > 0.3  # J: it was played
        start = played(s, through([(0.0, 0.0), (1.0, 0.0)], 1.5), run.last_state).last_state
        assert np.abs(start - rest)[moving].max() < 1e-8


@pytest.mark.slow
def test_twenty_seconds_of_random_playing_return_to_the_same_rest_and_felts_only_take(accounted):
    play(accounted, 1)


@pytest.mark.slow
def test_ten_minutes_of_random_playing_neither_diverge_nor_drift(accounted):
    play(accounted, round(600.0 / PHRASE))
