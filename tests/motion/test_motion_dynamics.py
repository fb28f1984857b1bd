"""Dynamics of the motion platform: closed form against the engine, method A against B, balances, compiled C.

motion/leg_dynamics.py.
"""

from dataclasses import replace

import numpy as np
import pytest

from platform_stage import DATA, engine, random_motion, rows
from symbody.machines.platform.cases import apart, cases
from symbody.machines.platform.cases import engine as engine_with_friction
from symbody.motion.compiled import inverse_function
from symbody.motion.data import ACTUATORS
from symbody.motion.dynamics import (
    actuator_map,
    bias,
    forward_dynamics,
    friction_forces,
    inverse_dynamics,
    inverse_dynamics_recursive,
    mass_matrix,
    printed_slider_forces,
)
from symbody.motion.kinematics import inverse_jacobian, leg_rates

G = 9.81


def relative(found, wanted):
    return np.abs(found - wanted).max() / np.abs(wanted).max()


def without_legs():
    """The platform on legs that weigh nothing."""
    nothing = {"mass": 0.0, "inertia": (0.0,) * 6}
    legs = {name: replace(DATA.bodies[name], **nothing) for name in ("yoke", "cylinder", "rod")}
    return replace(DATA, bodies=DATA.bodies | legs)


def test_random_motions_as_the_engine_has_them():
    motion = random_motion(40)
    pose, twist, acceleration = motion.pose, motion.twist, motion.acceleration
    found = inverse_dynamics(pose, twist, acceleration, DATA, friction=False)
    wanted = np.array([engine()(*row).phi for row in rows(motion)])
    assert relative(found, wanted) < 1e-10


def test_sixteen_cases_with_friction_as_the_engine_has_them():
    by_engine = engine_with_friction(DATA)
    all_cases = cases(DATA, samples=8)
    assert len(all_cases) == 32
    for case in all_cases:
        assert apart(case.motion.forces(), by_engine(case.motion)) < 1e-8, case.name


def test_both_methods_agree_and_the_printed_projection_does_not():
    motion = random_motion(200, seed=1)
    pose, twist, acceleration = motion.pose, motion.twist, motion.acceleration
    b = inverse_dynamics(pose, twist, acceleration, DATA, friction=False)
    assert inverse_dynamics_recursive(pose, twist, acceleration, DATA, friction=False) == pytest.approx(b, abs=1e-11)
    assert np.abs(printed_slider_forces(pose, twist, acceleration, DATA) - b[:, :2]).max() > 1.0  # N
    light = without_legs()  # then it is exact
    b = inverse_dynamics(pose, twist, acceleration, light, friction=False)
    assert printed_slider_forces(pose, twist, acceleration, light) == pytest.approx(b[:, :2], abs=1e-11)


def test_at_rest_the_legs_carry_the_weight():
    pose, still = random_motion(20, seed=2).axes[:, 2:], np.zeros((20, 8))
    gamma = inverse_dynamics(pose, still, still, DATA)
    assert gamma[:, :2] == pytest.approx(0.0, abs=1e-11)  # gravity is across the sliders
    light = without_legs()
    legs = inverse_dynamics(pose, still, still, light)[:, 2:, None]
    wrench = (np.swapaxes(inverse_jacobian(pose, light), -1, -2) @ legs)[..., 0]
    weight = [0.0, 0.0, G * DATA.bodies["platform"].mass]
    assert wrench[:, :3] == pytest.approx(np.tile(weight, (20, 1)), abs=1e-11)


def test_a_table_that_starts_is_a_hexapod_under_tilted_gravity():
    pose, still = random_motion(20, seed=3).axes[:, 2:], np.zeros((20, 8))
    starting = still.copy()
    starting[:, 0] = 3.0
    pushed = inverse_dynamics(pose, still, starting, DATA)
    carried = sum(
        6 * DATA.bodies[name].mass if name in ("yoke", "cylinder", "rod") else DATA.bodies[name].mass
        for name in DATA.bodies
        if name != "table_y"
    )
    assert pushed[:, 0] == pytest.approx(3.0 * carried)  # a rigid whole: Γ_x = M a
    assert pushed[:, 1] == pytest.approx(0.0, abs=1e-11)


def test_power_of_the_actuators_is_the_rate_of_kinetic_energy_without_gravity():
    motion = random_motion(10, seed=4)
    pose, twist, acceleration = motion.pose, motion.twist, motion.acceleration
    free = replace(DATA, gravity=0.0)

    def kinetic(pose, twist):
        q = (actuator_map(pose, free) @ twist[..., None])[..., 0]
        return 0.5 * np.einsum("...i,...ij,...j", q, mass_matrix(pose, free), q)

    h = 1e-5
    steps = []
    for side in (-h, h):
        axes = motion.axes + side * motion.rates + 0.5 * h * h * motion.second
        there = replace(motion, axes=axes, rates=motion.rates + side * motion.second)
        steps.append(kinetic(there.pose, there.twist))
    q = (actuator_map(pose, free) @ twist[..., None])[..., 0]
    power = (inverse_dynamics(pose, twist, acceleration, free, friction=False) * q).sum(axis=-1)
    assert (steps[1] - steps[0]) / (2.0 * h) == pytest.approx(power, rel=1e-6, abs=1e-6)


def test_mass_matrix_and_bias_make_up_the_inverse_dynamics():
    motion = random_motion(30, seed=5)
    pose, twist, acceleration = motion.pose, motion.twist, motion.acceleration
    M = mass_matrix(pose, DATA)
    assert pytest.approx(np.swapaxes(M, -1, -2), abs=1e-10) == M
    assert np.linalg.eigvalsh(M).min() > 0.1
    q3dd = leg_rates(pose, twist[:, 2:], acceleration[:, 2:], DATA).q3dd
    qdd = np.concatenate([acceleration[:, :2], q3dd], axis=-1)
    gamma = (M @ qdd[..., None])[..., 0] + bias(pose, twist, DATA)
    assert gamma == pytest.approx(inverse_dynamics(pose, twist, acceleration, DATA), abs=1e-8)


def test_forward_dynamics_undoes_inverse_dynamics():
    motion = random_motion(30, seed=6)
    pose, twist, acceleration = motion.pose, motion.twist, motion.acceleration
    gamma = inverse_dynamics(pose, twist, acceleration, DATA)
    assert forward_dynamics(pose, twist, gamma, DATA) == pytest.approx(acceleration, abs=1e-10)


def test_a_hand_on_the_platform_is_carried_by_the_legs():
    motion = random_motion(10, seed=7)
    pose, twist, acceleration = motion.pose, motion.twist, motion.acceleration
    hand = np.array([0.0, 0.0, -20.0, 0.0, 0.0, 0.0])  # N, downwards through the centre
    more = inverse_dynamics(pose, twist, acceleration, DATA, outside=hand) - inverse_dynamics(
        pose, twist, acceleration, DATA
    )
    assert more[:, :2] == pytest.approx(0.0, abs=1e-12)
    assert (more[:, 2:].sum(axis=1) > 19.0).all()


def test_friction_resists_by_direction():
    still = np.zeros(8)
    pose = DATA.neutral
    for k, name in enumerate(("table_x", "table_y")):
        law, v = DATA.friction[name], still.copy()
        for speed, side in ((0.7, 0), (-0.7, 1)):
            v[k] = speed
            force = friction_forces(pose, v, DATA)[k]
            assert force == pytest.approx(np.sign(speed) * (law.viscous[side] * 0.7 + law.dry[side]))
    up = np.concatenate([np.zeros(4), [0.3], np.zeros(3)])
    assert (friction_forces(pose, up, DATA)[2:] > 0.0).all()
    assert len(ACTUATORS) == len(friction_forces(pose, up, DATA))


def test_compiled_code_is_the_same_formula():
    motion = random_motion(200, seed=8)
    pose, twist, acceleration = motion.pose, motion.twist, motion.acceleration
    found = inverse_function(DATA)(pose, twist, acceleration)
    assert relative(found, inverse_dynamics(pose, twist, acceleration, DATA)) < 1e-12
