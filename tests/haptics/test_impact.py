"""Simultaneous impacts (impact.h) against the formula in NumPy, energy and momentum, and the arm of the thesis."""

import numpy as np
import pytest
from random_scenes import closing_rows, mass_matrix, planar_scene, spatial_scene, throw

from symbody.haptics import ContactModel, HapticBody, HapticScene, Linkage, Rendering, WrenchLimit, rectangle
from symbody.haptics.thesis_scenes.two_link import PLACES, THEORY, arm, loss


@pytest.mark.parametrize("restitution", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("place", PLACES)
def test_two_links_lose_what_theory_says(place, restitution):
    before, lost = loss(place, restitution)
    assert before == pytest.approx(7.0 / 3.0, rel=1e-14)
    assert lost == pytest.approx((1.0 - restitution**2) * THEORY[place], rel=1e-13, abs=1e-14)


def test_all_is_lost_at_the_centre_of_percussion_and_only_part_elsewhere():
    assert loss(1.5, 0.0)[1] == pytest.approx(loss(1.5, 0.0)[0])
    assert 0.1 < loss(0.7, 0.0)[1] / loss(0.7, 0.0)[0] < 0.2


@pytest.mark.parametrize("make", [planar_scene, spatial_scene])
@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
def test_velocities_are_those_of_the_formula(make, restitution):
    """v' = v − (1 + e) D⁻¹ Jᵀ (J D⁻¹ Jᵀ)⁺ J v, where J is well conditioned; groups at once or apart are the same."""
    random, compared = np.random.default_rng(7), 0
    scene = make(1, restitution=restitution)
    for _ in range(150):
        throw(scene, random)
        scene._look()
        J, D = closing_rows(scene), mass_matrix(scene)
        v = scene.v.copy()
        W = J @ np.linalg.solve(D, J.T)
        values = np.linalg.eigvalsh(W) if len(W) else np.array([1.0])
        if not len(J) or np.any((values > 1e-13 * values[-1]) & (values < 1e-8 * values[-1])):
            continue
        expected = v - (1 + restitution) * np.linalg.solve(D, J.T @ (np.linalg.pinv(W, rcond=1e-10) @ (J @ v)))
        before, after = scene.impact()
        assert before == pytest.approx(0.5 * v @ D @ v)
        assert after == pytest.approx(0.5 * scene.v @ D @ scene.v)
        assert scene.v == pytest.approx(expected, rel=1e-6, abs=1e-7 * np.abs(v).max())
        compared += 1
    assert compared > 50


def grown(make, scenes, throws):
    """The largest growth of energy, as a share, over random impacts; and how many there were."""
    random, worst, hits, redundant = np.random.default_rng(11), -np.inf, 0, 0
    for seed in range(scenes):
        scene = make(seed, restitution=float(random.choice([0.0, 1.0, random.uniform()])))
        for _ in range(throws):
            throw(scene, random)
            if random.uniform() < 0.3:  # nearly redundant: aligned bodies, or all but aligned
                for made in scene.c.objects[: scene.c.nobjects]:
                    if made.kind == 0:
                        scene.q[made.q + 2] = random.integers(4) * np.pi / 2 + random.choice([0.0, 1e-9, 1e-6])
            before, after = scene.impact()
            if before > 0.0 and after != before:
                worst, hits = max(worst, after / before - 1.0), hits + 1
            redundant += scene.c.memory.ncontacts > 8
    return worst, hits, redundant


@pytest.mark.parametrize("make", [planar_scene, spatial_scene])
def test_kinetic_energy_never_grows(make):
    worst, hits, redundant = grown(make, 4, 300)
    assert hits > 500
    assert redundant > 20
    assert worst < 1e-12


@pytest.mark.slow
def test_kinetic_energy_never_grows_in_a_hundred_thousand_impacts():
    found = [grown(make, 20, 3500) for make in (planar_scene, spatial_scene)]
    assert sum(hits for _, hits, _ in found) > 100_000
    assert max(worst for worst, _, _ in found) < 1e-12


def test_momentum_is_kept_where_there_is_no_ground():
    random, hits = np.random.default_rng(3), 0
    scene = planar_scene(5, linkage=False, walls=False, restitution=0.7)
    masses = np.array([one.mass for one in scene.objects])
    spins = np.array([one.inertia for one in scene.objects])

    def momentum():
        q, v = scene.q.reshape(-1, 3), scene.v.reshape(-1, 3)
        turning = masses * (q[:, 0] * v[:, 1] - q[:, 1] * v[:, 0]) + spins * v[:, 2]
        return np.array([masses @ v[:, 0], masses @ v[:, 1], turning.sum()])

    for _ in range(200):
        throw(scene, random)
        before, size = momentum(), np.abs(scene.v).max()
        energies = scene.impact()
        hits += energies[0] != energies[1]
        assert momentum() == pytest.approx(before, abs=1e-11 * size)
    assert hits > 50


def pair(two_rows):
    """2 kg at 1 m/s against 1 kg at rest, elastic."""
    bodies = [HapticBody("a", rectangle(0.1, 0.1), 2.0, 0.01, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
              HapticBody("b", rectangle(0.1, 0.1), 1.0, 0.01, (0.1 - 1e-9, 0.0, 0.0))]  # fmt: skip
    return HapticScene(bodies, rendering=Rendering(ContactModel(restitution=1.0, two_rows=two_rows)))


def test_pairs_keep_momentum_and_rows_for_each_body_do_not():
    scene = pair(two_rows=False)
    before, after = scene.impact()
    assert scene.v[[0, 3]] == pytest.approx([1.0 / 3.0, 4.0 / 3.0])
    assert after == pytest.approx(before)
    scene = pair(two_rows=True)
    before, after = scene.impact()
    assert scene.v[[0, 3]] == pytest.approx([-1.0, 0.0])  # as the thesis has it: momentum 2 becomes −2
    assert after == pytest.approx(before)


def test_the_force_on_the_first_body_is_its_own_impulse_with_rows_for_each():
    scene = pair(two_rows=True)
    scene.impact()
    assert sum(c.force[0] for c in scene.contacts()) * scene.dt == pytest.approx(2.0 * (-1.0 - 1.0))  # N s: m Δv


def folding_arm(two_rows, e):
    """Three rods, the third just above the first and falling onto it; its velocities are random."""
    rod = rectangle(0.042, 0.01, (0.021, 0.0))
    chain = arm((0.042, 0.042, 0.042), (3.0, 3.0, 1.0))
    linkage = Linkage("arm", chain, {"link1": rod, "link2": rod, "link3": rod}, q=(0.1, 1.0, 1.0))
    scene = HapticScene([linkage], rendering=Rendering(ContactModel(restitution=e, two_rows=two_rows)))
    for scene.q[2] in np.arange(1.0, 3.0, 1e-3):
        if scene._look() and scene.contacts():
            break
    scene.v[:] = np.random.default_rng(4).normal(size=3)
    scene.v[2] += 3.0
    return scene, linkage


def normal_velocities(scene, linkage):
    """n·v of the points of both links at each contact (m/s), from the Jacobians of the linkage alone."""
    found = linkage.function(scene.q, np.zeros(3))
    rows = []
    for c in scene.contacts():
        links = [("arm.link1", "arm.link2", "arm.link3").index(name) for name in (c.a, c.b)]
        arms = [np.cross(c.point - found.position[k], c.normal) for k in links]
        J = [c.normal @ found.J[k][:3] + r @ found.J[k][3:] for k, r in zip(links, arms, strict=True)]
        rows.append([row @ scene.v for row in J])
    return np.array(rows)


def test_two_links_of_one_linkage_each_obey_restitution_with_rows_for_each():
    """Thesis 4.22 and 4.23: n·J_i q̇ = −e n·J_i q̇₀ for both; with one row only their difference obeys."""
    e = 0.4
    for two_rows in (True, False):
        scene, linkage = folding_arm(two_rows, e)
        scene._look()
        first = normal_velocities(scene, linkage)
        assert np.all(first[:, 0] - first[:, 1] < -0.01)
        before, after = scene.impact()
        last = normal_velocities(scene, linkage)
        # one run: energy that an impact must lose
        assert after < before
        assert last[:, 0] - last[:, 1] == pytest.approx(-e * (first[:, 0] - first[:, 1]))
        assert two_rows == (last == pytest.approx(-e * first))


def test_impulses_are_those_of_least_norm():
    """A peg flat on a floor: two redundant contacts share alike."""
    peg = HapticBody("peg", rectangle(0.04, 0.02), 2.0, 0.005, (0.0, 0.01 - 1e-9, 0.0), (0.0, -1.0, 0.0))
    scene = HapticScene([peg], {"floor": rectangle(1.0, 0.1, (0.0, -0.05))})
    scene.impact()
    pushes = [c.force[1] * scene.dt for c in scene.contacts()]
    assert pushes == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize(("how", "restituted"), [("spread-exact", 0.5), ("spread", 0.2)])
def test_an_impulse_that_is_spread_exactly_restitutes_as_one_at_once(how, restituted):
    """2 kg at 0.1 m/s and 15 N: some ten ticks; applied anew at each, e is lost on the way."""
    peg = HapticBody("peg", rectangle(0.04, 0.02), 2.0, 0.005, (0.0, 0.0105, 0.0), (0.0, -0.1, 0.0))
    rendering = Rendering(ContactModel(stiffness=0.0, damping=0.0, restitution=0.5), limit=WrenchLimit(how))
    scene = HapticScene([peg], {"floor": rectangle(1.0, 0.1, (0.0, -0.05))}, tool="peg", rendering=rendering)
    log = scene.run(0.2)
    assert 6 < np.count_nonzero(log["impacts"]) < 20
    assert np.abs(log["felt"]).max() <= 15.0
    if how == "spread-exact":
        assert scene.v[1] == pytest.approx(restituted * 0.1, rel=0.02)
    else:
        assert scene.v[1] < restituted * 0.1
        hit = log["impacts"] > 0
        assert np.max((log["after"] - log["before"])[hit]) < 1e-15
