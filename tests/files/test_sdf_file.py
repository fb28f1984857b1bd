# ruff: noqa: E501  lines of XML
"""SDF against the same robot in URDF, against MuJoCo's numbers for what a URDF cannot say, and against closed forms.

Tests of sdf_file.py, sdf_document.py and sdf_frames.py.
"""

import math
import warnings
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from test_urdf_file import joint, link, robot

import symbody as sb
from symbody.errors import DroppedWarning, ModelError

INERTIAL = (
    "<inertial><pose>0.1 -0.2 0.3 0.2 0.5 -1.0</pose><mass>{mass}</mass><inertia><ixx>0.3</ixx><ixy>0.01</ixy><ixz>-0.02</ixz>"
    "<iyy>0.4</iyy><iyz>0.03</iyz><izz>0.5</izz></inertia></inertial>"
)
FIXED = '<joint name="base_fixed" type="fixed"><parent>world</parent><child>base</child></joint>'


def sdf(*parts, world="", version="1.9"):
    model = f'<model name="r">{"".join(parts)}</model>'
    inner = f'<world name="w">{world}{model}</world>' if world else model
    return f'<?xml version="1.0"?><sdf version="{version}">{inner}</sdf>'


def sdf_link(name, mass=1.0, pose="", relative_to=""):
    to = f' relative_to="{relative_to}"' if relative_to else ""
    return f'<link name="{name}">{f"<pose{to}>{pose}</pose>" if pose else ""}{INERTIAL.format(mass=mass)}</link>'


def sdf_joint(name, kind, parent, child, axis="0 0 1", more="", pose=""):
    return (
        f'<joint name="{name}" type="{kind}">{pose}<parent>{parent}</parent><child>{child}</child>'
        f"<axis><xyz>{axis}</xyz>{more}</axis></joint>"
    )


def load(folder, text, name="model.sdf", **options):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DroppedWarning)
        return sb.load(path, **options)


def same(one, other, atol=1e-10):
    """Both move alike: M, c at the same coordinates, by name."""
    assert one.coordinates == other.coordinates
    rng = np.random.default_rng(5)
    for _ in range(3):
        q, v = rng.uniform(-1, 1, one.nq), rng.uniform(-1, 1, one.nv)
        np.testing.assert_allclose(sb.compile(one, "mass")(q), sb.compile(other, "mass")(q), atol=atol)
        np.testing.assert_allclose(sb.compile(one, "bias")(q, v), sb.compile(other, "bias")(q, v), atol=atol)


def urdf(folder):
    path = folder / "robot.urdf"
    path.write_text(
        robot(
            link("base"), link("a", 2), link("b", 3), link("c", 1),
            joint("j", "revolute", "base", "a", xyz="0.1 0.2 0.3", rpy="0.3 -0.2 0.9", axis="1 2 -1"),
            joint("k", "prismatic", "a", "b", xyz="0 0.2 0.4", rpy="1 0 0", axis="0 -1 0"),
            joint("l", "continuous", "a", "c", xyz="-0.3 0 0", rpy="0 0 0.5", axis="0 0 1"),
        )
    )  # fmt: skip
    return sb.load(path)


def test_moves_as_the_same_robot_in_urdf(tmp_path):
    """Poses relative to links, to frames and to the joint that carries them."""
    text = sdf(
        FIXED, sdf_link("base"), sdf_link("a", 2, "0.1 0.2 0.3 0.3 -0.2 0.9"),
        '<frame name="elbow" attached_to="a"><pose>0 0.2 0.4 0 0 0</pose></frame>',
        sdf_link("b", 3, "0 0 0 1 0 0", "elbow"), sdf_link("c", 1, "-0.3 0 0 0 0 0.5", "a"),
        sdf_joint("j", "revolute", "base", "a", "1 2 -1"), sdf_joint("k", "prismatic", "a", "b", "0 -1 0"),
        sdf_joint("l", "continuous", "a", "c", "0 0 1"),
    )  # fmt: skip
    same(load(tmp_path, text), urdf(tmp_path))


def test_axes_in_other_frames_and_joints_off_their_link(tmp_path):
    """One hinge said in three ways: in the joint's frame, in the model's, and by a pose in the child."""
    parts = FIXED, sdf_link("base"), sdf_link("a", 2, "0.1 0.2 0.3 0.3 -0.2 0.9")
    off = "<pose>0.2 0 0.1 0 0 0.7</pose>"
    first = load(tmp_path, sdf(*parts, sdf_joint("j", "revolute", "base", "a", "0 0 1", pose=off)))
    third = sdf_joint("j", "revolute", "base", "a", "0 0 1", pose=off).replace(
        "<xyz>", '<xyz expressed_in="a">'
    )  # axis 3 of the link: a turn about it changes nothing
    same(first, load(tmp_path, sdf(*parts, third)))
    from symbody.model.rotation import matrix

    x, y, z = matrix((0.3, -0.2, 0.9)) @ (0, 0, 1)
    second = sdf_joint(
        "j", "revolute", "base", "a", f"{x!r} {y!r} {z!r}".replace("np.float64(", "").replace(")", ""), pose=off
    )
    second = second.replace("<xyz>", '<xyz expressed_in="__model__">')
    same(first, load(tmp_path, sdf(*parts, second)))


def test_a_nested_model_is_as_its_parts_written_out(tmp_path):
    inner = (
        f'<sdf version="1.9"><model name="leg"><pose>9 9 9 0 0 0</pose>{sdf_link("a", 2)}{sdf_link("b", 3, "0 0 -0.4 0 0 0")}'
        f"{sdf_joint('knee', 'revolute', 'a', 'b', '0 1 0')}</model></sdf>"
    )
    (tmp_path / "leg").mkdir()
    (tmp_path / "leg" / "model.sdf").write_text(inner)
    placed = "<pose>0.1 0.2 0.3 0.3 -0.2 0.9</pose>"
    text = sdf(
        FIXED, sdf_link("base"), f"<include><uri>model://leg</uri><name>left</name>{placed}</include>",
        sdf_joint("hip", "revolute", "base", "left::a", "1 0 0"),
    )  # fmt: skip
    flat = sdf(
        FIXED, sdf_link("base"), sdf_link("left__a", 2, "0.1 0.2 0.3 0.3 -0.2 0.9"),
        sdf_link("left__b", 3, "0 0 -0.4 0 0 0", "left__a"), sdf_joint("hip", "revolute", "base", "left__a", "1 0 0"),
        sdf_joint("left__knee", "revolute", "left__a", "left__b", "0 1 0"),
    )  # fmt: skip
    same(load(tmp_path, text), load(tmp_path, flat))
    with pytest.raises(ModelError, match="outside the model's folder"):
        load(tmp_path / "leg", text.replace("model://leg", "../leg/model.sdf").replace("leg/model", "../x"))


def test_a_root_is_free_unless_the_file_or_the_user_fixes_it(tmp_path):
    text = sdf("<pose>0 0 2 0 0 0.3</pose>", sdf_link("base", 1, "1 0 0 0 0 0"))
    free = load(tmp_path, text)
    assert free.nv == 6
    (made,) = free.joints()
    assert made.q0[:3] == pytest.approx((math.cos(0.3), math.sin(0.3), 2.0))
    assert load(tmp_path, text, floating=False).nv == 0
    assert load(tmp_path, text.replace('<model name="r">', '<model name="r"><static>true</static>')).nv == 0


def test_gravity_of_the_world_and_springs(tmp_path):
    more = "<dynamics><damping>0.5</damping><spring_stiffness>7</spring_stiffness><spring_reference>0.2</spring_reference></dynamics>"
    more += "<limit><lower>-1</lower><upper>1e16</upper><effort>3</effort></limit>"
    text = sdf(FIXED, sdf_link("base"), sdf_link("a"), sdf_joint("j", "revolute", "base", "a", "0 0 1", more),
               world="<gravity>0 0 -1.62</gravity>")  # fmt: skip
    m = load(tmp_path, text, limits="stop")
    assert m.gravity == (0.0, 0.0, -1.62)
    (made,) = m.joints()
    assert (made.limits.lower, made.limits.upper, made.limits.effort) == (-1.0, math.inf, 3.0)
    s = sb.system(m)
    inertia = sb.compile(m, "mass")([0.3])[0, 0]
    assert s.rates(0.0, np.array([0.3, 2.0]))[1] == pytest.approx(-(0.5 * 2.0 + 7 * 0.1) / inertia)


def test_a_link_of_two_joints_closes_a_loop(tmp_path):
    """A parallelogram: its coupler does not turn."""
    bars = "".join(
        sdf_link(name, 1, pose) for name, pose in (("a", "0 0 0 0 0 0"), ("b", "1 0 0 0 0 0"), ("c", "0 0 0.5 0 0 0"))
    )
    text = sdf(
        FIXED, sdf_link("base"), bars, sdf_joint("j", "revolute", "base", "a", "0 1 0"),
        sdf_joint("k", "revolute", "base", "b", "0 1 0"), sdf_joint("l", "revolute", "a", "c", "0 1 0"),
        sdf_joint("closing", "revolute", "b", "c", "0 1 0", pose="<pose>1 0 0 0 0 0</pose>"),
    )  # fmt: skip
    m = load(tmp_path, text)
    assert [cut.kind for cut in m.cuts.values()] == ["revolute"]
    s = sb.system(m)
    run = sb.simulate(s, until=0.3, dt=1e-3)
    assert np.ptp(run["j.q"]) > 0.05
    np.testing.assert_allclose(run["j.q"] + run["l.q"], 0.0, atol=1e-8)


def test_two_axes_are_two_joints_in_a_row(tmp_path):
    universal = (
        '<joint name="u" type="universal"><parent>base</parent><child>a</child><axis><xyz>1 0 0</xyz></axis>'
        "<axis2><xyz>0 1 0</xyz><dynamics><damping>0.3</damping></dynamics></axis2></joint>"
    )
    m = load(tmp_path, sdf(FIXED, sdf_link("base"), sdf_link("a", 2), universal))
    assert [(j.name, j.type) for j in m.bodies["a"].joints] == [("u.1", "R1"), ("u.2", "R2")]
    assert list(m.couplings) == ["u.2.passive"]


def test_nothing_of_a_static_model_moves(tmp_path):
    parts = sdf_link("base"), sdf_link("a"), sdf_joint("j", "prismatic", "base", "a")
    m = load(tmp_path, sdf("<static>true</static>", *parts))
    assert m.nv == 0
    assert [(one.what, one.where) for one in m.dropped] == [("joint", "j")]
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "model.sdf").write_text(sdf(*parts))
    include = "<include><uri>model://table</uri><static>{}</static></include>"
    for static, freedoms in (("true", 0), ("false", 7)):
        assert load(tmp_path, sdf(include.format(static))).nv == freedoms


def test_axes_of_old_files_are_in_the_frame_of_the_model(tmp_path):
    """Before SDF 1.5; a link that is turned by a right angle about x has its y axis along the model's z."""
    parts = FIXED, sdf_link("base"), sdf_link("a", 2, f"0.1 0.2 0.3 {math.pi / 2!r} 0 0")
    old = load(tmp_path, sdf(*parts, sdf_joint("j", "revolute", "base", "a", "0 0 1"), version="1.4"))
    same(old, load(tmp_path, sdf(*parts, sdf_joint("j", "revolute", "base", "a", "0 1 0"))))
    flagged = sdf_joint("j", "revolute", "base", "a", "0 1 0", "<use_parent_model_frame>0</use_parent_model_frame>")
    same(old, load(tmp_path, sdf(*parts, flagged, version="1.4")))


def test_a_model_is_put_where_its_placement_frame_and_the_worlds_frames_say(tmp_path):
    """The tip of a link is put at a frame of the world: the link is by the tip's place further back."""
    tip = '<frame name="tip" attached_to="base"><pose>0 0 0.5 0 0 0.4</pose></frame>'
    frame = '<frame name="shelf"><pose>1 2 3 0 0 0.1</pose></frame>'
    text = sdf('<pose relative_to="shelf">0 0 0.25 0 0 0</pose>', sdf_link("base"), tip, world=frame)
    (joint,) = load(tmp_path, text.replace('<model name="r"', '<model name="r" placement_frame="tip"')).joints()
    half = (0.1 - 0.4) / 2
    assert joint.q0 == pytest.approx((1.0, 2.0, 3.0 + 0.25 - 0.5, math.cos(half), 0.0, 0.0, math.sin(half)))
    with pytest.raises(ModelError, match="unknown frame 'shelv'"):
        load(tmp_path, text.replace('relative_to="shelf"', 'relative_to="shelv"'))


def test_a_merged_model_is_as_if_it_were_written_there(tmp_path):
    axis = '<xyz expressed_in="__model__">0 1 0</xyz>'
    knee = sdf_joint("knee", "revolute", "a", "b").replace("<xyz>0 0 1</xyz>", axis)
    (tmp_path / "leg").mkdir()
    (tmp_path / "leg" / "model.sdf").write_text(sdf(sdf_link("a", 2), sdf_link("b", 3, "0 0 -0.4 0.3 0 0"), knee))
    placed = "<pose>0.1 0.2 0.3 0.3 -0.2 0.9</pose>"
    hip = sdf_joint("hip", "revolute", "base", "a", "1 0 0")
    include = f"<include{{}}><uri>model://leg</uri><name>leg</name>{placed}</include>"
    merged = load(tmp_path, sdf(FIXED, sdf_link("base"), include.format(' merge="true"'), hip))
    assert list(merged.bodies) == ["base", "a", "b"]
    nested = load(tmp_path, sdf(FIXED, sdf_link("base"), include.format(""), hip.replace(">a<", ">leg::a<")))
    rng = np.random.default_rng(3)
    q, v = rng.uniform(-1, 1, 2), rng.uniform(-1, 1, 2)
    for what, state in (("mass", (q,)), ("bias", (q, v))):
        np.testing.assert_allclose(sb.compile(merged, what)(*state), sb.compile(nested, what)(*state), atol=1e-12)


def test_a_link_without_gravity_does_not_fall(tmp_path):
    link = sdf_link("base").replace("</link>", "<gravity>false</gravity></link>")
    s = sb.system(load(tmp_path, sdf(link)))
    assert np.abs(s.rates(0.0, s.x0)).max() < 1e-12
    assert np.abs(sb.system(load(tmp_path, sdf(sdf_link("base")))).rates(0.0, s.x0)).max() > 9.0


def test_what_is_left_out_of_the_motion_is_told(tmp_path):
    mimic = '<mimic joint="k"><multiplier>2</multiplier></mimic>'
    link = sdf_link("a").replace("</link>", "<kinematic>true</kinematic></link>")
    joints = sdf_joint("j", "revolute", "base", "a", more=mimic), sdf_joint("k", "revolute", "a", "b")
    path = tmp_path / "told.sdf"
    path.write_text(sdf(FIXED, sdf_link("base"), link, sdf_link("b"), *joints, world='<joint name="of world"/>'))
    with pytest.warns(DroppedWarning, match="mimic"):
        m = sb.load(path)
    assert {one.what for one in m.dropped if one.matters} == {"mimic", "kinematic", "joint"}


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ("", "no links"),
        ('<link name="world"/>', "has the name world, which is reserved"),
        ('<link name="a"><inertial auto="true"/></link>', "inertia from collisions"),
        ('<link name="a"/><link name="a"/>', "no unique name"),
        ('<link name="a"><pose relative_to="b"/></link><link name="b"><pose relative_to="a"/></link>', "circle"),
        ('<link name="a"><pose relative_to="q"/></link>', "unknown frame 'q'"),
        ('<link name="a"><pose>1 2</pose></link>', "pose has 2 numbers"),
        ('<link name="a"/>' + sdf_joint("j", "screw", "world", "a"), "joint type 'screw'"),
        ('<link name="a"/>' + sdf_joint("j", "revolute", "world", "aa"), "did you mean a"),
        (
            '<link name="a"/><joint name="j" type="revolute"><parent>world</parent><child>a</child></joint>',
            "axis is missing",
        ),
        (
            '<link name="a"/><link name="b"/>' + sdf_joint("j", "fixed", "a", "b") + sdf_joint("k", "fixed", "b", "a"),
            "joints form a circle",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(parts, message, tmp_path):
    with pytest.raises(ModelError, match=message):
        load(tmp_path, sdf(parts))


def test_two_models_of_one_name_are_refused(tmp_path):
    text = sdf(sdf_link("a"), world="<gravity>0 0 -1</gravity>").replace(
        "</model>", "</model><model name='r'><link name='b'/></model>"
    )
    with pytest.raises(ModelError, match="r: another model"):
        load(tmp_path, text)


# -- public models -----------------------------------------------------------------------------------------------------


def public():
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        return []
    return [Path(str(file.locate())) for file in files if file.suffix == ".sdf"]


@pytest.mark.slow
@pytest.mark.parametrize("path", public(), ids=lambda path: path.stem)
def test_public_models_are_read_and_close(path):
    """Masses add up to those that the file writes, and its loops close where it starts."""
    import xml.etree.ElementTree as ET

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DroppedWarning)
        m = sb.load(path, inertia="as given")
    written = sum(float(mass.text) for mass in ET.parse(path).iter("mass"))
    assert sum(body.mass for body in m.bodies.values()) == pytest.approx(written)
    if m.cuts:
        sb.assemble(m)
