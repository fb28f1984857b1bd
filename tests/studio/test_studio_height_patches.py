"""Patches of height fields: compared once for all visitors, and each gets what it lacks."""

import struct

import numpy as np

from symbody.studio.height_patches import MOST_KEPT, HeightPatches


def boxes(messages):
    return [struct.unpack_from("<IIII", message, 8) for message in messages]


def test_fields_are_compared_once_for_all_and_each_visitor_gets_what_it_lacks():
    heights, asked, now = np.zeros((8, 9)), [], [0.0]

    def read():
        asked.append(now[0])
        return [heights]

    patches = HeightPatches(read, lambda: now[0])
    first, known = patches.since(0)
    assert boxes(first) == [(0, 0, 8, 9)]
    for _ in range(5):  # other visitors, at the same time
        assert boxes(patches.since(0)[0]) == [(0, 0, 8, 9)]
    assert len(asked) == 1
    heights[2, 3] = 1.0
    now[0] = 1.0
    changed, newest = patches.since(known)
    assert boxes(changed) == [(2, 3, 1, 1)]
    assert patches.since(newest) == ([], newest)
    assert len(asked) == 2


def test_a_visitor_that_was_away_for_long_gets_the_whole_field():
    heights, now = np.zeros((4, 4)), [0.0]
    patches = HeightPatches(lambda: [heights], lambda: now[0])
    _, known = patches.since(0)
    newest = known
    for k in range(MOST_KEPT + 2):
        heights[1, 1] = k + 1.0
        now[0] += 1.0
        _, newest = patches.since(newest)
    assert boxes(patches.since(known)[0]) == [(0, 0, 4, 4)]
