"""A filter as a node: what it tells is what the same filter gives by hand, at the times of the clock."""

import numpy as np
import pytest

import symbody as sb
from symbody.errors import ModelError
from symbody.realtime.estimate_node import MOST_STEPS, RunningEstimate


@pytest.fixture(scope="module")
def cart():
    m = sb.Model("cart", gravity=(0, 0, 0))
    m.input("push", unit="N")
    m.body("cart", joints="T1", mass=2.0)
    m.joint_force("cart")(lambda q, qd, p: p.push)
    return sb.system(m)


def twin(s):
    return sb.estimate(s, ["cart.q"], {"cart.q": 0.01}, {"cart.qd": 0.1}, dt=0.01)


def test_it_tells_what_the_filter_knows(cart):
    """Frames every two steps."""
    node, other = RunningEstimate(twin(cart), ["cart.q", "cart.qd"]), twin(cart)
    assert node.given == ["cart.q", "push"]
    assert node.outputs == ["est.cart.q", "est.cart.qd", "est.cart.q.sigma", "est.cart.qd.sigma"]
    other.step([3.0], [0.1])
    node.give(np.array([0.1, 3.0]), 100.0)
    for k in range(1, 20):
        node.give(np.array([0.1, 3.0]), 100.0 + 0.02 * k)
        other.predict([3.0])
        other.step([3.0], [0.1])
    heard, t, values = node.latest()
    assert heard == 20
    assert t == pytest.approx(0.39)
    assert values == pytest.approx([*other.x, *np.sqrt(np.diag(other.P))])


def test_after_a_long_silence_it_does_not_stand_still(cart):
    node = RunningEstimate(twin(cart), ["cart.q"])
    node.give(np.array([0.0, 0.0]), 0.0)
    node.give(np.array([0.0, 0.0]), 3600.0)
    assert node.skipped == 360_000 - MOST_STEPS
    assert np.all(np.isfinite(node.latest()[2]))


def test_an_output_that_is_none_is_named(cart):
    with pytest.raises(ModelError, match="no such output"):
        RunningEstimate(twin(cart), ["cart.w"])
