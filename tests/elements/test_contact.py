"""Contact: laws that neither pull nor jump nor win energy, spheres that bounce, rest, roll and collide as they must."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.spatial.transform import Rotation

import symbody as sb
from symbody.analysis.balance import energy_balance
from symbody.elements.contact import (
    closing,
    sphere_in_socket,
    sphere_on_plane,
    sphere_on_segment,
    sphere_on_sphere,
)
from symbody.elements.contact_laws import Felt, HuntCrossley, Penalty, restitution_damping
from symbody.elements.contact_shapes import Segment, plane_sphere, segment_sphere, socket_sphere, sphere_sphere
from symbody.elements.friction import BrownMcPhee, Coulomb, LuGre
from symbody.expr.functions import sin

LAWS = {
    "elastic": Penalty(stiffness=2e4),
    "penalty": Penalty(stiffness=2e4, damping=60.0),
    "hertz": HuntCrossley(stiffness=3e5),
    "hunt-crossley": HuntCrossley(stiffness=3e5, damping=1.2),
    "stiffening": HuntCrossley(stiffness=4e8, damping=3.0, exponent=3.0),
    "felt": Felt(stiffness=4e8, exponent=2.5, hysteresis=0.4, relaxation=5e-3),
}
every_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
ROUGH = Coulomb(Fc=0.3, v0=1e-3, sigma2=0.0)


def ball_above_floor(law, height=0.1, v=-1.0, gravity=0.0) -> sb.Model:
    m = sb.Model("ball", gravity=(0.0, 0.0, -gravity))
    body = m.body("ball", joints=[sb.Joint("z", "T3", q0=(height,), v0=(v,))], mass=0.5)
    sphere_on_plane(m, "floor", body, 0.1, m.ground, law=law)
    return m


# -- laws --------------------------------------------------------------------------------------------------------------


@every_law
@pytest.mark.parametrize("rate", [-5.0, -0.1, 0.0, 2.0])
def test_nothing_jumps_at_touch_down(law, rate):
    assert float(law.force(0.0, rate)) == 0.0
    assert float(law.force(-1e-3, rate)) == 0.0
    # one run: a limit at zero depth
    assert float(law.force(1e-9, rate)) < 1e-3 * float(law.force(1e-3, 1.0))


@every_law
def test_contact_never_pulls_nor_stores_nor_loses_less_than_nothing(law):
    rng = np.random.default_rng(1)
    for depth, rate in zip(rng.normal(size=200) * 1e-3, rng.normal(size=200) * 3.0, strict=True):
        z = tuple(abs(rng.normal()) * scale for scale in law.scales)
        assert float(law.force(depth, rate, z)) >= 0.0
        assert float(law.stored(depth, z)) >= -1e-15
        assert float(law.dissipated(depth, rate, z)) >= 0.0


@every_law
def test_no_motion_wins_energy(law):
    """A ball moved up and down at random: what the drive gives is stored or lost, and something is always lost."""
    rng = np.random.default_rng(2)
    amplitudes, phases = rng.normal(size=6) * 6e-4, rng.uniform(0, 6, 6)
    m = sb.Model("driven ball", gravity=(0, 0, 0))
    body = m.body("ball", joints=[sb.Joint("z", "T3", "driven")], mass=1e-3)
    sphere_on_plane(m, "floor", body, 0.01, m.ground, law=law)

    @m.trajectory("z")
    def z(t, p):
        moved = [a * sin(20.0 * (k + 1) * t + b) for k, (a, b) in enumerate(zip(amplitudes, phases, strict=True))]
        return 0.0098 + sum(moved)

    run = sb.simulate(m, 1.0, 2e-5, outputs=["*"])
    touched = run["floor.depth"] > 0.0
    assert 0.3 < touched.mean() < 0.9
    kept = energy_balance(run, drives=["z"], elements=["floor"])
    assert kept.drift < 1e-4 * np.ptp(kept.given)
    assert run["floor.dissipated"].min() >= 0.0
    assert (kept.lost[-1] > 0.02 * kept.work) == (law not in (LAWS["elastic"], LAWS["hertz"]))


def test_restitution_near_one_is_the_textbook_s():
    for e in (0.9999, 0.999999, 0.9999999, 1.0):
        assert restitution_damping(e, 2.0) == pytest.approx(0.75 * (1 - e * e) / 2.0, rel=1e-3, abs=1e-15)
    assert restitution_damping(0.99900001, 1.0) == pytest.approx(restitution_damping(0.99899999, 1.0), rel=5e-5)
    assert restitution_damping(0.01, 3.0) == pytest.approx(1 / 0.03)  # hardly any is left: it parts at 1/d


@pytest.mark.parametrize(("e", "speed"), [(0.0, 1.0), (1.1, 1.0), (0.5, 0.0)])
def test_impossible_restitution_is_refused(e, speed):
    with pytest.raises(sb.ModelError, match="restitution"):
        restitution_damping(e, speed)


@pytest.mark.parametrize(
    "law",
    [
        Penalty(stiffness=-1.0),
        Penalty(stiffness=1.0, onset=0.0),
        HuntCrossley(stiffness=1.0, exponent=0.5),
        Felt(stiffness=1.0, hysteresis=1.0),
        Felt(stiffness=1.0, relaxation=0.0),
    ],
)
def test_impossible_numbers_are_refused(law):
    with pytest.raises(sb.ModelError, match="floor"):
        ball_above_floor(law)


def test_felt_resists_fast_relaxes_when_held_and_is_left_behind():
    felt = Felt(stiffness=1e9, exponent=3.0, hysteresis=0.4, relaxation=2e-3)
    m = sb.Model("press", gravity=(0, 0, 0))
    m.input("where", 0.0)
    body = m.body("press", joints=[sb.Joint("z", "T3", "driven")], mass=1.0)
    sphere_on_plane(m, "felt", body, 0.0, m.ground, law=felt)
    s = sb.system(m, inputs=["z.q"], outputs=["*"])
    dt = 1e-6
    t = np.arange(60002) * dt
    depth = 1e-3 * np.interp(t, [0.0, 1e-4, 0.05, 0.0501, 0.06], [0.0, 1.0, 1.0, 0.0, 0.0])
    run = sb.simulate(s, 0.06, dt, inputs={"z.q": -depth, "z.qd": np.gradient(-depth, dt)})
    full, force = 1e9 * 1e-9, run["felt.load"]
    assert force.max() == pytest.approx(full, rel=0.02)  # hardly relaxed after a tenth of a millisecond
    held = np.searchsorted(run.t, 0.049)
    assert force[held] == pytest.approx((1 - felt.hysteresis) * full, rel=1e-6)
    left = (run.t > 0.05) & (run["felt.depth"] > 2e-4) & (force == 0.0)
    assert left.any()  # out of the felt before it has recovered
    assert run["felt.stored"][-1] < 0.05 * run["felt.stored"].max()  # what it kept there is lost as heat
    given, lost = (trapezoid(x, run.t) for x in (-force * run["z.qd"], run["felt.dissipated"]))
    assert lost + run["felt.stored"][-1] == pytest.approx(given, rel=1e-3)


# -- bouncing, resting, rolling ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [1.5, 3.0])
@pytest.mark.parametrize("e", [0.15, 0.5, 0.9])
def test_a_ball_bounces_with_its_restitution(e, exponent):
    law = HuntCrossley.bouncing(stiffness=1e6 * 1e-3 ** (1.5 - exponent), restitution=e, speed=1.0, exponent=exponent)
    s = sb.system(ball_above_floor(law))
    run = sb.simulate(s, 0.2, 1e-6 if exponent < 2 else 2e-6, every=0.002)
    assert run["z.q"][-1] > 0.1
    assert run["z.qd"][-1] == pytest.approx(e, abs=1e-6)


def test_faster_balls_lose_more_but_by_the_same_invariant():
    """d v − ln(1 + d v) is the same before and after an impact, at any speed."""
    law = HuntCrossley.bouncing(stiffness=1e6, restitution=0.7, speed=1.0)
    d = law.damping
    s = sb.system(ball_above_floor(law))
    for v in (0.2, 3.0):
        after = sb.simulate(s, 0.3, 2e-6, every=0.002, x0=np.array([0.1, -v]))["z.qd"][-1]
        before, behind = (d * x - math.log1p(d * x) for x in (v, -after))
        assert before == pytest.approx(behind, rel=1e-4)


@pytest.mark.parametrize("name", ["penalty", "hunt-crossley", "felt"])
def test_a_ball_at_rest_stays_at_its_static_depth(name):
    law, weight = LAWS[name], 0.5 * 9.81
    borne = weight / (1 - law.hysteresis) if isinstance(law, Felt) else weight
    depth = (borne / law.stiffness) ** (1.0 / getattr(law, "exponent", 1.0))
    m = ball_above_floor(law, height=0.1 - depth, v=0.0, gravity=9.81)
    if isinstance(law, Felt):
        m.states["floor_memory"].start = borne
    run = sb.simulate(m, 0.5, 1e-4)
    np.testing.assert_allclose(run["z.q"], 0.1 - depth, atol=1e-12)
    np.testing.assert_allclose(run["floor.load"], weight, rtol=1e-9)


@pytest.mark.parametrize("name", ["penalty", "hunt-crossley", "stiffening", "felt"])
def test_a_falling_ball_keeps_account(name):
    run = sb.simulate(ball_above_floor(LAWS[name], 0.2, 0.0, 9.81), 0.5, 5e-6, outputs=["*"])
    kept = energy_balance(run, elements=["floor"])
    assert kept.lost[-1] > 0.1 * run.kinetic.max()
    assert kept.drift < 1e-5 * run.kinetic.max()


@pytest.mark.parametrize("friction", [ROUGH, BrownMcPhee(Fc=0.25, Fs=0.35, vs=1e-2, sigma2=0.0)])
def test_a_sliding_ball_ends_up_rolling_at_five_sevenths(friction):
    m = sb.Model("bowling")
    lane = m.ground.point("lane", (0, 0, 0), (0.0, math.pi / 2, 0.0))  # its axis 1 points down
    ball = m.body("ball", joints="free", mass=6.0, inertia=(0.4 * 6.0 * 0.11**2,) * 3)
    ball.joints[0].q0 = (0.0, 0.0, 0.1099, 1.0, 0.0, 0.0, 0.0)
    ball.joints[0].v0 = (6.0, 1.0, 0.0, 0.0, 0.0, 0.0)
    law = Penalty(stiffness=6.0 * 9.81 / 1e-4, damping=2000.0)
    sphere_on_plane(m, "lane", ball, 0.11, lane, axis=-1, law=law, friction=friction)
    run = sb.simulate(m, 2.0, 2e-4, outputs=["*"])
    kept = energy_balance(run, elements=["lane"])
    assert kept.drift < 2e-4 * run.kinetic[0]
    assert run["ball.vx"][-1] == pytest.approx(6.0 * 5 / 7, rel=2e-3)
    assert run["ball.vy"][-1] == pytest.approx(1.0 * 5 / 7, rel=2e-3)
    assert run["lane.dissipated"].min() >= 0.0
    sliding = run.t < 0.2
    force = np.hypot(run["lane.force.x"], run["lane.force.y"])[sliding]
    assert force == pytest.approx(friction.Fc * run["lane.load"][sliding], rel=0.05)


def two_balls(friction, law) -> sb.Model:
    m = sb.Model("two balls", gravity=(0, 0, 0))
    for name, x, y, v, mass in (("one", 0.0, 0.0, 2.0, 1.0), ("two", 0.12, 0.03, -1.0, 2.5)):
        body = m.body(name, joints="free", mass=mass, inertia=(0.4 * mass * 0.0025,) * 3)
        body.joints[0].q0 = (x, y, 0.01 * x, 1.0, 0.0, 0.0, 0.0)
        body.joints[0].v0 = (v, 0.0, 0.2, 3.0, -5.0, 8.0 * mass)
    sphere_on_sphere(m, "clash", "one", 0.05, "two", 0.05, law=law, friction=friction)
    return m


def test_two_balls_keep_their_momentum_and_their_moment_of_momentum():
    run = sb.simulate(two_balls(ROUGH, HuntCrossley.bouncing(stiffness=1e6, restitution=0.6, speed=3.0)), 0.05, 1e-6,
                      every=5e-5, outputs=["*"])  # fmt: skip
    momentum, moment = np.zeros((3, len(run))), np.zeros((3, len(run)))
    for name, mass in (("one", 1.0), ("two", 2.5)):
        x, v, q, w = (np.array([run[f"{name}.{kind}"] for kind in kinds]) for kinds in (
            ("x", "y", "z"), ("vx", "vy", "vz"), ("qx", "qy", "qz", "qw"), ("wx", "wy", "wz")
        ))  # fmt: skip
        spin = 0.4 * mass * 0.0025 * Rotation.from_quat(q.T).apply(w.T).T
        momentum += mass * v
        moment += mass * np.cross(x, v, axis=0) + spin
    assert np.ptp(run["one.vy"]) > 0.1  # they met off centre
    np.testing.assert_allclose(momentum - momentum[:, :1], 0.0, atol=1e-10)
    np.testing.assert_allclose(moment - moment[:, :1], 0.0, atol=1e-11)
    kept = energy_balance(run, elements=["clash"])
    assert kept.lost[-1] > 0.5
    assert kept.drift < 2e-2 * kept.lost[-1]  # friction turns within a record


def test_equal_balls_exchange_their_velocities():
    m = sb.Model("billiards", gravity=(0, 0, 0))
    for name, x, v in (("one", 0.0, 1.5), ("two", 0.11, 0.0)):
        m.body(name, joints=[sb.Joint(name, "T1", q0=(x,), v0=(v,))], mass=0.2)
    sphere_on_sphere(m, "clash", "one", 0.05, "two", 0.05, law=HuntCrossley(stiffness=1e7))
    run = sb.simulate(m, 0.02, 1e-6, every=0.0001)
    assert (run["one.qd"][-1], run["two.qd"][-1]) == pytest.approx((0.0, 1.5), abs=1e-8)


def test_a_ball_in_a_socket_swings_as_a_pendulum_of_the_clearance():
    m = sb.Model("clearance")
    ball = m.body("ball", joints=[sb.Joint("x", "T1", q0=(0.01,)), sb.Joint("z", "T3", q0=(-0.1,))], mass=1.0)
    sphere_in_socket(m, "socket", ball, 0.15, m.ground, 0.25, law=Penalty(stiffness=1e6, damping=500.0))
    run = sb.simulate(m, 1.5, 2e-5, every=0.0002)
    x, t = run["x.q"], run.t
    crossings = t[1:][(x[1:] < 0) & (x[:-1] >= 0)]
    assert np.diff(crossings)[-1] == pytest.approx(2 * math.pi * math.sqrt(0.1 / 9.81), rel=5e-3)
    assert np.hypot(x, run["z.q"])[2000:] == pytest.approx(0.1, abs=3e-5)


# -- geometry ----------------------------------------------------------------------------------------------------------


def moving(rng) -> SimpleNamespace:
    """A frame in any place and motion."""
    rotation = Rotation.random(random_state=rng)
    x, v, w = rng.normal(size=3) * 0.2, rng.normal(size=3), rng.normal(size=3) * 3.0
    return SimpleNamespace(position=tuple(x), rotation=rotation.as_matrix(), velocity=tuple(v), omega=tuple(w))


def after(at: SimpleNamespace, dt: float) -> SimpleNamespace:
    """The same frame a little later."""
    turned = Rotation.from_rotvec(np.array(at.omega) * dt).as_matrix() @ at.rotation
    position = tuple(np.array(at.position) + dt * np.array(at.velocity))
    return SimpleNamespace(position=position, rotation=turned, velocity=at.velocity, omega=at.omega)


GEOMETRIES = {
    "plane": lambda a, b: plane_sphere(a, b, 0.07, 2),
    "under a plane": lambda a, b: plane_sphere(a, b, 0.07, -3),
    "spheres": lambda a, b: sphere_sphere(a.position, b.position, 0.2, 0.07),
    "socket": lambda a, b: socket_sphere(a.position, b.position, 0.3, 0.07),
    "segment": lambda a, b: segment_sphere(a, b, Segment(0.25, 0.02), 0.07, 1),
}


@pytest.mark.parametrize("geometry", GEOMETRIES.values(), ids=GEOMETRIES)
def test_the_closing_velocity_is_the_rate_of_the_depth(geometry):
    rng, h = np.random.default_rng(3), 1e-6
    for _ in range(20):
        a, b = moving(rng), moving(rng)
        meeting = geometry(a, b)
        assert np.linalg.norm([float(x) for x in meeting.normal]) == pytest.approx(1.0)
        rate, slip = closing(a, b, meeting)
        late, early = (float(geometry(after(a, s), after(b, s)).depth) for s in (h, -h))
        assert float(rate) == pytest.approx((late - early) / (2 * h), abs=1e-6)
        across = sum(float(x) * float(y) for x, y in zip(meeting.normal, slip, strict=True))
        assert across == pytest.approx(0.0, abs=1e-12)


def test_a_bar_is_met_at_its_nearest_place():
    rng = np.random.default_rng(4)
    for _ in range(20):
        a, b = moving(rng), moving(rng)
        meeting = segment_sphere(a, b, Segment(0.25, 0.02), 0.07, 2)
        places = np.array(a.position)[:, None] + np.outer(a.rotation[:, 1], np.linspace(0, 0.25, 5001))
        nearest = np.linalg.norm(places - np.array(b.position)[:, None], axis=0).min()
        assert float(meeting.depth) == pytest.approx(0.09 - nearest, abs=1e-6)


def test_a_disc_rests_on_a_bar_and_falls_off_its_end():
    m = sb.Model("shelf")
    shelf = m.ground.point("shelf", (-0.3, 0.0, 0.0))
    for name, x in (("held", -0.1), ("loose", 0.02)):
        joints = [sb.Joint(f"{name}.{k}", k, q0=(q,)) for k, q in (("T1", x), ("T3", 0.06))]
        body = m.body(name, joints=joints, mass=1.0)
        law = Penalty(stiffness=1e5, damping=200.0)
        sphere_on_segment(m, f"{name}.shelf", body, 0.05, shelf, Segment(0.3, 0.01), law=law)
    run = sb.simulate(m, 0.6, 1e-4)
    assert run["held.T3.q"][-1] == pytest.approx(0.06 - 9.81 / 1e5, abs=1e-6)
    assert run["loose.T3.q"][-1] < -0.2


# -- attached ----------------------------------------------------------------------------------------------------------


def test_numbers_are_live_and_slopes_finite_apart_and_in_touch():
    s = sb.system(ball_above_floor(LAWS["stiffening"], v=0.0, gravity=9.81), outputs=["*"])
    assert {"floor_radius", "floor_stiffness", "floor_damping", "floor_exponent"} <= set(s.parameters)
    assert s.rates(0.0, np.array([0.1, 0.0]))[1] == pytest.approx(-9.81)
    s.parameters["floor_radius"] = 0.101
    assert s.rates(0.0, np.array([0.1, 0.0]))[1] == pytest.approx(-9.81 + 4e8 * 1e-9 / 0.5)
    for height in (0.2, 0.101, 0.1):
        assert all(np.isfinite(slope).all() for slope in s.linear(0.0, np.array([height, 0.0])))
    felt = sb.system(ball_above_floor(LAWS["felt"]), outputs=["*"])
    assert all(np.isfinite(slope).all() for slope in felt.linear(0.0, np.array([0.11, 0.0, 0.0])))


def test_what_cannot_be_meant_is_refused():
    def refused(match, **more):
        m = sb.Model("ball")
        body = m.body("ball", joints="T3", mass=1.0)
        with pytest.raises(sb.ModelError, match=match):
            sphere_on_plane(m, "floor", body, **{"radius": 0.1, "plane": m.ground, "law": LAWS["hertz"], **more})

    refused("radius", radius=-0.1)
    refused("axis", axis=4)
    refused("has states", friction=LuGre())
