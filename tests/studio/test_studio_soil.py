"""Deformable ground in the studio: the surface and the particles of a terrain as they are now."""

import numpy as np
import pytest

import symbody as sb
from symbody.realtime.unclocked import Unclocked
from symbody.studio import soil_view


def test_the_view_shows_the_ground_now():
    ground = sb.Terrain(np.zeros((20, 30)), 0.1, origin=(1.0, 2.0), particles=8)
    ground.pour([(2.0, 3.0, 0.5), (2.5, 3.0, 0.5)])
    surface, loose = soil_view(ground)
    assert (surface.field.shape, surface.field.spacing, surface.field.corner) == ((20, 30), (0.1, 0.1), (1.0, 2.0, 0.0))
    assert (loose.cloud.count, loose.cloud.radius) == (8, pytest.approx(0.04))
    assert len(loose.points()) == 2
    steps = Unclocked(ground, 1e-3)
    for _ in range(2000):
        steps.step()
    assert len(loose.points()) == 0  # they fell and became ground
    assert surface.heights().sum() * 0.01 == pytest.approx(2.0 * ground.particle_volume)
