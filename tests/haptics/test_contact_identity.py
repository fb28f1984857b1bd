"""Contacts keep their identity while they stay (features.h, identity.h), in the plane, in space and within a linkage."""

import numpy as np
import pytest
from resting_scenes import HELD, folded, slot, stack, watch

from symbody.haptics import ContactFriction, ContactModel, HapticScene, Rendering, rectangle
from symbody.haptics.thesis_scenes.corner import PEG, THICK, peg

SETTLED = 1e-9  # m: stuck friction holds a body within this distance


def resting(kind, seed):
    """A scene of bodies that come to rest."""
    if kind == "arm":
        return folded(seed)
    make = slot if kind.startswith("slot") else stack
    return make(seed, space=kind.endswith("space"))


def rest(kind, seed, settling, ticks):
    """Run until all is at rest, then watch; number of continued contacts."""
    scene = resting(kind, seed)
    fell = watch(scene, settling)
    start = scene.q.copy()
    found = watch(scene, ticks)
    where = f"{kind}, seed {seed}"
    assert not fell.mistaken, (where, fell.mistaken[:3])
    assert (found.new, found.struck) == (0, 0), where
    assert np.abs(scene.q - start).max() < SETTLED, where
    return found.known


KINDS = ("stack in the plane", "stack in space", "slot in the plane", "slot in space", "arm")


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_strikes_or_creeps_at_rest(kind):
    assert rest(kind, 1, 1500, 300) >= 2 * 300
