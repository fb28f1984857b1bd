"""The puck through a bad line (experiments/puck.py, two_processes.py): no energy is made where it is controlled."""

import pytest

from symbody.haptics.experiments.puck import energy_growth, puck_world


@pytest.mark.parametrize("delay", [0.0, 0.04, 0.2])
def test_the_line_makes_no_energy_where_it_is_controlled_and_much_where_not(delay):
    """20 % lost, up to 10 ms of jitter: by the hand's own account and the puck's, which know nothing of ports."""
    free, bound = (energy_growth(delay, passive, seed=1, seconds=3.0) for passive in (False, True))
    assert bound.made < 1e-3 * bound.start
    assert bound.least > -1e-6
    assert free.made > 10.0 * free.start
    assert 1.0 < bound.force <= 15.0  # and the hand feels something


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("delay", [0.0, 0.02, 0.04, 0.1, 0.2])
def test_nor_with_any_loss_and_jitter(delay, seed):
    made = energy_growth(delay, True, seed, across=0.06)  # and it leans on walls, with the puck between
    assert made.made < 1e-3 * made.start
    assert made.least > -1e-6


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
