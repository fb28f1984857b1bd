"""The car around the obstacle: a scripted driver avoids it; caster is felt; what cannot be driven is refused.

vehicles/road.py, vehicles/measures.py.
"""

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from optimised_code import optimised_code
from orderings import Ordering, check
from symbody import machines
from symbody.analysis import minimum_jerk
from symbody.cli import main
from symbody.errors import DivergenceError, ModelError
from symbody.machines.car.driven import LOCK
from symbody.machines.car.driver import METHOD, commands, drive, replay
from symbody.machines.car.report import CASTERS, ROAD, SETTINGS, SLIPPERY, USUAL, compiled, driven, figures, with_caster
from symbody.stepping.work import rates_and_power
from symbody.system.varied_parameters import varied
from symbody.vehicles.measures import lateral_acceleration, measured, peak_roll, peak_torque
from symbody.vehicles.pedals import SPEED
from symbody.vehicles.preview_driver import ARMS, TICK, Driver
from symbody.vehicles.road import LENGTH, WIDTH, Road, clearance, corners, room

pytestmark = pytest.mark.slow  # the driven car

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module", autouse=True)
def s() -> sb.System:
    with optimised_code():  # seven times as fast: the scripted driver drives for minutes
        s = compiled()
        rates_and_power(s)  # for the energy account of its runs
        sb.simulate(s, TICK, TICK, energy="ignore")
        return s


@pytest.fixture(scope="module")
def run(s) -> sb.Run:
    return driven()


def place(run: sb.Run) -> tuple[np.ndarray, ...]:
    return run["x.q"], run["y.q"], run["yaw.q"]


# -- the road --------------------------------------------------------------------------------------------------------


def test_the_obstacle_appears_in_his_lane():
    (begin, _), across = ROAD.obstacle
    assert begin - (ROAD.appears + LENGTH / 2.0) == pytest.approx(ROAD.sight)
    # one run: places on the road
    assert ROAD.borders[0] < across[0] < across[1] < ROAD.lane / 2.0
    assert ROAD.reaction == pytest.approx(0.5 * SPEED, rel=0.01)


def test_the_way_leads_around_it_and_back():
    x = np.linspace(0.0, 200.0, 2001)
    y = ROAD.way(x)
    assert np.all(y[x < ROAD.leaves] == 0.0)
    assert np.all(y[x > ROAD.returns + ROAD.back] == pytest.approx(0.0, abs=1e-12))
    assert y.max() == pytest.approx(ROAD.aside)
    heading = np.arctan(np.gradient(y, x))
    assert clearance(ROAD, x, y, heading).min() > 0.2
    assert room(ROAD, x, y, heading).min() > 0.2


def test_the_way_is_smooth_to_its_curvature():
    tau = np.linspace(-0.5, 1.5, 20001)
    bend = np.gradient(np.gradient(minimum_jerk.position(tau), tau), tau)
    assert np.abs(np.diff(bend)).max() < 0.02
    assert bend.max() == pytest.approx(10.0 / math.sqrt(3.0), rel=1e-3)  # 60τ(1 − τ)(1 − 2τ) at its largest


@pytest.mark.parametrize("seed", range(3))
def test_clearance_is_positive_exactly_where_nothing_overlaps(seed):
    rng = np.random.default_rng(seed)
    x, y, yaw = rng.uniform(74.0, 92.0, 400), rng.uniform(-5.0, 5.0, 400), rng.uniform(-math.pi, math.pi, 400)
    gap = clearance(ROAD, x, y, yaw)
    along, across = np.meshgrid(np.linspace(-0.5, 0.5, 60) * LENGTH, np.linspace(-0.5, 0.5, 60) * WIDTH)
    (x0, x1), (y0, y1) = ROAD.obstacle
    for k in range(400):
        px = x[k] + math.cos(yaw[k]) * along - math.sin(yaw[k]) * across
        py = y[k] + math.sin(yaw[k]) * along + math.cos(yaw[k]) * across
        inside = np.any((px > x0) & (px < x1) & (py > y0) & (py < y1))
        if abs(gap[k]) > 0.1:  # the samples are 8 cm apart
            assert inside == (gap[k] < 0.0)
    assert np.any(gap > 0.1)
    assert np.any(gap < -0.1)


def test_clearance_of_faces_is_their_distance():
    x = np.array([ROAD.begin - LENGTH / 2.0 - 1.5, ROAD.begin + 2.0])
    y = np.array([0.0, ROAD.width / 2.0 + WIDTH / 2.0 + 0.25])
    assert clearance(ROAD, x, y, 0.0 * x) == pytest.approx([1.5, 0.25])


def test_outlines_have_the_size_of_the_body():
    outline = corners(np.array([3.0]), np.array([1.0]), np.array([math.pi / 2.0]))[0]
    assert outline == pytest.approx(
        np.array([[-1, 1], [-1, -1], [1, -1], [1, 1]]) * [WIDTH / 2.0, LENGTH / 2.0] + [3.0, 1.0]
    )


# -- the driver ------------------------------------------------------------------------------------------------------


def test_he_avoids_the_obstacle_at_75_km_h(run):
    found = measured(run, ROAD)
    assert run["car.speed"][0] == pytest.approx(75.0 / 3.6, rel=1e-6)
    assert found["cleared"]
    assert clearance(ROAD, *place(run)).min() > 0.2
    assert room(ROAD, *place(run)).min() > 0.2
    assert found["path_error_m"] < 0.4
    assert 3.5 < found["lateral_acceleration"] < 0.8 * 9.81
    assert 2.0 < found["peak_roll_deg"] < 6.0
    assert 5.0 < found["peak_torque_Nm"] < 20.0
    assert run["car.speed"].min() > 0.97 * SPEED


def test_he_comes_back_into_his_lane_and_goes_straight_on(run):
    late = run.t > 8.5
    assert np.abs(run["y.q"][late]).max() < 0.05
    assert np.abs(run["yaw.q"][late]).max() < 0.01
    assert run["y.q"].max() > ROAD.lane / 2.0


def test_he_does_nothing_before_he_can_know(run):
    before = run["x.q"] < ROAD.leaves
    assert np.abs(run["wheel.q"][before]).max() < 1e-4
    after = (run["x.q"] > ROAD.leaves) & (run["x.q"] < ROAD.begin)
    assert run["wheel.q"][after].max() > 0.5


def test_who_only_brakes_hits_it(s):
    def brakes(t, channels):
        seen = channels["x.q"] > ROAD.leaves
        return {"wheel.q": 0.0, "brake": float(seen), "throttle": 0.0}

    straight = drive(s, brakes, 6.0)
    assert straight["car.speed"][-1] < 0.1
    assert clearance(ROAD, *place(straight)).min() < 0.0
    assert not measured(straight, ROAD)["cleared"]


def test_the_wheel_moves_smoothly_within_limits(run):
    q, qd, qdd = (run[f"wheel.{kind}"] for kind in ("q", "qd", "qdd"))
    np.testing.assert_allclose(np.diff(q), TICK * (qd[1:] + qd[:-1]) / 2.0, atol=1e-5)
    np.testing.assert_allclose(np.diff(qd), TICK * (qdd[1:] + qdd[:-1]) / 2.0, atol=1e-9)
    assert np.abs(q).max() < Driver.angle
    assert np.abs(qd).max() < Driver.rate


def test_his_hands_are_no_faster_than_they_may_be(s):
    panic = {"x.q": 85.0, "y.q": -4.0, "yaw.q": -0.5, "car.speed": SPEED, "wheel.q": 0.2}
    wanted = Driver()(0.0, panic)["wheel.q"]
    assert wanted == pytest.approx(0.2 + Driver.rate * 2.0 * ARMS.damping / (2.0 * math.pi * ARMS.cutoff), rel=1e-3)
    assert Driver()(0.0, panic | {"wheel.q": 3.4})["wheel.q"] == Driver.angle


def test_a_drive_is_the_same_again(s, run):
    short = drive(s, Driver(ROAD), 4.0)
    np.testing.assert_array_equal(short["wheel.effort"], run["wheel.effort"][: len(short)])
    np.testing.assert_array_equal(short["y.q"], run["y.q"][: len(short)])


def test_a_replay_is_the_drive(s, run):
    """To rounding: the replay also integrates powers, in a program of its own."""
    again = replay(s, run)
    for name in s.outputs:
        np.testing.assert_allclose(again[name], run[name], rtol=0.0, atol=1e-9 * max(1.0, np.abs(run[name]).max()))


def test_shorter_steps_change_little(s, run):
    fine = drive(s, Driver(ROAD), 4.0, dt=TICK / 2.0)
    np.testing.assert_allclose(fine["y.q"][::2], run["y.q"][: len(fine["y.q"][::2])], atol=5e-3)


# -- settings --------------------------------------------------------------------------------------------------------


def sine_cubed(seed):
    """A swerve of the steering wheel to both sides, q = A sin³(2πt/T), with amplitude and time of this seed."""
    random = np.random.default_rng(seed)
    size, span = random.uniform(0.6, 1.0), random.uniform(1.2, 1.6)  # rad, s
    w, t = 2.0 * np.pi / span, np.arange(0.0, span, TICK)
    sin, cos = np.sin(w * t), np.cos(w * t)
    return {
        "wheel.q": size * sin**3,
        "wheel.qd": 3.0 * size * w * sin**2 * cos,
        "wheel.qdd": 3.0 * size * w**2 * sin * (2.0 * cos**2 - sin**2),
    }


@cache
def swerved(setting, seed):
    """The car with a setting or a caster, and the same motion of the wheel for each."""
    given = sine_cubed(seed)
    values = SETTINGS[setting] if setting in SETTINGS else {"caster_shift": CASTERS[setting]}
    with varied(compiled(), **values):
        return sb.simulate(compiled(), (len(given["wheel.q"]) - 1) * TICK, TICK, method=METHOD, inputs=given)


def roll(setting, seed):
    return peak_roll(swerved(setting, seed))


def torque(setting, seed):
    return peak_torque(swerved(setting, seed))


ORDERINGS = [
    Ordering("roll", USUAL, "no anti-roll bars", roll, 1.0 / 1.3),
    Ordering("roll", "twice as stiff", USUAL, roll, 0.85),
    Ordering("roll", "roll centre higher", USUAL, roll, 0.95),
    Ordering("roll", USUAL, "roll centre lower", roll, 0.95),
    Ordering("steering torque", "power steering", USUAL, torque, 0.5),
    Ordering("steering torque", "3.5° less", USUAL, torque, 0.85),
    Ordering("steering torque", USUAL, "3.5° more", torque, 1.0 / 1.15),
]


@pytest.mark.parametrize("ordering", ORDERINGS, ids=str)
def test_settings_change_roll_and_torque(ordering):
    check(ordering)


def test_the_wheel_moves_the_same_way_with_each_caster(run):
    casters = [with_caster(name) for name in CASTERS]
    for other in casters:
        np.testing.assert_array_equal(other["wheel.q"], run["wheel.q"])
    turned = [math.degrees(other["front_left.caster.q"][0]) for other in casters]
    assert turned == pytest.approx([3.5, 0.0, -3.5], abs=0.1)


def test_on_a_slippery_road_he_loses_it(s):
    run = driven(SLIPPERY)
    found = measured(run, ROAD)
    assert not found["cleared"]
    assert found["friction_used"] > 0.99
    assert np.abs(lateral_acceleration(run)).max() < 1.1 * 0.5 * 9.81
    assert s.parameters["friction"] == 0.95  # as before


def test_he_clears_it_with_every_setting_but_on_a_slippery_road():
    assert [name for name in SETTINGS if not measured(driven(name), ROAD)["cleared"]] == [SLIPPERY]


# -- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"wheel.q": 100.0}, "wheel.q"),
        ({"wheel.q": -1.01 * LOCK}, "wheel.q"),
        ({"wheel.q": math.nan}, "wheel.q"),
        ({"wheel.q": math.inf}, "wheel.q"),
        ({"wheel.q": 0.0, "throttle": 1.5}, "throttle"),
        ({"wheel.q": 0.0, "brake": -0.1}, "brake"),
        ({"wheel.q": 0.0, "clutch": 0.0}, "clutch"),
        ({"throttle": 0.5}, "wheel.q"),
    ],
)
def test_commands_far_outside_are_refused(s, given, named):
    def mad(t, channels):
        return {"wheel.q": 0.0} if t < 0.05 else given

    with pytest.raises(ModelError, match=named) as caught:
        drive(s, mad, 0.2)
    assert "clutch" in given or "t = 0.05 s" in str(caught.value)


@pytest.mark.parametrize(("until", "dt"), [(0.0, TICK), (-1.0, TICK), (math.nan, TICK), (1.0, 0.0)])
def test_times_that_cannot_be_are_refused(s, until, dt):
    with pytest.raises(ModelError, match="cannot drive"):
        drive(s, Driver(), until, dt)


def test_numbers_that_are_none_end_the_drive_with_what_there_is(s):
    def breaks(t, channels):
        s.parameters["friction"] = math.nan if t > 0.1 else 0.95
        return {"wheel.q": 0.0}

    with varied(s, friction=0.95), pytest.raises(DivergenceError, match=r"diverged after t = 0\.1") as caught:
        drive(s, breaks, 0.5)
    assert 100 <= len(caught.value.state) <= 105


def test_what_a_hand_can_do_is_taken():
    for wheel in (-LOCK, 0.0, LOCK):
        assert commands({"wheel.q": wheel, "brake": 1.0}, 0.0)["wheel.q"] == wheel


def test_a_car_that_has_no_such_number_says_so(s):
    with pytest.raises(KeyError, match="castor"), varied(s, castor=1.0):
        pass


@pytest.mark.parametrize("bad", [{"preview": 0.0}, {"rate": -1.0}, {"speed": math.nan}])
def test_drivers_that_cannot_be_are_refused(bad):
    with pytest.raises(ModelError, match=next(iter(bad))):
        Driver(**bad)


@pytest.mark.parametrize("bad", [{"lane": 0.0}, {"out": -3.0}, {"reaction": -1.0}])
def test_roads_that_cannot_be_are_refused(bad):
    with pytest.raises(ModelError, match=next(iter(bad))):
        Road(**bad)


# -- the demo --------------------------------------------------------------------------------------------------------


def test_its_figures_are_plain_numbers(run):
    found = json.loads(json.dumps(figures()))
    assert set(found["peak_torque_Nm"]) == set(CASTERS)
    assert list(found["peak_torque_Nm"].values()) == sorted(found["peak_torque_Nm"].values())
    assert found["cleared"] is True
    assert 0.0 < found["step_us"]["p50"] <= found["step_us"]["p99"]
    assert 0.0 < found["path_error_m"] < 0.5


def test_the_demo_is_listed_and_pictured():
    picture = machines.entry("car").picture
    assert "symbody demo car`" in (DOCS / "demos.md").read_text(encoding="utf-8")
    for page in (DOCS / "demos.md", DOCS / "machines" / "driving.md"):
        assert "symbody/machines/car/picture.png" in page.read_text(encoding="utf-8")
    for path in (picture, *(DOCS / "images" / f"demo-car-{name}.png" for name in ("settings", "grip"))):
        assert 10_000 < path.stat().st_size < 150_000


def test_the_command_prints_the_record(capsys, tmp_path):
    assert main(["demo", "car", "--json", "--report", str(tmp_path)]) == 0
    (record,) = json.loads(capsys.readouterr().out)["figures"]
    assert record.keys() >= {"peak_torque_Nm", "path_error_m", "cleared", "step_us"}
    assert len(list(tmp_path.glob("car-*.png"))) == 3
    assert main(["demo", "car", "--json", "--until", "3", "--report", str(tmp_path)]) == 2


def test_the_page_tells_what_its_code_prints(capsys):
    text = (DOCS / "machines" / "driving.md").read_text(encoding="utf-8")
    exec(text.split("```python\n")[1].split("```")[0], {})
    usual, heavier = map(float, capsys.readouterr().out.splitlines()[-1].split())
    assert f"| {usual:.1f} N m |" in text
    assert f", {heavier:.1f} N m |" in text
