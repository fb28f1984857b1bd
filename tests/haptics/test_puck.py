"""The puck through a bad line (experiments/puck.py, two_processes.py): the line makes no energy where it is controlled."""


import pytest

from symbody.haptics.experiments.puck import energy_growth, puck_world

DELAYS = (0.0, 0.02, 0.04, 0.1)


@pytest.mark.parametrize("delay", DELAYS)
def test_no_energy_is_made_at_any_delay_where_the_line_is_controlled(delay):
    made = energy_growth(delay, True, 2.0)
    assert made.made < 0.01 * made.start
    assert made.force <= 15.0


def test_without_control_a_late_line_makes_energy():
    made = energy_growth(0.04, False, 2.0)
    assert made.made > 0.2 * made.start


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_nor_with_loss_and_jitter(seed):
    made = energy_growth(0.04, True, 4.0, jitter=0.03, loss=0.2, seed=seed)
    assert made.made < 0.01 * made.start


@pytest.mark.slow
@pytest.mark.posix
def test_ten_seconds_in_two_processes():
    """1 kHz against a world of 30 Hz, 20 % lost and 40 ms late each way, killed half-way; ten minutes are a benchmark."""
    bench = pytest.importorskip("symbody_bench.two_processes")
    found = bench.two_process_run(10.0)
    assert found["energy_made_J"] < bench.BOUND
    assert found["force_share"] <= 1.0
    assert found["outside_mm"] <= 0.0
    assert found["worlds"] == 2
    assert found["packets_taken"] > 100
    assert found["lost"] > 10


def test_other_engines_are_named():
    from symbody.errors import ModelError

    with pytest.raises(ModelError, match="engine"):
        puck_world("vortex")
