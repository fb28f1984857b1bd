"""The crash attenuator: its law loads, yields and unloads; finer blocks change little; energy and ASI are right.

vehicles/attenuator.py, vehicles/crushable_cells.py, vehicles/chassis.py.
"""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

import symbody as sb
from orderings import Ordering
from orderings import check as check_ordering
from symbody.machines.attenuator.model import model as attenuator
from symbody.machines.crash.model import model as crash
from symbody.machines.crash.severity import felt, severity
from symbody.machines.crash.vehicle import VEHICLES
from symbody.model import Model, check, warnings
from symbody.model.formula import evaluate
from symbody.model.plain_numbers import GRAVITY
from symbody.vehicles.attenuator import BLOCKS, DENSE, LENGTH, attenuator_parameters
from symbody.vehicles.crushable_cells import Row, add_energies, add_row

DT, EVERY = 2.5e-5, 2e-4
PARTS = (1, 3, 10)


def total_mass(model: Model) -> float:
    return sum(evaluate(body.mass, model.values) for body in model.bodies.values())


# -- the index -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("axis", "limit"), [(0, 12.0), (1, 9.0), (2, 10.0)])
def test_the_index_is_one_at_the_limit_of_each_axis(axis, limit):
    t = np.linspace(0.0, 0.2, 2001)
    acceleration = np.zeros((len(t), 3))
    acceleration[:, axis] = -limit * 9.81
    np.testing.assert_allclose(severity(t, acceleration), 1.0, rtol=1e-12)


def test_the_index_takes_all_axes_and_the_mean_over_50_ms():
    t = np.linspace(0.0, 0.3, 3001)
    pulse = ((t > 0.1) & (t < 0.12)).astype(float)  # 20 ms of 50
    acceleration = np.outer(pulse, [12 * 9.81, 0.0, 10 * 9.81])
    assert severity(t, acceleration).max() == pytest.approx(0.4 * np.sqrt(2), rel=5e-3)
    half_sine = np.outer(np.where(t < 0.1, np.sin(np.pi * t / 0.1), 0.0), [12 * 9.81, 0.0, 0.0])
    assert severity(t, half_sine).max() == pytest.approx(2 * np.sqrt(2) / np.pi, rel=1e-4)  # 25 to 75 ms
    assert t[severity(t, half_sine).argmax()] == pytest.approx(0.025, abs=2e-4)


def test_accelerations_are_felt_in_the_vehicle_s_axes():
    turned = {f"car.rotation.{i}{j}": np.array([x]) for i, j, x in ((1, 2, -1.0), (2, 1, 1.0), (3, 3, 1.0))}
    channels = {f"car.rotation.{i}{j}": np.zeros(1) for i in "123" for j in "123"} | turned
    channels |= {f"car.acceleration.{k}": np.array([x]) for k, x in zip("xyz", (0.0, -5.0, 2.0), strict=True)}
    np.testing.assert_allclose(felt(channels, "car"), [[-5.0, 0.0, 2.0]])  # it drives along y


# -- the law of a cell -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def squeezed() -> sb.Run:
    """A block in one cell, pressed by 0.1 m and let go until it pulls, slowly."""
    m = Model("block")
    attenuator_parameters(m)
    row = Row("block", [lambda p: p.crush_first], 1, LENGTH, 10.0, 0.0, DENSE, -1, 1)
    body, cells = add_row(m, "row", m.ground["origin"], row)
    add_energies(m, "block", cells)
    body.joints[0].nature = "driven"
    m.trajectory("row_1_1")(lambda t, p: 0.05 * (t * (t < 2.0) + (4.0 - t) * (t >= 2.0)))
    return sb.simulate(m, 2.1, 1e-5, every=0.0002, outputs=["row_1_1.*", "plastic_*", "block_*"])


def test_it_is_elastic_then_plastic_then_elastic(squeezed):
    p = squeezed.system.parameters
    pressed, force, plastic = squeezed["row_1_1.q"], -squeezed["row_1_1.Q"], squeezed["plastic_row_1_1"]
    loading = squeezed.t < 2.0
    rate = p["block_damping"] * 0.05 + p["block_viscosity"] * 0.05  # N, that the speed adds
    before = loading & (pressed < 0.9 * p["crush_first"] / p["block_stiffness"])
    assert before.sum() > 10
    np.testing.assert_allclose(force[before], p["block_stiffness"] * pressed[before], atol=rate)
    assert np.all(plastic[before] == 0.0)
    yielding = loading & (pressed > 1.2 * p["crush_first"] / p["block_stiffness"])
    limit = p["crush_first"] + p["block_hardening"] * plastic[yielding]
    np.testing.assert_allclose(force[yielding], limit + rate, atol=0.1 * rate)
    unloading = squeezed.t > 2.001
    slope = np.polyfit(pressed[unloading], force[unloading], 1)[0]
    assert slope == pytest.approx(p["block_stiffness"], rel=1e-6)
    assert np.ptp(plastic[unloading]) == 0.0
    assert force.min() < 0.0 < plastic[-1]  # let go, it stays short


def test_pressing_takes_the_heat_that_it_makes(squeezed):
    pressed, force, heat = squeezed["row_1_1.q"], -squeezed["row_1_1.Q"], squeezed["block_heat"]
    work = np.concatenate([[0.0], np.cumsum(np.diff(pressed) * (force[1:] + force[:-1]) / 2)])
    np.testing.assert_allclose(work, heat + squeezed["block_stored"], rtol=0, atol=2e-4 * work.max())
    assert np.all(np.diff(heat) >= 0.0)


def test_a_packed_cell_resists_more():
    m = Model("block")
    row = Row("block", [lambda p: 60e3], 1, LENGTH, 10.0, 0.0, DENSE, -1, 1)
    _, (cell,) = add_row(m, "row", m.ground["origin"], row)
    p = SimpleNamespace(block_stiffness=2e7, block_hardening=0.0, block_packing=6e7, block_viscosity=2e3)
    flows = []
    for plastic in (0.9 * cell.dense, 1.01 * cell.dense):
        setattr(p, cell.state, plastic)
        flows.append(cell.flow(plastic + 0.004, p))  # 80 kN
    assert flows[0] == pytest.approx((80e3 - 60e3) / 2e3)
    assert flows[1] == 0.0


# -- the impactor ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def impacts() -> dict[int, sb.Run]:
    outputs = ["impactor.*", "plastic_*", "block_*", "contact.*", "energy.kinetic", "row1_*.q"]
    return {n: sb.simulate(attenuator(n), 0.2, DT, every=EVERY, outputs=outputs) for n in PARTS}


def test_finer_blocks_weigh_and_measure_the_same():
    for model in map(attenuator, PARTS):
        check(model)
        assert warnings(model) == []
    nodes = [total_mass(attenuator(n)) + 5.0 / n for n in PARTS]  # half of the first cell is the truck's
    assert nodes == pytest.approx([720.0] * 3)


def test_the_index_hardly_depends_on_how_fine_the_blocks_are(impacts):
    indices = [severity(run.t, felt(run, "impactor")).max() for run in impacts.values()]
    assert max(indices) / min(indices) - 1 < 0.004
    assert 0.5 < indices[-1] < 2.0


def test_energy_is_kept_and_only_turned_into_heat(impacts):
    for run in impacts.values():
        stiffness = run.system.parameters["contact_stiffness"]
        pressed = stiffness / 2 * np.minimum(run["contact.length"] - 1.0, 0.0) ** 2
        total = run.kinetic + run["block_stored"] + run["block_heat"] + pressed
        np.testing.assert_allclose(total, total[0], rtol=1e-5)
        assert run["block_heat"][-1] > 0.9 * run.kinetic[0]
        assert np.all(np.diff(run["block_heat"]) >= 0.0)
        for name in run.names:
            if name.startswith("plastic_"):
                assert np.all(np.diff(run[name]) >= 0.0), name


def test_the_impactor_comes_back_slowly_from_softened_blocks(impacts):
    run = impacts[10]
    assert run["impactor.qd"][0] == pytest.approx(50 / 3.6)
    assert -0.4 * 50 / 3.6 < run["impactor.qd"][-1] < 0.0
    blocks = [sum(run[f"row1_{i}_{j}.q"][-1] for j in range(1, 11)) for i in range(1, BLOCKS + 1)]
    # one run: blocks of one row
    assert blocks[-1] > blocks[-2] > 10 * blocks[0]  # the free end first
    slowed = -felt(run, "impactor")[:, 0]
    force = -run["contact.tension"]
    np.testing.assert_allclose(600.0 * slowed, force, rtol=1e-9, atol=1e-6)


# -- car and bus -----------------------------------------------------------------------------------------------------


@cache
def compiled(vehicle: str, parts: int, locked: bool) -> sb.System:
    outputs = ["vehicle.*", "row*.q", *([] if locked else ["truck.q"])]
    return sb.system(crash(vehicle, parts, locked), outputs=outputs)


def struck(vehicle: str, parts: int, locked: bool = False, dt: float = DT, **parameters: float) -> sb.Run:
    s = compiled(vehicle, parts, locked)
    usual = dict(s.parameters)
    s.parameters.update(parameters)
    run = sb.simulate(s, 0.5, dt, every=EVERY)
    s.parameters.update(usual)
    return run


def index(run: sb.Run) -> float:
    return float(severity(run.t, felt(run, "vehicle")).max())


def test_the_crash_has_more_than_300_degrees_of_freedom_and_weighs_what_it_should():
    for vehicle, v in VEHICLES.items():
        model = crash(vehicle)
        check(model)
        assert warnings(model) == []
        assert model.nv > 300
        blocks = 10 * 10.0 + 20.0 - 5.0 / 10
        assert total_mass(model) == pytest.approx(v.mass + 12000.0 + blocks, rel=1e-9)


@cache
def severity_at(name, seed):
    """Severity of a crash of a vehicle, with the truck locked if its name says so; a seed varies the speed."""
    vehicle, _, locked = name.partition(", ")
    usual = compiled(vehicle, 1, bool(locked)).parameters["speed"]
    return index(struck(vehicle, 1, bool(locked), dt=4 * DT, speed=(0.9 + 0.02 * seed) * usual))


ORDERINGS = [
    Ordering("severity", "bus", "car", severity_at, 1.0 / 1.5),
    *(Ordering("severity", vehicle, f"{vehicle}, locked", severity_at) for vehicle in VEHICLES),
]


@pytest.mark.slow
@pytest.mark.parametrize("ordering", ORDERINGS, ids=str)
def test_the_car_suffers_more_than_the_bus_and_most_on_a_locked_truck(ordering):
    check_ordering(ordering)


def test_friction_of_the_truck_matters_little():
    car, bus = struck("car", 1), struck("bus", 1)
    icy = struck("car", 1, truck_friction=0.1)
    assert index(icy) == pytest.approx(index(car), rel=0.05)
    # one run: the friction acts
    assert icy["truck.q"][-1] > 1.5 * car["truck.q"][-1]
    for run in (car, bus):
        assert np.abs(run["vehicle.yaw.q"]).max() < 1e-9
        assert max(run[n].max() for n in run.names if n.startswith("row")) < LENGTH


def test_before_the_impact_the_car_stands_on_its_wheels():
    s = compiled("car", 1, False)
    x = s.x0.copy()
    x[s.states.index("vehicle.x.qd")] = 0.1  # not there yet
    run = sb.simulate(s, 0.2, DT, every=EVERY, x0=x)
    assert np.abs(run["vehicle.acceleration.z"]).max() < 0.02 * GRAVITY
    assert np.abs(run["vehicle.pitch.q"]).max() < 1e-3


@pytest.mark.slow
def test_more_than_300_degrees_of_freedom_say_the_same():
    fine, coarse = struck("car", 10), struck("car", 1)
    assert index(fine) == pytest.approx(index(coarse), rel=0.005)
    assert fine["truck.q"][-1] == pytest.approx(coarse["truck.q"][-1], rel=0.01)


@pytest.mark.slow
def test_an_uneven_attenuator_turns_the_car():
    run = struck("car", 1, uneven=0.3)
    assert np.degrees(run["vehicle.yaw.q"][-1]) > 0.5
    assert np.abs(felt(run, "vehicle")[:, 1]).max() > 1.0
