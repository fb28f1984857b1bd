"""The filter in C is that in Python (also test_error_state.py, test_unknowns.py); what it refuses and meets."""

import numpy as np
import pytest

import symbody as sb
from symbody.errors import DivergenceError
from symbody.estimation.compiled import can_compile
from symbody.estimation.estimate import estimate


def top():
    m = sb.Model("top")
    m.body("top", joints="ball", mass=1.0, com=(0, 0, 0.1), inertia=(0.01, 0.01, 0.02))
    return sb.system(m)


def test_a_ball_is_filtered_in_python_with_unit_quaternions():
    s = top()
    assert not can_compile(s)
    sensor = s.states[-1]
    twin = estimate(s, [sensor], {sensor: 0.01}, 0.01, dt=2e-3)
    assert twin.backend == "python"
    for _ in range(20):
        twin.step(z=[0.3])
    for q in s.quaternion_places:
        assert np.linalg.norm(twin.x[q : q + 4]) == pytest.approx(1.0, abs=1e-12)
    assert twin.P.shape == (6, 6)
    assert np.linalg.eigvalsh(twin.P).min() > 0.0


def test_measurements_that_are_far_off_are_refused_and_counted():
    m = sb.Model("pendulum")
    m.body("arm", joints=[sb.Joint("arm", "R2", q0=0.3)], mass=1.0, com=(0, 0, -0.5))
    twin = estimate(sb.system(m), ["arm.q"], {"arm.q": 0.01}, {"arm.qd": 0.01}, start={"arm.q": 0.01}, gate=9.0)
    before = twin.x
    twin.step(z=[5.0])
    assert twin.used.tolist() == [-1]
    assert twin.refused == {"arm.q": 1}
    assert np.abs(twin.x - before).max() < 0.01


def test_what_is_not_finite_is_not_measured_and_an_infinite_covariance_is_told():
    m = sb.Model("pendulum")
    m.body("arm", joints=[sb.Joint("arm", "R2", q0=0.3)], mass=1.0, com=(0, 0, -0.5))
    twin = estimate(sb.system(m), ["arm.q"], {"arm.q": 0.01}, {"arm.qd": 1e160})
    twin.step(z=[np.inf])
    assert twin.used.tolist() == [0]
    with pytest.raises(DivergenceError, match="covariance"):
        twin.step(z=[0.1])
    assert np.all(np.isfinite(twin.x))


def chain(links, damping):
    """Links that hang on one another, with springs and stiff dampers between them; the last is pushed."""
    m, on = sb.Model("chain"), None
    m.input("push", 0.0, "N m")
    for k in range(links):
        m.parameter(f"k{k}", 20.0 + k, "N m/rad")
        joint = sb.Joint(f"j{k}", "R2", q0=0.1 * (-1) ** k)
        body = m.body(f"b{k}", on, [joint], mass=1.0, com=(0, 0, -0.1), inertia=(1e-3, 1e-3, 1e-3))
        on = body.point("end", (0, 0, -0.2))
        push = float(k == links - 1)
        m.joint_force(f"j{k}")(lambda q, qd, p, k=k, push=push: push * p.push - p[f"k{k}"] * q - damping * qd)
    return sb.system(m)


@pytest.mark.parametrize(
    ("links", "damping"), [(3, 0.01), (5, 0.5), (7, 5.0), pytest.param(11, 5.0, marks=pytest.mark.slow)]
)
def test_many_states_with_forces_and_parameters_are_the_same_in_c_and_in_python(links, damping):
    """Sizes that no tile and no panel divides, A dt from small to stiff; some parameters are doubted, some are not."""
    s = chain(links, damping)
    noise = {"j0.q": 0.01, f"j{links - 1}.q": 0.01, "j1.qd": 0.1}
    unsure = {f"j{k}.qd": 0.2 for k in range(links)} | {"k0": 1.0, "k1": 2.0, "k2": 1.0}
    made = [
        estimate(s, list(noise), noise, unsure, forces={"push": 1.0}, dt=2e-3, method="rodas4", gate=25.0, backend=how)
        for how in ("auto", "python")
    ]
    assert [one.backend for one in made] == ["c", "python"]
    rng = np.random.default_rng(4)
    for k in range(12):
        z = [made[0].mean[name] + sigma * rng.normal() for name, sigma in noise.items()]
        z[k % 3] = np.nan
        for one in made:
            one.step([0.1], z)
    fast, slow = (one.covariance for one in made)
    size = np.sqrt(np.diag(slow))
    assert np.abs((fast - slow) / np.outer(size, size)).max() < 1e-8
    assert np.array_equal(fast, fast.T)
    assert np.allclose(made[0].x, made[1].x, rtol=0, atol=1e-9)
    assert np.allclose(made[0].mean["push"], made[1].mean["push"], atol=1e-9)
