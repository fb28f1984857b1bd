"""Energy balances of runs: against closed forms, for links, elements and driven joints."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.analysis.balance import energy_balance, link_power
from symbody.analysis.violation import constraint_violation

MASS, PULL, STIFFNESS, DAMPING, GRAVITY = 2.0, 30.0, 80.0, 1.5, 9.81


def moved(m: sb.Model, until: float, dt: float) -> sb.Run:
    """With all that can be recorded."""
    return sb.simulate(sb.system(m, outputs=["*"]), until, dt)


def slide() -> sb.Model:
    """A mass that slides upwards from 1 m."""
    m = sb.Model("slide", gravity=(0.0, 0.0, -GRAVITY))
    m.body("mass", joints=[sb.Joint("lift", "T3", q0=(1.0,))], mass=MASS)
    return m


@pytest.fixture
def hung():
    """It hangs on a spring and a damper of the ground, which keep account."""
    m = slide()

    @m.link("strut", m.ground, "mass")
    def strut(length, rate, p):
        return STIFFNESS * (length - 1.0) + DAMPING * rate

    @m.signal("strut.stored")
    def stored(s, p):
        return 0.5 * STIFFNESS * (s.length("strut") - 1.0) ** 2

    @m.signal("strut.dissipated")
    def dissipated(s, p):
        return DAMPING * s.rate("strut") ** 2

    return moved(m, 1.0, 1e-4)


def test_a_constant_pull_does_the_work_of_its_way():
    m = slide()
    m.ground.point("top", (0.0, 0.0, 100.0))

    @m.link("rope", "ground.top", "mass")
    def rope(length, rate, p):
        return PULL

    run = moved(m, 1.0, 1e-3)
    kept = energy_balance(run, links=["rope"])
    way = 0.5 * (PULL / MASS - GRAVITY) * run.t**2  # uniform acceleration
    np.testing.assert_allclose(kept.given, PULL * way, atol=1e-10)
    np.testing.assert_allclose(kept.held, PULL * way, atol=1e-10)
    assert kept.work == pytest.approx(PULL * way[-1])
    assert kept.drift_percent < 1e-10


def test_a_force_with_the_wrong_sign_does_not_balance(hung):
    right = energy_balance(hung, links=["strut"])
    assert right.drift < 1e-6 * right.work
    wrong = right.held + right.given
    assert np.abs(wrong).max() > 0.5 * right.work


def test_what_is_stored_and_lost_adds_up_to_nothing_given(hung):
    for elements in (["strut"], ["*"]):
        kept = energy_balance(hung, elements=elements)
        assert kept.work == 0.0
        assert kept.lost[-1] > 1.0
        assert kept.drift < 1e-6 * kept.lost[-1]
    np.testing.assert_allclose(energy_balance(hung).error, energy_balance(hung, links=["strut"]).given, atol=1e-6)


def test_a_driven_joint_gives_what_it_takes():
    m = slide()
    m.bodies["mass"].joints[0].nature = "driven"

    @m.trajectory("lift")
    def lift(t, p):
        return 1.0 + 0.5 * sb.functions.sin(3.0 * t)

    run = moved(m, 1.0, 1e-3)
    kept = energy_balance(run, drives=["lift"])
    v = 1.5 * np.cos(3.0 * run.t)
    expected = 0.5 * MASS * (v**2 - v[0] ** 2) + MASS * GRAVITY * 0.5 * np.sin(3.0 * run.t)
    np.testing.assert_allclose(kept.given, expected, atol=1e-5)  # of the trapezoidal rule
    assert kept.drift < 1e-5


def test_an_unknown_element_is_named(hung):
    with pytest.raises(KeyError, match="spring"):
        energy_balance(hung, elements=["spring"])
    with pytest.raises(KeyError, match=r"rope\.tension"):
        link_power(hung, "rope")


def test_loops_are_as_open_as_they_are():
    exact = sb.simulate(machines.model("four-bar"), 0.5, 1e-3)
    assert constraint_violation(exact).max() < 1e-12
    assert constraint_violation(exact).shape == exact.t.shape
    torn = sb.Run(exact.system, exact.t, exact.values.copy())
    torn.values[7, torn.names.index("rocker.q")] += 1e-3
    opened = constraint_violation(torn)
    assert 0.2e-3 / 2**0.5 <= opened[7] <= 0.2e-3  # a rocker of 0.2 m, of the two components the larger
    assert np.delete(opened, 7).max() < 1e-12


def test_a_tree_has_nothing_to_violate(hung):
    assert not constraint_violation(hung).any()
