"""Runs of fixed steps end where they were asked to, and record when they were asked to.

Tests of fixed_trajectory.py, inputs.py.
"""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.stepping.fixed_trajectory import step_grid
from symbody.stepping.registry import FIXED


def cart(**joint):
    m = sb.Model("cart", gravity=(0, 0, 0))
    m.body("cart", joints=[sb.Joint("cart", "T1", **joint)], mass=2.0)
    return m


@pytest.mark.parametrize("method", FIXED)
def test_a_last_step_is_shortened_so_that_the_run_ends_where_it_should(method):
    s = sb.system(machines.model("four-bar"))
    run = sb.simulate(s, 0.1, 3e-4, method=method)
    assert run.t[-1] == 0.1
    np.testing.assert_allclose(np.diff(run.t)[:-1], 3e-4)
    assert np.diff(run.t)[-1] == pytest.approx(1e-4)
    fine = sb.simulate(s, 0.1, 1e-5, at=[0.1])
    close = {1: 1e-2, 2: 1e-4}.get(FIXED[method].order, 1e-6)
    np.testing.assert_allclose(run.q[-1], fine.q[-1], atol=close)


def test_inputs_go_on_through_the_shortened_step():
    """Under a force 4t a cart of 2 kg comes to t³/3."""
    t = np.append(np.arange(4) * 0.3, 1.0)
    for signal in (lambda t: 4.0 * t, (np.array([0.0, 2.0]), np.array([0.0, 8.0])), 4.0 * t):
        run = sb.simulate(cart(), 1.0, 0.3, inputs={"cart.Q": signal})
        np.testing.assert_allclose(run.t, t)
        np.testing.assert_allclose(run["cart.q"], t**3 / 3.0, atol=1e-14)


def test_records_are_so_many_seconds_apart_and_a_shortened_end_is_among_them():
    s = sb.system(cart(v0=(1.0,)))
    assert sb.simulate(s, 1.0, 0.1, every=0.5).t.tolist() == [0.0, 0.5, 1.0]
    np.testing.assert_allclose(sb.simulate(s, 1.0, 0.03, every=0.3).t, [0.0, 0.3, 0.6, 0.9, 1.0])
    np.testing.assert_allclose(sb.simulate(s, 1.0, 0.1, at=[0.2, 0.7, 1.0]).t, [0.2, 0.7, 1.0])
    later = sb.simulate(s, 3.0, 0.3, start=2.0, at=[2.3, 3.0], x0=[5.0, 1.0])
    np.testing.assert_allclose(later.t, [2.3, 3.0])
    np.testing.assert_allclose(later["cart.q"], [5.3, 6.0])


def test_a_start_is_the_time_that_laws_see():
    m = cart()
    m.joint_force("cart")(lambda q, qd, p: 4.0 * p.t)
    run = sb.simulate(m, 3.0, 1e-2, start=2.0)
    assert run.t[0] == 2.0
    assert run["cart.qd"][-1] == pytest.approx(9.0 - 4.0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"every": 10}, "`every` is in seconds: for a record every 10 steps, use every=0.01"),
        ({"every": 2.5e-3}, "whole multiple of `dt` in seconds, such as 0.002"),
        ({"every": 0.0}, "whole multiple of `dt`"),
        ({"every": -1.0}, "whole multiple of `dt`"),
        ({"at": [0.0105]}, "times of steps"),
        ({"at": [0.2, 0.1]}, "increasing"),
        ({"at": []}, "increasing"),
        ({"until": 0.0}, "later than the start"),
        ({"until": np.inf}, "later than the start"),
        ({"dt": 1.0}, "`dt` above 0"),
        ({"dt": 0.0}, "`dt` above 0"),
        ({"inputs": {"cart.Q": np.zeros(3)}}, "use 501 values"),
        ({"inputs": {"cart.Q": (np.zeros(3), np.zeros(2))}}, "use one value for each time"),
    ],
)
def test_what_cannot_be_recorded_is_refused_with_the_cure(given, words):
    with pytest.raises(sb.ModelError, match=words):
        sb.simulate(cart(), **{"until": 0.5, "dt": 1e-3, **given})


def test_every_means_the_same_for_fixed_and_chosen_steps():
    s = sb.system(cart(v0=(1.0,)))
    fixed, chosen = sb.simulate(s, 1.0, 0.1, every=0.2), sb.simulate(s, 1.0, every=0.2)
    np.testing.assert_allclose(fixed.t, chosen.t)
    np.testing.assert_allclose(fixed.values, chosen.values, atol=1e-9)


def test_steps_fit_but_for_rounding():
    assert step_grid(0.0, 0.3, 0.1).steps == 3  # 0.3/0.1 is 2.9999999999999996
    assert not step_grid(0.0, 599.0, 1e-3).shortened
    assert step_grid(0.0, 1.0, 3e-4).steps == 3334
    assert step_grid(0.0, 0.3, 1e-5).times[-1] == 0.3
