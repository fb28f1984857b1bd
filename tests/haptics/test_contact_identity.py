"""Contacts keep their identity while they stay (features.h, identity.h), in the plane, in space and within a linkage."""

import numpy as np
import pytest
from resting_scenes import HELD, folded, slot, stack, watch

from symbody.haptics import ContactFriction, ContactModel, HapticScene, Rendering, rectangle
from symbody.haptics.thesis_scenes.corner import PEG, THICK, peg

SETTLED = 1e-9  # m: stuck friction holds a body within this distance


PRESSED = (0.02, -0.02, 0.0)  # m, m, rad: where the hand wants the last link of the arm, below its first
KINDS = {"stack in the plane": 1500, "stack in space": 1500, "slot in the plane": 1500, "slot in space": 1500, "arm": 14000}


def resting(kind, seed):
    """A scene of bodies that come to rest."""
    if kind == "arm":
        return folded(seed)
    make = slot if kind.startswith("slot") else stack
    return make(seed, space=kind.endswith("space"))


def rest(kind, seed, ticks):
    """Watch a scene while it comes to rest, and at rest; number of ticks."""
    scene, where = resting(kind, seed), f"{kind}, seed {seed}"
    pose = PRESSED if kind == "arm" else None
    fell = watch(scene, KINDS[kind], pose)
    start, loaded = scene.q.copy(), scene.c.memory.ncontacts
    found = watch(scene, ticks, pose)
    assert not fell.mistaken, (where, fell.mistaken[:3])
    assert (found.new, found.struck) == (0, 0), where
    assert found.known == ticks * loaded >= 2 * ticks, where
    assert np.abs(scene.q - start).max() < SETTLED, where
    return KINDS[kind] + ticks


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_strikes_or_creeps_at_rest(kind):
    rest(kind, 1, 300)
