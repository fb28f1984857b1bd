"""Contacts keep their identity while they stay (features.h, identity.h), in the plane, in space, within a linkage."""

import numpy as np
import pytest
from resting_scenes import folded, slot, stack, watch

from symbody.haptics import ContactFriction, ContactModel, HapticScene, Rendering, rectangle
from symbody.haptics.thesis_scenes.corner import PEG, THICK, peg

SETTLED = 1e-9  # m: stuck friction holds a body within this distance


PRESSED = (0.02, -0.02, 0.0)  # m, m, rad: where the hand wants the last link of the arm, below its first
WAY, TURN, PERIOD = 0.06, 0.1, 4.0  # m, rad, s: motion of a hand, whose spring draws the block
BLOCKS = ("stack in the plane", "stack in space", "slot in the plane", "slot in space")
KINDS = {**dict.fromkeys(BLOCKS, 1500), "arm": 4096}  # ticks until all is at rest


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


def slide(seed, *, space, ticks):
    """Watch a block that a hand draws to and fro below a stack, over seams and rims; number of ticks."""
    scene = stack(seed, space=space, slope=0.0, tool="block0")
    watch(scene, 400)
    x, _ = scene.tool_motion()
    t = np.arange(ticks) * scene.dt
    pose = np.tile(x, (ticks, 1))
    pose[:, 0] += WAY * np.sin(2.0 * np.pi * t / PERIOD)
    if space:
        turn = TURN * np.sin(2.0 * np.pi * t / (1.7 * PERIOD))
        pose[:, 3:] = np.column_stack([x[3] - x[6] * turn, 0.0 * t, 0.0 * t, x[6] + x[3] * turn])
    found, where = watch(scene, ticks, pose), f"sliding, seed {seed}, in space: {space}"
    assert not found.mistaken, (where, found.mistaken[:3])
    assert found.known >= 2 * ticks, where
    assert found.way > 2e-3, where
    return ticks


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_strikes_or_creeps_at_rest(kind):
    rest(kind, 1, 300)


@pytest.mark.parametrize("space", [False, True])
def test_no_contact_that_stays_is_new_while_a_block_slides(space):
    slide(1, space=space, ticks=800)


@pytest.mark.slow
def test_contacts_keep_their_identity_over_a_hundred_thousand_ticks():
    total = sum(rest(kind, seed, 1500) for kind in KINDS for seed in range(2, 6))
    total += sum(slide(seed, space=space, ticks=3000) for space in (False, True) for seed in range(2, 8))
    assert total > 100_000


@pytest.mark.parametrize("rate", [512.0, 4000.0])
def test_a_peg_on_a_wall_holds_at_a_quarter_of_break_away(rate):
    """Its face is parallel to the wall, and the hand draws with 0.02 N where 0.0875 N would break it away."""
    friction = ContactFriction("reset-integrator", damping=118.0)
    wall = {"wall": rectangle(THICK, 2.0, (PEG[0] / 2 + THICK / 2, 0.0))}
    scene = HapticScene([peg()], wall, tool="peg", at=(PEG[0] / 2, 0.0), rate=rate,
                        rendering=Rendering(ContactModel(stiffness=1e4, damping=15.0), friction))  # fmt: skip
    log = scene.run(18.0, (0.35, -0.02, 0.0))
    assert not np.any(log["impacts"])
    y = log["tool"][:, 1]
    assert np.ptp(y[log["t"] > 1.0]) < 1e-7  # the device comes to rest slowly
    assert np.ptp(y[log["t"] > 16.0]) < SETTLED
