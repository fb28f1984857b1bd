"""The car: its loops close, its tyres stay within friction, its lane change ends in the other lane.

vehicles/axles.py, vehicles/corner.py, vehicles/multi_link_car.py, vehicles/lane_change.py, vehicles/tyre.py.
"""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.model import Model, check, warnings
from symbody.model.formula import evaluate
from symbody.system.partition import partition
from symbody.vehicles.axles import FRONT, HEIGHT, REAR
from symbody.vehicles.lane_change import lane_change_car as car
from symbody.vehicles.tyre import tyre, tyre_parameters

WHEELS = ("front_left", "front_right", "rear_left", "rear_right")
CHASSIS = ["x", "y", "z", "yaw", "pitch", "roll"]


def total_mass(model: Model) -> float:
    return sum(evaluate(body.mass, model.values) for body in model.bodies.values())


# -- the mechanism ---------------------------------------------------------------------------------------------------


def test_it_has_the_size_of_a_whole_car():
    model = car()
    check(model)
    assert warnings(model) == []
    assert model.nq > 80
    assert len(model.cuts) >= 16
    assert {cut.kind for cut in model.cuts.values()} == {"ball"}
    assert 1400.0 < total_mass(model) < 1600.0


def test_its_loops_close_in_the_drawing_and_leave_fourteen_degrees_of_freedom():
    model = car()
    start = [evaluate(x, model.values) for joint in model.joints() for x in joint.q0]
    q = sb.assemble(model)
    np.testing.assert_allclose(q, start, atol=2e-6)  # angles are rounded to a millionth
    parts = partition(model, q)
    free = {model.velocities[i] for i in parts.free}
    assert free == {*CHASSIS, *(f"{wheel}.{kind}" for wheel in WHEELS for kind in ("travel", "spin"))}
    assert [model.velocities[i] for i in parts.driven] == ["rack"]
    h, J = sb.compile(model, "constraints", loads=False)(q)  # the one that assembling has compiled
    assert np.abs(h).max() < 1e-12
    assert len(parts.rows) == len(h)  # no redundant equations
    assert np.linalg.cond(J[:, parts.dependent]) < 50


def test_right_is_the_mirror_image_of_left():
    model = car()
    values = model.values
    for axle in (FRONT, REAR):
        for name, body in model.bodies.items():
            if name.startswith(f"{axle.name}_left"):
                other = model.bodies[name.replace("left", "right")]
                assert evaluate(other.mass, values) == evaluate(body.mass, values)
                for key, point in body.points.items():
                    x, y, z = (evaluate(a, values) for a in point.position)
                    mirrored = [evaluate(a, values) for a in other.points[key].position]
                    assert mirrored == pytest.approx([x, -y, z]), (name, key)


# -- the tyre --------------------------------------------------------------------------------------------------------


@pytest.fixture
def p() -> SimpleNamespace:
    m = Model("tyre")
    tyre_parameters(m)
    return SimpleNamespace(**m.values)


def at(height=0.3, v=(10.0, 0.0, 0.0), spin=None, steer=0.0, camber=0.0) -> SimpleNamespace:
    """A wheel that is steered and cambered, and rolls freely if no spin is given."""
    c, s, cc, sc = math.cos(steer), math.sin(steer), math.cos(camber), math.sin(camber)
    rotation = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ np.array([[1, 0, 0], [0, cc, -sc], [0, sc, cc]])
    forward = np.array([c, s, 0.0])
    spin = forward @ np.array(v) / (height / cc) if spin is None else spin
    return SimpleNamespace(position=(0.0, 0.0, height), velocity=v, rotation=rotation, omega=spin * rotation[:, 1])


def test_a_rolling_tyre_carries_and_resists_a_little(p):
    f = tyre(at(), p)
    assert f[2] == pytest.approx(p.k_tyre * (p.radius - 0.3))
    assert f[:2] == pytest.approx((0.0, 0.0), abs=1e-9)
    assert -0.02 < f[4] / (p.radius * f[2]) < -0.005  # rolling drag
    assert tyre(at(height=p.radius + 0.01), p) == pytest.approx((0.0,) * 6)  # it cannot pull


def test_side_slip_pushes_back_with_the_cornering_stiffness_and_aligns(p):
    slip = 1e-4
    f = np.array(tyre(at(steer=slip), p))
    load = f[2]
    stiffness = p.cornering * load / math.hypot(1.0, load / p.load_scale) / math.hypot(1.0, p.slow / 10.0)
    assert f[1] == pytest.approx(stiffness * slip, rel=1e-3)  # steered to the left, pushed to the left
    assert 40e3 < stiffness < 80e3
    assert f[5] == pytest.approx(-p.trail * f[1], rel=1e-3)  # which turns it back


def test_the_patch_is_where_a_leaning_wheel_meets_the_road(p):
    forward = np.array([math.cos(1.0), math.sin(1.0), 0.0])
    f = np.array(tyre(at(v=tuple(10.0 * forward), steer=1.0, camber=0.1), p))
    assert f[:3] == pytest.approx([0.0, 0.0, p.k_tyre * (p.radius - 0.3 / math.cos(0.1))], abs=1e-6)
    assert forward @ f[3:] == pytest.approx(0.3 * math.tan(0.1) * f[2])  # it leans to the right: the load lifts it
    left = np.array([-forward[1], forward[0], 0.0])
    drag = -p.rolling_drag * p.radius * f[2] * 10.0 / math.hypot(10.0, p.slow)
    assert left @ f[3:] == pytest.approx(drag * math.cos(0.1))


@pytest.mark.parametrize("seed", range(5))
def test_forces_never_leave_the_friction_circle(p, seed):
    rng = np.random.default_rng(seed)
    for _ in range(200):
        v = (*(rng.normal(size=2) * rng.choice([0.0, 0.01, 1.0, 30.0])), rng.normal())
        f = tyre(at(rng.uniform(0.25, 0.33), v, rng.normal() * 100, rng.normal(), rng.normal() * 0.1), p)
        assert np.all(np.isfinite(f))
        assert math.hypot(f[0], f[1]) <= p.friction * f[2] * (1 + 1e-12)
        assert f[2] >= 0.0


def test_locked_and_spinning_wheels_slide_at_the_limit(p):
    load = tyre(at(), p)[2]
    brake, burn = tyre(at(spin=0.0), p)[0], tyre(at(spin=100.0), p)[0]
    assert -p.friction * load < brake < -0.95 * p.friction * load
    assert 0.95 * p.friction * load < burn < p.friction * load
    both = np.array(tyre(at(spin=0.0, steer=0.5), p))  # braked and steered: no more side force than the circle leaves
    # one run: components of one force
    assert abs(both[0]) > 5 * abs(both[1])


def test_at_rest_there_is_no_force_along_the_road(p):
    f = tyre(at(v=(0.0, 0.0, 0.0)), p)
    assert (f[0], f[1], f[5]) == (0.0, 0.0, 0.0)


# -- the lane change -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def s() -> sb.System:
    outputs = ["*.q", "?.qd", "yaw.qd", "*.spin.qd", "*.tyre.force.*", "rack.effort"]
    return sb.system(car(), outputs=outputs)


@pytest.fixture(scope="module")
def run(s) -> sb.Run:
    return sb.simulate(s, 6.0, 1e-3)


def driven(s: sb.System, **parameters: float) -> sb.Run:
    usual = dict(s.parameters)
    s.parameters.update(parameters)
    run = sb.simulate(s, 6.0, 2e-3)
    s.parameters.update(usual)
    return run


def forces(run: sb.Run) -> np.ndarray:
    """(wheel, axis, time), N."""
    return np.array([[run[f"{wheel}.tyre.force.{axis}"] for axis in "xyz"] for wheel in WHEELS])


@pytest.mark.slow
def test_it_stands_in_equilibrium_and_rolls_without_slip(run):
    before = run.t < 1.0
    assert np.ptp(run["z.q"][before]) < 1e-4
    assert np.ptp(run["pitch.q"][before]) < 1e-4
    assert run["x.qd"][before] == pytest.approx(10.0, abs=0.01)
    F = forces(run)[:, :, before]
    assert F[:, 2].sum(axis=0) == pytest.approx(9.81 * total_mass(car()), rel=5e-3)
    for wheel, load in zip(WHEELS, F[:, 2], strict=True):
        radius = run.system.parameters["radius"] - load / run.system.parameters["k_tyre"]
        rolling = (run[f"{wheel}.spin.qd"][before] * radius)[50:]
        assert rolling == pytest.approx(10.0, rel=2e-3)
        assert radius == pytest.approx(HEIGHT, abs=2e-3)


@pytest.mark.slow
def test_it_ends_in_the_other_lane(run):
    assert run["y.q"][-1] == pytest.approx(3.5, abs=0.05)
    assert abs(math.degrees(run["yaw.q"][-1])) < 0.5
    assert 1.5 < math.degrees(np.abs(run["roll.q"]).max()) < 4.0
    assert run["roll.q"][run["y.q"] < 1.0].max() > 0.02  # it leans outwards
    assert run["x.qd"][-1] == pytest.approx(10.0, abs=0.3)
    F = forces(run)
    used = np.hypot(F[:, 0], F[:, 1]) / (run.system.parameters["friction"] * F[:, 2])
    assert 0.3 < used.max() < 0.7
    assert F[:, 2].min() > 1000.0  # all wheels stay down


@pytest.mark.slow
def test_its_file_makes_the_same_lane_change(run):
    filed = sb.simulate(sb.system(machines.open("car"), outputs=["*.q"]), 6.0, 1e-3)
    for name in ("x.q", "y.q", "yaw.q", "roll.q", "front_left.travel.q"):
        np.testing.assert_allclose(filed[name], run[name], rtol=0, atol=1e-9)
    assert filed["y.q"][-1] > 3.0


@pytest.mark.slow
def test_its_loops_stay_closed(run):
    loops = sb.compile(run.model, "constraints", loads=False)
    assert max(np.abs(loops(q).h).max() for q in run.q[::20]) < 1e-9


@pytest.mark.slow
def test_the_tyres_give_the_momentum(run):
    """∫ ΣF dt along y is what the car has won; the chassis' velocity stands for all of it, but for turning parts."""
    push = forces(run)[:, 1].sum(axis=0)
    impulse = np.concatenate([[0.0], np.cumsum(np.diff(run.t) * (push[1:] + push[:-1]) / 2)])
    won = total_mass(run.model) * run["y.qd"]
    assert np.abs(won).max() > 2000.0
    np.testing.assert_allclose(impulse, won, atol=0.03 * np.abs(won).max())


@pytest.mark.slow
def test_shorter_steps_change_nothing(s, run):
    fine = sb.simulate(s, 6.0, 2.5e-4, every=0.001)
    np.testing.assert_allclose(run["y.q"], fine["y.q"], atol=1e-6)
    np.testing.assert_allclose(run["roll.q"], fine["roll.q"], atol=1e-7)


@pytest.mark.slow
def test_parameters_are_live_and_do_what_they_say(s, run):
    def roll(r: sb.Run) -> float:
        return math.degrees(np.abs(r["roll.q"]).max())

    def effort(r: sb.Run) -> float:
        return float(np.abs(r["rack.effort"]).max())

    # one run: parameters are live; test_car_report.py has the orderings over ten swerves
    assert roll(driven(s, bar_front=0.0, bar_rear=0.0)) > 1.3 * roll(run)
    assert roll(driven(s, roll_centre=0.02)) < 0.97 * roll(run)
    assert roll(driven(s, chassis_height=0.65)) > 1.1 * roll(run)
    more, less = driven(s, caster_shift=0.02), driven(s, caster_shift=-0.02)
    assert effort(less) < 0.9 * effort(run) < 0.9 * effort(more) / 1.1
    icy = driven(s, friction=0.2)
    assert icy["y.q"][-1] < 0.95 * run["y.q"][-1]
    toe = driven(s, toe_front=0.002)
    turned = toe["front_left.steer.q"][0] - run["front_left.steer.q"][0]
    assert -1.5 < math.degrees(turned) < -0.3  # toe-in: the left wheel to the right
    other = driven(s, steer=-s.parameters["steer"])
    np.testing.assert_allclose(other["y.q"], -run["y.q"][::2], atol=1e-5)
