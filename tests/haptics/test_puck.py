"""The puck through a bad line (thesis_scenes/puck.py, haptic_process.py): no energy is made where it is controlled."""

from functools import cache

import numpy as np
import pytest

from orderings import Ordering, check
from symbody.haptics.thesis_scenes.puck import (
    START,
    WALL,
    WORLD_RATE,
    energy_growth,
    puck_energy,
    puck_local,
    puck_world,
)
from symbody.haptics.two_rates.impairment import Impairment
from symbody.haptics.two_rates.one_clock import TwoRates
from symbody.haptics.two_rates.port import Port
from symbody.haptics.two_rates.world_end import PATIENCE


@pytest.mark.parametrize("delay", [0.0, 0.04, 0.2])
def test_the_line_makes_no_energy_where_it_is_controlled_and_much_where_not(delay):
    """20 % lost, up to 10 ms of jitter: by the hand's own account and the puck's, which know nothing of ports."""
    free, bound = (energy_growth(delay, passive, seed=1, seconds=3.0) for passive in (False, True))
    assert bound.made < 1e-3 * bound.start
    assert bound.least > -1e-6
    assert free.made > 10.0 * free.start
    assert 1.0 < bound.force <= 15.0  # and the hand feels something


@pytest.mark.slow
def test_the_line_makes_less_energy_where_it_is_controlled():
    """Without a delay; with one, there are seeds in which the hand misses the puck, and no energy is made at all."""
    made = cache(lambda name, seed: energy_growth(0.0, name == "passive", seed, seconds=3.0).made)
    check(Ordering("energy made", "passive", "free", made, 0.01))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("delay", [0.0, 0.02, 0.04, 0.1, 0.2])
def test_nor_with_any_loss_and_jitter(delay, seed):
    made = energy_growth(delay, True, seed, across=0.06)  # and it leans on walls, with the puck between
    assert made.made < 1e-3 * made.start
    assert made.least > -1e-6


def swept_past(seed, patience):
    """The hand swings past the puck on a line that is 0.1 s late and loses half, and rests behind it.

    At the end: how far the world's tool is from the proxy (m), what the puck has beyond what was paid (J).
    """
    random = np.random.default_rng(seed)
    world, local = puck_world(speed=0.0), puck_local(Port(passive=True))
    both = TwoRates(world, local, WORLD_RATE, Impairment(0.1, 0.05, 0.5, seed), contact=WALL, passive=True)
    both.end.patience = patience
    local.scene.c.device.hand_b[:3] = 20.0, 20.0, 0.05  # it comes to rest
    behind, y, made = float(random.uniform(0.115, 0.125)), float(random.uniform(-0.02, 0.02)), -np.inf
    both.run(float(random.uniform(0.3, 0.6)), pose=START)
    for _ in range(90):
        log = both.run(1.0 / WORLD_RATE, pose=(behind, y, 0.0))
        made = max(made, puck_energy(world) - both.end.account.received)
        assert np.max(np.abs(log["felt"][:, :2])) <= 15.0
    apart = float(np.linalg.norm(world.tool_pose()[:2] - local.tool_q[:2]))
    assert min(float(local.c.port.least), both.end.account.least) > -1e-6
    return apart, made


def test_a_world_that_was_left_behind_finds_its_proxy_again_within_bounded_time():
    """3 s after the hand began to move, at all seeds; for ever apart in most of them without it. No energy is made."""
    stuck = []
    for seed in range(8):
        apart, made = swept_past(seed, PATIENCE)
        assert apart < 1e-3, seed
        assert made < 1e-9
        stuck.append(swept_past(seed, np.inf)[0] > 0.03)
    assert sum(stuck) > 4


@pytest.mark.slow
@pytest.mark.posix
def test_ten_seconds_in_two_processes():
    """1 kHz against a world of 30 Hz, 20 % lost and 40 ms late each way, killed half-way."""
    bench = pytest.importorskip("symbody_bench.two_processes")
    found = bench.two_process_run(10.0)
    assert found["energy_made_J"] < bench.BOUND
    assert found["force_share"] <= 1.0
    assert found["into_walls_mm"] < bench.DEEPEST
    assert found["worlds"] == 2
    assert found["packets_taken"] > 50
    assert found["lost"] > 10


def test_other_engines_are_named():
    from symbody.errors import ModelError

    with pytest.raises(ModelError, match="engine"):
        puck_world("vortex")
