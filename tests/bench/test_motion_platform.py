"""The motion platform against MuJoCo, and what the benchmark measures of it."""

import numpy as np
import pytest

from symbody.machines.platform.cases import apart, cases
from symbody.machines.platform.data import platform_data
from symbody.motion.data import ACTUATORS, LEGS
from symbody.motion.dynamics import friction_forces
from symbody.motion.mechanism import mechanism
from symbody.motion.platform_motion import in_model
from symbody_bench.motion_platform import closed_forms
from symbody_bench.to_mujoco import to_mujoco

DATA = platform_data()


def test_forces_of_the_sixteen_cases_as_of_mujoco():
    """MuJoCo's tree and Jacobians; forces of actuators and loops make up what its inverse dynamics asks for."""
    pytest.importorskip("mujoco")
    model = mechanism(DATA)
    tree = to_mujoco(model)
    pushed = np.array([[float(name == joint) for joint in ACTUATORS] for name in model.velocities])
    for case in cases(DATA, samples=3):
        found = []
        for q, v, a in zip(*in_model(case.motion, model), strict=True):
            asked = tree.inverse(q, v, a)
            loops = [
                tree.point_jacobian(q, f"rod{k}.origin")[:3] - tree.point_jacobian(q, f"platform.top{k}")[:3]
                for k in LEGS
            ]
            held = np.hstack([pushed, np.concatenate(loops).T])
            solved, *_ = np.linalg.lstsq(held, asked, rcond=None)
            assert np.abs(held @ solved - asked).max() < 1e-9
            found.append(solved[: len(ACTUATORS)])
        gamma = np.array(found) + friction_forces(case.motion.pose, case.motion.twist, DATA)
        assert apart(case.motion.forces(), gamma) < 1e-8, case.name


@pytest.mark.slow
def test_rows_of_the_benchmark():
    rows = {(row.peer, row.function): row for row in closed_forms()}
    assert {function for _, function in rows} == {"closed_inverse", "direct_geometry", "direct_geometry_1ms"}
    assert all(row.us_per_call > 0.0 for row in rows.values())
    assert rows["symbody_closed_form", "closed_inverse"].operations > 500
