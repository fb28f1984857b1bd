"""How a URDF is read on request: mimic joints, a free base, snapped angles; and what public files leave behind.

Tests of files/mimic.py and files/snapping.py.
"""

import math

import numpy as np
import pytest
from test_urdf_file import joint, link, robot

import symbody as sb
from symbody.errors import ModelError
from symbody.files import load, save


def written(folder, *parts):
    path = folder / "robot.urdf"
    path.write_text(robot(*parts))
    return path


def following(name, leader, parent, child, more="", **how):
    made = joint(name, "revolute", parent, child, **how)
    return made.replace("</joint>", f'<mimic joint="{leader}" {more}/></joint>')


GRIPPER = (
    link("base"),
    *(link(f"l{i}", mass=1 + i) for i in range(4)),
    joint("arm", "revolute", "base", "l0", axis="0 1 0"),
    joint("finger", "revolute", "l0", "l1", rpy="0.3 0 0.2"),
    following("thumb", "finger", "l0", "l2", 'multiplier="-0.7" offset="0.25"', axis="1 0 0"),
    following("tip", "thumb", "l2", "l3", 'multiplier="2"', rpy="0 1 0"),
)


def test_mimic_joints_move_as_in_pinocchio(tmp_path):
    """Accelerations of the constrained model against Pinocchio's own mimic joints, M a + h = 0."""
    pin = pytest.importorskip("pinocchio")
    # Pinocchio knows no mimic of a mimic: there, the tip follows the finger by the composed rule
    text = robot(*GRIPPER).replace(
        '<mimic joint="thumb" multiplier="2"/>', '<mimic joint="finger" multiplier="-1.4" offset="0.5"/>'
    )
    theirs = pin.buildModelFromXML(text, mimic=True)
    data = theirs.createData()
    s = sb.system(load(written(tmp_path, *GRIPPER)))
    assert s.states == ["arm.q", "finger.q", "arm.qd", "finger.qd"]
    rng = np.random.default_rng(3)
    for _ in range(5):
        x = rng.uniform(-1, 1, 4)
        M = pin.crba(theirs, data, x[:2])
        M = np.triu(M) + np.triu(M, 1).T
        a = np.linalg.solve(M, -pin.nonLinearEffects(theirs, data, x[:2], x[2:]))
        np.testing.assert_allclose(s.rates(0.0, x)[2:], a, rtol=1e-11, atol=1e-11)


def test_mimic_joints_start_where_their_leader_puts_them(tmp_path):
    m = load(written(tmp_path, *GRIPPER))
    start = {one.name: (one.q0[0], one.nature) for one in m.joints()}
    assert start == {
        "arm": (0.0, "independent"),
        "finger": (0.0, "independent"),
        "thumb": (0.25, "dependent"),
        "tip": (0.5, "dependent"),
    }
    save(m, tmp_path / "robot.yaml")
    assert list(load(tmp_path / "robot.yaml").constraints) == ["thumb.mimic", "tip.mimic"]
    free = load(tmp_path / "robot.urdf", mimic="ignore")
    assert not free.constraints
    assert {one.nature for one in free.joints()} == {"independent"}


def test_what_mimics_a_fixed_joint_is_locked(tmp_path):
    parts = (link("a"), link("b"), link("c"), joint("still", "fixed", "a", "b"))
    m = load(written(tmp_path, *parts, following("j", "still", "b", "c", 'offset="0.5"')))
    (made,) = m.joints()
    assert (made.nature, made.q0) == ("locked", (0.5,))
    assert "locked" in m.notes[0]


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ((following("j", "jj", "a", "b"),), "mimics 'jj'"),
        ((following("j", "j", "a", "b"),), "circle"),
        ((following("j", "k", "a", "b"), following("k", "j", "b", "c"), link("c")), "circle"),
        ((joint("f", "floating", "a", "c"), link("c"), following("j", "f", "a", "b")), "type free"),
        (
            (following("j", "k", "a", "b", 'multiplier="x"'), joint("k", "revolute", "b", "c"), link("c")),
            "not a number",
        ),
    ],
)
def test_mimics_that_cannot_be_are_named(tmp_path, parts, says):
    with pytest.raises(ModelError, match=says) as caught:
        load(written(tmp_path, link("a"), link("b"), *parts))
    assert caught.value.element == "j"
    assert caught.value.cure


def test_a_floating_base_falls_freely(tmp_path):
    s = sb.system(load(written(tmp_path, *GRIPPER), floating=True))
    assert s.rates(0.0, s.x0)[s.states.index("base.free.vz")] == pytest.approx(-9.81)


# -- what public files leave behind ------------------------------------------------------------------------------------


def test_a_world_that_is_no_link_is_the_ground(tmp_path):
    m = load(written(tmp_path, link("arm"), joint("j", "revolute", "world", "arm")))
    assert list(m.bodies) == ["world", "arm"]
    assert any("'world' is not in the file" in sentence for sentence in sb.warnings(m))
    with pytest.raises(ModelError, match="'desk' does not exist"):
        load(written(tmp_path, link("arm"), joint("j", "revolute", "desk", "arm")))


@pytest.mark.parametrize("kind", ["spherical", "ball"])
def test_spherical_joints_of_extensions(tmp_path, kind):
    m = load(written(tmp_path, link("a"), link("b"), joint("j", kind, "a", "b")))
    assert [(one.name, one.type) for one in m.joints()] == [("j", "ball")]


def test_xacro_left_in_looks_does_no_harm(tmp_path):
    look = '<visual><geometry><xacro:box_of name="x"/></geometry></visual><collision><xacro:a/></collision></link>'
    m = load(written(tmp_path, link("a").replace("</link>", look), "<gazebo><xacro:b/></gazebo>"))
    assert m.notes == ["3 xacro macros in looks and extensions are left out"]
    with pytest.raises(ModelError, match="xacro"):
        load(written(tmp_path, link("a").replace("<mass", "<xacro:mass")))


# -- angles ------------------------------------------------------------------------------------------------------------

RIGHT = "1.5708 -1.57079 3.14159"


def five_digits(folder):
    links = [link("base"), *(link(f"l{i}") for i in range(4))]
    on = ["base", "l0", "l1", "l2"]
    axes = ["0 0 1", "0 1 4.9e-12", "-3.7e-06 0 1", "0 0 1"]
    hinges = [joint(f"j{i}", "revolute", on[i], f"l{i}", rpy=RIGHT, axis=axes[i]) for i in range(4)]
    return written(folder, *links, *hinges)


def test_snapped_angles_are_exact_and_cost_less(tmp_path):
    path = five_digits(tmp_path)
    plain, snapped = load(path), load(path, snap=1e-5)
    for body in snapped.bodies.values():
        for name, point in body.points.items():
            if name.startswith("j"):
                turned = np.abs(sb.model.rotation.matrix(point.rotation))
                assert set(turned.ravel()) <= {0.0, 1.0}
    counts = [sb.compile(m, "inverse").operations.total for m in (plain, snapped)]
    assert counts[1] < 0.7 * counts[0]


def test_what_snapping_did_is_told(tmp_path):
    """12 angles of five digits and two axes; the largest is that of -1.57079, 6.3e-6 rad."""
    said = load(five_digits(tmp_path), snap=1e-5).notes[0]
    assert said.startswith("14 angles snapped to multiples of 45°, by at most 6.3e-06 rad")
    moved = float(said.split("move by at most ")[1].split()[0])
    reach = 5 * math.hypot(0.3, 0.1, 0.5)  # m, of five links; each of 14 angles turns what is beyond it
    assert 6e-7 < moved < 14 * 6.3e-6 * reach
    said = load(five_digits(tmp_path), snap=1e-9).notes[0]
    assert said.startswith("1 angle snapped")


def test_angles_of_other_files_are_snapped_too(tmp_path):
    m = sb.Model("m")
    arm = m.body("arm", joints="R2", mass=1.0, inertia=(1.0, 1.0, 1.0))
    arm.point("tip", (1.0, 0.0, 0.0), (1.5708, 0.3, 0.0))
    save(m, tmp_path / "m.yaml")
    assert load(tmp_path / "m.yaml", snap=1e-5).bodies["arm"].points["tip"].rotation == (math.pi / 2, 0.3, 0.0)


def test_a_snap_that_bends_the_machine_is_refused(tmp_path):
    for wrong in (0.1, -1e-5, math.nan):
        with pytest.raises(ModelError, match="snap="):
            load(five_digits(tmp_path), snap=wrong)
