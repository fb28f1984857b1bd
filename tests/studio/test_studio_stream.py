"""What goes to browsers can be read there, says only what is new, and loses no peak."""

import struct
import zlib
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbody.errors import ModelError
from symbody.studio.balls import Balls
from symbody.studio.height_patches import HeightPatches
from symbody.studio.stream import (
    BALLS,
    CLOUD,
    PATCH,
    PLOT,
    POSES,
    STILL,
    bands,
    cloud_message,
    height_patch,
    moved_poses,
    plot_message,
)
from symbody.studio.visitor import Visitor, surface_messages


def patch_heights(message):
    """As the page reads them."""
    planes = np.frombuffer(zlib.decompress(message[24:]), np.uint8).reshape(4, -1)
    return np.ascontiguousarray(planes.T).view("<f4").ravel()


def read_poses(message):
    """As the page reads it."""
    kind, count, t = struct.unpack_from("<IId", message)
    assert kind == POSES
    frames = np.frombuffer(message, "<u4", count, 16)
    return t, frames, np.frombuffer(message, "<f4", 7 * count, 16 + 4 * count).reshape(count, 7)


@given(st.integers(0, 2**32 - 1), st.integers(1, 30))
def test_a_browser_knows_the_poses_whatever_was_left_out(seed, steps):
    rng = np.random.default_rng(seed)
    rows, sent, shown = rng.normal(size=(9, 7)), None, np.zeros((9, 7))
    for k in range(steps):
        rows = rows + rng.choice([0.0, 0.3 * STILL, 1.0], size=(9, 1)) * rng.normal(size=(9, 7))
        message, sent = moved_poses(0.1 * k, rows, sent)
        if message is not None:
            t, frames, told = read_poses(message)
            assert t == 0.1 * k
            shown[frames] = told
        np.testing.assert_allclose(shown, rows, rtol=1e-6, atol=1.01 * STILL)


def test_what_rests_is_not_told():
    rows = np.ones((4, 7))
    message, sent = moved_poses(0.0, rows, None)
    assert len(message) == 16 + 4 * (4 + 28)
    assert moved_poses(0.1, rows, sent)[0] is None
    rows[2, 0] = 5.0
    message, _ = moved_poses(0.2, rows, sent)
    assert list(read_poses(message)[1]) == [2]


def test_what_is_no_number_is_not_told():
    rows = np.ones((4, 7))
    _, sent = moved_poses(0.0, rows, None)
    message, after = moved_poses(0.1, rows * np.nan, sent)
    assert message is None
    np.testing.assert_array_equal(after, sent)


@given(st.integers(0, 2**32 - 1), st.integers(1, 400), st.integers(1, 50))
def test_bands_keep_the_peaks(seed, n, most):
    rng = np.random.default_rng(seed)
    t, values = np.sort(rng.random(n)), rng.normal(size=(n, 3))
    rows = bands(t, values, most)
    assert len(rows) <= most
    assert rows[-1, 0] == t[-1]
    np.testing.assert_array_equal(rows[:, 1::2].min(axis=0), values.min(axis=0))
    np.testing.assert_array_equal(rows[:, 2::2].max(axis=0), values.max(axis=0))
    end = 0
    for last, *told in rows:  # each band holds exactly the values between the last time and its own
        begin, end = end, int(np.searchsorted(t, last, side="right"))
        np.testing.assert_array_equal(told[0::2], values[begin:end].min(axis=0))
        np.testing.assert_array_equal(told[1::2], values[begin:end].max(axis=0))


def test_plots_as_the_page_reads_them():
    rows = np.arange(6.0).reshape(2, 3)
    message = plot_message(4, rows)
    assert struct.unpack_from("<IIII", message) == (PLOT, 4, 2, 3)
    np.testing.assert_array_equal(np.frombuffer(message, "<f8", offset=16).reshape(2, 3), rows)


@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_patches_lead_to_the_heights_whatever_changed(seed, steps):
    rng = np.random.default_rng(seed)
    heights, sent, shown = rng.normal(size=(7, 9)), None, np.zeros((7, 9))
    for _ in range(steps):
        i, j = rng.integers(0, 7, 2), rng.integers(0, 9, 2)
        heights[min(i) : max(i), min(j) : max(j)] += 1.0
        message, sent = height_patch(3, heights, sent)
        if message is None:
            continue
        kind, number, row, column, rows, columns = struct.unpack_from("<IIIIII", message)
        assert (kind, number) == (PATCH, 3)
        shown[row : row + rows, column : column + columns] = patch_heights(message).reshape(rows, columns)
        np.testing.assert_array_equal(shown, heights.astype("<f4"))


def test_a_small_change_is_a_small_patch_and_none_is_none():
    heights = np.zeros((256, 256))
    _, sent = height_patch(0, heights, None)
    assert height_patch(0, heights, sent)[0] is None
    heights[100:104, 50:60] = -0.1
    message, sent = height_patch(0, heights, sent)
    assert struct.unpack_from("<IIII", message, 8) == (100, 50, 4, 10)
    assert len(message) < 24 + 4 * 4 * 10
    assert height_patch(0, heights * np.nan, sent)[0] is None


def test_a_cloud_is_told_where_it_changed():
    grains = np.arange(12.0).reshape(4, 3)
    source, visitor = SimpleNamespace(balls=lambda: [Balls(grains)], heights=list), Visitor(touch=True, version=0)
    patches = HeightPatches(source.heights)
    assert surface_messages(source, visitor, patches) == [cloud_message(0, grains)]
    assert surface_messages(source, visitor, patches) == []
    grains[2] = 0.5
    assert surface_messages(source, visitor, patches) == [cloud_message(0, grains)]


def test_clouds_as_the_page_reads_them():
    points = np.arange(12.0).reshape(4, 3)
    message = cloud_message(2, points)
    assert struct.unpack_from("<IIII", message) == (CLOUD, 2, 4, 0)
    np.testing.assert_array_equal(np.frombuffer(message, "<f4", offset=16).reshape(4, 3), points)


def test_looks_of_balls_are_sent_when_they_change_and_before_the_positions():
    points, sizes = np.arange(6.0).reshape(2, 3), np.array([0.5, 1.0])
    now = {"balls": Balls(points, sizes, numbers=np.array([7, 9]))}
    source, visitor = SimpleNamespace(balls=lambda: [now["balls"]], heights=list), Visitor(touch=True, version=0)
    patches = HeightPatches(source.heights)
    looks, places = surface_messages(source, visitor, patches)
    assert struct.unpack_from("<IIII", looks) == (BALLS, 0, 2, 1)  # with sizes, without colours
    assert list(np.frombuffer(looks, "<u4", 2, 16)) == [7, 9]
    assert list(np.frombuffer(looks, "u1", offset=24)[3::4]) == [128, 255]
    assert places == cloud_message(0, points)
    assert surface_messages(source, visitor, patches) == []
    now["balls"] = Balls(points + 1.0, sizes, numbers=np.array([7, 9]))
    assert surface_messages(source, visitor, patches) == [cloud_message(0, points + 1.0)]  # it only moved
    now["balls"] = Balls(points + 1.0, sizes, np.array([[250, 0, 300], [1, 2, 3]]), np.array([9, 10]))
    looks, places = surface_messages(source, visitor, patches)  # another ball in the same place
    assert struct.unpack_from("<I", looks, 12) == (3,)
    assert list(np.frombuffer(looks, "u1", offset=24)) == [250, 0, 255, 128, 1, 2, 3, 255]
    assert places == cloud_message(0, points + 1.0)


def test_balls_that_do_not_fit_together_are_refused():
    with pytest.raises(ModelError, match=r"sizes of the shape \(3,\) for 2 balls"):
        Balls(np.zeros((2, 3)), np.ones(3))
    with pytest.raises(ModelError, match=r"colours of the shape \(2,\) for 2 balls"):
        Balls(np.zeros((2, 3)), colours=np.ones(2))
