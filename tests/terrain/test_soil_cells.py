"""Cells of deformable soil: volume, slopes after settling, and the pressure at their base."""

import numpy as np
import pytest
from scipy.signal import convolve2d
from soil_drive import SoilDrive, ToolBox, box_on, wheel_on

from symbody.errors import ModelError
from symbody.model.rotation import matrix
from symbody.terrain import Soil, Terrain, mountain


def hills(seed, shape=(40, 48), spacing=0.1, rough=0.3):
    """Random ground about 1 m above zero, with slopes of all sizes."""
    rng = np.random.default_rng(seed)
    return 1.0 + rough * rng.standard_normal(shape), spacing


@pytest.mark.parametrize("seed", range(10))
def test_slopes_settle_below_the_friction_angle_and_the_volume_stays(seed):
    ground = Terrain(*hills(seed), particles=0)
    volume, before = ground.volume, ground.steepest
    ground.settle()
    assert np.degrees(before) > 60.0
    assert np.degrees(ground.steepest) <= 35.0 + 1e-9
    assert ground.volume == pytest.approx(volume, rel=1e-12)


@pytest.mark.parametrize("angle", [20.0, 30.0, 35.0, 40.0])
def test_a_column_becomes_a_heap_with_the_friction_angle(angle):
    heights = np.zeros((61, 61))
    heights[27:34, 27:34] = 1.5
    ground = Terrain(heights, 0.1, soil=Soil(friction=np.radians(angle)), particles=0)
    ground.settle()
    side = np.degrees(np.arctan(-np.diff(ground.heights[30, 30:]) / 0.1))
    assert side.max() == pytest.approx(angle, abs=1.5)  # the flow stops a little below the angle at which it begins
    assert np.degrees(ground.steepest) <= angle + 1e-9


def test_each_cell_can_have_its_own_friction():
    heights = np.zeros((40, 80))
    heights[:, 38:42] = 1.0
    friction = np.full(heights.shape, np.radians(35.0))
    friction[:, :40] = np.radians(15.0)
    ground = Terrain(heights, 0.1, friction=friction, particles=0)
    ground.settle()
    slopes = np.degrees(np.arctan(np.abs(np.diff(ground.heights[20])) / 0.1))
    assert slopes[:38].max() <= 15.0 + 1e-9
    assert slopes[42:].max() > 30.0


@pytest.mark.parametrize("seed", range(10))
def test_the_volume_stays_over_random_work(seed):
    """A tool digs, presses, lifts and turns at random; cells, particles and loose soil on the tool keep their sum."""
    rng = np.random.default_rng(seed)
    ground = box_on(Terrain(*hills(seed, (24, 28), rough=0.05), particles=40, seed=seed), ToolBox((0.3, 0.6, 0.05)))
    drive, volume = SoilDrive(ground, 2e-3), ground.volume
    p, middle = np.array([1.3, 1.1, 1.2]), np.array([1.3, 1.1, 0.85])
    for _ in range(20):
        v, w = 4.0 * (middle - p) + rng.uniform(-1.5, 1.5, 3), rng.uniform(-3.0, 3.0, 3)
        R = matrix(rng.uniform(-0.7, 0.7, 3))
        for _ in range(30):
            p = p + drive.dt * v
            drive.step(p, v, R, w)
    cut, _ = ground.cut_and_merged
    assert cut > 10
    assert ground.volume == pytest.approx(volume, rel=1e-9)
    assert abs(ground.volume - volume) < 1e-9 * 0.01  # also of the few litres that moved


def test_nothing_flows_from_gentle_ground():
    ground = Terrain(lambda x, y: 0.3 * x + 0.2 * y, 0.1, area=(0.0, 0.0, 4.0, 4.0), particles=0)
    before = ground.heights.copy()
    assert ground.settle() <= 3
    np.testing.assert_array_equal(ground.heights, before)


def test_base_pressure_is_the_n_fold_convolution():
    heights, spacing = hills(3, (20, 24))
    ground, block, side = Terrain(heights, spacing, particles=0), 0.25, 0.3
    pressure = ground.base_pressure(0.0, block, side)
    kernel = np.outer([side, 1.0 - 2.0 * side, side], [side, 1.0 - 2.0 * side, side])
    expected = np.zeros_like(heights)
    for n in range(int(np.ceil(heights.max() / block))):
        spread = ground.soil.density * ground.gravity * np.clip(heights - n * block, 0.0, block)
        for _ in range(n):
            spread = convolve2d(spread, kernel, mode="same", boundary="symm")
        expected += spread
    np.testing.assert_allclose(pressure, expected, rtol=1e-12)
    weight = ground.soil.density * ground.gravity * heights.sum()
    assert pressure.sum() == pytest.approx(weight, rel=1e-12)


def test_loads_of_bodies_reach_the_base():
    ground = wheel_on(Terrain(np.ones((40, 40)), 0.05, particles=0), 0.4, 0.2)
    drive = SoilDrive(ground)
    force = drive.step((1.0, 1.0, 1.37))
    more = ground.base_pressure(0.0) - Terrain(ground.heights, 0.05, particles=0).base_pressure(0.0)
    assert more.sum() * 0.05**2 == pytest.approx(force[2], rel=1e-9)
    assert more.max() < 0.5 * force[2] / (0.2 * 0.2)  # it spreads


def test_a_height_map_of_a_mountain_is_a_terrain():
    scene = mountain(seed=0, spacing=20.0)
    ground = Terrain(scene.ground, particles=0)
    assert ground.heights.shape == scene.ground.heights.shape
    finer = Terrain(scene.ground, spacing=10.0, particles=0)
    assert finer.heights[::2, ::2] == pytest.approx(scene.ground.heights, abs=1e-6)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Terrain(np.zeros((600, 20)), 0.1), "20 × 600 cells"),
        (lambda: Terrain(np.zeros((20, 20))), "spacing"),
        (lambda: Terrain(lambda x, y: 0.0 * x, 0.1), "area"),
        (lambda: Terrain(np.full((20, 20), np.nan), 0.1), "not finite"),
        (lambda: Terrain(np.zeros((20, 20)), 0.1, particles=50_000), "50000 particles"),
        (lambda: Terrain(np.zeros((20, 20)), 0.1, particle_radius=np.nan), "radius of nan"),
        (lambda: Terrain(np.zeros((20, 20)), 0.1, soil="dry snad"), "dry sand"),
        (lambda: Terrain(np.zeros((20, 20)), 0.1, friction=np.zeros((20, 20))), "friction"),
        (lambda: Terrain(np.zeros((20, 20)), 0.1, seed=-1), "seed"),
        (lambda: Soil(density=np.nan), "density is nan"),
        (lambda: Soil(friction=35.0), "in rad"),
        (lambda: Soil(shear_length=0.0), "shear_length"),
        (lambda: Terrain(np.zeros((20, 20)), 0.1).base_pressure(1.0), "base"),
    ],
)
def test_bad_ground_is_named(make, words):
    with pytest.raises(ModelError, match=words):
        make()


def test_less_soil_is_pressed_between_two_loads():
    """Base pressure of both loads raises h' between them: the gap gets less than both plates alone would give it."""
    side, gap = 0.249, 0.051  # five cells, one cell: no face is over the gap

    def risen(*middles):
        ground = Terrain(np.zeros((41, 61)), 0.05, soil=Soil(flow=1e-6), particles=0)
        boxes = [ToolBox((side, side, 0.1), (x, 0.0, 0.05)) for x in middles]
        drive = SoilDrive(box_on(ground, *boxes, pitch=0.05))
        for n in range(100):
            drive.step((1.5, 1.0, -1e-4 * n), (0.0, 0.0, -0.1))
        assert ground.volume == pytest.approx(0.0, abs=1e-12)
        return ground.heights[18:23, 30].sum()

    middle = (gap + side) / 2.0
    # one run: the flow has no chance in it
    assert 0.0 < risen(-middle, middle) < 0.97 * (risen(-middle) + risen(middle))
