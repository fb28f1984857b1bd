"""A System is a value: threads may build and share it, and what is made from one leaves it as it was."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.system.programs import limits_program, motion_program

NAMES = ("four-bar", "slider-crank", "pendulum", "quarter-car")


def sources(name):
    s = sb.system(machines.model(name), backend="python")
    return s.rates_function.source, s.outputs_function.source, s.function("motion", motion_program).source


def test_systems_built_in_many_threads_are_those_built_one_after_the_other():
    alone = {name: sources(name) for name in NAMES}
    with ThreadPoolExecutor(4) as pool:
        for name, found in zip(NAMES * 3, pool.map(sources, NAMES * 3), strict=True):
            assert found == alone[name]


def walked(s, turn):
    """Accelerations along a way from the start, each looked for near the last."""
    found = []
    for angle in np.linspace(0.0, turn, 120):
        x = s.x0.copy()
        x[0] += angle
        found.append(s.rates(0.0, x))
    return np.array(found)


def test_threads_on_different_ways_do_not_lead_each_other_astray():
    turns = [6.0, -6.0, 3.0, -3.0]

    def m():
        return machines.model("four-bar")

    alone = [walked(sb.system(m()), turn) for turn in turns]
    s = sb.system(m())
    s.rates_function.wait_optimised()
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda turn: walked(s, turn), turns))
    for one, other in zip(alone, together, strict=True):
        assert np.all(np.isfinite(one))
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)


def test_the_start_is_the_start_whatever_was_evaluated_before():
    s = sb.system(machines.model("four-bar"))
    s.rates_function.wait_optimised()
    first = s.rates(0.0, s.x0)
    walked(s, 5.0)
    np.testing.assert_array_equal(s.rates(0.0, s.x0), first)
    np.testing.assert_array_equal(s.motion(0.0, s.x0)[0], sb.system(s.model).motion(0.0, s.x0)[0])


def test_threads_that_ask_for_one_function_get_one():
    s = sb.system(machines.model("four-bar"), backend="python")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: s.function("limits", limits_program), range(16)))
    assert len({id(f) for f in found}) == 1


def test_starting_elsewhere_leaves_the_system_as_it_was():
    s = sb.system(machines.model("four-bar"))
    x, guess = s.x0.copy(), s.start_guess.copy()
    moved = s.x0 + np.array([0.3, 1.0])
    other = s.starting_at(moved)
    np.testing.assert_array_equal(other.x0, moved)
    assert not np.allclose(other.start_guess, guess)
    np.testing.assert_array_equal(s.x0, x)
    np.testing.assert_array_equal(s.start_guess, guess)
    assert other.parameters is s.parameters
    run = sb.simulate(other, 0.01, 1e-3)
    np.testing.assert_allclose([run[name][0] for name in s.states], moved, atol=1e-9)


def test_a_state_without_motion_is_refused():
    s = sb.system(machines.model("four-bar"))
    with pytest.raises(sb.AssemblyError, match="not finite at this state"):
        s.starting_at(np.full(len(s.x0), np.nan))


def test_parameters_that_only_some_functions_have_are_followed():
    """With live="all" a point that only an output uses has numbers that the motion does not know."""
    m = sb.Model("arm")
    arm = m.body("arm", joints="R2", mass=1.0, com=(0, 0, -0.4), inertia=(0.1, 0.1, 0.1))
    m.sensor("tip", arm.point("tip", (0.25, 0.0, -0.5)), ["position"])
    s = sb.system(m, live="all", outputs=["tip.position.*"])
    s.parameters["arm.tip.x"] = 0.5
    q, _ = s.motion(0.0, s.x0)
    np.testing.assert_allclose(s.at(0.0, s.x0)["tip.position.x"], 0.5 * np.cos(q[0]) - 0.5 * np.sin(q[0]), atol=1e-12)
    s.parameters["arm.mass"] = 2.0
    assert s.function("motion", motion_program) is s.function("motion", motion_program)
