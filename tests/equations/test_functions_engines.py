"""Two hundred random trees, and published files, against Pinocchio and MuJoCo.

Tests of composite.py, order_n.py, factorised.py, newton_euler.py.
"""

import numpy as np
import pytest
from programs import run

from symbody.analysis.random_states import random_state
from symbody.equations.functions import GenerationOptions, make_program
from symbody_bench.random_trees import random_tree
from symbody_bench.to_mujoco import to_mujoco
from symbody_bench.to_pinocchio import to_pinocchio

pytest.importorskip("pinocchio")
pytest.importorskip("mujoco")

TREES, AT_ONCE = 200, 8  # in all, and of them where slow tests are not wanted
LARGEST = 40  # joints; small trees are drawn more often
TOLERANCE = 1e-9


def close(found, expected):
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE * scale)


def check_dynamics(model, engine, q, v, a):
    options = GenerationOptions(loads=False)
    close(run(make_program(model, "inverse", options), q=q, qd=v, qdd=a)["Q"], engine.inverse(q, v, a))
    both = run(make_program(model, "dynamics", options), q=q, qd=v)
    close(both["M"], engine.mass_matrix(q))
    close(both["c"], engine.bias(q, v))


@pytest.mark.parametrize(
    "seed", [pytest.param(n, marks=pytest.mark.slow if n >= AT_ONCE else ()) for n in range(TREES)]
)
def test_random_trees(seed):
    rng = np.random.default_rng(seed)
    model = random_tree(rng, joints=int(2 + (LARGEST - 1) * rng.random() ** 2))
    q, v, a = random_state(model, rng)
    pinocchio, mujoco = to_pinocchio(model), to_mujoco(model)
    check_dynamics(model, pinocchio, q, v, a)
    Q = mujoco.inverse(q, v, a)
    program = make_program(model, "inverse", GenerationOptions(loads=False, live="all"))
    close(run(program, q=q, qd=v, qdd=a)["Q"], Q)
    form = ("order-n", "factorised")[seed // 4 % 2]
    qdd = run(make_program(model, "direct", GenerationOptions(loads=False, form=form)), q=q, qd=v, Q=Q)["qdd"]
    condition = np.linalg.cond(pinocchio.mass_matrix(q)) if model.nv else 1.0  # small trees may be welded altogether
    np.testing.assert_allclose(qdd, a, rtol=0, atol=max(TOLERANCE, 1e-14 * condition) * np.abs(a).max(initial=1))
    path = list(list(model.bodies.values())[-1].points.values())[-1].path
    point = run(make_program(model, "point", GenerationOptions(point=path)), q=q, qd=v, qdd=a)
    for engine in (pinocchio, mujoco):
        close(point["position"], engine.point_position(q, path))
        close(point["rotation"], engine.point_rotation(q, path))
        close(point["jacobian"], engine.point_jacobian(q, path))
    close(np.concatenate([point["velocity"], point["omega"]]), point["jacobian"] @ v)


def test_published_files(public_model):
    rng = np.random.default_rng(1)
    q, v, a = random_state(public_model, rng)
    check_dynamics(public_model, to_pinocchio(public_model), q, v, a)
    close(
        run(make_program(public_model, "inverse", GenerationOptions(live="all")), q=q, qd=v, qdd=a)["Q"],
        to_pinocchio(public_model).inverse(q, v, a),
    )
