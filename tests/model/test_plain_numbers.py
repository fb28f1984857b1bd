"""Numbers as people write them."""

import numpy as np
import pytest

import symbody as sb
from symbody.errors import ModelError


def body(**more):
    return sb.Model("one").body("arm", joints="R3", mass=1.0, **more)


def test_one_number_is_an_initial_coordinate():
    joint = sb.Joint("hinge", "R3", q0=0.3, v0=np.float64(2.0))
    assert (joint.q0, joint.v0) == ((0.3,), (2.0,))
    assert sb.Joint("hinge", "R3", q0=[0.3]).q0 == (0.3,)
    assert sb.Joint("base", "free").q0 == (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("given", "vector"), [(9.81, (0, 0, -9.81)), (-1.62, (0, 0, -1.62)), ([0, -9.81, 0], (0, -9.81, 0))]
)
def test_gravity_by_its_size_points_down(given, vector):
    assert sb.Model("moon", gravity=given).gravity == vector


@pytest.mark.parametrize(
    ("given", "six"),
    [
        (0.2, (0.2, 0.2, 0.2, 0, 0, 0)),
        ((1, 2, 3), (1, 2, 3, 0, 0, 0)),
        ((1, 2, 3, 0.1, 0.2, 0.3), (1, 2, 3, 0.1, 0.2, 0.3)),
        (np.array([[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 3]]), (1, 2, 3, 0.1, 0.2, 0.3)),
    ],
)
def test_inertia_in_all_its_forms(given, six):
    assert body(inertia=given).inertia == six


@pytest.mark.parametrize(
    ("given", "words"),
    [((1, 2), "inertia has 2 numbers"), ([[1, 0.1, 0], [0.5, 1, 0], [0, 0, 1]], "not symmetric")],
)
def test_an_inertia_that_cannot_be_meant_is_refused_with_the_cure(given, words):
    with pytest.raises(ModelError, match=words) as refused:
        body(inertia=given)
    assert "arm" in str(refused.value)


@pytest.mark.parametrize("family", ["parameter", "input", "state"])
def test_the_name_of_the_time_is_taken(family):
    with pytest.raises(ModelError, match="the name 't' is reserved"):
        getattr(sb.Model("one"), family)("t", 1.0)


def test_a_body_may_be_called_t():
    assert sb.Model("one").body("t", joints="R3", mass=1.0).name == "t"
