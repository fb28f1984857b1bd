"""Haptic scenes for two processes (remote_scene.py, mjcf_scene.py, two_rates.py of machines), here on one clock."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from symbody import machines
from symbody.cli.node_haptic import scene_names
from symbody.errors import ModelError
from symbody.haptics import TwoRates
from symbody.haptics.steps import TOLD, SceneSource, given_names
from symbody.haptics.structures import HAND, POSE
from symbody.haptics.thesis_scenes.puck import remote
from symbody.haptics.two_rates.mjcf_scene import mjcf_scene, tool_body
from symbody.haptics.two_rates.mujoco_world import MujocoWorld
from symbody.haptics.two_rates.world_link import REMOTE
from symbody.machines.haptic_bench import bench

CUBE = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="cube" pos="0.01 0 0.03"><freejoint/>
<geom type="box" size="0.02 0.03 0.01" mass="0.5" euler="0 0 30"/></body>
<body name="ball" pos="0.1 0 0.02"><freejoint/><geom type="sphere" size="0.02" mass="0.1"/></body>
</worldbody></mujoco>"""


def scene(name):
    return remote() if name == "puck" else machines.entry(name).remote()


def run(made, seconds, hold=""):
    """The scripted hand, both rates on one clock."""
    local = made.local(REMOTE, 1000.0, hold)
    both = TwoRates(made.world(epsilon=0.02), local, 30.0, contact=made.contact, passive=True)
    names, start = given_names(local.scene)[local.scene.nh :], list(local.scene.c.memory.x)

    def pose(t):
        given = made.hand(t)
        return [given.get(name, start[k]) for k, name in enumerate(names)]

    return both, both.run(seconds, pose=pose)


def test_every_machine_with_a_haptic_scene_is_known():
    assert scene_names() == ["puck", "haptic-bench", "linkage"]
    assert [scene(name).name for name in scene_names()] == scene_names()


@pytest.mark.parametrize("name", scene_names())
def test_scenes_are_felt_through_their_line(name):
    both, log = run(scene(name), 2.5)
    limit = np.array(both.local.scene.c.settings.limit[:3])
    assert both.counts["taken"] > 60
    assert log["contacts"].max() > 0
    assert np.all(np.abs(log["felt"][:, :3]) <= limit * (1 + 1e-12))
    assert np.all(np.abs(log["command"][:, :3]) <= limit * (1 + 1e-12))
    assert both.local.scene.c.settings.stiffness == both.end.contact.stiffness
    assert both.end.account.least > -1e-6
    assert both.world.tool_pose() == pytest.approx(both.local.tool_q, abs=0.15)  # 33 ms behind


@pytest.mark.parametrize(("hold", "rank"), [("link1", 1), ("link2", 2), ("link3", 3)])
def test_a_linkage_is_held_at_any_link(hold, rank):
    """As many directions are free at the hand as there are joints before it."""
    both, log = run(scene("linkage"), 0.3, hold)
    assert log["rank"].max() == rank
    assert both.counts["taken"] > 5


def test_links_and_engines_that_are_not_there_are_refused():
    with pytest.raises(ModelError, match=r"unknown link 'link9'.*link1, link2, link3"):
        scene("linkage").local(REMOTE, 1000.0, "link9")
    with pytest.raises(ModelError, match=r"unknown link 'link1'.*one body"):
        scene("puck").local(REMOTE, 1000.0, "link1")
    with pytest.raises(ModelError, match=r"unknown engine 'mujoco'.*symbody"):
        scene("linkage").world("mujoco", epsilon=0.01)


def test_another_rendering_stays_when_all_begins_again():
    local = scene("haptic-bench").local(REMOTE, 1000.0)
    made = local.scene.rendering
    local.use(replace(made, contact=replace(made.contact, model="penalty")))
    local.reset()
    assert local.c.contact == local.scene.c.settings.contact == 1


def test_walls_that_packets_tell_are_no_inputs():
    """Else a loop would set them at each tick to what they were at the start."""
    local = scene("puck").local(REMOTE, 1000.0)
    given = np.zeros(HAND + POSE)
    assert not set(TOLD) & set(SceneSource(local.scene).inputs(given))
    assert set(TOLD) <= set(SceneSource(bench()).inputs(given))


def test_the_tool_of_an_mjcf_file_is_what_mujoco_has(tmp_path):
    pytest.importorskip("mujoco")
    file = tmp_path / "cube.xml"
    file.write_text(CUBE)
    body = tool_body(MujocoWorld(file, "cube"), "cube")
    both, log = run(mjcf_scene(file, "cube"), 1.0)
    squares = np.array([0.02, 0.03, 0.01]) ** 2
    turn = Rotation.from_euler("z", 30.0, degrees=True).as_matrix()
    assert body.mass == pytest.approx(0.5)
    np.testing.assert_allclose(body.inertia, turn @ np.diag(0.5 / 3 * (sum(squares) - squares)) @ turn.T, atol=1e-12)
    assert both.counts["taken"] > 25
    assert both.counts["mass"] == 0
    assert log["contacts"].max() > 0  # it falls on the floor
    assert both.local.tool_q[2] == pytest.approx(0.01, abs=2e-3)
    assert both.local.scene.c.travel == pytest.approx(0.01)  # half of what is thinnest
