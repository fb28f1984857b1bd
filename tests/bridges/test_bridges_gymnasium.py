"""Environments of Gymnasium (gymnasium.py, task.py): its own checker, spaces, ends, many at once."""

import numpy as np
import pytest
from bridge_models import cart_pole, four_bar

import symbody as sb
from far_states import crank_states, unreachable, wishbone

pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env

from symbody.bridges import task as learning_task
from symbody.bridges.gymnasium import Environment, VectorEnvironment

FORCE = {"force": (-10.0, 10.0)}
TASK = {"limits": {"x.q": (-2.4, 2.4), "tilt.q": (-0.21, 0.21)}, "spread": {"tilt.q": 0.05, "x.qd": 0.05}}


def upright(y, u):
    return 1.0 - y["tilt.q"] ** 2 - 1e-3 * u["force"] ** 2


def environment(**more):
    return Environment(cart_pole(), upright, FORCE, **TASK | more)


@pytest.fixture(params=[False, True], ids=["one by one", "batched"])
def batched(request, monkeypatch):
    """Whether copies are steps of a batch."""
    monkeypatch.setattr(learning_task, "FEWEST", 1 if request.param else 1000)
    return request.param


def test_it_passes_gymnasiums_own_checks():
    check_env(environment(), skip_render_check=True)


def test_spaces_come_from_limits():
    env = environment(observed=["tilt.q", "x.q", "tip.position.x"])
    assert env.action_space.high.tolist() == [10.0]
    np.testing.assert_allclose(env.observation_space.high, [0.42, 4.8, np.inf], rtol=1e-6)
    seen, _ = env.reset(seed=3)
    assert seen[2] == pytest.approx(seen[1] + np.sin(seen[0]), abs=1e-6)


def test_a_step_is_a_step_of_the_system_and_an_episode_ends_beyond_a_limit():
    env = environment(dt=0.02)
    env.reset(options={"x": np.array([0.0, 0.2, 0.0, 0.0])})
    expected = sb.stepper(cart_pole(), dt=0.02).step(np.array([0.0, 0.2, 0.0, 0.0]), np.array([10.0]))
    seen, reward, ended, cut, _ = env.step(np.array([20.0], dtype=np.float32))  # as much as allowed
    np.testing.assert_allclose(seen, expected, rtol=1e-6)
    assert reward == pytest.approx(1.0 - expected[1] ** 2 - 0.1)
    assert not ended
    assert not cut
    for _ in range(20):
        seen, _, ended, _, _ = env.step(np.array([-10.0], dtype=np.float32))
        if ended:
            break
    assert ended
    assert abs(seen[1]) > 0.21


def test_an_episode_is_cut_and_a_seed_begins_alike():
    env = environment(steps=3, limits={})
    first, _ = env.reset(seed=5)
    assert [env.step([0.0])[3] for _ in range(3)] == [False, False, True]
    np.testing.assert_array_equal(env.reset(seed=5)[0], first)


def test_many_at_once_are_the_same_as_one_by_one(batched):
    many = VectorEnvironment(cart_pole(), upright, FORCE, num_envs=6, steps=40, **TASK)
    seen, _ = many.reset(seed=1)
    states, alive = many.x.copy(), np.ones(6, dtype=bool)
    singles = [environment(steps=40) for _ in range(6)]
    for env, x in zip(singles, states, strict=True):
        env.reset(options={"x": x})
    rng = np.random.default_rng(2)
    for _ in range(40):
        action = rng.uniform(-10, 10, (6, 1)).astype(np.float32)
        seen, reward, ended, cut, _ = many.step(action)
        for k in np.flatnonzero(alive):
            one = singles[k].step(action[k])
            np.testing.assert_allclose(seen[k], one[0], rtol=1e-5, atol=1e-6)
            assert reward[k] == pytest.approx(one[1])
            assert (ended[k], cut[k]) == one[2:4]
        alive &= ~(ended | cut)
    assert not alive.all()


def test_what_ended_begins_again_at_the_next_step(batched):
    many = VectorEnvironment(cart_pole(), upright, FORCE, num_envs=3, steps=1000, **TASK)
    many.reset(seed=1)
    push = np.array([[10.0], [0.0], [-10.0]], dtype=np.float32)
    for _ in range(60):
        _, _, ended, _, _ = many.step(push)
        if ended[0]:
            break
    assert ended[0]
    seen, reward, ended, _, _ = many.step(push)
    assert reward[0] == 0.0
    assert not ended[0]
    assert abs(seen[0, 1]) <= 0.05


def test_outputs_of_loops_are_observed_in_each_row(batched):
    s = four_bar()
    task = {"observed": ["crank.q", "rocker.q"], "spread": {"crank.q": 0.3}, "dt": 1e-3, "substeps": 2}
    many = VectorEnvironment(s, lambda y, u: y["rocker.q"], {"torque": (-0.1, 0.1)}, num_envs=4, steps=5, **task)
    seen, _ = many.reset(seed=0)
    for _ in range(7):  # through a new beginning
        for row, x in zip(seen, many.x, strict=True):
            assert row[1] == pytest.approx(s.at(0.0, x)["rocker.q"], abs=1e-5)
        seen, *_ = many.step(many.action_space.sample())


def test_what_cannot_be_meant_is_refused():
    with pytest.raises(sb.ModelError, match="tilt: unknown among the limits"):
        environment(limits={"tilt": (-1, 1)})
    with pytest.raises(sb.ModelError, match="lower number first"):
        Environment(cart_pole(), upright, {"force": (1.0, -1.0)})
    m = sb.machines.model("cart-pole")
    m.signal("clock")(lambda s, p: p.t)
    m.joint_force("tilt")(lambda q, qd, p: sb.functions.sin(p.t))
    with pytest.raises(sb.ModelError, match="know the time"):
        VectorEnvironment(sb.system(m), upright, FORCE, num_envs=2)


def test_a_motion_that_cannot_go_on_ends_the_episode():
    m = sb.machines.model("cart-pole")

    @m.limit("travel")
    def travel(s, p):
        return 0.05 - s.q["x"] ** 2

    env = Environment(sb.system(m), upright, FORCE, dt=0.05)
    env.reset()
    for _ in range(60):
        _, _, ended, _, info = env.step(np.array([10.0], dtype=np.float32))
        if ended:
            break
    assert ended
    assert "travel" in info["failure"]


def test_episodes_begin_in_the_assembly_mode_of_the_start():
    """Resets far from the start, in random order, and a step after each."""
    s = four_bar()
    env = Environment(s, lambda y, u: 0.0, actions={"torque": (-1, 1)}, observed=["crank.q", "rocker.q"], dt=1e-3)
    for x in crank_states()[::12]:
        first, _ = env.reset(options={"x": x})
        np.testing.assert_allclose(first[1], s.at(0.0, x)["rocker.q"], atol=1e-5)
        second, *_ = env.step(np.zeros(1))
        np.testing.assert_allclose(second[1], s.at(0.0, env.x)["rocker.q"], atol=1e-5)


def test_many_episodes_begin_in_the_assembly_mode_of_the_start(batched):
    s = four_bar()
    task = {"observed": ["crank.q", "rocker.q"], "dt": 1e-3, "spread": {"crank.q": 2.1}}
    many = VectorEnvironment(s, lambda y, u: 0.0 * y["crank.q"], actions={"torque": (-1, 1)}, num_envs=8, **task)
    for seed in (1, 2):
        seen, _ = many.reset(seed=seed)
        np.testing.assert_allclose(seen[:, 1], s.observe(0.0, many.x)[:, 0], atol=1e-5)


def test_an_episode_cannot_begin_where_loops_do_not_close():
    s = wishbone()
    joint = next(iter(s.model.joints()))
    m = sb.system(s.model, inputs=[f"{joint.name}.Q"])
    env = Environment(m, lambda y, u: 0.0, actions={m.inputs[-1]: (-1, 1)})
    with pytest.raises(sb.AssemblyError, match="loop 'upper_ball'"):
        env.reset(options={"x": unreachable(m)})
