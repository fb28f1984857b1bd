"""Stable walls (haptic_bench/stability.py): what a coupling gains over a wall that is felt directly."""

from functools import cache

import numpy as np
import pytest

from orderings import SEEDS, Ordering, check
from symbody.haptics.settings import ContactModel, Controller, Rendering
from symbody.machines.haptic_bench.stability import CASES, PUSH, is_stable, stability_map, stiffest, walled


def test_a_wall_that_is_felt_directly_is_stable_up_to_some_stiffness():
    assert is_stable("direct", 4000.0)
    assert not is_stable("direct", 1e5)
    assert not is_stable("direct", 4000.0, delay=0.01)


@pytest.mark.parametrize("case", ["four-channel", "virtual coupler"])
def test_couplings_bear_any_wall(case):
    assert is_stable(case, 1e6)
    assert is_stable(case, 1e6, delay=0.005)


def test_a_faster_loop_bears_more():
    """Over ten dampings of the hand, 1 to 4 N s/m."""
    found = cache(lambda rate, seed: stiffest("direct", steps=6, rate=float(rate), b=1.0 + seed / 3.0))
    check(Ordering("largest stable stiffness", "512", "2000", found, 0.5))


@pytest.mark.slow
def test_the_map_has_the_four_channel_controller_nowhere_below_direct_coupling():
    # one run: the map itself has eleven cases, and the controller is at least equal in each
    found = stability_map(cases=("four-channel", "direct"), steps=5)
    for cases in found.values():
        for x, stiffness in cases["direct"].items():
            assert cases["four-channel"][x] >= stiffness
        assert min(cases["direct"].values()) < max(cases["four-channel"].values())
    assert set(CASES) >= {"four-channel", "direct"}


def test_passivity_control_takes_energy_back_from_a_wall_that_gives_it():
    """Ten stiff walls with delay give energy to a device coupled directly; the controller brakes it."""

    @cache
    def felt(name, seed):
        rendering = Rendering(
            ContactModel("penalty"), controller=Controller("direct", shaping=False, passivity=name == "braked")
        )
        scene = walled(rendering, 8000.0 + 200.0 * seed, damping=0.0, delay=0.004)
        return scene.run(1.0, (PUSH, 0.0, 0.0), strict=False)

    def given(name, seed):
        """Energy that the world gave at most (J)."""
        return -float(np.min(felt(name, seed)["energy"]))

    def speed(name, seed):
        """Of the device, at the end (m/s)."""
        return float(np.max(np.abs(felt(name, seed)["xd"][-200:, 0])))

    assert min(given("free", seed) for seed in SEEDS) > 1e-4
    check(Ordering("energy of the wall", "braked", "free", given, 0.2))
    check(Ordering("speed at the end", "braked", "free", speed, 0.7))
