"""Pressures that hold a load: against statics by hand and the printed figures of Jaiswal's mechanisms."""

import math

import numpy as np
import pytest

import symbody as sb
from symbody.analysis.balance import energy_balance
from symbody.analysis.pressures import holding_forces, static_pressures
from symbody.elements.friction import BrownMcPhee
from symbody.errors import ModelError
from symbody.hydraulics.cylinder_drive import COMMAND
from symbody.hydraulics.tilted_four_bar import tilted_four_bar_mechanism
from symbody.machines.four_bar_friction.model import model as four_bar_friction
from symbody.machines.four_bar_hydraulic.model import four_bar_mechanism
from symbody.machines.quick_return_hydraulic.model import quick_return_mechanism
from symbody.model import Joint, Model
from symbody.model.circuit_elements import Volume

BORE, ROD = 0.08, 0.035
A_A, A_B = math.pi / 4 * BORE**2, math.pi / 4 * (BORE**2 - ROD**2)
SHAPE = {"bore": BORE, "rod_diameter": ROD, "closed": 1.0, "stroke": 1.0}


def drive(m, a, b, **shape):
    """Valve, throttle and the cylinder `ram`, all volumes without a start."""
    c = m.circuit("oil")
    P, T = c.source("P", 7.6e6), c.tank("T")
    feed, piston, rod = (c.volume(name, 5e-5, wall=550e6) for name in ("feed", "piston", "rod"))
    c.valve("spool", P, T, feed, rod, cv=2e-8, command="u")
    c.throttle("t", feed, piston, area=3e-5)
    c.cylinder("ram", a, b, piston, rod, **SHAPE | shape)
    return m


def lift(mass=400.0, at=1.5):
    """A mass that a cylinder carries straight up."""
    m = Model("lift")
    m.body("cage", None, [Joint("cage", "T3", q0=(at,))], mass=mass)
    return m


def hung():
    """A mass that hangs on its cylinder."""
    m = Model("hung")
    m.ground.point("beam", (0.0, 0.0, 3.0))
    m.body("cage", None, [Joint("cage", "T3", q0=(1.5,))], mass=1000.0)
    return drive(m, "ground.beam", "cage")


def starts(m):
    return {volume.name: volume.start for circuit in m.circuits.values() for volume in circuit.of(Volume)}


@pytest.mark.parametrize(
    ("mechanism", "a", "b", "force"),
    [
        (four_bar_mechanism, "ground.foot", "rocker.mid", 11029.4),
        (quick_return_mechanism, "ground.foot", "crank.mid", -4151.6),
        (tilted_four_bar_mechanism, "ground.foot", "crank.mid", -386.0),
    ],
)
def test_the_forces_of_the_dissertation(mechanism, a, b, force):
    m = drive(mechanism(), a, b)
    assert holding_forces(m)["ram"] == pytest.approx(force, abs=0.15)
    p = starts(static_pressures(m))
    assert p["rod"] == 3.5e6
    assert p["feed"] == p["piston"] == pytest.approx((force + 3.5e6 * A_B) / A_A, abs=30.0)


def test_the_work_of_the_dissertation():
    """Publication II: 120.94 to 121.02 J over ten seconds; the crank goes from 60° to 41.0° and 71.2°."""
    s = sb.system(static_pressures(four_bar_friction(BrownMcPhee())), outputs=["*"])
    run = sb.simulate(s, 10.0, 1e-3, method="rodas4", inputs={"U_ref": COMMAND})
    crank = np.degrees(run["crank.q"])
    assert crank[[999, 3000, 8100]] == pytest.approx([60.0, 41.05, 71.25], abs=0.1)
    account = energy_balance(run, links=["cylinder"])
    assert account.work == pytest.approx(121.0, abs=0.5)
    assert account.drift_percent < 0.4
    whole = energy_balance(run, elements=["*"])
    assert whole.drift < 1e-5 * whole.work


def test_a_lift_at_rest_stays_at_rest():
    m = static_pressures(drive(lift(), "ground", "cage"), back=2e6)
    s = sb.system(m)
    rates = dict(zip(s.states, s.rates(0.0, s.x0), strict=True))
    assert abs(rates["cage.qd"]) < 1e-10
    assert all(rates[name] == 0.0 for name in s.states if name.endswith("_p"))
    assert holding_forces(m)["ram"] == pytest.approx(400.0 * 9.81)


def test_parallel_cylinders_share_the_load():
    m = drive(lift(), "ground", "cage")
    c = m.circuits["oil"]
    c.cylinder("twin", "ground", "cage", "piston", "rod", **SHAPE)
    assert holding_forces(m) == pytest.approx({"ram": 200 * 9.81, "twin": 200 * 9.81})
    p = starts(static_pressures(m))
    assert 2 * (p["piston"] * A_A - p["rod"] * A_B) == pytest.approx(400.0 * 9.81)


def test_cylinders_of_their_own_circuits_share_the_load():
    m = drive(lift(), "ground", "cage")
    c = m.circuit("more")
    a, b = c.volume("a", 1e-4), c.volume("b", 1e-4)
    c.valve("other", c.source("P2", 7e6), c.tank("T2"), a, b, cv=1e-8, command="w")
    c.cylinder("twin", "ground", "cage", a, b, **SHAPE)
    held = static_pressures(m, back={"ram": 1e6, "twin": 3e6})
    p = starts(held)
    assert (p["rod"], p["b"]) == (1e6, 3e6)
    force = p["piston"] * A_A - p["rod"] * A_B + p["a"] * A_A - p["b"] * A_B
    assert force == pytest.approx(400.0 * 9.81)
    s = sb.system(held)
    assert np.abs(s.rates(0.0, s.x0)).max() < 1e-9


def test_a_single_acting_cylinder_hangs_on_its_tank():
    m = lift()
    c = m.circuit("oil")
    P, T = c.source("P", 7.6e6), c.tank("T", 1e5)
    a, b = c.volume("a", 1e-4), c.volume("b", 1e-4, start=4e6)
    c.valve("spool", P, T, a, b, cv=1e-8, command="u")
    c.cylinder("ram", "ground", "cage", a, T, **SHAPE)
    p = starts(static_pressures(m))
    assert p["a"] == pytest.approx((400.0 * 9.81 + 1e5 * A_B) / A_A)
    assert p["b"] == 4e6  # joins no cylinder: it keeps its own


def test_a_cylinder_that_pulls_from_a_known_piston_side():
    m = Model("hoist")
    m.ground.point("beam", (0.0, 0.0, 3.0))
    m.body("cage", None, [Joint("cage", "T3", q0=(1.5,))], mass=400.0)
    c = m.circuit("oil")
    T, b = c.tank("T", 1e5), c.volume("b", 1e-4)
    c.throttle("t", c.source("P", 7.6e6), c.volume("feed", 1e-4), area=1e-6)
    c.check_valve("check", "feed", b, cv=1e-8)
    c.cylinder("ram", "ground.beam", "cage", T, b, **SHAPE)
    p = starts(static_pressures(m))
    assert p["b"] == pytest.approx((400.0 * 9.81 + 1e5 * A_A) / A_B)


def test_a_load_that_no_pressure_holds_is_refused():
    with pytest.raises(ModelError, match="give a higher pressure"):
        static_pressures(hung(), back=1e6)
    m = drive(lift(), "ground", "cage")
    m.body("slope", None, [Joint("slope", "T1")], mass=1.0)
    m.joint_force("slope")(lambda q, qd, p: 5.0)
    with pytest.raises(ModelError, match=r"slope.*an acceleration of 5 remains"):
        static_pressures(m)
    with pytest.raises(ModelError, match="did you mean ram"):
        static_pressures(drive(lift(), "ground", "cage"), back={"rams": 1e6})
