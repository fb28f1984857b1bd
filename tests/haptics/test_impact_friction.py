"""Impacts with friction (impact_friction.h): one contact against closed forms, many against what energy allows."""

import numpy as np
import pytest
from random_scenes import closing_rows, mass_matrix, planar_scene, spatial_scene, throw

from symbody.haptics import ContactFriction, ContactModel, HapticBody, HapticScene, Rendering, box, rectangle

FLOOR = {"floor": rectangle(4.0, 0.2, (0.0, -0.1))}
BITE = 1e-9  # m that a corner is in


def settings(restitution, friction):
    return Rendering(ContactModel(restitution=restitution, damping=0.0), ContactFriction(impact=friction))


def on_corner(angle, velocity, restitution, friction, mass=2.0, inertia=0.005, size=(0.2, 0.02)):
    """A rod whose lower corner touches the floor, turned by an angle; the way from its middle to that corner."""
    corners = np.array([(i * size[0] / 2, j * size[1] / 2) for i in (-1, 1) for j in (-1, 1)])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corner = min((turn @ c for c in corners), key=lambda c: c[1])
    rod = HapticBody("rod", rectangle(*size), mass, inertia, (0.0, -corner[1] + 1e-6, angle), velocity)
    scene = HapticScene([rod], FLOOR, rendering=settings(restitution, friction))
    scene.q[1] -= 1e-6 + BITE
    return scene, corner


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(("spin", "friction"), [(0.0, 0.1), (0.0, 2.0), (40.0, 0.1), (40.0, 5.0), (-60.0, 0.3)])
def test_a_ball_with_spin_sticks_or_slides_as_theory_says(restitution, spin, friction):
    """A square on its corner is a ball: the normal passes its middle. Sliding takes μ (1 + e) m v_n, and stops at 0."""
    mass, inertia, r = 2.0, 0.005, np.sqrt(0.5) * 0.1
    velocity = (0.3, -1.0, spin)
    scene, arm = on_corner(np.pi / 4, velocity, restitution, friction, mass, inertia, (0.1, 0.1))
    assert arm == pytest.approx([0.0, -r])
    scene.impact()
    slip = velocity[0] + spin * r
    to_stick = -slip / (1 / mass + r**2 / inertia)
    most = friction * (1 + restitution) * mass
    p = np.clip(to_stick, -most, most)
    assert scene.v == pytest.approx([velocity[0] + p / mass, restitution, spin + r * p / inertia], abs=1e-6)
    force = scene.contacts()[0].force * scene.dt
    assert force[:2] == pytest.approx([p, (1 + restitution) * mass], rel=1e-6, abs=1e-7)


def one_contact(W, v, restitution, friction):
    """(p_n, p_t) of Newton and Coulomb at one contact of the plane, case by case: it sticks, or slides on one way."""
    back = np.array([-(1 + restitution) * v[0], -v[1]])
    found = []
    stick = np.linalg.solve(W, back)
    if stick[0] >= 0 and abs(stick[1]) <= friction * stick[0]:
        found.append(stick)
    for sign in (-1.0, 1.0):  # of the velocity that is left
        pn = back[0] / (W[0, 0] - sign * friction * W[0, 1])
        p = np.array([pn, -sign * friction * pn])
        if pn >= 0 and sign * (v + W @ p)[1] > 0:
            found.append(p)
    return found


def test_a_rod_on_a_rough_floor_sticks_or_slides_as_theory_says():
    """Where theory gives more energy than there was, all of it is left, and no more."""
    random, kinds = np.random.default_rng(5), {"sticks": 0, "slides": 0, "gains": 0}
    for _ in range(250):
        restitution, friction = random.uniform(0.0, 1.0), random.uniform(0.05, 0.8)
        velocity = (*random.normal(size=2), 5 * random.normal())
        scene, r = on_corner(random.uniform(0.2, 1.4), velocity, restitution, friction)
        J = np.array([[0.0, 1.0, r[0]], [1.0, 0.0, -r[1]]])
        W, v = J @ np.diag([0.5, 0.5, 200.0]) @ J.T, J @ velocity
        if v[0] >= -0.01:
            continue
        before, after = scene.impact()
        assert after <= before * (1 + 1e-12)
        possible = one_contact(W, v, restitution, friction)
        results = [velocity + np.diag([0.5, 0.5, 200.0]) @ J.T @ p for p in possible]
        D = np.array([2.0, 2.0, 0.005])
        if min(0.5 * D @ x**2 for x in results) > before * (1 + 1e-9):
            kinds["gains"] += 1
            assert after == pytest.approx(before, rel=1e-12)
            continue
        nearest = min(np.abs(scene.v - x).max() for x in results)
        assert nearest < 1e-5 * np.abs(scene.v).max()
        kinds["sticks" if abs((J @ scene.v)[1]) < 1e-6 else "slides"] += 1
    assert min(kinds["sticks"], kinds["slides"]) > 10
    assert kinds["gains"] > 0


def test_a_box_in_space_slides_against_its_motion():
    body = HapticBody("b", box(0.04, 0.04, 0.02), 1.0, (1.0,) * 3, (0.0, 0.0, 0.011), (0.3, 0.4, -1.0, 0, 0, 0))
    scene = HapticScene([body], {"floor": box(1, 1, 0.2, (0, 0, -0.1))}, rendering=settings(0.2, 0.1))
    scene.q[2] = 0.01 - BITE
    scene.impact()
    speed = 0.5 - 0.1 * 1.2  # mu (1 + e) v_n; inertia is so large that it does not turn
    assert scene.v[:3] == pytest.approx([0.6 * speed, 0.8 * speed, 0.2], abs=1e-3)


@pytest.mark.parametrize("make", [planar_scene, spatial_scene])
def test_energy_never_grows_and_normals_are_as_without_friction(make):
    random, hits, many, taken = np.random.default_rng(2), 0, 0, 0
    scene = make(3)
    for _ in range(250):
        restitution, friction = (
            float(random.choice([0.0, random.uniform(), 1.0])),
            float(random.choice([0.1, 0.5, 3.0])),
        )
        throw(scene, random)
        scene._look()
        J, D, v = closing_rows(scene), mass_matrix(scene), scene.v.copy()
        scene.use(settings(restitution, 0.0))
        _, smooth = scene.impact()
        normal = J @ scene.v
        scene.v[:] = v
        scene.use(settings(restitution, friction))
        before, after = scene.impact()
        if not len(J):
            continue
        assert after == pytest.approx(0.5 * scene.v @ D @ scene.v)
        assert after <= before * (1 + 1e-12)
        assert smooth <= before * (1 + 1e-12)
        assert J @ scene.v == pytest.approx(normal, abs=1e-6 * np.abs(v).max())
        hits, many, taken = hits + 1, many + (len(J) > 4), taken + (after < 0.999 * smooth)
    assert hits > 100
    assert many > 5
    # one run: counts of 250 impacts
    assert taken > 0.7 * hits


@pytest.mark.slow
def test_energy_never_grows_in_ten_thousand_impacts_with_friction():
    random, worst, hits = np.random.default_rng(9), -np.inf, 0
    for seed in range(20):
        scene = (planar_scene if seed % 2 else spatial_scene)(seed, bodies=4)
        for _ in range(1000):
            scene.use(settings(float(random.choice([0.0, random.uniform(), 1.0])), 10 ** random.uniform(-2, 1)))
            throw(scene, random)
            before, after = scene.impact()
            if after != before:
                worst, hits = max(worst, after / before - 1.0), hits + 1
    assert hits > 10_000
    assert worst < 1e-12


def test_smooth_impacts_stay_what_they_were():
    scene, _ = on_corner(0.7, (1.0, -1.0, 3.0), 0.4, 0.0)
    before, after = scene.impact()
    assert scene.v[0] == 1.0
    # one run: energy that an impact must lose
    assert after < before
