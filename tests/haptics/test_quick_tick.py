"""scene.c and local.c by TinyCC, which all other tests of this folder use in optimised code."""

from functools import cache

import numpy as np
import pytest
from local_models import HALF, over, plane

from symbody.codegen import native, only_tier
from symbody.codegen.tinycc import find_tiny
from symbody.haptics import structures
from symbody.haptics.thesis_scenes.two_link import PLACES, THEORY, loss
from symbody.haptics.two_rates.local_model import local_library

PUSH, STIFFNESS = 0.5, 4000.0  # N, N/m


@pytest.fixture
def _quick(monkeypatch):
    """Libraries of the tick by TinyCC, for one test."""
    if find_tiny() is None:
        pytest.skip("needs TinyCC")
    best = {structures.library()._name, local_library()._name}
    monkeypatch.setattr(native, "_runtime", cache(native._Runtime))
    with only_tier("quick"):
        assert not best & {structures.library()._name, local_library()._name}
        yield


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("place", PLACES)
def test_two_links_lose_what_theory_says(place):
    assert loss(place, 0.3)[1] == pytest.approx((1.0 - 0.3**2) * THEORY[place], rel=1e-13)


@pytest.mark.usefixtures("_quick")
def test_a_proxy_is_pressed_into_a_plane_by_force_over_stiffness():
    local = over([plane((0.0, -HALF[1], 0.0))])
    log = local.run(0.4, (0.0, -PUSH, 0.0))
    assert np.isfinite(log["tool"]).all()
    assert local.separations == pytest.approx([-PUSH / STIFFNESS], rel=0.05)
