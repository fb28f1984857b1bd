"""Gimbal lock and other singular positions of joints in a row: the determinant, and runs that end there by name."""

import numpy as np
import pytest

import symbody as sb
from symbody.model.joint_chains import watched_chains
from symbody.stepping.fixed_step import limits_of


def top(joints="R1 R2 R3", q0=(0.0, 0.3, 0.0), v0=(0.02, 4.0, 0.01), inertia=(0.2, 0.2, 0.2)):
    m = sb.Model("top", gravity=(0, 0, 0))
    kinds = joints.split()
    row = [sb.Joint(f"j{k}", kind, q0=(q0[k],), v0=(v0[k],)) for k, kind in enumerate(kinds)]
    m.body("top", joints=row, mass=2.0, inertia=inertia)
    return m


def room(s, q):
    """What is left before joints lock, at coordinates."""
    x = np.concatenate([q, np.zeros(len(q))])
    return float(limits_of(s)["limits"](np.zeros(1), x, s.u0, s.start_guess)[0])


def mass_determinant(s, q):
    """det M of a tree, by unit forces: M⁻¹ is the change of the accelerations."""
    n = len(q)
    inverse = np.array(
        [s.rates(0.0, np.r_[q, np.zeros(n)], e)[n:] - s.rates(0.0, np.r_[q, np.zeros(n)])[n:] for e in np.eye(n)]
    )
    return 1.0 / np.linalg.det(inverse)


@pytest.mark.parametrize("joints", ["R1 R2 R3", "R3 R1 R3", "R2 T1 R2", "T1 T2 T3 R1 R2 R3", "R3 T1 R1 R3"])
def test_the_determinant_goes_as_that_of_the_mass_matrix(joints):
    """M = I SᵀS where mass and moments of inertia are the same number I."""
    n = len(joints.split())
    rng = np.random.default_rng(n)
    start = rng.uniform(0.3, 0.9, n)
    m = top(joints, start, np.zeros(n), inertia=(0.5, 0.5, 0.5))
    m.bodies["top"].mass = 0.5  # I = 0.5 · 1 over all six motions: M = 0.5 SᵀS
    s = sb.system(m, inputs=[f"j{k}.Q" for k in range(n)])
    reference = mass_determinant(s, start)
    for _ in range(5):
        q = rng.uniform(-2.0, 2.0, n)
        ratio = mass_determinant(s, q) / reference
        known = (room(s, q) + 4e-4 * 0.5**-n * reference) / (0.5**-n * reference)
        assert known == pytest.approx(ratio, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    "how",
    [{"dt": 1e-4}, {"dt": 1e-3}, {"dt": 1e-3, "method": "trapezoidal"}, {"method": "dop853"}, {"method": "radau"}],
    ids=lambda how: "-".join(map(str, how.values())),
)
def test_a_run_into_gimbal_lock_ends_with_time_joints_and_cure(how):
    with pytest.raises(
        sb.SingularityError, match=r"top: at t = 0\.3\d* s the joints j0, j1, j2 .*gimbal.*ball"
    ) as caught:
        sb.simulate(top(), 2.0, **how)
    kept = caught.value.state
    assert 0.3 < caught.value.time < 0.35
    assert kept.energy_drift < 1e-3
    assert kept["j1.q"][-1] > 1.5


def stepped(stepper, x, steps):
    for _ in range(steps):
        x = stepper.step(x)
    return x


def test_the_stepper_ends_there_too():
    stepper = sb.stepper(sb.system(top()), "rk4", dt=1e-3)
    x = stepper.reset()
    x = stepped(stepper, x, 300)
    with pytest.raises(sb.SingularityError, match="j0, j1, j2"):
        stepped(stepper, x, 100)
    assert stepper.t == pytest.approx(0.31, abs=0.02)


def test_without_a_compiler_as_well():
    s = sb.system(top(), backend="python")
    with pytest.raises(sb.SingularityError, match="gimbal lock"):
        sb.simulate(s, 0.5, 1e-3)


def test_a_ball_joint_goes_through():
    """The same body on a ball joint keeps energy and angular momentum where the hinges lock."""
    m = sb.Model("top", gravity=(0, 0, 0))
    m.body("top", joints=[sb.Joint("ball", "ball", v0=(0.02, 4.0, 0.01))], mass=2.0, inertia=(0.1, 0.25, 0.3))
    assert watched_chains(m) == []
    assert sb.simulate(m, 2.0, 1e-3).energy_drift < 1e-9


@pytest.mark.parametrize("speed", [4.0, 6.0])
def test_a_point_mass_near_the_pole_of_its_polar_coordinates(speed):
    """Thrown upwards along the rod, it reaches the pivot 1 m above where v² > 2 g cos φ."""
    m = sb.Model("polar")
    m.body("mass", joints=[sb.Joint("a", "R2", q0=(0.0,)), sb.Joint("r", "T3", q0=(-1.0,), v0=(speed,))], mass=1.0)
    if speed**2 < 2 * 9.81:
        assert sb.simulate(m, 0.5, 1e-3).energy_drift < 1e-9
    else:
        with pytest.raises(sb.SingularityError, match=r"the joints a, r of mass .*other joints"):
            sb.simulate(m, 0.5, 1e-3)


def test_real_gimbals_have_mass_and_do_not_lock():
    """Rings with inertia make the mass matrix regular everywhere: nothing is watched, and energy is kept."""
    m = sb.Model("gimbals", gravity=(0, 0, 0))
    outer = m.body("outer", joints=[sb.Joint("o", "R1", v0=(0.02,))], mass=1.0, inertia=(0.2, 0.2, 0.2))
    inner = m.body("inner", outer, [sb.Joint("i", "R2", q0=(0.3,), v0=(4.0,))], 1.0, inertia=(0.1, 0.1, 0.1))
    m.body("rotor", inner, [sb.Joint("r", "R3", v0=(0.01,))], 1.0, inertia=(0.1, 0.1, 0.3))
    assert watched_chains(m) == []
    assert sb.simulate(m, 2.0, 1e-3).energy_drift < 1e-9
