"""The power of all parts is dE/dt, by differences along the motion, at states of machines of every kind."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.stepping.work import exchanges, power_at, power_function, rates_and_power

STEP = 1e-5  # s


def moving_four_bar():
    """A four-bar whose crank is driven: the drive holds all bodies of the loop."""
    m = machines.model("four-bar")
    crank = next(joint for joint in m.joints() if joint.name == "crank")
    crank.nature = "driven"
    m.trajectory("crank")(lambda t, p: crank.q0[0] + 0.4 * np.sin(3.0 * t))
    return m


@pytest.mark.parametrize("make", ["four-bar", "quarter-car", "slider-crank", "stewart", moving_four_bar])
def test_the_power_is_the_rate_of_the_energy(make):
    s = sb.system(machines.model(make) if isinstance(make, str) else make(), outputs=["energy.*"])
    u, t = s.u0 + 0.3, 0.2
    x, guess = s.x0, s.start_guess
    if make is moving_four_bar:
        run = sb.simulate(s, t, 1e-3, inputs=dict.fromkeys(s.inputs, 0.3))
        assert run.meta["energy"]["drift"] < 1e-6
        guess = s.dependent(t, x, u)
    else:
        x = x + 0.01 * np.random.default_rng(3).normal(size=len(x))
    found = rates_and_power(s)(np.array([t]), x, u, guess)

    def energy(dt):
        moved = x + dt * found.xd
        return s.observe(t + dt, moved, u).sum()

    slope = (energy(STEP) - energy(-STEP)) / (2 * STEP)
    assert found.power[0] == pytest.approx(slope, rel=1e-5, abs=1e-7)
    assert power_at(power_function(s), np.array([t]), x, u, found.v) == pytest.approx(found.power[0], rel=1e-9)


def test_a_model_without_laws_has_no_power():
    assert not exchanges(sb.system(machines.model("n-pendulum")))
    assert exchanges(sb.system(machines.model("four-bar")))
