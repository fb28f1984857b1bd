"""Weak coupling against strong: the same motion as the exchange step shrinks, and none at all above some step.

Tests of coupling.py, system/blocks.py.
"""

from itertools import pairwise

import numpy as np
import pytest

import symbody as sb
from symbody.analysis.coupling import block_systems, simulate_weakly
from symbody.system.blocks import blocks


def damped_by_oil() -> sb.Model:
    """A mass on a link to a chamber of oil that leaks: the pressure needs the motion, the motion the pressure."""
    m = sb.Model("oil spring", gravity=(0, 0, 0))
    body = m.body("mass", m.ground, "T1", mass=5.0)
    next(m.joints()).q0 = (0.5,)
    m.input("leak", 2e-9)
    m.parameter("area", 1e-3)
    m.ground.point("foot", (-1.0, 0.0, 0.0))
    m.link("ram", "ground.foot", body)(lambda length, rate, p: -p.area * p.pressure + 200.0 * rate)

    @m.state("pressure", start=1e5, scale=1e5)
    def pressure(s, p):
        return 1e11 * (-p.area * s.rate("ram") - p.leak * (p.pressure - 1e4) / 1e4 * 1e-2)

    m.joint_force("mass")(lambda q, qd, p: 50.0 * sb.functions.sin(3.0 * p.t))
    return m


@pytest.mark.slow
@pytest.mark.parametrize("hold", ["constant", "linear"])
def test_weak_coupling_comes_to_the_strong_one_as_the_exchange_step_shrinks(hold):
    strong = sb.simulate(damped_by_oil(), 1.0, 1e-4, method="trapezoidal", outputs=["mass.q", "pressure"])
    errors, both = [], block_systems(damped_by_oil())
    for exchange in (16, 8, 4, 2):
        weak = simulate_weakly(both, 1.0, 1e-4, exchange, hold=hold)
        errors.append(np.abs(weak["pressure"] - strong["pressure"]).max())
    # one run: convergence with the exchange step, for both holds
    assert all(b < 0.7 * a for a, b in pairwise(errors)), errors
    assert errors[-1] < 0.05 * np.ptp(strong["pressure"])
    np.testing.assert_allclose(weak["mass.q"], strong["mass.q"], atol=2e-4)


def test_above_some_step_it_fails_and_keeps_what_it_has():
    m = damped_by_oil()
    m.links["ram"].law = lambda length, rate, p: -p.area * p.pressure  # nothing but oil
    with pytest.raises(sb.DivergenceError, match="weakly coupled every 100 steps") as caught:
        simulate_weakly(m, 20.0, 1e-3, 100)
    assert 0 < caught.value.time < 20.0
    assert len(caught.value.state.t) > 10
    assert "pressure" in caught.value.state.names


def test_blocks_that_are_compiled_once_give_the_same_run_again_and_again():
    both, want = block_systems(damped_by_oil()), simulate_weakly(damped_by_oil(), 0.05, 1e-3, 2, inputs={"leak": 3e-9})
    for _ in range(2):
        np.testing.assert_array_equal(
            simulate_weakly(both, 0.05, 1e-3, 2, inputs={"leak": 3e-9})["pressure"], want["pressure"]
        )
    with pytest.raises(sb.ModelError, match="cannot take closure"):
        simulate_weakly(both, 0.05, 1e-3, closure="penalty")


def test_the_blocks_exchange_what_the_laws_ask_for():
    apart = blocks(damped_by_oil())
    assert list(apart.motion.values()) == ["ram.rate"]
    assert list(apart.mechanics.inputs) == ["leak", "pressure"]
    assert not apart.states.bodies


def test_what_cannot_be_cut_is_refused():
    with pytest.raises(sb.ModelError, match="needs a model with states"):
        simulate_weakly(sb.Model("nothing"), 1.0, 1e-3)
    m = damped_by_oil()
    m.states["pressure"].law = sb.numeric(lambda s, p: 0.0)
    with pytest.raises(sb.ModelError, match="cannot be traced"):
        blocks(m)
    with pytest.raises(sb.ModelError, match="exchange = 0"):
        simulate_weakly(damped_by_oil(), 1.0, 1e-3, 0)
