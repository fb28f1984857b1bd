"""The car with wheel and pedals: it goes straight, is symmetric, stops and stays; energy adds up; settings are live.

vehicles/pedals.py, vehicles/suspension_energy.py.
"""

import math

import numpy as np
import pytest
from scipy.integrate import trapezoid

import symbody as sb
from optimised_code import optimised_code
from symbody.analysis.balance import energy_balance
from symbody.machines.car.driven import LOCK, driven_car
from symbody.machines.car.driver import PEDALS, WHEEL, compiled_car
from symbody.model import check, warnings
from symbody.model.formula import evaluate
from symbody.stepping.work import rates_and_power
from symbody.system.partition import partition
from symbody.system.varied_parameters import varied
from symbody.vehicles.axles import HEIGHT
from symbody.vehicles.pedals import SPEED
from symbody.vehicles.preview_driver import ARMS, TICK

pytestmark = pytest.mark.slow  # the driven car

CORNERS = ("front_left", "front_right", "rear_left", "rear_right")
CHASSIS = {"x", "y", "z", "yaw", "pitch", "roll"}


@pytest.fixture(scope="module")
def s() -> sb.System:
    with optimised_code():  # seven times as fast, which pays after some minutes of driving
        s = compiled_car()
        rates_and_power(s)  # for the energy account of its runs
        sb.simulate(s, TICK, TICK, energy="ignore")
        return s


def turned(targets: np.ndarray) -> dict[str, np.ndarray]:
    """Inputs of the wheel that follows its targets (rad, one for each step and two more)."""
    A, b = ARMS.matrices(TICK)
    motion = np.zeros((len(targets), 3))
    for k, target in enumerate(targets[:-1]):
        motion[k + 1] = A @ motion[k] + b * target
    return dict(zip(WHEEL, motion.T, strict=True))


def swerve(angle: float, until: float = 3.0) -> dict[str, np.ndarray]:
    """One turn of the wheel to the left and one to the right, within two seconds."""
    t = np.arange(round(until / TICK) + 2) * TICK
    return turned(angle * np.sin(math.pi * np.clip(t - 0.3, 0.0, 2.0)))


def swerved(s: sb.System, angle: float = 1.2, **parameters: float) -> sb.Run:
    with varied(s, **parameters):
        return sb.simulate(s, 3.0, TICK, inputs=swerve(angle))


def total_mass() -> float:
    model = driven_car()
    return sum(evaluate(body.mass, model.values) for body in model.bodies.values())


def peak(run: sb.Run, name: str) -> float:
    return float(np.abs(run[name]).max())


@pytest.fixture(scope="module")
def usual(s) -> sb.Run:
    return swerved(s)


# -- the mechanism ---------------------------------------------------------------------------------------------------


def test_the_wheel_is_driven_and_the_rack_is_free():
    model = driven_car()
    check(model)
    assert warnings(model) == []
    assert model.nq == 88
    parts = partition(model, sb.assemble(model))
    names = model.velocities
    assert [names[i] for i in parts.driven] == ["wheel"]
    corners = {f"{corner}.{kind}" for corner in CORNERS for kind in ("travel", "spin")}
    assert {names[i] for i in parts.free} == CHASSIS | {"rack"} | corners
    assert len(parts.rows) == 3 * len(model.cuts)


def test_its_inputs_are_the_wheel_and_two_pedals(s):
    assert set(s.inputs) == {*WHEEL, *PEDALS}
    assert s.at(0.0, s.x0)["car.speed"] == pytest.approx(75.0 / 3.6, rel=1e-6)


def test_left_is_positive_and_the_column_points_at_the_driver(s, usual):
    early = int(1.0 / TICK)
    assert usual["wheel.q"][early] > 0.5
    assert usual["yaw.qd"][early] > 0.1
    assert usual["y.q"][early] > 0.0
    assert usual["wheel.effort"][early] > 5.0  # which must be held against the tyres
    assert usual["rack.q"][early] < 0.0
    model = driven_car()
    column = model.bodies["chassis"].points["column"]
    pitch, yaw = column.rotation[1:]
    axis = np.array([math.cos(yaw) * math.cos(pitch), math.sin(yaw) * math.cos(pitch), -math.sin(pitch)])
    seat = np.array(model.bodies["chassis"].points["seat"].position) - column.position
    assert axis @ seat > 0.0  # towards the driver, for whom positive is anti-clockwise


# -- straight on -----------------------------------------------------------------------------------------------------


def test_left_alone_it_goes_straight_on_and_holds_its_speed(s):
    run = sb.simulate(s, 10.0, TICK, every=10 * TICK)
    assert peak(run, "y.q") < 1e-6
    assert peak(run, "yaw.q") < 1e-8
    assert peak(run, "wheel.effort") < 1e-5
    assert run["car.speed"] == pytest.approx(SPEED, abs=0.005)
    assert np.ptp(run["z.q"]) < 5e-4
    loads = sum(run[f"{corner}.tyre.force.z"][-1] for corner in CORNERS)
    assert loads == pytest.approx(9.81 * total_mass(), rel=1e-4)
    assert run["motor.speed"][-1] == pytest.approx(s.parameters["reduction"] * SPEED / HEIGHT, rel=5e-3)


def test_mirrored_motion_gives_mirrored_torque(s, usual):
    other = swerved(s, -1.2)
    for name in ("wheel.effort", "y.q", "yaw.q", "roll.q", "rack.q"):
        np.testing.assert_allclose(other[name], -usual[name], rtol=0, atol=1e-6 * peak(usual, name))
    for name in ("x.q", "tyres.use", "car.speed"):
        np.testing.assert_allclose(other[name], usual[name], rtol=1e-6)


# -- energy ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hard(s) -> sb.Run:
    """A swerve under power, then under the brakes down to rest with the wheel turned."""
    t = np.arange(8002) * TICK
    wheel = turned(1.5 * np.sin(math.pi * np.clip(t - 0.2, 0.0, 2.0)) + 2.0 * np.clip(t - 2.5, 0.0, 1.0))
    pedals = {"throttle": 1.0 * ((t > 0.5) & (t < 2.0)), "brake": np.clip((t - 2.2) / 0.2, 0.0, 0.9)}
    return sb.simulate(s, 8.0, TICK, inputs=wheel | pedals)


def test_energy_adds_up_to_what_the_hand_gives(hard):
    whole = energy_balance(hard, drives=["wheel"], elements=["*"])
    hand = trapezoid(np.abs(hard["wheel.effort"] * hard["wheel.qd"]), hard.t)
    assert hand > 5.0
    assert whole.drift < 0.1 * hand
    assert whole.drift < 1e-6 * whole.lost[-1]
    assert whole.lost[-1] > 3e5  # the car has stopped


def test_tyres_brakes_dampers_and_air_only_take_energy(hard):
    lossy = hard.find("*.dissipated")
    corners = {f"{corner}.{part}" for corner in CORNERS for part in ("tyre", "strut")}
    elements = corners | {"brakes", "air", "column", "torsion_bar", "front_bar.twist", "rear_bar.twist"}
    assert set(lossy) == {f"{element}.dissipated" for element in elements}
    for name in lossy:
        assert hard[name].min() > -1e-9, name
        assert hard[name].max() > 0.0, name


def test_friction_is_never_more_than_the_circle(hard):
    assert 0.7 < hard["tyres.use"].max() < 1.0
    used = [
        np.hypot(hard[f"{c}.tyre.force.x"], hard[f"{c}.tyre.force.y"]) / (0.95 * hard[f"{c}.tyre.force.z"])
        for c in CORNERS
    ]
    np.testing.assert_allclose(hard["tyres.use"], np.max(used, axis=0), rtol=1e-9)


# -- pedals ----------------------------------------------------------------------------------------------------------


def test_a_braked_car_stops_stays_and_does_not_creep(s):
    run = sb.simulate(s, 64.0, TICK, every=20 * TICK, inputs={"brake": 1.0, "throttle": 0.0})
    assert np.all(np.isfinite(run.values))
    still = run.t > 4.0
    assert np.abs(run["car.speed"][still]).max() < 0.05
    rest = run.t > 8.0
    assert np.abs(run["car.speed"][rest]).max() < 1e-6
    for name in ("x.q", "y.q", "yaw.q", "z.q"):
        assert np.ptp(run[name][rest]) < 1e-6
    assert 0.1 * run["x.q"][-1] > 2.0
    stopping = SPEED**2 / (2.0 * run["x.q"][-1])
    given = s.parameters["brake_torque"] / HEIGHT / total_mass()  # the air helps, turning wheels and easing off do not
    assert stopping == pytest.approx(given, rel=0.1)


def test_a_wheel_turned_at_rest_resists_and_comes_to_rest(s):
    start = sb.simulate(s, 8.0, TICK, every=8000 * TICK, inputs={"brake": 1.0, "throttle": 0.0})
    x0 = np.array([start[name][-1] if name in start.names else 0.0 for name in s.states])
    targets = np.clip(np.arange(4002) * TICK * 4.0, 0.0, 0.99 * LOCK)
    run = sb.simulate(s, 4.0, TICK, inputs=turned(targets) | {"brake": 1.0, "throttle": 0.0}, x0=x0)
    assert np.all(np.isfinite(run.values))
    turning = (run.t > 0.5) & (run.t < 2.0)
    assert run["wheel.effort"][turning].min() > 1.0
    assert np.abs(run["car.speed"]).max() < 0.2
    inner, outer = (np.degrees(run[f"{c}.steer.q"][-1] - run[f"{c}.steer.q"][0]) for c in ("front_left", "front_right"))
    assert 29.0 < inner < 33.0
    # one run: both wheels of one axle
    assert 25.0 < outer < inner


def test_the_motor_gives_no_more_than_its_power_and_torque(s):
    run = sb.simulate(s, 3.0, TICK, inputs={"throttle": 1.0})
    power, given = s.parameters["motor_power"], run["motor.supplied"]
    assert 0.7 * power < given[-1] < power
    wheels = run["motor.speed"] / s.parameters["reduction"]
    ideal = s.parameters["motor_torque"] * wheels
    np.testing.assert_allclose(given, ideal * power / np.hypot(power, ideal), rtol=1e-9)
    gained = run["energy.kinetic"][-1] - run["energy.kinetic"][0]
    assert 0.8 < gained / trapezoid(given, run.t) < 0.95  # the rest are slip, rolling and air


def test_pedals_have_ends(s):
    for pedal in PEDALS:
        pressed, beyond = (sb.simulate(s, 0.2, TICK, inputs={pedal: value}) for value in (1.0, 7.0))
        np.testing.assert_array_equal(pressed["car.speed"], beyond["car.speed"])
        none, below = (sb.simulate(s, 0.2, TICK, inputs={pedal: value}) for value in (0.0, -7.0))
        np.testing.assert_array_equal(none["car.speed"], below["car.speed"])


# -- settings --------------------------------------------------------------------------------------------------------


def test_more_caster_makes_the_same_turn_heavier(s, usual):
    less, more = (peak(swerved(s, caster_shift=shift), "wheel.effort") for shift in (-0.02, 0.02))
    assert less < 0.85 * peak(usual, "wheel.effort") < 0.85 * more / 1.15


def test_assistance_shares_the_load(s, usual):
    helped = swerved(s, assist=2.0)
    hand, alone = (peak(run, "wheel.effort") - s.parameters["column_Fc"] for run in (helped, usual))
    assert hand == pytest.approx(alone / 3.0, rel=0.15)
    # one run: one car with one number changed
    assert peak(helped, "yaw.qd") > peak(usual, "yaw.qd")  # the bar is twisted less


def test_bars_and_roll_centre_hold_it_upright(s, usual):
    # one run: parameters are live; test_car_report.py has the orderings over ten swerves
    assert peak(swerved(s, bar_front=0.0, bar_rear=0.0), "roll.q") > 1.3 * peak(usual, "roll.q")
    assert peak(swerved(s, bar_front=1400.0, bar_rear=600.0), "roll.q") < 0.9 * peak(usual, "roll.q")
    assert peak(swerved(s, roll_centre=0.02), "roll.q") < 0.97 * peak(usual, "roll.q")
    assert peak(swerved(s, spring_front=50e3, spring_rear=50e3), "roll.q") < 0.95 * peak(usual, "roll.q")


def test_dampers_slow_the_roll(s, usual):
    soft = swerved(s, damper_front=1000.0, damper_rear=1000.0)
    # one run: parameters are live; one car with other dampers
    assert peak(soft, "roll.q") > 1.05 * peak(usual, "roll.q")


def test_toe_in_turns_the_wheels_inwards(s, usual):
    toe = swerved(s, toe_front=0.002)
    for corner, sign in (("front_left", -1.0), ("front_right", 1.0)):
        turn = math.degrees(toe[f"{corner}.steer.q"][0] - usual[f"{corner}.steer.q"][0])
        assert 0.5 < sign * turn < 2.0


def test_less_friction_is_less_grip(s, usual):
    icy = swerved(s, friction=0.3)
    assert peak(icy, "seat.acceleration.y") < 1.2 * 0.3 * 9.81 < 0.8 * peak(usual, "seat.acceleration.y")
    assert icy["tyres.use"].max() > 0.95


# -- at length -------------------------------------------------------------------------------------------------------


def test_ten_minutes_of_anything_neither_diverge_nor_fly(s):
    rng = np.random.default_rng(7)
    spells = np.repeat(np.arange(400), 1500)  # 1.5 s each
    targets = rng.choice([0.05, 0.2, 1.0], 400) * rng.uniform(-0.95 * LOCK, 0.95 * LOCK, 400)
    throttle, brake = rng.uniform(0.0, 1.0, 400), rng.choice([0.0, 0.0, 1.0], 400) * rng.uniform(0.0, 1.0, 400)
    brake[20::40], brake[21::40], throttle[20::40], throttle[21::40] = 1.0, 1.0, 0.0, 0.0  # it stands for a while
    pedals = {"throttle": throttle[spells], "brake": brake[spells]}
    run = sb.simulate(s, 599.0, TICK, every=100 * TICK, inputs=pedals | turned(targets[spells]))
    assert np.all(np.isfinite(run.values))
    assert np.abs(run["car.speed"]).min() < 1e-3
    assert peak(run, "roll.q") < 0.2
    assert abs(run["z.q"] - HEIGHT).max() < 0.05
