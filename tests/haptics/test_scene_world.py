"""A scene as a world (scene_world.py, local.c): what is near its tool, told as constraints."""

import numpy as np
import pytest
from local_models import HALF

from symbody.errors import ModelError
from symbody.haptics import HapticBody, HapticScene, Linkage, box, rectangle
from symbody.haptics.thesis_scenes.corner import INERTIA, MASS, peg
from symbody.haptics.thesis_scenes.two_rate_testbed import linkage
from symbody.haptics.two_rates.packet import LocalConstraint
from symbody.haptics.two_rates.round_shapes import ToolPose
from symbody.haptics.two_rates.scene_world import SceneWorld, clusters_of, joined

GAP = 0.003  # m


def beside_wall(gap=GAP, epsilon=0.005, pose=(0.0, 0.0, 0.0), **more):
    wall = {"wall": rectangle(0.1, 0.3, (HALF[0] + gap + 0.05, 0.0))}
    return SceneWorld(HapticScene([peg(pose)], wall), "peg", epsilon=epsilon, **more)


def test_what_is_within_epsilon_is_told_before_it_is_touched():
    assert beside_wall(epsilon=0.002).look().constraints == []
    found = beside_wall().look().constraints
    assert len(found) == 2
    for one in found:
        assert one.s == pytest.approx(GAP)
        assert one.normal == pytest.approx((-1.0, 0.0, 0.0))
        assert one.point[0] == pytest.approx(HALF[0] + GAP)  # on the wall
        assert one.tool[0] == pytest.approx(HALF[0])  # on the tool
        assert abs(one.tool[1]) == pytest.approx(HALF[1])


@pytest.mark.parametrize("seed", range(20))
def test_points_of_tool_and_wall_are_s_apart(seed):
    """x_tool − c = s n, and c on a face of the environment where the tool has the corner, at any pose."""
    random = np.random.default_rng(seed)
    pose = (0.004 * random.uniform(-1, 1), 0.0, random.uniform(-0.3, 0.3))
    world = beside_wall(0.01, 0.02, pose)
    found = world.look().constraints
    assert found
    for one in found:
        x = ToolPose.of(world.tool_pose()).outside(one.tool)
        assert x - np.array(one.point) == pytest.approx(one.s * np.array(one.normal), abs=1e-12)
        assert np.dot(one.normal, (-1.0, 0.0, 0.0)) > 0.9
    assert min(one.s for one in found) == pytest.approx(HALF[0] + 0.01 - corner_reach(pose), abs=1e-9)


def corner_reach(pose):
    corners = ToolPose.of(np.array(pose))
    return max(corners.outside((x * HALF[0], y * HALF[1], 0.0))[0] for x in (-1, 1) for y in (-1, 1))


def test_the_tool_may_be_any_object_of_the_scene():
    """Second in the list it is the other side of its contacts; all is told as if it were the first."""
    block = HapticBody("block", rectangle(0.1, 0.3), 5.0, 0.01, (HALF[0] + GAP + 0.05, 0.0, 0.0), (-0.2, 0.0, 0.0))
    for objects in ([peg(), block], [block, peg()]):
        found = SceneWorld(HapticScene(objects), "peg").look().constraints
        assert len(found) == 2
        for one in found:
            assert one.s == pytest.approx(GAP)
            assert one.normal == pytest.approx((-1.0, 0.0, 0.0))
            assert one.tool[0] == pytest.approx(HALF[0])
            assert one.velocity == pytest.approx(0.2)  # along n: it comes


def test_the_tool_goes_where_it_is_told_and_pushes_what_is_free():
    block = HapticBody("block", rectangle(0.02, 0.02), 0.5, 1e-4, (HALF[0] + 0.0101, 0.0, 0.0))
    world = SceneWorld(HapticScene([peg(), block]), "peg")
    step = world.advance(np.array([0.01, 0.0, 0.0]), 0.1)
    assert world.tool_pose() == pytest.approx((0.01, 0.0, 0.0), abs=1e-15)
    speed = world.scene.v[3]
    assert speed == pytest.approx(0.1, rel=0.1)  # plastic: it moves along
    assert step.work == pytest.approx(0.5 * speed * 0.1, rel=0.02)  # its momentum, at the speed of the tool
    assert step.gained == pytest.approx(0.5 * 0.5 * speed**2, rel=1e-6)  # what it has of it; the rest is lost


def test_a_step_can_be_undone():
    block = HapticBody("block", rectangle(0.02, 0.02), 0.5, 1e-4, (HALF[0] + 0.0101, 0.0, 0.0))
    world = SceneWorld(HapticScene([peg(), block]), "peg")
    kept = world.kept()
    first = world.advance(np.array([0.01, 0.0, 0.0]), 0.1)
    after = world.scene.q.copy()
    world.restore(kept)
    assert world.tool_pose() == pytest.approx((0.0, 0.0, 0.0), abs=0.0)
    assert world.advance(np.array([0.01, 0.0, 0.0]), 0.1).work == first.work
    assert world.scene.q == pytest.approx(after, abs=0.0)


def test_a_box_in_space_turns_to_where_it_is_told():
    body = HapticBody("box", box(0.04, 0.04, 0.04), 0.5, (1e-3,) * 3)
    world = SceneWorld(HapticScene([body], {"floor": box(1.0, 1.0, 0.1, (0.0, 0.0, -0.073))}), "box")
    goal = np.array([0.01, 0.0, 0.0, np.cos(0.2), 0.0, 0.0, np.sin(0.2)])
    found = world.advance(goal, 1 / 30).constraints
    assert world.tool_pose() == pytest.approx(goal)
    assert len(found) == 4
    assert [one.s for one in found] == pytest.approx([0.003] * 4)
    assert world.scene.v[5] == pytest.approx(0.4 * 30, rel=0.02)  # rad/s


def test_mass_matrix_and_weight_are_those_of_the_tool():
    tool = linkage()
    world = SceneWorld(HapticScene([tool], {"floor": rectangle(1.0, 0.1, (0.0, -0.1))}), "arm")
    step = world.advance(world.tool_pose() + 0.01, 0.1)
    mass, weight = step.tool.D, step.tool.G
    assert mass == pytest.approx(np.asarray(tool.function(world.tool_pose(), np.zeros(3)).M))
    assert weight == pytest.approx(np.zeros(3), abs=1e-12)
    falling = HapticScene([peg()], gravity=(0.0, -9.81))
    told = SceneWorld(falling, "peg").look().tool
    weight = told.G
    assert np.diag(told.D) == pytest.approx((MASS, MASS, INERTIA))
    assert weight == pytest.approx((0.0, 9.81 * MASS, 0.0))


def test_contacts_that_lie_together_are_one():
    def at(x, s, normal=(0.0, 1.0, 0.0), body=0):
        return LocalConstraint((x, 0.0, 0.0), normal, (x, s, 0.0), s, body=body)

    slanted = (np.sin(0.2), np.cos(0.2), 0.0)
    found = joined(clusters_of([at(0.0, 0.002), at(0.0005, 0.001, slanted), at(0.01, 0.003)], 1e-3))
    assert len(found) == 2
    assert found[0].s == 0.001
    assert found[0].normal == pytest.approx((np.sin(0.1), np.cos(0.1), 0.0))  # the mean
    assert len(clusters_of([at(0.0, 0.0), at(0.0, 0.0, body=1)], 1e-3)) == 2
    chain = [at(0.0008 * k, 0.001 * k) for k in range(3)]  # neighbours are near, the ends are not
    assert len(clusters_of(chain, 1e-3)) == 2
    opposed = clusters_of([at(0.0, 0.0), at(0.0, 0.001, (0.0, -1.0, 0.0))], 1e-3)
    assert joined(opposed)[0].normal == (0.0, 1.0, 0.0)


def test_what_cannot_be_meant_is_refused():
    with pytest.raises(ModelError, match="unknown tool"):
        SceneWorld(HapticScene([peg()]), "screw")
    with pytest.raises(ModelError, match="must not hold a tool"):
        SceneWorld(HapticScene([peg()], tool="peg"), "peg")
    world = beside_wall()
    with pytest.raises(ModelError, match=r"a pose .* of the tool"):
        world.advance(np.array([0.0, np.nan, 0.0]), 0.1)
    with pytest.raises(ModelError, match=r"a pose .* of the tool"):
        world.advance(np.zeros(7), 0.1)
    from symbody.haptics.two_rates.round_shapes import Round

    arm: Linkage = linkage()
    with pytest.raises(ModelError, match="not a linkage"):
        SceneWorld(HapticScene([arm]), "arm", rounds={"wall": Round((0, 0, 0), 1.0)})
