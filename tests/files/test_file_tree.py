"""Bodies hung at any pose, about any axis, through any anchor: where they are, by rotation matrices alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symbody as sb
from symbody.errors import ModelError
from symbody.files.file_tree import (
    add_jointed_body,
    add_mass,
    ground_seat,
    inverse,
    matrix_quaternion,
    quaternion_matrix,
    relative,
    weld,
)
from symbody.model.body import Joint
from symbody.model.model import Model
from symbody.model.placement import AT_HOME, compose, placements
from symbody.model.rotation import matrix

numbers = st.floats(-3, 3)
triples = st.tuples(numbers, numbers, numbers)


def about(axis, angle):
    """Rodrigues: R of a turn about an axis."""
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    K = np.array(((0, -z, y), (z, 0, -x), (-y, x, 0)))
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def turned(R, anchor):
    """A turn about a point."""
    return R, np.asarray(anchor) - R @ np.asarray(anchor)


@given(triples, triples, triples.filter(lambda a: np.linalg.norm(a) > 0.1), triples, numbers, numbers)
def test_a_body_is_where_its_joints_put_it(position, rpy, axis, anchor, angle, slide):
    """Two joints through different anchors: pose · turn about the first · slide, as the file's frame sees them."""
    m = Model("m")
    pose = (matrix(rpy), np.array(position))
    seat = add_jointed_body(m, ground_seat(m), "a", pose, Joint("j", "R"), axis, anchor)
    seat = add_jointed_body(m, seat, "b", AT_HOME, Joint("s", "T"), (0.3, -1.0, 0.5), (0, 0, 1), further=True)
    expected = compose(pose, turned(about(axis, angle), anchor))
    along = np.array((0.3, -1.0, 0.5)) / np.linalg.norm((0.3, -1.0, 0.5))
    expected = compose(expected, (np.eye(3), along * slide))
    placed = placements(m, {"j": angle, "s": slide})[seat.body.name]
    R, p = compose(placed, seat.at)
    np.testing.assert_allclose(R, expected[0], atol=1e-9)
    np.testing.assert_allclose(p, expected[1], atol=1e-8)


@given(triples)
def test_quaternions_and_matrices_belong_together(rpy):
    R = matrix(rpy)
    w, *_ = q = matrix_quaternion(R)
    assert w >= 0
    np.testing.assert_allclose(quaternion_matrix(q, ""), R, atol=1e-12)
    np.testing.assert_allclose(quaternion_matrix([-3 * x for x in q], ""), R, atol=1e-12)


@given(triples, triples)
def test_frames_seen_from_each_other(rpy, position):
    a, b = (matrix(rpy), np.array(position)), (matrix((0.3, 0.2, 0.1)), np.array((1.0, 2.0, 3.0)))
    for found, expected in ((compose(a, relative(a, b)), b), (compose(a, inverse(a)), AT_HOME)):
        np.testing.assert_allclose(found[0], expected[0], atol=1e-12)
        np.testing.assert_allclose(found[1], expected[1], atol=1e-12)


def test_a_mass_keeps_its_place_in_the_files_frame():
    m = Model("m")
    seat = add_jointed_body(m, ground_seat(m), "a", AT_HOME, Joint("j", "R"), (1, 1, 1), (0.1, 0.2, 0.3))
    inertia = np.diag((0.1, 0.2, 0.25))
    add_mass(seat, 2.0, np.array((0.4, 0.0, 0.0)), inertia)
    # about the axis through the anchor: Steiner
    n, d = np.ones(3) / np.sqrt(3), np.array((0.4, 0.0, 0.0)) - np.array((0.1, 0.2, 0.3))
    expected = n @ inertia @ n + 2.0 * (d @ d - (d @ n) ** 2)
    assert sb.compile(m, "mass")([0.7])[0, 0] == pytest.approx(expected)


def test_names_are_refused_twice_and_axes_need_a_direction():
    m = Model("m")
    weld(m, ground_seat(m), "a", AT_HOME)
    with pytest.raises(ModelError, match="already has this name"):
        weld(m, ground_seat(m), "a", AT_HOME)
    with pytest.raises(ModelError, match="no direction"):
        add_jointed_body(m, ground_seat(m), "b", AT_HOME, Joint("j", "R"), (0, 0, 0), (0, 0, 0))
