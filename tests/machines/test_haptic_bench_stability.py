"""Stable walls (haptic_bench/stability.py): what a coupling gains over a wall that is felt directly."""

import numpy as np
import pytest

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
    slow, fast = (stiffest("direct", steps=6, rate=rate) for rate in (512.0, 2000.0))
    assert fast > 2.0 * slow


@pytest.mark.slow
def test_the_map_has_the_four_channel_controller_nowhere_below_direct_coupling():
    found = stability_map(cases=("four-channel", "direct"), steps=5)
    for cases in found.values():
        for x, stiffness in cases["direct"].items():
            assert cases["four-channel"][x] >= stiffness
        assert min(cases["direct"].values()) < max(cases["four-channel"].values())
    assert set(CASES) >= {"four-channel", "direct"}


def test_passivity_control_takes_energy_back_from_a_wall_that_gives_it():
    """A stiff wall with delay gives energy to a device coupled directly; the controller brakes it."""

    def given(passivity):
        rendering = Rendering(
            ContactModel("penalty"), controller=Controller("direct", shaping=False, passivity=passivity)
        )
        scene = walled(rendering, 8000.0, damping=0.0, delay=0.004)
        return scene.run(1.0, (PUSH, 0.0, 0.0), strict=False)

    free, braked = given(False), given(True)
    assert np.min(free["energy"]) < -1e-4  # the world gave energy
    assert np.min(braked["energy"]) > 0.2 * np.min(free["energy"])
    assert np.max(np.abs(braked["xd"][-200:, 0])) < 0.7 * np.max(np.abs(free["xd"][-200:, 0]))
