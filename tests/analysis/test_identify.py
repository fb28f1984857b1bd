"""Identification: exact without noise, within its standard deviations with it; trees and loops."""

import argparse
from functools import cache

import numpy as np
import pytest

import symbody as sb
from orderings import SEEDS, Ordering
from orderings import check as check_ordering
from symbody import machines
from symbody.analysis.base_parameters import base_parameters, inertial_values, regressor
from symbody.analysis.identify import REACTIONS, condition, excitation, identify
from symbody.analysis.random_states import random_state
from symbody.analysis.trajectory import follow
from symbody.cli import identify as command
from symbody.system.motion_names import acceleration_names, coordinate_names, velocity_names
from symbody_bench.random_trees import random_tree

FORCE_NOISE = np.array([0.5, 0.5, 0.5, 0.1, 0.1, 0.1])  # N, N m


@pytest.fixture(scope="module")
def arm():
    """An arm, a motion that excites it, its joint torques and the reaction of the ground."""
    m = machines.model("arm6")
    x = excitation(m, 10.0, amplitude=1.5, speed=2.0, measured="reactions", samples=200, tries=5)
    motion = x.q, x.qd, x.qdd
    ground = sb.compile(m, "reaction")(*motion)
    return m, motion, sb.compile(m, "inverse")(*motion), np.hstack([ground.force, ground.torque])


def test_regressors_times_parameters_are_torques_and_reactions():
    rng = np.random.default_rng(1)
    m = random_tree(rng, joints=3)
    motion = [np.stack(x) for x in zip(*(random_state(m, rng) for _ in range(5)), strict=True)]
    delta = inertial_values(m)
    both = regressor(m, "both")(*motion) @ delta
    ground = sb.compile(m, "reaction")(*motion)
    np.testing.assert_allclose(both[:, :6], np.hstack([ground.force, ground.torque]), atol=1e-9)
    np.testing.assert_allclose(both[:, 6:], sb.compile(m, "inverse")(*motion), atol=1e-9)
    np.testing.assert_allclose(regressor(m)(*motion) @ delta, both[:, 6:], atol=1e-9)


def test_reactions_show_more_than_torques():
    """A pendulum on the ground: torques show its first moments and Iyy; the ground also feels its weight."""
    m = sb.Model("pendulum")
    m.body("arm", joints="R2", mass=1.3, com=(0.1, 0, -0.4), inertia=(0.2, 0.3, 0.4))
    assert base_parameters(m).expressions == ["arm.mx", "arm.mz", "arm.Iyy"]
    assert base_parameters(m, measured="reactions").expressions[:3] == ["arm.m", "arm.mx", "arm.my"]
    assert base_parameters(m, measured="reactions").number == 7  # not how Ixx, Izz, Ixz turn about a fixed axis alone
    with pytest.raises(sb.ModelError, match="reactions"):
        base_parameters(m, measured="everything")


def test_parameters_come_back_within_their_standard_deviations(arm):
    m, motion, _, reactions = arm
    errors, squares = [], []
    for seed in range(4):
        noise = FORCE_NOISE * np.random.default_rng(seed).normal(size=reactions.shape)
        found = identify(m, *motion, reactions=reactions + noise)
        wrong = found.values - found.before
        errors.append(wrong / found.deviations)
        squares.append(wrong @ np.linalg.solve(found.covariance, wrong))
    assert np.mean(np.abs(errors) < 3) > 0.985
    freedoms = len(found.values)  # the mean of four sums of so many squares, within three of its deviations
    assert np.mean(squares) == pytest.approx(freedoms, abs=3 * np.sqrt(2 * freedoms / 4))
    np.testing.assert_allclose(list(found.noise.values()), FORCE_NOISE, rtol=0.2)
    assert found.condition < 100
    heavy = next(row for row in found.table if row["parameter"].startswith("base.m "))
    assert heavy["significant"] == "yes"
    assert heavy["value"] == pytest.approx(sum(b.mass for b in m.bodies.values()), abs=4 * heavy["deviation"])


def test_torques_and_reactions_together_with_friction(arm):
    m, motion, torques, reactions = arm

    @cache
    def found(name, seed):
        rng = np.random.default_rng(seed)
        rubbed = torques + 0.5 * motion[1] + 0.2 * np.sign(motion[1]) + 0.05 * rng.normal(size=torques.shape)
        noisy = reactions + FORCE_NOISE * rng.normal(size=reactions.shape)
        more = {"torques": rubbed, "friction": True} if name == "both" else {}
        return identify(m, *motion, reactions=noisy, **more)

    both, alone = found("both", 3), found("reactions", 3)
    friction = dict(zip(both.names, zip(both.values, both.deviations, strict=True), strict=True))
    for joint in m.velocities:
        for kind, exact in (("viscous", 0.5), ("coulomb", 0.2)):
            value, sigma = friction[f"{joint}.{kind}"]
            assert abs(value - exact) < 4 * sigma
    shared = len(alone.names)

    def deviation(name, seed):
        """The geometric mean of the standard deviations of the shared parameters."""
        return float(np.exp(np.mean(np.log(found(name, seed).deviations[:shared]))))

    check_ordering(Ordering("standard deviation", "both", "reactions", deviation, 0.7))
    for seed in SEEDS:  # more measurements: no parameter is less certain, more than half are much more certain
        ratio = found("both", seed).deviations[:shared] / found("reactions", seed).deviations
        assert ratio.max() < 1.05
        assert np.median(ratio) < 0.7


def test_given_noise_weighs_as_it_should(arm):
    m, motion, torques, _ = arm
    sigma = {f"{name}.Q": 0.1 for name in m.velocities}
    first = identify(m, *motion, torques=torques, sigma=sigma)
    second = identify(m, *motion, torques=torques, sigma={name: 2 * x for name, x in sigma.items()})
    np.testing.assert_allclose(second.deviations, 2 * first.deviations, rtol=1e-9)
    np.testing.assert_allclose(first.values, first.before, atol=1e-9)


def test_a_mechanism_with_a_loop():
    """A four-bar moved by its crank alone: what the torque shows, and what the ground shows besides."""
    m = machines.model("four-bar")
    m.joint_laws.clear()
    t = np.linspace(0, 4, 200)
    crank = -1 + 0.7 * np.sin(2.3 * t) + 0.4 * np.sin(5 * t) + 0.3 * np.cos(3.1 * t)
    run = follow(m, {"crank": crank}, t, outputs=["*"])
    families = coordinate_names(m), velocity_names(m), acceleration_names(m), REACTIONS
    q, qd, qdd, reactions = (np.stack([run[name] for name in names], axis=1) for names in families)
    torques = np.zeros_like(qd)
    torques[:, 0] = run["crank.effort"]
    noise = 1e-3 * np.random.default_rng(0).normal(size=torques.shape) * [1, 0, 0]
    for found in (
        identify(m, q, qd, qdd, torques=torques),
        identify(m, q, qd, qdd, torques=torques, reactions=reactions),
    ):
        np.testing.assert_allclose(found.values, found.before, atol=1e-9)
        assert found.base.number < 30
    noisy = identify(m, q, qd, qdd, torques=torques + noise)
    assert np.all(np.abs(noisy.values - noisy.before) < 4 * noisy.deviations)


def test_a_motion_that_shows_too_little_is_refused(arm):
    m, (q, qd, qdd), torques, _ = arm
    still = [x.copy() for x in (q, qd, qdd)]
    for x in still:
        x[:, 1:] = 0.0
    with pytest.raises(sb.ModelError, match="does not excite"):
        identify(m, *still, torques=sb.compile(m, "inverse")(*still))
    for wrong, words in (
        ({"torques": torques[:, :5]}, "torques of shape"),
        ({}, "no measurement"),
        ({"torques": np.full_like(torques, np.nan)}, "contains NaN"),
        ({"reactions": np.zeros((200, 6)), "friction": True}, "friction"),
    ):
        with pytest.raises(sb.ModelError, match=words):
            identify(m, q, qd, qdd, **wrong)


def test_an_excitation_keeps_its_limits_and_gets_better():
    m = sb.Model("two")
    arm = m.body("arm", joints="R3", mass=1.0, com=(0.2, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.body("hand", arm.point("tip", (0.4, 0, 0)), joints="R2", mass=0.5, com=(0.1, 0, 0), inertia=(0.01, 0.02, 0.02))
    limits = {"amplitude": (1.0, 0.5), "speed": 2.0, "centre": (0.3, 0.0)}
    plain = excitation(m, 5.0, **limits, samples=40, tries=1)
    better = excitation(m, 5.0, **limits, samples=40, tries=10, iterations=10)
    # one run: the search keeps the best of its tries, and `plain` is the first of them
    assert better.condition < plain.condition
    for x in (plain, better):
        assert np.all(np.abs(x.q - [0.3, 0.0]).max(axis=0) <= np.array([1.0, 0.5]) + 1e-12)
        assert np.abs(x.qd).max() <= 2.0 + 1e-12
        kept = base_parameters(m).independent
        assert x.condition == pytest.approx(condition(regressor(m)(x.q, x.qd, x.qdd)[:, :, kept]))
    rate = np.gradient(better.q, better.t, axis=0)[1:-1]
    assert np.abs(rate - better.qd[1:-1]).max() < 0.3
    with pytest.raises(sb.ModelError, match="elementary"):
        excitation(machines.model("four-bar"), 1.0)


def test_the_command_finds_the_parameters_in_a_file(tmp_path):
    m = machines.model("arm6")
    x = excitation(m, 6.0, amplitude=1.0, samples=600, tries=1)
    Q = sb.compile(m, "inverse")(x.q, x.qd, x.qdd)
    names = [*(f"{n}.q" for n in m.coordinates), *(f"{n}.Q" for n in m.velocities)]
    np.savetxt(
        tmp_path / "arm.csv", np.column_stack([x.t, x.q, Q]), delimiter=",", header=",".join(["t", *names]), comments=""
    )
    parser = argparse.ArgumentParser()
    command.options(parser)
    said = command.run(parser.parse_args(["arm6", "--data", str(tmp_path / "arm.csv")]))
    assert said["samples"] == 600
    assert len(said["parameters"]) == base_parameters(m).number
    for row in said["parameters"]:  # velocities and accelerations are those of a spline through q
        assert row["value"] == pytest.approx(row["model"], abs=1e-3)


def test_exact_data_and_plain_lists_of_one_joint_are_accepted():
    m = sb.Model("pendulum")
    m.body("arm", joints="R2", mass=1.3, com=(0.1, 0, -0.4), inertia=(0.2, 0.3, 0.4))
    x = excitation(m, 5.0, amplitude=1.0, samples=50, tries=3)
    torques = sb.compile(m, "inverse")(x.q, x.qd, x.qdd)
    found = identify(m, x.q[:, 0], x.qd[:, 0], x.qdd[:, 0], torques=torques[:, 0])
    np.testing.assert_allclose(found.values, found.before, rtol=1e-9, atol=1e-12)
    assert np.all(np.isfinite(found.deviations))
    assert found.samples == 50
