"""A task in plain numbers gives the actions, observations and limits of the task in arrays."""

import numpy as np
import pytest
from bridge_models import cart_pole

import symbody as sb
from symbody.bridges.single_task import SingleTask
from symbody.bridges.task import Task


@pytest.mark.parametrize("seed", range(10))
def test_plain_numbers_equal_arrays(seed):
    s, rng = cart_pole(), np.random.default_rng(seed)
    limits = {"x.q": (-1.0, 1.0), "tip.position.x": (-1.5, 1.5)}
    task = Task(s, lambda y, u: 0.0, {"force": (-10.0, 10.0)}, observed=["tilt.q", "tip.position.x"], limits=limits)
    single = SingleTask(task)
    action = rng.uniform(-20, 20, 1).astype(np.float32)
    np.testing.assert_array_equal(single.inputs(single.actions(action)), task.inputs(action))
    x, y = rng.normal(size=4), rng.normal(size=len(s.outputs))
    seen, expected = single.see(x, lambda: y), task.see(x, lambda: y)
    assert seen == {name: float(value) for name, value in expected.items()}
    np.testing.assert_array_equal(single.observation(seen), task.observation(expected))
    assert single.beyond(seen) == bool(task.beyond(expected))


def test_an_action_of_another_size_is_named():
    single = SingleTask(Task(cart_pole(), lambda y, u: 0.0, {"force": (-10.0, 10.0)}))
    with pytest.raises(sb.ModelError, match=r"an action of 2 numbers .give 1, for force"):
        single.actions([1.0, 2.0])
    assert np.isnan(single.actions([float("nan")])["force"])
