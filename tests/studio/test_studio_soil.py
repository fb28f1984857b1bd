"""Deformable ground in the studio: the surface and the particles of a terrain as they are now."""

import numpy as np
import pytest

import symbody as sb
from symbody.realtime.unclocked import Unclocked
from symbody.studio import soil_view
from symbody.studio.soil_view import SPREAD, TINT


def test_the_view_shows_the_ground_now():
    ground = sb.Terrain(np.zeros((20, 30)), 0.1, origin=(1.0, 2.0), particles=8)
    ground.pour([(2.0, 3.0, 0.5), (2.5, 3.0, 0.5)])
    surface, loose = soil_view(ground)
    assert (surface.field.shape, surface.field.spacing, surface.field.corner) == ((20, 30), (0.1, 0.1), (1.0, 2.0, 0.0))
    assert (loose.cloud.count, loose.cloud.radius) == (8, pytest.approx((1.0 + SPREAD) * 0.04))
    assert len(loose.now().points) == 2
    steps = Unclocked(ground, 1e-3)
    for _ in range(2000):
        steps.step()
    assert len(loose.now().points) == 0  # they fell and became ground
    assert surface.heights().sum() * 0.01 == pytest.approx(2.0 * ground.particle_volume)


def test_particles_have_sizes_colours_and_numbers_that_they_keep():
    ground = sb.Terrain(np.zeros((20, 30)), 0.1, particles=40)
    ground.pour([(0.5 + 0.1 * k, 1.0, 3.0 + 2.0 * (k % 2)) for k in range(20)])
    _, loose = soil_view(ground, loose="#c8ac74")
    steps, before = Unclocked(ground, 1e-3), loose.now()
    assert list(before.numbers) == list(range(1, 21))
    radii = before.sizes * loose.cloud.radius
    assert radii == pytest.approx(0.04, rel=SPREAD)
    assert radii.max() > 1.1 * radii.min()
    shades = before.colours / [0xC8, 0xAC, 0x74]
    assert shades == pytest.approx(1.0, rel=TINT)
    assert shades.max() > 1.1 * shades.min()
    while len(loose.now().points) == 20:  # until the first of them has become ground
        steps.step()
    after = loose.now()
    rows = [list(before.numbers).index(number) for number in after.numbers]
    np.testing.assert_allclose(after.points[:, :2], before.points[rows, :2], atol=0.3)
    np.testing.assert_array_equal(after.looks(), before.looks()[rows])
