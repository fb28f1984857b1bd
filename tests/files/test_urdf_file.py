"""URDF against Pinocchio: the same frames, masses and centres of mass at any coordinates."""

import math
from pathlib import Path

import numpy as np
import pytest

import symbody
from symbody.errors import ModelError
from symbody.files import load
from symbody.model.rotation import matrix

ARM = Path(symbody.__file__).parent / "machines" / "textbook" / "arm6.urdf"


def link(name, mass=1.0, com=(0.1, -0.2, 0.3), rpy=(0.2, 0.5, -1.0)):
    text = lambda v: " ".join(map(repr, v))  # noqa: E731
    return (
        f'<link name="{name}"><inertial><origin xyz="{text(com)}" rpy="{text(rpy)}"/><mass value="{mass}"/>'
        '<inertia ixx="0.3" ixy="0.01" ixz="-0.02" iyy="0.4" iyz="0.03" izz="0.5"/></inertial></link>'
    )


def joint(name, kind, parent, child, xyz="0.3 -0.1 0.5", rpy="0 0 0", axis="0 0 1"):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>'
        '<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>'
    )


def robot(*parts):
    return f'<?xml version="1.0"?><robot name="r">{"".join(parts)}</robot>'


ROBOTS = {
    "axes": robot(
        link("base"),
        *(link(f"l{i}", mass=1 + i) for i in range(8)),
        *(
            joint(f"j{i}", kind, f"l{i - 1}" if i else "base", f"l{i}", rpy=rpy, axis=axis)
            for i, (kind, rpy, axis) in enumerate(
                [
                    ("revolute", "0 0 0", "1 0 0"),
                    ("revolute", "0.3 -0.2 0.9", "0 -1 0"),
                    ("prismatic", "1.57079632679 0 0", "0 0 -1"),
                    ("continuous", "0 0 3.14159265359", "-2 0 0"),
                    ("revolute", "0 1.5707963267948966 0.4", "1 2 -3"),
                    ("prismatic", "0.1 0.2 0.3", "-1 -1 0.2"),
                    ("fixed", "0.4 0 -0.7853981633974483", "0 0 1"),
                    ("revolute", "0 -1.5707963267948966 0", "0 1 1"),
                ]
            )
        ),
    ),
    "branches": robot(
        '<link name="world"/>',
        link("trunk", 10),
        link("left", 2),
        link("right", 3),
        link("hand", 0.5),
        '<link name="camera"/>',
        joint("lift", "prismatic", "world", "trunk", axis="0 0 1"),
        joint("r", "revolute", "trunk", "right", xyz="0 -0.2 0.4", axis="0.6 0 0.8"),
        joint("l", "revolute", "trunk", "left", xyz="0 0.2 0.4", axis="-0.6 0 0.8"),
        joint("grip", "continuous", "left", "hand", rpy="1 2 3", axis="0 -1 0"),
        joint("eye", "fixed", "trunk", "camera", rpy="-1.5708 0 -1.5708"),
    ),
    "arm6": ARM.read_text(),
}


def frames(model, q):
    """World (R, p) of each body frame, straight from the model's data."""
    coordinates = dict(zip(model.coordinates, q, strict=True))
    placed = {"ground": (np.eye(3), np.zeros(3))}

    def on_point(path):
        point = model.point_at(path)
        r, p = placed[point.body]
        return r @ matrix(point.rotation), p + r @ np.array(point.position)

    for body in model.bodies.values():
        r, p = on_point(body.on)
        for made in body.joints:
            axis, value = int(made.type[1]) - 1, coordinates[made.name]
            if made.type[0] == "T":
                p = p + r[:, axis] * value
            else:
                r = r @ matrix(np.eye(3)[axis] * value)
        placed[body.name] = (r, p)
    return placed, on_point


@pytest.mark.parametrize("name", ROBOTS)
def test_frames_masses_and_inertias_agree_with_pinocchio(tmp_path, name):
    pin = pytest.importorskip("pinocchio")
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOTS[name])
    ours = load(path)
    theirs = pin.buildModelFromXML(ROBOTS[name])
    data = theirs.createData()
    rng = np.random.default_rng(1)
    # Pinocchio drops what is welded to the world
    moving = [b for b in ours.bodies.values() if carried_by_a_joint(ours, b)]
    assert sum(b.mass for b in moving) == pytest.approx(pin.computeTotalMass(theirs))
    for _ in range(5):
        values = {n: rng.uniform(-2, 2) for n in ours.coordinates}
        q = pin.neutral(theirs)
        for n, value in values.items():
            moved = theirs.joints[theirs.getJointId(n)]
            q[moved.idx_q : moved.idx_q + moved.nq] = value if moved.nq == 1 else (math.cos(value), math.sin(value))
        pin.framesForwardKinematics(theirs, data, q)
        placed, on_point = frames(ours, [values[n] for n in ours.coordinates])
        for body in ours.bodies.values():
            frame = data.oMf[theirs.getFrameId(body.name)]
            r, p = on_point(f"{body.name}.link")
            np.testing.assert_allclose(p, frame.translation, atol=1e-9)
            np.testing.assert_allclose(r, frame.rotation, atol=1e-9)
        # the composite of all moving bodies about the world's origin: masses, centres and inertias at once
        total = sum((spatial(pin, b, *placed[b.name]) for b in moving), start=pin.Inertia.Zero())
        reference = pin.Inertia.Zero()
        for i in range(1, theirs.njoints):
            reference += data.oMi[i].act(theirs.inertias[i])
        np.testing.assert_allclose(total.matrix(), reference.matrix(), atol=1e-8)


def spatial(pin, body, r, p):
    xx, yy, zz, xy, xz, yz = body.inertia
    about = np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    return pin.SE3(r, p).act(pin.Inertia(body.mass, np.array(body.com), about))


def carried_by_a_joint(model, body):
    while body is not model.ground:
        if body.joints:
            return True
        body = model[model.point_at(body.on).body]
    return False


def test_simple_axes_keep_exact_zeros():
    m = load(ARM)
    assert m.bodies["wrist_1"].joints[0].type == "R1"
    for body in m.bodies.values():
        assert body.inertia[3:] == (0.0, 0.0, 0.0)
        for point in body.points.values():
            turned = matrix(point.rotation)
            assert set(np.abs(turned).ravel()) <= {0.0, 1.0}


def test_floating_and_planar(tmp_path):
    path = tmp_path / "r.urdf"
    text = robot(link("base"), link("a"), joint("slide", "planar", "base", "a", axis="1 0 0"))
    path.write_text(text)
    assert load(path).coordinates == ["slide.T2", "slide.T3", "slide.R1"]
    m = load(path, floating=True)
    assert m.bodies["base"].joints[0].type == "free"
    assert m.nv == 6 + 3
    path.write_text(text.replace("planar", "floating"))
    assert [j.type for j in load(path).joints()] == ["free"]


@pytest.mark.parametrize(
    ("text", "element", "says"),
    [
        ("<model/>", "", "root element"),
        (robot("<xacro:macro/>"), "", "xacro"),
        (robot(), "robot", "no links"),
        (robot(link("a"), link("b")), "robot", "2 root links"),
        (robot(link("a"), link("a")), "a", "already has this name"),
        (robot("<link/>"), "robot", "no name"),
        (robot(link("a"), joint("j", "revolute", "a", "b")), "j", "'b' does not exist"),
        (robot(link("a"), link("b"), joint("j", "screw", "a", "b")), "j", "joint type 'screw'"),
        (robot(link("a"), link("b"), joint("j", "revolute", "a", "b", axis="0 0 0")), "j", "no direction"),
        (robot(link("a"), link("b"), joint("j", "revolute", "a", "b", xyz="1 2")), "j", "three numbers"),
        (robot(link("a"), link("b"), joint("j", "revolute", "a", "b", xyz="1 2 nan")), "j", "not a number"),
        (robot(link("a"), link("b"), joint("j", "revolute", "a", "b", xyz="1 2 1e999")), "j", "not finite"),
        (robot(link("a", mass=-1)), "bodies.a.mass", "mass is -1"),
        (
            robot(link("a"), link("b"), link("c"), joint("j", "fixed", "b", "c"), joint("k", "fixed", "c", "b")),
            "b",
            "not connected",
        ),
        (
            robot(link("a"), link("b"), joint("j", "fixed", "a", "b"), joint("k", "fixed", "a", "b")),
            "b",
            "two joints",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, element, says):
    path = tmp_path / "wrong.urdf"
    path.write_text(text)
    with pytest.raises(ModelError, match=says) as caught:
        load(path)
    assert caught.value.element == element
    assert caught.value.file == str(path)
    assert caught.value.cure


def test_blank_lines_before_the_declaration_do_no_harm(tmp_path):
    path = tmp_path / "late.urdf"
    path.write_text("\n \n" + robot(link("base"), link("a"), joint("j", "revolute", "base", "a")))
    assert load(path).coordinates == ["j"]


def test_a_file_of_macros_alone_is_told_as_such(tmp_path):
    path = tmp_path / "macros.urdf"
    path.write_text("<robot name='r'><material name='red'/></robot>")
    with pytest.raises(ModelError, match=r"no links .*\.xacro"):
        load(path)
