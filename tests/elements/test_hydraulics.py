"""Circuits against what can be solved by hand, and against their own account of energy.

Tests of cylinders.py, network.py, accumulators.py.
"""

import math

import numpy as np
import pytest
from circuits import BORE, CLOSED, ROD, STROKE, driven, rail, still

import symbody as sb
from symbody.analysis.balance import energy_balance
from symbody.elements.friction import BrownMcPhee, Efficiency, LuGre
from symbody.elements.hydraulics import with_circuits
from symbody.errors import LimitError, ModelError
from symbody.model.circuit_elements import SealFriction

A_A, A_B = math.pi / 4 * BORE**2, math.pi / 4 * (BORE**2 - ROD**2)
OIL, HOSE, TUBE = 1500e6, 550e6, 31500e6
system = sb.system


# -- a volume ---------------------------------------------------------------------------------------------------------


def charged(wall=None, **oil):
    m = still()
    c = m.circuit("oil", **oil)
    P = c.source("P", 7.6e6)
    c.throttle("t", P, c.volume("v", 1e-3, wall=wall, start=1e5), area=1e-6)
    return m


@pytest.mark.parametrize("wall", [None, 550e6])
def test_a_volume_charged_through_a_throttle(wall):
    """C ṗ = K √(P − p) has the solution √(P − p) = √(P − p₀) − K t/2C."""
    run = sb.simulate(system(charged(wall)), 0.03, 1e-5)
    K, C = 0.8 * 1e-6 * math.sqrt(2 / 850.0), 1e-3 * (1 / OIL + (1 / wall if wall else 0.0))
    root = math.sqrt(7.5e6) - K * run.t / (2 * C)
    early = root > math.sqrt(2e5)
    assert early.sum() > 500
    np.testing.assert_allclose(run["v_p"][early], 7.6e6 - root[early] ** 2, rtol=1e-9)


def test_hoses_add_to_a_volume():
    one, many = charged(550e6), still()
    c = many.circuit("oil")
    v = c.volume("v", start=1e5)
    c.throttle("t", c.source("P", 7.6e6), v, area=1e-6)
    for k in range(4):
        c.hose(f"hose{k}", v, size=2.5e-4, wall=550e6)
    rates = [system(m).rates(0.0, np.array([0.0, 0.0, 2e6])) for m in (one, many)]
    np.testing.assert_allclose(rates[0], rates[1], rtol=1e-12)


def test_numbers_are_live_and_the_model_stays_as_it_was():
    m = charged()
    before = (dict(m.parameters), dict(m.states), dict(m.signals))
    whole = with_circuits(m)
    assert (m.parameters, m.states, m.signals) == before
    assert whole is not m
    assert with_circuits(whole) is whole  # nothing is left to be done
    s = system(whole)
    x = np.array([0.0, 0.0, 2e6])
    rate = s.rates(0.0, x)[-1]
    s.parameters["t_area"] *= 2
    assert s.rates(0.0, x)[-1] == pytest.approx(2 * rate)
    s.parameters["oil_bulk"] /= 2
    assert s.rates(0.0, x)[-1] == pytest.approx(rate)
    s.parameters["oil_density"] *= 4
    assert s.rates(0.0, x)[-1] == pytest.approx(rate / 2)


def test_formulas_over_parameters_are_shared():
    m = still()
    area = m.parameter("bore_area", 1e-6)
    c = m.circuit("oil", density=850, bulk="1500*bore_area*1e12")
    P, a = c.source("P", np.float32(7.6e6)), c.volume("a", 1e-3)
    b = c.volume("b", 1e-3)
    c.throttle("one", P, a, area=area)
    c.throttle("two", P, b, area="2*bore_area")
    s = system(m)
    assert "one_area" not in s.parameters
    rates = s.rates(0.0, s.x0)[-2:]
    assert rates[1] == pytest.approx(2 * rates[0])
    s.parameters["bore_area"] = 3e-6
    np.testing.assert_allclose(s.rates(0.0, s.x0)[-2:], 9 * rates)  # area and modulus


# -- a cylinder -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [1.15, 1.5, 1.9])
def test_locked_oil_is_a_spring(at):
    """With the valve shut the sledge is held by k = A_A²/C_A + A_B²/C_B."""
    m = rail(mass=400.0, at=at)
    driven(m)
    s = system(m)
    A = s.linear(0.0, s.x0).A
    C_A = 3e-5 * (1 / OIL + 1 / HOSE) + A_A * (at - CLOSED) * (1 / OIL + 1 / TUBE)
    C_B = 8e-5 * (1 / OIL + 1 / HOSE) + A_B * (CLOSED + STROKE - at) * (1 / OIL + 1 / TUBE)
    stiffness = A_A**2 / C_A + A_B**2 / C_B
    assert max(np.linalg.eigvals(A).imag) == pytest.approx(math.sqrt(stiffness / 400.0), rel=1e-6)


@pytest.mark.parametrize(("U", "load"), [(10.0, 5e3), (4.0, -8e3), (-10.0, -5e3), (-6.0, 3e3)])
def test_steady_speed_of_a_cylinder(U, load):
    """c_v |U| √Δp in, c_v |U| √Δp out, and p_A A_A − p_B A_B = load."""
    m = rail(mass=50.0)
    driven(m, cv=1e-8)
    inputs = {"u": lambda t: U * min(5 * t, 1.0), "load": lambda t: load * min(5 * t, 1.0)}
    run = sb.simulate(system(m, outputs=["*"]), 6.0, 1e-3, method="rodas4", inputs=inputs)
    k = 1e-8 * abs(U)
    surplus = (7.6e6 * A_A - 1e5 * A_B - load) if U > 0 else (7.6e6 * A_B - 1e5 * A_A + load)
    v = math.copysign(k * math.sqrt(surplus / (A_A**3 + A_B**3)), U)
    assert run["sledge.qd"][-1] == pytest.approx(v, rel=1e-5)
    assert run["ram.force"][-1] == pytest.approx(load, rel=1e-4)
    into, out = ("supply_a", "b_tank") if U > 0 else ("supply_b", "a_tank")
    areas = (A_A, A_B) if U > 0 else (A_B, A_A)
    for way, area in zip((into, out), areas, strict=True):
        assert run[f"spool.{way}.flow"][-1] == pytest.approx(abs(v) * area, rel=1e-4)
    assert run["P.flow"][-1] == pytest.approx(run[f"spool.{into}.flow"][-1])
    assert run["T.flow"][-1] == pytest.approx(-run[f"spool.{out}.flow"][-1])


def test_the_spool_follows_with_its_lag_and_within_its_swing():
    m = rail()
    driven(m)
    run = sb.simulate(system(m), 0.05, 1e-4, method="rodas4", inputs={"u": 25.0})
    np.testing.assert_allclose(run["spool_spool"], 10.0 * (1 - np.exp(-run.t / 6e-3)), rtol=1e-6, atol=1e-6)


def test_flows_pass_through_a_shut_valve_continuously():
    m = rail()
    driven(m)
    s = system(m)
    x = s.x0.copy()
    place = s.states.index("spool_spool")
    rates = []
    for U in (-1e-9, 0.0, 1e-9):
        x[place] = U
        rates.append(s.rates(0.0, x)[[s.states.index("a_p"), s.states.index("b_p")]])
    assert np.abs(np.diff(rates, axis=0)).max() < 1.0  # Pa/s, where an open valve gives 1e9


@pytest.mark.parametrize(
    "friction", [None, BrownMcPhee(), LuGre(), Efficiency(eta=0.88)], ids=lambda f: type(f).__name__
)
def test_energies_of_a_drive_add_up(friction):
    m = rail()
    driven(m, friction=friction)
    s = system(m, outputs=["*"])
    run = sb.simulate(s, 1.2, 2e-4, method="rodas4", inputs={"u": lambda t: 10.0 * math.sin(8 * t), "load": 4e3})
    account = energy_balance(run, elements=["*"])
    load = np.concatenate([[0.0], np.cumsum(-4e3 * np.diff(run["sledge.q"]))])
    passed = np.abs(run["P.supplied"]).sum() * 2e-4
    assert passed > 2000.0
    assert np.abs(account.error - load).max() < 2e-5 * passed
    assert min(run[name].min() for name in run.names if name.endswith(".dissipated")) >= -1e-9


def test_friction_of_seals_resists_either_way():
    m = rail()
    driven(m, friction=BrownMcPhee())
    s = system(m, outputs=["ram.force", "ram.dissipated"])
    x = s.x0.copy()
    forces = []
    for v in (-0.1, 0.0, 0.1):
        x[1] = v
        forces.append(s.at(0.0, x)["ram.force"])
    rubbing = float(BrownMcPhee().force(0.1))
    np.testing.assert_allclose(np.diff(forces), [-rubbing, -rubbing], rtol=1e-9)


def test_a_piston_at_its_end_ends_the_run():
    m = rail(mass=50.0)
    driven(m)
    with pytest.raises(LimitError) as caught:
        sb.simulate(system(m), 20.0, 1e-3, method="rodas4", inputs={"u": 10.0})
    assert caught.value.limit == "ram.rod_chamber"
    assert caught.value.state["sledge.q"][-1] == pytest.approx(CLOSED + STROKE, abs=5e-3)


def test_a_cylinder_that_does_not_fit_is_refused_at_the_start():
    m = rail(at=0.9)
    driven(m)
    with pytest.raises(LimitError) as caught:
        sb.simulate(system(m), 0.1, 1e-3, method="rodas4")
    assert (caught.value.limit, caught.value.time) == ("ram.piston_chamber", 0.0)


def test_boiling_oil_ends_the_run():
    m = rail(mass=50.0)
    driven(m, start=3e5)
    with pytest.raises(LimitError, match=r"a\.pressure"):
        sb.simulate(system(m), 1.0, 1e-4, method="rodas4", inputs={"load": -3e4})


def test_nothing_is_undefined_at_any_pressure():
    m = rail()
    driven(m, friction=LuGre())
    s = system(m)
    pressures = [s.states.index(f"{node}_p") for node in "ab"]
    random = np.random.default_rng(1)
    for values in ([0.0, 0.0], [7.6e6, 1e5], [-1e5, -2e7], *random.uniform(-1e7, 3e7, (50, 2))):
        x = s.x0.copy()
        x[pressures] = values
        x[s.states.index("spool_spool")] = random.choice([-10.0, 0.0, 10.0])
        assert np.all(np.isfinite(s.rates(0.0, x)))
        assert all(np.all(np.isfinite(part)) for part in s.linear(0.0, x))


# -- pumps, valves, accumulators --------------------------------------------------------------------------------------


def test_a_relief_valve_holds_the_pressure_of_a_pump():
    m = still()
    c = m.circuit("oil")
    T, line = c.tank("T"), c.volume("line", 1e-3)
    c.pump("pump", T, line, displacement=1e-5, speed=100.0, leakage=1e-12)
    c.relief_valve("relief", line, T, opening=1e7, slope=1e-9)
    run = sb.simulate(system(m, outputs=["*"]), 0.3, 1e-4, method="rodas4")
    # D ω − k Δp = slope (Δp − opening − 1 bar)
    drop = (1e-5 * 100.0 + 1e-9 * (1e7 + 1e5)) / (1e-9 + 1e-12)
    assert run["line_p"][-1] == pytest.approx(drop + 1e5, rel=1e-9)
    assert run["pump.torque"][-1] == pytest.approx(1e-5 * drop)
    account = energy_balance(run, elements=["*"])
    assert account.drift < 1e-5 * account.work


def test_a_pump_turns_as_commanded():
    m = still()
    c = m.circuit("oil")
    T, line = c.tank("T"), c.volume("line", 1e-3)
    c.pump("pump", T, line, displacement=1e-5, speed=100.0, command="engine")
    c.throttle("load", line, T, area=1e-5)
    s = system(m)
    assert dict(zip(s.inputs, s.u0, strict=True)) == {"engine": 100.0}
    run = sb.simulate(s, 0.5, 1e-4, method="rodas4", inputs={"engine": 50.0})
    K = 0.8 * 1e-5 * math.sqrt(2 / 850.0)
    assert run["line_p"][-1] == pytest.approx(1e5 + (1e-5 * 50.0 / K) ** 2, rel=1e-9)


def test_a_check_valve_blocks_and_lets_pass():
    m = still()
    c = m.circuit("oil")
    low, high = c.volume("low", 1e-3, start=1e6), c.volume("high", 1e-3, start=5e6)
    held, filled = c.volume("held", 1e-3, start=5e6), c.volume("filled", 1e-3, start=1e6)
    c.check_valve("shut", low, high, cv=1e-8)
    c.check_valve("open", held, filled, cv=1e-8, cracking=5e5)
    run = sb.simulate(system(m), 0.5, 1e-4, method="rodas4")
    assert np.ptp(run["low_p"]) == np.ptp(run["high_p"]) == 0.0
    assert run["held_p"][-1] - run["filled_p"][-1] == pytest.approx(5e5, abs=2e4)
    np.testing.assert_allclose(run["held_p"] + run["filled_p"], 6e6, rtol=1e-9)  # oil is neither made nor lost


def test_gas_of_an_accumulator_is_polytropic():
    """What the pump has delivered has compressed the oil by C Δp and the gas from V₀ to V₀ (p₀/p)^{1/n}."""
    m = still()
    c = m.circuit("oil")
    T, line = c.tank("T"), c.volume("line", 1e-3, start=2e6)
    c.pump("pump", T, line, displacement=1e-5, speed=20.0)
    c.accumulator("gas", line, size=1e-3, precharge=4e6, exponent=1.3)
    run = sb.simulate(system(m, outputs=["*"]), 1.0, 1e-5, method="rodas4")
    p = run["line_p"]
    charged = p > 4e6
    volume = 1e-3 * (4e6 / p[charged]) ** (1 / 1.3)
    np.testing.assert_allclose(run["gas.gas"][charged], volume, rtol=1e-12)
    delivered = 1e-3 / OIL * p + (run["gas.gas"][0] - run["gas.gas"])
    np.testing.assert_allclose(delivered - delivered[0], 2e-4 * run.t, rtol=1e-5, atol=1e-9)
    assert run["gas.gas"][0] - 1e-3 == pytest.approx(1e-3 / (1.3 * 4e6) * 1e5)  # half of C₀ times 2 bar
    assert p[0] < 3e6 < 5e6 < p[-1]
    account = energy_balance(run, elements=["*"])
    assert account.drift < 1e-5 * account.work


def test_a_whole_machine_keeps_account():
    """Pump, relief valve, check valve, accumulator, valve, throttle, and a cylinder with friction."""
    m = rail(mass=200.0)
    c = m.circuit("oil")
    T, line, main = c.tank("T"), c.volume("line", 2e-4, start=5e6), c.volume("main", 2e-4, start=5e6)
    a, feed, b = c.volume("a", 5e-5, start=2e6), c.volume("feed", 5e-5, start=2e6), c.volume("b", 5e-5, start=2e6)
    c.pump("pump", T, line, displacement=1e-5, speed=60.0, leakage=1e-12)
    c.relief_valve("relief", line, T, opening=9e6, slope=2e-10)
    c.check_valve("check", line, main, cv=1e-6)
    c.accumulator("gas", main, size=5e-4, precharge=4e6)
    c.valve("spool", main, T, feed, b, cv=2e-8, command="u")
    c.throttle("t", feed, a, area=2e-5)
    shape = {"bore": BORE, "rod_diameter": ROD, "closed": CLOSED, "stroke": STROKE}
    c.cylinder("ram", "ground", "sledge", a, b, **shape, friction=LuGre())
    run = sb.simulate(
        system(m, outputs=["*"]), 1.5, 2e-4, method="rodas4", inputs={"u": lambda t: 10 * math.cos(3 * t)}
    )
    account = energy_balance(run, elements=["*"])
    assert np.ptp(run["sledge.q"]) > 0.05
    assert account.work > 1000.0
    assert account.drift < 2e-5 * account.work


@pytest.mark.parametrize(
    ("friction", "told"),
    [(SealFriction("Slime"), r"unknown friction law 'Slime'.*LuGre"), (SealFriction("LuGre", {"fc": 1}), "fc")],
)
def test_friction_that_does_not_exist_is_refused(friction, told):
    m = rail()
    driven(m, friction=friction)
    with pytest.raises(ModelError, match=told):
        with_circuits(m)


def test_laws_of_the_model_may_use_what_a_circuit_brings(tmp_path):
    m = rail()
    driven(m)

    @m.signal("power")
    def power(s, p):
        return (p.a_p - p.b_p) * p.ram_bore * s.rate("ram") + p.spool_spool + p.u

    sb.save(m, tmp_path / "rail.yaml")
    again = sb.load(tmp_path / "rail.yaml")
    assert again.circuits == m.circuits
    x = system(m).x0 + 0.01
    systems = [system(each, outputs=["power"]) for each in (m, again)]
    values = [s.observe(0.0, x, np.array([3.0, 1.0]))[0] for s in systems]
    assert values[0] == pytest.approx(values[1], rel=1e-14)
    assert values[0] != 0.0


def test_the_names_that_a_circuit_promises_are_those_that_it_brings():
    m = rail()
    c = driven(m, friction=BrownMcPhee())
    whole = with_circuits(m)
    assert {*c.parameters} == whole.parameters.keys() - m.parameters.keys()
    assert {*c.states} == whole.states.keys()
    assert {*c.commands} == whole.inputs.keys() - m.inputs.keys()


def test_a_name_that_is_taken_is_refused():
    m = rail()
    driven(m)
    m.parameter("ram_bore", 1.0)
    with pytest.raises(ModelError, match="'ram_bore', which the model already uses"):
        system(m)
