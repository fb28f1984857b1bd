"""Tyres: no slip no force, forces within the friction of the load, energy that adds up, wheels that corner and hold.

Tests of tyre_slip.py, tyre_bristle.py, tyre_patch.py.
"""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.spatial.transform import Rotation

import symbody as sb
from symbody.analysis.balance import energy_balance
from symbody.elements.tyre_patch import patch, wrench
from symbody.elements.tyres import BristleTyre, MagicTyre, SaturatingTyre, tyre
from symbody.expr.node_table import fresh_graph

LAWS = {"saturating": SaturatingTyre(), "magic": MagicTyre(), "bristle": BristleTyre()}
every_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
MAGIC = LAWS["magic"]


def wheel_at(height=0.3, v=(10.0, 0.0, 0.0), omega=(0.0, 0.0, 0.0), spin=0.0, yaw=0.0, camber=0.0) -> SimpleNamespace:
    rotation = Rotation.from_euler("ZX", [yaw, camber]).as_matrix()
    omega = tuple(np.array(omega) + spin * rotation[:, 1])
    return SimpleNamespace(position=(0.0, 0.0, height), velocity=tuple(v), rotation=rotation, omega=omega)


def rolling(law, height=0.3, v=10.0, slip=0.0, angle=0.0) -> SimpleNamespace:
    """An upright wheel with longitudinal slip velocity by speed, and a slip angle to the left."""
    radius = law.radius - law.sag * (law.radius - height)
    return wheel_at(height, (v, v * math.tan(angle), 0.0), spin=v * (1 - slip) / radius)


def done(law, at, z=None) -> np.ndarray:
    """The wrench on the wheel's centre."""
    z = (0.0,) * len(law.states) if z is None else z
    with fresh_graph():
        met = patch(at, law.radius, law.sag)
        return np.array([float(x) for x in wrench(met, law.road(met, z))])


def any_motion(rng) -> SimpleNamespace:
    scale = rng.choice([0.0, 0.01, 1.0, 20.0])
    return wheel_at(
        rng.uniform(0.25, 0.33), scale * rng.normal(size=3), rng.normal(size=3) * scale / 5.0,
        rng.normal() * 3.0 * scale, rng.normal(), rng.normal() * 0.2,
    )  # fmt: skip


# -- laws --------------------------------------------------------------------------------------------------------------


@every_law
def test_a_wheel_that_rolls_without_slip_only_carries(law):
    f = done(law, rolling(law))
    assert f[2] == pytest.approx(law.stiffness * 0.018)
    assert f[:2] == pytest.approx([0.0, 0.0], abs=1e-6)
    assert f[4] == pytest.approx(-0.01 * law.radius * f[2], rel=0.05)
    assert f[[3, 5]] == pytest.approx([0.0, 0.0], abs=1e-6)


@every_law
def test_touch_down_is_soft_and_nothing_pulls(law):
    for v in (-3.0, 3.0):
        assert done(law, wheel_at(law.radius, (20.0, 3.0, v))) == pytest.approx(0.0, abs=1e-12)
        assert np.abs(done(law, wheel_at(law.radius - 1e-9, (20.0, 3.0, v)))).max() < 1e-2
    assert done(law, wheel_at(0.317, (0.0, 0.0, 100.0)))[2] >= 0.0


def test_small_slip_meets_the_stiffness():
    slip, load = 1e-5, 200e3 * 0.018
    for law, along, aside in (
        (LAWS["saturating"], 22.0 / math.hypot(1, load / 6000), 18.0 / math.hypot(1, load / 6000)),
        (MAGIC, 22.0, 18.75 * 4000 * math.sin(2 * math.atan(load / 8000)) / load),
    ):
        slow = math.hypot(1.0, law.slow / 10.0)
        assert done(law, rolling(law, slip=slip))[0] * slow == pytest.approx(-along * load * slip, rel=1e-4)
        assert done(law, rolling(law, angle=slip))[1] * slow == pytest.approx(-aside * load * slip, rel=1e-4)


@pytest.mark.parametrize("slip", [0.01, 0.05, 0.12, 0.5])
def test_pure_slip_is_the_magic_formula(slip):
    law = replace(MAGIC, slow=1e-9, rolling_drag=0.0)
    load = 200e3 * 0.018
    tired = 1 + 0.15 * (load / 4000 - 1)
    for f, D, K, C, E in (
        (-done(law, rolling(law, slip=slip))[0], 1.05 * load / tired, 22.0 * load, 1.65, 0.2),
        (-done(law, rolling(law, angle=math.atan(slip)))[1], load / tired,
         75e3 * math.sin(2 * math.atan(load / 8000)), 1.3, -0.8),
    ):  # fmt: skip
        B = K / (C * D)
        x = B * slip
        assert f == pytest.approx(D * math.sin(C * math.atan(x - E * (x - math.atan(x)))), rel=1e-9)


def test_the_magic_tyre_peaks_at_its_grip_and_tires_under_load():
    def best(deflection, kind):
        at = (rolling(MAGIC, MAGIC.radius - deflection, 30.0, **{kind: x}) for x in np.linspace(0.02, 0.5, 49))
        return max(np.abs(f[:2]).max() / f[2] for f in (done(MAGIC, x) for x in at))

    assert best(0.02, "slip") == pytest.approx(1.05, rel=2e-3)  # at the nominal load
    assert best(0.02, "angle") == pytest.approx(1.0, rel=2e-3)
    assert best(0.04, "angle") == pytest.approx(1.0 / 1.15, rel=2e-3)


def test_a_slipping_wheel_is_aligned_until_it_slides():
    for law in (LAWS["saturating"], MAGIC):
        little, much = (done(law, rolling(law, angle=angle)) for angle in (1e-4, 0.6))
        assert little[5] == pytest.approx(-0.03 * little[1] * (1.0 if law is not MAGIC else 0.9), rel=1e-3)
        # one run: a bound of one law
        assert abs(much[5]) < 0.2 * 0.03 * abs(much[1])
        assert little[5] > 0.0 > little[1]  # it slips to the left, and is turned to the left


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("name", "grips", "degression"), [("saturating", (0.95, 0.95), 0.0), ("magic", (1.05, 1.0), 0.15)]
)
def test_no_motion_leaves_the_ellipse_of_friction(name, grips, degression, seed):
    rng, law, used = np.random.default_rng(seed), LAWS[name], []
    for _ in range(200):
        at = any_motion(rng)
        f, met = done(law, at), patch(at, law.radius, law.sag)
        forces = np.array([f[:3] @ x for x in (met.forward, met.left)]) / grips
        used.append(np.linalg.norm(forces) * (1 + degression * (f[2] / 4000 - 1)) - f[2])
        assert f[2] >= 0.0
    assert max(used) < 1e-9
    assert np.mean(np.array(used) > -100.0) > 0.05  # many slide


@every_law
@pytest.mark.parametrize("seed", range(3))
def test_no_motion_wins_energy(law, seed):
    """Power of the wrench = −d(stored)/dt − dissipated; with bristles while the load lasts."""
    rng, h = np.random.default_rng(seed), 1e-6
    for _ in range(60):
        at = any_motion(rng)
        z = tuple(rng.uniform(-1, 1, 2) / 181.5)[: len(law.states)]
        with fresh_graph():
            met = patch(at, law.radius, law.sag)
            lost, bending = float(law.dissipated(met, z)), [float(x) for x in law.rates(met, z)]
            assert lost >= 0.0
            if law.states:
                at = SimpleNamespace(**{**vars(at), "velocity": (*at.velocity[:2], 0.0), "omega": (0, 0, at.omega[2])})
                met = patch(at, law.radius, law.sag)
                lost, bending = float(law.dissipated(met, z)), [float(x) for x in law.rates(met, z)]
            f, kept = done(law, at, z), []
            for s in (-h, h):
                turned = Rotation.from_rotvec(s * np.array(at.omega)).as_matrix() @ at.rotation
                later = SimpleNamespace(**{**vars(at), "rotation": turned})
                later.position = tuple(np.array(at.position) + s * np.array(at.velocity))
                bent = tuple(x + s * v for x, v in zip(z, bending, strict=True))
                kept.append(float(law.stored(patch(later, law.radius, law.sag), bent)))
        power = f[:3] @ np.array(at.velocity) + f[3:] @ np.array(at.omega)
        change = (kept[1] - kept[0]) / (2 * h)
        assert power == pytest.approx(-change - lost, rel=1e-5, abs=1e-5 * (1 + abs(change)))


@pytest.mark.parametrize(
    ("law", "match"),
    [
        (SaturatingTyre(radius=0.0), "radius"),
        (SaturatingTyre(trail=0.1), "bore"),
        (MagicTyre(curvature_aside=1.5), "curvature"),
        (MagicTyre(nominal_load=-1.0), "nominal_load"),
        (BristleTyre(sliding=1.2), "sliding"),
    ],
)
def test_impossible_tyres_are_refused(law, match):
    m = sb.Model("wheel")
    with pytest.raises(sb.ModelError, match=match):
        tyre(m, "tyre", m.body("wheel", joints="T3", mass=1.0), law)


# -- wheels ------------------------------------------------------------------------------------------------------------


def test_bristles_come_to_the_friction_of_their_slip():
    """At a lasting slip the force is (g + σ₂|v|) N against it, alike in all directions."""
    law = BristleTyre(rolling_drag=0.0)
    m = sb.Model("sledge", gravity=(0, 0, 0))
    joints = [sb.Joint(k, t, "driven", q0=(0.0,)) for k, t in (("x", "T1"), ("y", "T2"))]
    m.parameter("vx", 0.3)
    m.parameter("vy", 0.4)
    on = m.ground.point("centre", (0, 0, 0.3))
    tyre(m, "tyre", m.body("wheel", on, joints, mass=1.0), law)
    m.trajectory("x")(lambda t, p: p.vx * t)
    m.trajectory("y")(lambda t, p: p.vy * t)
    s = sb.system(m, outputs=["tyre.*", "tyre_along", "tyre_aside"])
    for vx, vy in ((0.3, 0.4), (-0.05, 0.0), (6.0, -2.0)):
        s.parameters.update(vx=vx, vy=vy)
        run = sb.simulate(s, 1.0, 1e-4)
        speed, load = math.hypot(vx, vy), run["tyre.force.z"]
        g = 0.8 + 0.2 * math.exp(-math.sqrt(speed / 6.6))
        force = np.array([run["tyre.force.x"], run["tyre.force.y"]]) / load
        settled = -(g + 0.0018 * speed) * np.array([vx, vy]) / speed
        assert force[:, -1] == pytest.approx(settled, rel=1e-3)
        assert force[:, 0] != pytest.approx(settled, rel=0.2)  # it takes a while
        power = -load * (force[0] * vx + force[1] * vy)
        kept = run["tyre.stored"] - run["tyre.stored"][0]
        given, lost = (trapezoid(x, run.t) for x in (power, run["tyre.dissipated"]))
        assert kept[-1] + lost == pytest.approx(given, rel=1e-5)


def test_rolling_renews_bristles_and_gives_a_slip_stiffness():
    law = BristleTyre(renewal=7.0 / 6.0 / 0.2, rolling_drag=0.0)
    slip, at = 1e-5, rolling(law, slip=1e-5)
    z = 0.0
    for _ in range(3000):
        with fresh_graph():
            z += 1e-4 * float(law.rates(patch(at, law.radius, law.sag), (z, 0.0))[0])
    f = done(law, at, (z, 0.0))
    rolled = at.omega[1] * law.radius / 10.0  # by the speed
    assert f[0] / f[2] == pytest.approx(-law.sigma0 / law.renewal * slip / rolled, rel=1e-3)


def standing(law, gravity=(0.0, 0.0, -9.81), v=0.0, height=None, spin="R2") -> sb.Model:
    """A quarter of a car on one wheel that stays upright."""
    m = sb.Model("wheel", gravity=gravity)
    z = law.radius + 400 * gravity[2] / law.stiffness if height is None else height
    joints = [sb.Joint("x", "T1", v0=(v,)), sb.Joint("y", "T2"), sb.Joint("z", "T3", q0=(z,))]
    hub = m.body("hub", joints=joints, mass=380.0)
    axle = [sb.Joint("spin", "R2", v0=(v / 0.31,))] if spin else []
    tyre(m, "tyre", m.body("wheel", hub, axle, mass=20.0, inertia=(0.6, 1.05, 0.6)), law)
    return m


@every_law
def test_a_landing_wheel_keeps_account(law):
    """Dropped at speed without spin: it bounces, slides, and is spun up."""
    m = standing(law, v=15.0, height=0.37)
    m.bodies["wheel"].joints[0].v0 = (0.0,)
    m.bodies["hub"].joints[1].v0 = (0.5,)
    run = sb.simulate(m, 1.5, 2e-5, every=4e-05, outputs=["*"])
    assert run["tyre.force.z"].min() == 0.0
    assert run["spin.qd"][-1] * 0.31 == pytest.approx(run["x.qd"][-1], rel=0.05)
    kept = energy_balance(run, elements=["tyre"])
    assert kept.lost[-1] > 500.0
    exact = 1e-4 if not law.states else 2e-2  # bristles feel the changing load
    assert kept.drift < exact * kept.lost[-1]
    assert run["tyre.dissipated"].min() >= 0.0


@pytest.mark.parametrize("name", ["saturating", "magic"])
def test_a_wheel_in_a_steady_curve(name):
    """Turned at a constant rate it runs round a circle: side force m v Ω, at the slip angle that its stiffness asks."""
    law = replace(LAWS[name], rolling_drag=0.0, slow=0.1)
    m = sb.Model("curve")
    joints = [sb.Joint("x", "T1", v0=(10.0,)), sb.Joint("y", "T2"), sb.Joint("yaw", "R3", "driven", v0=(0.05,))]
    hub = m.body("hub", m.ground.point("height", (0, 0, law.radius - 0.02)), joints, mass=400.0)
    spin = sb.Joint("spin", "R2", "driven")
    tyre(m, "tyre", m.body("wheel", hub, [spin], mass=0.0), law)
    m.trajectory("yaw")(lambda t, p: 0.05 * t)
    m.trajectory("spin")(lambda t, p: 10.0 / (law.radius - 0.02 * law.sag) * t)
    run = sb.simulate(m, 6.0, 1e-3, outputs=["*"])
    vx, vy, yaw = run["x.qd"][-1], run["y.qd"][-1], run["yaw.q"][-1]
    force = np.array([run["tyre.force.x"][-1], run["tyre.force.y"][-1]])
    speed = math.hypot(vx, vy)
    assert np.linalg.norm(force) == pytest.approx(400.0 * 0.05 * speed, rel=1e-3)
    assert force @ [vx, vy] == pytest.approx(0.0, abs=1e-2 * speed * np.linalg.norm(force))
    assert speed == pytest.approx(10.0, rel=5e-3)
    angle = yaw - math.atan2(vy, vx)
    load = 4000.0
    by_load = 18.0 / math.hypot(1, load / 6000) if name == "saturating" else 15.0
    assert angle == pytest.approx(np.linalg.norm(force) / (by_load * load), rel=5e-3)


def test_bristles_hold_a_braked_wheel_on_a_slope():
    slope = (1.5, 0.0, -9.7)
    held = sb.simulate(standing(LAWS["bristle"], slope, spin=""), 20.0, 2e-4, every=0.01)
    assert np.ptp(held["x.q"][held.t > 10.0]) < 1e-9
    assert held["tyre_along"][-1] == pytest.approx(1.5 / 9.7 / 181.5, rel=1e-6)  # what the slope asks of the bristles
    assert held["x.q"][-1] < 3e-3
    creeping = sb.simulate(standing(LAWS["magic"], slope, spin=""), 20.0, 2e-4, every=0.01)
    assert creeping["x.q"][-1] > 0.1


def test_numbers_are_live_and_slopes_finite_in_the_air():
    s = sb.system(standing(MAGIC, v=10.0), outputs=["*"])
    assert s.at(0.0, s.x0)["tyre.force.z"] == pytest.approx(400 * 9.81)
    s.parameters["tyre_stiffness"] = 100e3
    assert s.at(0.0, s.x0)["tyre.force.z"] == pytest.approx(200 * 9.81)
    aloft = s.x0 + [name == "z.q" for name in s.states]
    for x in (s.x0, aloft):
        assert all(np.isfinite(slope).all() for slope in s.linear(0.0, x))
