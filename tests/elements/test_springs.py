"""Springs, dampers and stops: energy as the integral of force, motions with known periods, stops that only push."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import ellipk

import symbody as sb
from symbody.elements.attach import on_joint, on_link
from symbody.elements.springs import (
    ATMOSPHERE,
    BilinearDamper,
    BumpStop,
    CubicSpring,
    Damper,
    GasSpring,
    Spring,
)
from symbody.expr.derive import derivative
from symbody.expr.graph import evaluate
from symbody.expr.node import variable, wrap
from symbody.expr.node_table import fresh_graph

GAS = GasSpring(area=2e-3, pressure=2e6, volume=4e-4, rest=0.3)  # a strut with 0.2 m to go
ELEMENTS = [
    Spring(500.0, rest=0.3),
    CubicSpring(500.0, 2e4, rest=0.3),
    CubicSpring(500.0, -2e3, rest=0.3),
    Damper(40.0),
    BilinearDamper(bump=20.0, rebound=60.0),
    BumpStop(contact=0.25, stiffness=1e4, soft=0.02, damping=300.0),
    BumpStop(contact=0.35, stiffness=1e4, soft=0.02, damping=300.0, above=True),
    GAS,
    GasSpring(area=2e-3, pressure=2e6, volume=4e-4, rest=0.3, exponent=1.0),
]


@pytest.mark.parametrize("element", ELEMENTS, ids=lambda x: type(x).__name__)
@given(x=st.floats(0.15, 0.5), v=st.floats(-5.0, 5.0))
def test_force_times_rate_is_stored_or_lost(element, x, v):
    with fresh_graph():
        stretch = variable("x")
        slope = evaluate([derivative(wrap(element.stored(stretch)), stretch)], {"x": x})[0]
    force, lost = float(element.force(x, v)), float(element.dissipated(x, v))
    assert lost >= 0.0
    assert force * v == pytest.approx(slope * v + lost, abs=1e-9 * (abs(force * v) + abs(slope * v) + 1.0))


@pytest.mark.parametrize("element", ELEMENTS, ids=lambda x: type(x).__name__)
def test_stored_energy_is_the_integral_of_the_force(element):
    def force(x):
        return float(element.force(x, 0.0))

    for low, high in ((0.18, 0.3), (0.3, 0.45)):
        work = quad(force, low, high, points=[0.23, 0.25, 0.35, 0.37], limit=200)[0]
        gained = float(element.stored(high)) - float(element.stored(low))
        assert gained == pytest.approx(work, rel=1e-7, abs=1e-9)


def test_a_gas_spring_becomes_isothermal_smoothly():
    energies = [float(GasSpring(2e-3, 2e6, 4e-4, 0.3, n).stored(0.2)) for n in (1.0, 1.0 + 1e-7, 1.0 + 1e-5)]
    assert energies[1:] == pytest.approx([energies[0]] * 2, rel=1e-5)
    assert float(GAS.force(0.3, 0.0)) == pytest.approx(-2e-3 * (2e6 - ATMOSPHERE))
    half = float(GAS.force(0.2, 0.0))  # half the volume
    assert half == pytest.approx(-2e-3 * (2e6 * 2**1.4 - ATMOSPHERE))


# -- stops ------------------------------------------------------------------------------------------------------------


@given(x=st.floats(0.15, 0.5), v=st.floats(-20.0, 20.0), above=st.booleans())
def test_a_stop_never_pulls(x, v, above):
    stop = BumpStop(contact=0.3, stiffness=1e4, soft=0.02, damping=300.0, above=above)
    push = float(stop.force(x, v)) * (1.0 if above else -1.0)
    assert push >= 0.0
    if (x <= 0.3) if above else (x >= 0.3):
        assert push == 0.0


@pytest.mark.parametrize("v", [-1.0, 0.0, 1.0])
def test_a_stop_is_touched_softly(v):
    """Force continuous at contact for any velocity, its slope zero there and k beyond the soft part."""
    stop = BumpStop(contact=0.3, stiffness=1e4, soft=0.02, damping=300.0)
    d = 1e-6
    assert float(stop.force(0.3, v)) == 0.0
    assert abs(float(stop.force(0.3 - d, v))) <= (1e4 * d * d / 2 + 300.0 * d * abs(v)) / 0.02 * 1.001
    slope = [(float(stop.force(x + d, 0.0)) - float(stop.force(x - d, 0.0))) / (2 * d) for x in (0.3, 0.29, 0.27)]
    assert slope == pytest.approx([0.0, 5e3, 1e4], abs=1.0)


def test_a_block_bounces_off_a_stop_and_its_books_balance():
    m = sb.Model("bounce", gravity=(0, 0, 0))
    m.body("block", m.ground, [sb.Joint("block", "T1", q0=(0.35,), v0=(-2.0,))], mass=2.0)
    on_joint(m, "stop", "block", BumpStop(0.3, 2e4, 0.01, damping=80.0))
    s = sb.system(m, outputs=["block.*", "stop.*", "energy.kinetic"])
    run = sb.simulate(s, 0.2, 1e-5)
    lost = np.concatenate([[0.0], np.cumsum((run["stop.dissipated"][1:] + run["stop.dissipated"][:-1]) / 2 * 1e-5)])
    np.testing.assert_allclose(run.kinetic + run["stop.stored"] + lost, 4.0, rtol=1e-6)
    assert run["stop.block.Q"].min() >= 0.0
    assert 0.2 < lost[-1] < 3.8
    assert run["block.qd"][-1] == pytest.approx(np.sqrt(4.0 - lost[-1]), rel=1e-5)
    s.parameters["stop_damping"] = 0.0
    assert sb.simulate(s, 0.2, 1e-5)["block.qd"][-1] == pytest.approx(2.0, rel=1e-8)


# -- motions ----------------------------------------------------------------------------------------------------------


def swinging(element, on="joint", x0=0.1, v0=0.0, mass=2.0):
    m = sb.Model("oscillator", gravity=(0, 0, 0))
    block = m.body("block", m.ground, [sb.Joint("block", "T1", q0=(x0,), v0=(v0,))], mass=mass)
    if on == "joint":
        on_joint(m, "strut", "block", element)
    else:
        m.ground.point("wall", (-1.0, 0.0, 0.0))
        on_link(m, "strut", m.ground["wall"], block, element)
    return sb.system(m, outputs=["block.*", "strut.*"])


def period(run):
    """From one downward passage through zero to the next, s."""
    x = run["block.q"]
    k = np.flatnonzero((x[:-1] > 0) & (x[1:] <= 0))
    at = run.t[k] + (run.t[1] - run.t[0]) * x[k] / (x[k] - x[k + 1])
    return at[1] - at[0]


@pytest.mark.parametrize(("on", "element"), [("joint", Spring(800.0)), ("link", Spring(800.0, rest=1.0))])
def test_period_of_a_mass_on_a_spring(on, element):
    s = swinging(element, on)
    assert period(sb.simulate(s, 1.0, 1e-4)) == pytest.approx(2 * np.pi * np.sqrt(2.0 / 800.0), rel=1e-6)
    s.parameters["strut_stiffness"] = 200.0  # live
    assert period(sb.simulate(s, 2.0, 1e-4)) == pytest.approx(2 * np.pi * np.sqrt(2.0 / 200.0), rel=1e-6)


def test_period_of_a_mass_on_a_cubic_spring():
    """T = 4 K(m)/√(ω² + βA²), m = βA²/2(ω² + βA²), ω² = k/M, β = k₃/M."""
    k, k3, mass, amplitude = 800.0, 6e4, 2.0, 0.1
    total = (k + k3 * amplitude**2) / mass
    wanted = 4 * ellipk(k3 * amplitude**2 / mass / (2 * total)) / np.sqrt(total)
    run = sb.simulate(swinging(CubicSpring(k, k3), x0=amplitude, mass=mass), 1.0, 1e-4)
    assert period(run) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(("v0", "c"), [(1.0, 60.0), (-1.0, 20.0)])
def test_decay_in_bump_and_rebound(v0, c):
    """v = v₀ exp(−c t/m): of the link's length, growing with v > 0, rebound; shrinking, bump."""
    run = sb.simulate(swinging(BilinearDamper(bump=20.0, rebound=60.0), "link", v0=v0), 0.2, 1e-4)
    np.testing.assert_allclose(run["block.qd"], v0 * np.exp(-c * run.t / 2.0), rtol=1e-7)
    np.testing.assert_allclose(run["strut.dissipated"], c * run["block.qd"] ** 2, rtol=1e-7)


def test_small_motions_on_a_gas_spring():
    """A mass that floats on gas: ω² = n A² p/V m about its equilibrium."""
    area, volume, mass = 2e-3, 4e-4, 150.0
    p = ATMOSPHERE + mass * 9.81 / area
    m = sb.Model("gas", gravity=(0, 0, -9.81))
    m.body("load", m.ground, [sb.Joint("load", "T3", q0=(0.3 + 1e-5,))], mass=mass)
    on_joint(m, "gas", "load", GasSpring(area, p, volume, 0.3))
    s = sb.system(m)
    stiffness = 1.4 * area**2 * p / volume
    A = s.linear(0.0, [0.3, 0.0]).A
    assert s.rates(0.0, [0.3, 0.0]) == pytest.approx([0.0, 0.0], abs=1e-9)
    assert A[1, 0] == pytest.approx(-stiffness / mass, rel=1e-9)


def test_elements_side_by_side_share_a_name_and_add_up():
    m = sb.Model("strut", gravity=(0, 0, 0))
    block = m.body("block", m.ground, [sb.Joint("block", "T1", q0=(0.1,), v0=(0.5,))], mass=2.0)
    m.ground.point("wall", (-1.0, 0.0, 0.0))
    on_link(m, "front.strut", m.ground["wall"], block, Spring(800.0, rest=1.0), Damper(30.0))
    on_link(m, "front.stop", m.ground["wall"], block, BumpStop(0.9, 1e4, 0.02))
    on_joint(m, "rail", "block", Damper(5.0))
    on_joint(m, "return", "block", Spring(50.0))
    s = sb.system(m, outputs=["*"])
    assert {"front_strut_stiffness", "front_strut_damping", "front_stop_stiffness", "rail_damping"} <= set(s.parameters)
    at = s.at(0.0, s.x0)
    assert at["front.strut.tension"] == pytest.approx(800.0 * 0.1 + 30.0 * 0.5)
    assert at["front.strut.stored"] == pytest.approx(0.5 * 800.0 * 0.1**2)
    assert at["front.strut.dissipated"] == pytest.approx(30.0 * 0.5**2)
    assert at["block.qdd"] == pytest.approx(-(80.0 + 15.0 + 5.0 * 0.5 + 50.0 * 0.1) / 2.0)


@pytest.mark.parametrize(
    ("elements", "words"),
    [
        ((Spring(-1.0),), "stiffness is -1.0"),
        ((CubicSpring(-1.0, 0.0),), "stiffness"),
        ((Damper(-1.0),), "damping"),
        ((BilinearDamper(1.0, -1.0),), "rebound"),
        ((BumpStop(0.0, 1.0, 0.0),), "soft"),
        ((GasSpring(1e-3, 1e5, 0.0, 0.1),), "volume"),
        ((Spring(1.0), Spring(2.0)), "two elements have a number 'stiffness'"),
        ((), "no element"),
    ],
)
def test_what_cannot_be_meant_is_told(elements, words):
    m = sb.Model("bad")
    m.body("block", m.ground, "T1", mass=1.0)
    with pytest.raises(sb.ModelError, match=words) as told:
        on_joint(m, "strut", "block", *elements)
    assert told.value.element == "strut"
    assert told.value.cure
