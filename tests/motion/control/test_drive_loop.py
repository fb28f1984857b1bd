"""Drives and platform in C: as the sampled loop in Python, and limits that are counted."""

import numpy as np
import pytest

import symbody as sb
from c_stage import CStage
from symbody.motion.built_in_platform import platform_data
from symbody.motion.control import LoopOptions, descent_motion, run_loop
from symbody.motion.control.drive_loop import CONTROLLERS, ERROR, VIOLATIONS, DriveLoop, ridden_platform
from symbody.motion.data import ACTUATORS, AXES

DATA = platform_data()
HEAD, SEAT = (-0.05, 0.0, 0.4), (0.0, 0.0, 0.2)


def followed(choice, motion, steps):
    plant = ridden_platform(DATA, HEAD, SEAT, 0.0)
    rows = {"": motion.axes, ".rate": motion.rates, ".second": motion.second}
    stage = CStage(DriveLoop(DATA, plant))

    def inputs(k):
        return {f"reference.{axis}{end}": float(row[k, j]) for end, row in rows.items() for j, axis in enumerate(AXES)}

    stage.give(controller=float(choice))
    return stage.run(steps, inputs)


@pytest.mark.parametrize("choice", range(len(CONTROLLERS)))
def test_forces_and_motion_are_those_of_the_sampled_loop(choice):
    motion, steps = descent_motion(DATA, begin=0.0, lasts=1.2), 1000
    run = followed(choice, motion, steps)
    python = run_loop(CONTROLLERS[choice], motion, DATA, LoopOptions())
    q = np.column_stack([run[f"{name}.q"] for name in ACTUATORS])
    forces = np.column_stack([run[f"{name}.force"] for name in ACTUATORS])
    np.testing.assert_allclose(q, python.q[:steps], atol=2e-6)  # an increment of an encoder is 2.4 µm
    assert np.abs(forces - python.forces[:steps]).mean() < 0.5
    assert run[VIOLATIONS][-1] == 0.0
    assert run[ERROR].max() < 1e-3


def test_broken_limits_are_counted():
    plant = ridden_platform(DATA, HEAD, SEAT, 0.0)
    stage = CStage(DriveLoop(DATA, plant))
    still = stage.run(20)
    assert still[VIOLATIONS][-1] == 0.0
    too_fast = 2.0 * DATA.limits["z"].acceleration
    assert stage.run(10, lambda k: {"reference.z.second": too_fast})[VIOLATIONS][-1] == 10.0


def test_too_many_controllers_are_refused():
    with pytest.raises(sb.ModelError, match="5 controllers"):
        CStage(DriveLoop(DATA, ridden_platform(DATA, HEAD, SEAT, 0.0), controllers=5 * CONTROLLERS[:1]))
