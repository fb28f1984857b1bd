"""The plain filter of `symbody bench --estimation` is the same filter, by other means (symbody_bench/estimation.py)."""

import numpy as np

import symbody as sb
from symbody.estimation.estimate import estimate
from symbody_bench.estimation import PlainModel, filterpy_step, plain_step


def test_differences_and_numpy_find_what_exact_slopes_and_c_find():
    m = sb.Model("pendulum")
    m.body("arm", joints=[sb.Joint("arm", "R2", q0=0.8)], mass=1.0, com=(0, 0, -0.5), inertia=(0.08, 0.08, 0.001))
    s, dt, rng = sb.system(m), 2e-3, np.random.default_rng(0)
    twin = estimate(s, ["arm.q"], {"arm.q": 0.02}, {"arm.qd": 0.1}, dt=dt)
    others = [plain_step(PlainModel(s, twin, None, dt), twin), filterpy_step(PlainModel(s, twin, None, dt), twin)]
    found = {}
    for _ in range(100):
        z = np.array([0.7 + 0.02 * rng.normal()])
        found = {k: other(z) for k, other in enumerate(others) if other}
        twin.step(z=z)
    for x in found.values():
        assert np.abs(x - twin.x).max() < 1e-4  # F of a step, or of the slope at its start: apart by dt² A'
