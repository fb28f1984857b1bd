"""Modes: textbook frequencies, energies, rigid motions, quaternions, loops; shown as motions that close the loops."""

import argparse

import numpy as np
import pytest
from scipy.linalg import eigh
from test_equilibrium import brick

import symbody as sb
from symbody import machines
from symbody.analysis.eigenvalues import eigenvalues
from symbody.analysis.equilibrium import equilibrium
from symbody.analysis.modal import modal
from symbody.cli import modal as modal_command

G = 9.81
TURN = 2 * np.pi


def oscillator(damping):
    m = sb.Model("oscillator")
    m.parameter("c", damping, "N s/m")
    m.body("mass", joints="T3", mass=2.0)
    m.joint_force("mass")(lambda q, qd, p: -800.0 * q - p.c * qd)
    return m


def test_a_mass_on_a_spring_with_and_without_damping():
    (mode,) = modal(oscillator(0.0))
    assert mode.frequency == pytest.approx(20.0 / TURN, rel=1e-12)
    assert mode.damping == 0.0
    assert mode.time_constant == np.inf
    (mode,) = modal(oscillator(24.0))
    assert mode.frequency == pytest.approx(20.0 / TURN)
    assert mode.damping == pytest.approx(0.3)
    assert mode.damped == pytest.approx(20.0 * np.sqrt(1 - 0.09) / TURN)
    assert mode.shape["mass.qd"] == pytest.approx(mode.eigenvalue * mode.shape["mass.q"])
    modes = modal(oscillator(100.0))
    assert [mode.kind for mode in modes] == ["decay", "decay"]
    assert [1 / mode.time_constant for mode in modes] == pytest.approx([10.0, 40.0])
    assert not modal(oscillator(-1.0)).stable


def test_a_double_pendulum_of_equal_masses():
    """ω² = (2 ∓ √2) g/l; the lower mass goes √2 as far as the upper one, with it or against it."""
    m = sb.Model("double")
    upper = m.body("upper", joints=[sb.Joint("upper", "R2", q0=(0.3,))], mass=1.5, com=(0, 0, -0.4))
    m.body("lower", upper.point("tip", (0, 0, -0.4)), [sb.Joint("lower", "R2")], mass=1.5, com=(0, 0, -0.4))
    modes = modal(m)
    assert TURN * modes.frequencies == pytest.approx(np.sqrt((2 + np.array([-1, 1]) * np.sqrt(2)) * G / 0.4))
    for mode, ratio in zip(modes, (np.sqrt(2), -np.sqrt(2)), strict=True):
        assert (mode.shape["lower.q"] / mode.shape["upper.q"]).real + 1 == pytest.approx(ratio)
        assert abs((mode.shape["lower.q"] / mode.shape["upper.q"]).imag) < 1e-12
    assert "lower.q" in str(modes)


@pytest.fixture(scope="module")
def car():
    outputs = ["*.q", "*.qd", "strut.*", "wheel_centre.*", "energy.*"]
    return sb.system(machines.model("quarter-car"), outputs=outputs)


def test_a_quarter_car_has_the_frequencies_of_its_energies(car):
    """K from the potential of gravity, strut and tyre, M from the kinetic energy: a model of two degrees of freedom."""
    car.parameters.update(c_strut=0.0, c_tyre=0.0)
    at = equilibrium(car)
    k_strut, l_strut, k_tyre, radius = (car.parameters[n] for n in ("k_strut", "l_strut", "k_tyre", "radius"))

    def potential(d):
        y = car.at(0.0, at.x + np.r_[d, 0.0, 0.0])
        stretch, squeeze = y["strut.length"] - l_strut, radius - y["wheel_centre.position.z"]
        return y["energy.potential"] + 0.5 * k_strut * stretch**2 + 0.5 * k_tyre * squeeze**2

    def kinetic(v):
        return car.at(0.0, at.x + np.r_[0.0, 0.0, v])["energy.kinetic"]

    h = 1e-4
    a, b = np.eye(2)
    K, M = np.empty((2, 2)), np.empty((2, 2))
    for i, e in enumerate((a, b)):
        for j, f in enumerate((a, b)):
            corners = [potential(h * (p * e + q * f)) for p, q in ((1, 1), (1, -1), (-1, 1), (-1, -1))]
            K[i, j] = (corners[0] - corners[1] - corners[2] + corners[3]) / (4 * h * h)
            M[i, j] = kinetic(e + f) - kinetic(e) - kinetic(f) if i != j else 2 * kinetic(e)
    assert TURN * modal(car, at).frequencies == pytest.approx(np.sqrt(eigh(K, M)[0]), rel=1e-5)
    y, moved = (car.at(0.0, at.x + np.array([0, d, 0, 0])) for d in (0.0, 1e-5))
    wheel = 0.5 * k_strut * ((moved["strut.length"] - y["strut.length"]) / 1e-5) ** 2 * 2
    rough = np.sqrt([wheel * k_tyre / (wheel + k_tyre) / 350.0, (wheel + k_tyre) / 36.0])
    assert TURN * modal(car, at).frequencies == pytest.approx(rough, rel=0.06)  # the usual estimates
    car.parameters.update(c_strut=1700.0, c_tyre=150.0)


def test_modes_go_through_the_loops_and_are_shown_closed(car):
    modes = modal(car)
    q = car.motion(0.0, modes.x)[0]
    constraints = sb.compile(car.model, "constraints")
    for k in range(len(modes)):
        whole = np.array(list(modes.whole(k).values()))
        assert len(whole) == car.model.nv
        assert np.abs(constraints(q).J @ whole).max() < 1e-12
        run = modes.motion(k, amplitude=0.02)
        assert run.t[-1] == pytest.approx(1 / modes[k].damped)
        assert np.abs(constraints(run.q).h).max() < 1e-11
        np.testing.assert_allclose(run.values[0], run.values[-1], atol=1e-9)
        assert np.ptp(run.q, axis=0).max() == pytest.approx(0.04, rel=0.05)
    with pytest.raises(sb.ModelError, match="no mode 7"):
        modes.motion(7)


def test_too_large_a_motion_is_made_smaller_until_the_loops_close(car):
    run = modal(car).motion(0, amplitude=5.0)
    assert np.all(np.isfinite(run.values))


def test_rigid_motions_are_told_from_the_others():
    m = sb.Model("two carts", gravity=(0, 0, 0))
    ends = []
    for name, mass, x in (("a", 1.0, 0.0), ("b", 2.0, 1.0)):
        body = m.body(name, m.ground.point(f"start_{name}", (x, 0, 0)), [sb.Joint(name, "T1")], mass=mass)
        ends.append(body.point("end", (0, 0, 0)))
    m.link("spring", *ends)(lambda length, rate, p: 50.0 * (length - 1.0))
    modes = modal(m)
    assert [mode.kind for mode in modes] == ["rigid", "rigid", "oscillation"]
    assert TURN * modes.frequencies == pytest.approx([np.sqrt(50.0 * (1 + 1 / 2))])
    assert modes[2].shape["b.q"] == pytest.approx(-0.5 * modes[2].shape["a.q"])
    assert modes.stable
    assert np.all(np.isfinite(modes.motion(0).values))


def test_a_spinning_body_nods_at_the_two_known_rates():
    """Seen from the body, a tilt turns at the spin Ω, Euler's nutation at (C − A)/A Ω; a quaternion adds nothing."""
    m = sb.Model("top", gravity=(0, 0, 0))
    start = sb.Joint("top", "free", v0=(0, 0, 0, 0, 0, 5.0))
    m.body("top", joints=[start], mass=2.0, inertia=(0.1, 0.1, 0.3))
    s = sb.system(m)
    modes = modal(s, at=s.x0)
    assert modes.A.shape == (12, 12)
    assert [mode.kind for mode in modes].count("rigid") == 8
    assert TURN * modes.frequencies == pytest.approx([5.0, 10.0])


def test_a_free_body_on_springs_has_six_modes():
    modes = modal(brick())
    assert len(modes.frequencies) == 6
    assert modes.stable
    z = modes.system.states.index("brick.z")
    bounce = next(mode for mode in modes if abs(mode.shape["brick.z"]) > 0.9)
    h = 1.0 - modes.x[z] - 0.1
    length = np.hypot(np.hypot(0.3, 0.24), h)
    stiffness = 4 * 400.0 * ((length - 0.4) / length + 0.4 * h * h / length**3)
    assert TURN * bounce.frequency == pytest.approx(np.sqrt(stiffness / 10.0), rel=1e-9)
    run = modes.motion(0)
    np.testing.assert_allclose(np.linalg.norm(run.q[:, 3:], axis=1), 1.0, atol=1e-12)


def test_a_user_state_is_a_mode_of_its_own():
    m = oscillator(24.0)
    m.state("lag", 1.0)(lambda view, p: -2.0 * p.lag)
    modes = modal(m)
    assert [mode.kind for mode in modes] == ["decay", "oscillation"]
    assert modes[0].time_constant == pytest.approx(0.5)
    assert modes.table[0]["moves"] == ["lag"]
    assert np.all(np.isfinite(modes.motion(0).values))


def test_the_command_and_its_animation(tmp_path):
    parser = argparse.ArgumentParser()
    modal_command.options(parser)
    words = ["four-bar", "--settle", "--animate", "0", "-o", str(tmp_path)]
    said = modal_command.run(parser.parse_args(words))
    assert said["modes"][0]["kind"] == "oscillation"
    assert said["stable"]
    assert said["animations"] == [str(tmp_path / "four-bar-mode-0.html")]
    assert (tmp_path / "four-bar-mode-0.html").stat().st_size > 1000


def test_shapes_do_not_see_the_rounding_of_drifting_coordinates():
    """Three rolling angles beside a swing: balanced with what rounding leaves in their columns, shapes are lost."""
    rng = np.random.default_rng(0)
    A = np.zeros((8, 8))
    A[:4, 4:], A[4:, 3], A[4:, 4:] = np.eye(4), -1e4 * rng.normal(size=4), rng.normal(size=(4, 4))
    noisy = A.copy()
    noisy[4:, :3] = 1e-50 * rng.normal(size=(4, 3))
    for matrix in (A, noisy):
        found = eigenvalues(matrix, 4, np.ones(len(matrix)))
        values, vectors = found.values, found.vectors
        moving = np.abs(values) > 1e-6
        assert moving.sum() == 5
        left = (A @ vectors - vectors * values)[:, moving] / np.abs(vectors[:, moving]).max(axis=0)
        assert np.abs(left).max() < 1e-9
    swings = np.abs(vectors[3, np.abs(values.imag) > 1.0])
    assert swings.min() > 1e-3 * np.abs(vectors).max()


@pytest.mark.parametrize("make", [brick, lambda: oscillator(24.0), machines.entry("four-bar").model])
def test_every_mode_solves_the_linear_equations(make):
    modes = modal(make(), settle=True)
    values = np.array([mode.eigenvalue for mode in modes])
    np.testing.assert_allclose(modes.A @ modes.vectors, modes.vectors * values, atol=1e-9 * np.abs(modes.A).max())


def test_a_critically_damped_mass_has_two_modes_that_decay():
    """λ = −1 twice, which rounding may split into a pair."""
    m = sb.Model("critical", gravity=(0, 0, 0))
    m.body("mass", joints="T1", mass=1.0)
    m.joint_force("mass")(lambda q, qd, p: -q - 2.0 * qd)
    modes = sb.modal(m)
    assert [mode.kind for mode in modes.modes] == ["decay", "decay"]
    assert [mode.time_constant for mode in modes.modes] == pytest.approx([1.0, 1.0], abs=1e-5)
