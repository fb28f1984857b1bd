"""Particles of soil: free flight, collisions, friction on slopes, heaps, rest, and merging with the ground."""

import numpy as np
import pytest
from soil_drive import SoilDrive, ToolBox, box_on

from symbody.errors import ModelError
from symbody.realtime.unclocked import Unclocked
from symbody.studio import soil_view
from symbody.studio.soil_view import FRESH, TINT
from symbody.terrain import Soil, Terrain

DT = 1e-3


def moved(ground, seconds):
    """Run a terrain without bodies; returns positions and velocities (n, 3) of its particles."""
    steps = Unclocked(ground, DT)
    for _ in range(round(seconds / DT)):
        assert steps.step()
    now = ground._memory
    return ground.particles, now["velocity"].reshape(-1, 3)[now["alive"] > 0.0]


def column(ground, count, across=4, seed=0):
    """Places of particles in a loose column in the middle of the terrain."""
    r, k, rng = ground.particle_radius, np.arange(count), np.random.default_rng(seed)
    middle = 0.5 * (ground.start.x[-1] + ground.start.x[0]), 0.5 * (ground.start.y[-1] + ground.start.y[0])
    x, y = (
        middle[0] + 2.2 * r * (k % across - 0.5 * across),
        middle[1] + 2.2 * r * (k // across % across - 0.5 * across),
    )
    places = np.column_stack([x, y, 1.1 * r + 2.2 * r * (k // across**2)])
    return places + rng.uniform(-0.1 * r, 0.1 * r, places.shape)


def test_a_particle_flies_freely():
    ground = Terrain(np.zeros((40, 40)), 0.1, soil=Soil(drag=0.0), particles=1)
    ground.pour((1.0, 2.0, 3.0), (1.5, 0.0, 2.0))
    p, v = moved(ground, 0.4)
    assert p[0] == pytest.approx([1.6, 2.0, 3.0 + 0.8 - 0.5 * 9.81 * 0.16], abs=0.5 * 9.81 * 0.4 * DT + 1e-9)
    assert v[0] == pytest.approx([1.5, 0.0, 2.0 - 9.81 * 0.4])


@pytest.mark.parametrize("seed", range(10))
def test_collisions_keep_momentum_and_lose_energy(seed):
    rng = np.random.default_rng(seed)
    ground = Terrain(np.zeros((40, 40)), 0.1, soil=Soil(drag=0.0), particles=2, gravity=0.0)
    r = ground.particle_radius
    apart = rng.standard_normal(3)
    apart *= 2.2 * r / np.linalg.norm(apart)
    away = np.array([2.0, 2.0, 3.0])
    speed = -1.0 * apart / np.linalg.norm(apart) + 0.2 * rng.standard_normal(3)
    ground.pour([away, away + apart], [np.zeros(3), speed])
    _, v = moved(ground, 0.2)
    spin = ground._memory["spin"].reshape(-1, 3)
    assert v.sum(axis=0) == pytest.approx(speed, abs=1e-12)
    assert np.linalg.norm(v[0]) > 0.2  # they met
    energy = 0.5 * (v**2).sum() + 0.2 * r**2 * (spin**2).sum()
    assert energy < 0.5 * speed @ speed
    p = ground.particles  # angular momentum about the centre of mass, per mass: 2/5 r² ω of each, and the orbits
    whole = sum(np.cross(p[k] - p.mean(axis=0), v[k] - v.mean(axis=0)) + 0.4 * r**2 * spin[k] for k in range(2))
    before = 0.5 * np.cross(apart, speed)
    assert whole == pytest.approx(before, abs=0.03 * np.linalg.norm(before) + 2e-3 * r)


@pytest.mark.parametrize("seed", range(10))
def test_all_pairs_that_overlap_push_each_other_apart(seed):
    """Against all pairs by brute force, in wide and tall clouds: after one step from rest Δv = dt/m Σ k (2r − d) n."""
    rng = np.random.default_rng(seed)
    ground = Terrain(np.zeros((60, 80)), 0.1, soil=Soil(drag=0.0), particles=700, gravity=0.0)
    r, count, box = ground.particle_radius, 650, rng.permutation([12.0, 16.0, 60.0 + 200.0 * (seed % 2)])
    p = (3.5, 2.9, 0.5) + r * box * rng.uniform((-0.5, -0.5, 0.0), (0.5, 0.5, 1.0), (count, 3))
    p = p[ground.start.contains(p[:, 0], p[:, 1])]
    ground.pour(p)
    _, v = moved(ground, DT)
    d = p[:, np.newaxis] - p
    away = np.linalg.norm(d, axis=-1) + np.eye(len(p))
    depth = np.where(np.eye(len(p)) == 0.0, np.maximum(2.0 * r - away, 0.0), 0.0)
    assert np.count_nonzero(depth) > 100
    np.testing.assert_allclose(v, (0.15**2 / DT) * np.einsum("ab,abk->ak", depth / away, d), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("angle", "friction"), [(25.0, 0.3), (30.0, 0.3), (30.0, 0.45)])
def test_a_particle_that_cannot_roll_slides_as_a_block(angle, friction):
    """a = g (sin α − μ cos α)."""
    slope = np.tan(np.radians(angle))
    soil = Soil(friction=np.radians(50.0), particle_friction=friction, rolling_friction=2.0, drag=0.0)
    ground = Terrain(
        lambda x, y: 5.0 - slope * x, 0.1, area=(0.0, 0.0, 8.0, 2.0), soil=soil, particles=1, merging=False
    )
    r, a = ground.particle_radius, np.radians(angle)
    ground.pour((1.0, 1.0, 5.0 - slope + r / np.cos(a)))
    speeds = [np.linalg.norm(moved(ground, seconds)[1]) for seconds in (0.4, 0.9)]
    expected = 0.5 * 9.81 * (np.sin(a) - friction * np.cos(a))
    assert speeds[1] - speeds[0] == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(("friction", "rolling", "rests"), [(0.5, 0.5, True), (0.35, 0.5, False), (0.5, 0.35, False)])
def test_a_particle_rests_on_slopes_below_both_frictions(friction, rolling, rests):
    soil = Soil(friction=np.radians(50.0), particle_friction=friction, rolling_friction=rolling)
    ground = Terrain(lambda x, y: 5.0 - 0.42 * x, 0.1, area=(0.0, 0.0, 8.0, 2.0), soil=soil, particles=1, merging=False)
    ground.pour((1.0, 1.0, 4.58 + ground.particle_radius * np.hypot(1.0, 0.42)))
    p, v = moved(ground, 1.5)
    assert (p[0, 0] - 1.0 < 0.01) == rests
    assert (np.linalg.norm(v) < 1e-5) == rests


def slope_of_heap(friction, seed):
    """Angle (°) of a heap of poured particles: of the cone with their mean height and mean distance from the axis."""
    soil = Soil(particle_friction=friction, rolling_friction=friction)
    ground = Terrain(np.zeros((40, 40)), 0.1, soil=soil, particles=200, merging=False)
    ground.pour(column(ground, 200, 3, seed))
    p, _ = moved(ground, 2.5)
    far = np.hypot(*(p[:, :2] - p[:, :2].mean(axis=0)).T)
    low = p[:, 2] < 3.0 * ground.particle_radius
    height, foot = np.sort(p[:, 2])[-5:].mean(), np.sort(far[low])[-20:].mean()
    return np.degrees(np.arctan(height / foot))


@pytest.mark.slow
def test_heaps_are_steeper_with_more_friction_and_not_steeper_than_it():
    frictions = (0.15, 0.4, 0.8)
    angles = np.array([[slope_of_heap(friction, seed) for seed in range(3)] for friction in frictions]).mean(axis=1)
    assert (np.diff(angles) > 3.0).all(), angles
    assert (angles < np.degrees(np.arctan(frictions)) + 6.0).all(), angles
    assert angles[-1] > 18.0, angles


@pytest.mark.slow
def test_particles_at_rest_stay_at_rest_for_ten_minutes():
    """In a tray that keeps them from merging. Nothing moves, not even by rounding errors that add up."""
    ground, dt, k = Terrain(np.zeros((20, 20)), 0.1, particles=20), 4e-3, np.arange(20)
    plates = [ToolBox((0.4, 0.4, 0.04))]
    plates += [ToolBox((0.04, 0.4, 0.3), (x, 0.0, 0.15)) for x in (-0.18, 0.18)]
    plates += [ToolBox((0.4, 0.04, 0.3), (0.0, y, 0.15)) for y in (-0.18, 0.18)]
    box_on(ground, *plates, pitch=0.4)
    ground.pour(np.column_stack([0.86 + 0.09 * (k % 3), 0.86 + 0.09 * (k // 3 % 3), 0.57 + 0.09 * (k // 9)]))
    drive = SoilDrive(ground, dt)
    drive.step((0.95, 0.95, 0.5))
    drive.rest(2500)
    before, weight = ground.particles.copy(), 20 * ground.soil.density * ground.particle_volume * 9.81
    assert drive.output("tool.soil.carried") == pytest.approx(weight / 9.81)
    drive.rest(round(600.0 / dt))
    assert np.abs(ground.particles - before).max() < 1e-6
    assert drive.output("tool.soil.force.z") == pytest.approx(-weight, rel=1e-6)


@pytest.mark.parametrize("loosening", [0.0, 0.3])
def test_particles_at_rest_on_the_ground_become_ground(loosening):
    ground = Terrain(np.zeros((40, 40)), 0.1, soil=Soil(loosening=loosening), particles=40)
    ground.pour(column(ground, 40))
    volume = ground.volume
    p, _ = moved(ground, 5.0)
    assert len(p) == 0
    assert ground.volume == pytest.approx(volume, rel=1e-12)
    assert ground.heights.sum() * 0.01 == pytest.approx(40 * ground.particle_volume, rel=1e-12)
    assert np.degrees(ground.steepest) <= 35.0 + 1e-9


def test_cut_soil_loosens_and_its_particles_grow():
    """e(t) = e∞ − (e∞ − e₀) exp(−t/τ), V ∝ 1 + e: the void ratio, and the height at which a particle rests."""
    soil = Soil(loosening=0.4, loosening_time=0.2)
    ground = Terrain(np.zeros((40, 40)), 0.1, soil=soil, particles=1, merging=False)
    r, end = ground.particle_radius, soil.void_ratio + 0.4
    ground.pour((2.0, 2.0, r))
    steps = Unclocked(ground, DT)
    assert steps.step()
    assert ground.void_ratios == pytest.approx([end])  # poured soil is loose
    ground._memory["voids"][0] = soil.void_ratio  # as if it had just been cut
    for k in range(1, 4001):
        assert steps.step()
        if k in (100, 300):
            assert ground.void_ratios == pytest.approx([end - 0.4 * np.exp(-k * DT / 0.2)], rel=1e-9)
    grown = (2.0 / 1.6) ** (1.0 / 3.0)
    overlap = 9.81 * (DT / 0.15) ** 2  # m g/k of the contact spring
    assert ground.particles[0, 2] == pytest.approx(r * grown - overlap, rel=1e-4)
    assert ground.loose_volume == pytest.approx(ground.particle_volume * 2.0 / 1.6, rel=1e-5)


@pytest.mark.parametrize("seed", range(10))
def test_a_blade_conserves_the_volume_of_soil_that_loosens(seed):
    ground = Terrain(np.zeros((40, 60)), 0.1, soil=Soil(loosening=0.2), particles=200, seed=seed)
    drive, before = SoilDrive(box_on(ground, ToolBox((0.05, 0.8, 0.4), (0.0, 0.0, 0.2))), DT), ground.volume
    for n in range(700):
        drive.step((1.0 + DT * n, 2.0, -min(2.0 * DT * n, 0.08)), (1.0, 0.0, 0.0))
    cut, _ = ground.cut_and_merged
    assert cut > 20
    assert soil_between(ground.void_ratios, 0.6, 0.8)
    assert ground.loose_volume > len(ground.particles) * ground.particle_volume
    assert abs(ground.volume - before) < 1e-9 * cut * ground.particle_volume
    assert_numbered_and_drawn_by_their_voids(ground, cut)
    drive.step((1.7, 2.0, 0.6))
    drive.rest(6000)
    assert len(ground.particles) == 0
    assert abs(ground.volume - before) < 1e-9 * cut * ground.particle_volume


def assert_numbered_and_drawn_by_their_voids(ground, cut):
    """Numbers are those of births; less loose particles are smaller and darker in the studio."""
    rows = ground.particle_rows
    np.testing.assert_array_equal(rows.centres, ground.particles)
    assert len(set(rows.numbers)) == len(rows.numbers)
    assert rows.numbers.min() >= 1
    assert rows.numbers.max() == cut
    np.testing.assert_allclose(rows.radii, ground.particle_radius * np.cbrt((1.0 + rows.void_ratios) / 1.6), rtol=1e-9)
    (_, loose), grown = soil_view(ground), (rows.void_ratios - 0.6) / 0.2
    bright = loose.now().colours[:, 0] / 0xC8
    np.testing.assert_allclose(bright, FRESH + (1.0 - FRESH) * grown, rtol=TINT + 1e-9)


def soil_between(ratios, low, high):
    """Some particles are on their way from the ground's void ratio to the loose one."""
    return ratios.min() >= low and ratios.max() <= high and np.ptp(ratios) > 0.01


def test_places_of_merged_particles_are_used_again():
    ground = Terrain(np.zeros((40, 60)), 0.1, particles=40, merging=True)
    drive = SoilDrive(box_on(ground, ToolBox((0.05, 0.5, 0.4), (0.0, 0.0, 0.2))), DT)
    for begin in (1.0, 2.5, 4.0):
        before = ground.cut_and_merged[0]
        for n in range(300):
            drive.step((begin + DT * n, 2.0, -min(2.0 * DT * n, 0.06)), (1.0, 0.0, 0.0))
        drive.step((begin, 2.0, 0.5))
        drive.rest(3000)
        cut, merged = ground.cut_and_merged
        assert cut - before > 10
        assert merged == cut


def test_a_tool_pushes_and_lifts_particles_and_feels_their_weight():
    ground = Terrain(np.zeros((30, 30)), 0.1, particles=16)
    box_on(ground, ToolBox((0.6, 0.6, 0.05)), pitch=0.3)
    places = np.add(column(ground, 16), (0.0, 0.0, 0.6))
    ground.pour(places)
    drive = SoilDrive(ground, DT)
    for _ in range(1500):
        force = drive.step((1.4, 1.4, 0.5))
    weight = 16 * ground.soil.density * ground.particle_volume * 9.81
    assert force[2] == pytest.approx(-weight, rel=1e-3)


@pytest.mark.parametrize(
    ("position", "words"),
    [
        ((9.0, 0.5, 1.0), "over the terrain"),
        ((np.nan, 0.5, 1.0), "over the terrain"),
        (np.ones((30, 3)), "room for 20"),
    ],
)
def test_particles_that_cannot_be_are_named(position, words):
    ground = Terrain(np.zeros((20, 20)), 0.1, particles=20)
    with pytest.raises(ModelError, match=words):
        ground.pour(position)
