"""Two rates on one clock (one_clock.py): a fast world is a scene, late packets are late, seeds say what is lost."""

import numpy as np
import pytest

from symbody.haptics import HapticBody, HapticScene, Rendering, WrenchLimit, box
from symbody.haptics.thesis_scenes.corner import PUSH, corner, peg, walls
from symbody.haptics.thesis_scenes.two_rate_testbed import METHODS, felt_through
from symbody.haptics.two_rates.impairment import Impairment
from symbody.haptics.two_rates.local_model import LocalModel
from symbody.haptics.two_rates.one_clock import TwoRates
from symbody.haptics.two_rates.scene_world import SceneWorld


def test_a_local_model_of_a_static_world_is_that_world():
    """With epsilon beyond what the tool goes in a period, the corner is felt as in the whole scene."""
    both = felt_through(METHODS["lm5"], peg(), walls(), world_rate=60.0)
    mine, theirs = both.run(1.5, PUSH), corner(Rendering()).run(1.5, PUSH)
    assert mine["tool"][:, :2] == pytest.approx(theirs["tool"][:, :2], abs=2e-5)
    assert mine["felt"][-1, :2] == pytest.approx(theirs["felt"][-1, :2], rel=0.02)


@pytest.mark.parametrize("world_rate", [30.0, 60.0])
@pytest.mark.parametrize("delay", [0.0, 0.04])
def test_packets_and_acknowledgements_are_on_time(world_rate, delay):
    both = felt_through(METHODS["lm5"], peg(), walls(), world_rate=world_rate, line=Impairment(delay=delay))
    both.run(1.0)
    counts = both.counts
    assert counts["sent"] == pytest.approx(world_rate, abs=1)
    assert counts["taken"] == pytest.approx(world_rate * (1.0 - delay), abs=1.5)
    assert counts["acks"] == counts["taken"]
    assert counts["stale"] == 0


def test_what_overtakes_makes_the_overtaken_stale():
    line = Impairment(delay=0.005, jitter=0.1, loss=0.2, seed=4)
    both = felt_through(METHODS["lm5"], peg(), walls(), line=line)
    log = both.run(3.0, PUSH)
    counts = both.counts
    assert counts["lost"] > 5
    assert counts["stale"] > 5
    assert counts["lost"] + counts["stale"] + counts["taken"] == pytest.approx(
        counts["sent"], abs=4
    )  # some on their way
    assert np.isfinite(log["tool"]).all()
    assert log["tool"][-1, :2] == pytest.approx((0.020, -0.040), abs=0.012)  # the wall is felt by v τ late


def test_the_same_seed_is_the_same_run():
    runs = []
    for seed in (1, 1, 2):
        line = Impairment(delay=0.01, jitter=0.03, loss=0.3, seed=seed)
        runs.append(felt_through(METHODS["lm5"], peg(), walls(), line=line).run(1.0, PUSH)["tool"])
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


def test_a_run_may_be_cut_in_pieces():
    whole = felt_through(METHODS["lm5"], peg(), walls()).run(1.0, PUSH)["tool"]
    both = felt_through(METHODS["lm5"], peg(), walls())
    parts = np.concatenate([both.run(0.5, PUSH)["tool"], both.run(0.5, PUSH)["tool"]])
    assert np.array_equal(whole, parts)


def test_a_line_that_loses_everything_leaves_the_hand_free_and_bounded():
    scene = HapticScene([peg()], walls())
    local = LocalModel(peg(), rendering=Rendering(limit=WrenchLimit("spread")))
    both = TwoRates(SceneWorld(scene, "peg"), local, line=Impairment(loss=1.0))
    log = both.run(0.5, PUSH)
    assert both.counts["taken"] == 0
    assert not log["contacts"].any()
    assert log["tool"][-1, 0] == pytest.approx(0.5 * PUSH[0] / 2.0 * 0.25, rel=0.05)  # ½ a t²


def test_a_box_in_space_is_put_down_through_bad_lines():
    """Six axes: pressed on a floor it rests there, flat, and the floor bears what the hand gives."""
    body = HapticBody("box", box(0.04, 0.05, 0.06), 0.5, (2e-4, 3e-4, 4e-4), (0.0, 0.0, 0.04))
    floor = {"floor": box(1.0, 1.0, 0.1, (0.0, 0.0, -0.05))}
    line = Impairment(delay=0.01, jitter=0.02, loss=0.2, seed=2)
    world = SceneWorld(HapticScene([body], floor, rate=1000.0), "box", epsilon=0.02)
    both = TwoRates(world, LocalModel(body, rate=1000.0), 60.0, line)
    log = both.run(1.5, (0.05, 0.0, -1.0, 0.002, 0.001, 0.0))
    assert log["contacts"][-1] == 4
    assert log["tool"][-1, 2] == pytest.approx(0.03, abs=1e-3)
    assert log["tool"][-1, 3] == pytest.approx(1.0, abs=1e-3)
    assert log["felt"][-200:, 2].mean() == pytest.approx(1.0, rel=0.05)
