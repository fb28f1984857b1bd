"""Threads that share flow and particles: their number changes no bit. Tests of terrain/soil/workers.h."""

import numpy as np
import pytest
from soil_drive import SoilDrive, ToolBox, box_on

from symbody.errors import ModelError
from symbody.terrain import Terrain


def worked(threads, seed, steps=60):
    """Heights, particles and forces after a blade has worked in rough ground with poured particles."""
    rng = np.random.default_rng(seed)
    ground = Terrain(rng.uniform(0.0, 0.3, (128, 96)), 0.1, particles=600, seed=seed, threads=threads)
    ground.pour(rng.uniform((3.0, 3.0, 0.4), (5.0, 5.0, 1.5), (400, 3)))
    drive = SoilDrive(box_on(ground, ToolBox((0.1, 1.0, 0.6), (0.0, 0.0, 0.3))))
    forces = [drive.step((3.2 + 2e-3 * k, 4.0, 0.1), (2.0, 0.0, 0.0)) for k in range(steps)]
    return ground.heights.copy(), ground.particles, np.array(forces), ground.cut_and_merged


@pytest.mark.parametrize("seed", range(10))
def test_one_thread_and_several_give_the_same_bits(seed):
    alone = worked(1, seed)
    assert alone[3][0] > 0
    for threads in (2, 5):
        for one, other in zip(alone, worked(threads, seed), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("threads", [0, 17, -1])
def test_a_wrong_number_of_threads_is_named(threads):
    with pytest.raises(ModelError, match="use 1 to 16"):
        Terrain(np.zeros((10, 10)), 0.1, threads=threads)
