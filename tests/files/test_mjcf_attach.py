# ruff: noqa: E501  lines of XML
"""Attached models of MJCF against the model that MuJoCo compiles.

Tests of mjcf_attach.py, mjcf_keyframe.py.
"""

import pytest
from test_mjcf_file import load, written
from test_mjcf_meshes import prism, stl

from symbody.errors import ModelError

CHILD = """<mujoco model="c"><compiler angle="radian" eulerseq="zyx" settotalmass="3" boundmass="0.2" meshdir="meshes"/>
<option gravity="0 0 -3"><flag damper="disable"/></option>
<default><joint damping="0.5"/><geom density="100" material="m"/><position kp="3"/><default class="x"><joint damping="2"/><position kv="0.4"/></default></default>
<asset><material name="m"/><mesh name="part" file="part.stl"/></asset>
<worldbody><geom name="floor" size="0.1"/><site name="w"/><body name="other" pos="3 0 0"><joint name="o"/><geom size="0.1"/></body>
<body name="b" pos="1 0 0" euler="0.3 0 0.2"><joint name="j" range="-1 1"/><geom size="0.1"/><site name="s"/><frame name="f" pos="0 0 0.3" euler="0.4 0 0"><body name="d" childclass="x">
<joint name="k" axis="1 0 0" ref="0.1"/><geom type="mesh" mesh="part" mass="0.4"/><site name="p" pos="0 0 1"/></body></frame></body></worldbody>
<tendon><fixed name="t" damping="0.1"><joint joint="j" coef="1"/><joint joint="k" coef="2"/></fixed><fixed name="u"><joint joint="j" coef="1"/><joint joint="o" coef="2"/></fixed></tendon>
<equality><joint name="e" joint1="j" joint2="k"/><joint name="e2" joint1="j" joint2="o"/><connect name="e3" body1="d" body2="world" anchor="0 0 0.1"/></equality>
<actuator><motor name="m" joint="j"/><motor name="mo" joint="o"/><motor name="mt" tendon="t"/><position class="x" joint="k"/></actuator>
<keyframe><key name="home" qpos="0.1 0.2 0.3" qvel="1 2 3" ctrl="11 12 13 14"/><key name="part" qpos="0.4 0.5"/></keyframe></mujoco>"""
PARENT = """<mujoco model="p"><compiler angle="degree" {compiler}/><default><joint damping="7"/><geom density="500"/></default><asset><model name="c" file="{file}"/></asset>
<worldbody><body name="first" euler="0 0 90"><joint name="i"/><geom size="0.1"/>{attach}<body name="inner"><joint name="l" range="-10 10"/><geom size="0.1"/></body></body></worldbody>
<actuator><motor name="q" joint="i"/>{actuator}</actuator></mujoco>"""


def files(folder, attach='<attach model="c" body="b" prefix="c_"/>', compiler="", file="below/child.xml", actuator=""):
    (folder / "below" / "meshes").mkdir(parents=True)
    (folder / "below" / "meshes" / "part.stl").write_bytes(stl(prism()))
    written(folder / "below", CHILD, "child.xml")
    return written(folder, PARENT.format(attach=attach, compiler=compiler, file=file, actuator=actuator))


ATTACHED = {
    "a body": {"actuator": '<motor name="mine" joint="c_k"/>'},
    "the world": {"attach": '<attach model="c" prefix="c_"/>'},
    "a frame": {"attach": '<attach model="c" frame="f" prefix="c_"/>'},
    "in a frame of another class": {"attach": '<frame pos="0 0 1" euler="0 90 0"><attach model="c" body="d" prefix="c_"/></frame>'},
    "twice": {"attach": '<attach model="c" body="b" prefix="c_"/><attach model="c" body="other" prefix="d_"/>'},
    "copies": {"attach": '<replicate count="2" offset="0 0 1"><attach model="c" body="b" prefix="c_"/></replicate>'},
    "options that are merged": {"compiler": 'conflict="merge"'},
    "a total mass": {"compiler": 'settotalmass="5"'},
}  # fmt: skip


@pytest.mark.parametrize("what", ATTACHED)
def test_an_attached_model_has_the_numbers_of_mujoco(what, tmp_path):
    pytest.importorskip("mujoco")
    from symbody_bench.validate.corpus_mujoco import mujoco_error, mujoco_fields

    path = files(tmp_path, **ATTACHED[what])
    assert [str(one) for one in mujoco_fields(path)] == []
    assert mujoco_error(load(path), path) < 1e-7
    assert any("c_home" in note for note in load(path).notes)


HOME = {"i": 0.0, "c_j": 0.2, "c_k": 0.2, "l": 0.0}  # k: 0.3 less its ref


def test_a_run_starts_from_a_keyframe_of_an_attached_model(tmp_path):
    model = load(files(tmp_path), keyframe="c_home")
    assert {joint.name: joint.q0[0] for joint in model.joints()} == pytest.approx(HOME)
    assert {joint.name: joint.v0[0] for joint in model.joints()} == {"i": 0.0, "c_j": 2.0, "c_k": 3.0, "l": 0.0}
    assert [one.value for one in model.inputs.values()] == [0.0, 11.0, 13.0, 14.0]
    with pytest.raises(ModelError, match="unknown keyframe 'home'"):
        load(tmp_path / "model.xml", keyframe="home")


def test_two_keyframes_of_one_name_are_refused(tmp_path):
    path = files(tmp_path)
    text = path.read_text().replace("</mujoco>", '<keyframe><key name="c_home"/></keyframe></mujoco>')
    with pytest.raises(ModelError, match="two keyframes are named 'c_home'"):
        load(written(tmp_path, text))


def test_a_model_may_attach_a_model_that_attaches_another(tmp_path):
    pytest.importorskip("mujoco")
    from symbody_bench.validate.corpus_mujoco import mujoco_error, mujoco_fields

    inner = files(tmp_path)
    inner.rename(tmp_path / "middle.xml")
    path = written(tmp_path, PARENT.format(attach='<attach model="c" prefix="a-"/>', compiler="", file="middle.xml", actuator=""))  # fmt: skip
    assert [str(one) for one in mujoco_fields(path)] == []
    assert mujoco_error(load(path), path) < 1e-7
    assert {"a-c_j", "a-l", "i"} <= set(load(path).coordinates)


def test_what_is_not_attached_is_listed(tmp_path):
    model = load(files(tmp_path))
    said = {one.where: one.why for one in model.dropped}
    assert {"u", "e2", "mo"} <= {where for where, why in said.items() if "not attached" in why}
    assert "options" in said["c"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"attach": '<attach model="d" prefix="c_"/>'}, "unknown model 'd'"),
        ({"attach": '<attach model="c" body="bb" prefix="c_"/>'}, "no body 'bb'"),
        ({"attach": '<attach model="c" body="b" prefix="c_"/>' * 2}, "two default classes"),
        ({"file": "../child.xml"}, "outside the model's folder"),
        ({"file": "gone.xml"}, "no such file"),
        ({"file": "model.xml"}, "nested more than"),
    ],
)
def test_attachments_that_cannot_be_read_are_refused(change, message, tmp_path):
    with pytest.raises(ModelError, match=message):
        load(files(tmp_path, **change))
