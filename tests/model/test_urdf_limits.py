"""What a URDF says of its joints beside their motion, and what of it can be meant."""

import pytest

import symbody as sb
from symbody.model.urdf_limits import JointLimits, urdf_limits

URDF = """<robot name="arm"><link name="base"/>
{joints}
</robot>"""
JOINT = """<link name="l{k}"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j{k}" type="{kind}"><parent link="base"/><child link="l{k}"/><axis xyz="0 1 0"/>{more}</joint>"""


def read(tmp_path, kind, more):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF.format(joints=JOINT.format(k=1, kind=kind, more=more)))
    return urdf_limits(sb.load(path))["j1"]


@pytest.mark.parametrize(
    ("kind", "more", "found"),
    [
        (
            "revolute",
            '<limit lower="-1" upper="2" effort="30" velocity="3"/><dynamics damping="0.5"/>',
            (-1, 2, 30, 3, 0.5),
        ),
        ("prismatic", '<limit lower="0" upper="0.4" effort="0" velocity="-1"/>', (0, 0.4, None, None, 0)),
        ("continuous", '<limit lower="-1" upper="1" effort="5" velocity="1"/>', (None, None, 5, 1, 0)),
        ("revolute", "", (None, None, None, None, 0)),
        ("revolute", '<limit lower="0" upper="0" effort="1e999" velocity="fast"/>', (None, None, None, None, 0)),
        ("revolute", '<dynamics damping="-2"/>', (None, None, None, None, 0)),
    ],
)
def test_what_the_file_says_is_taken_where_it_can_be_meant(tmp_path, kind, more, found):
    assert read(tmp_path, kind, more) == JointLimits(*found)


def test_other_models_have_none():
    assert urdf_limits(sb.Model("none")) == {}
    assert urdf_limits(sb.machines.open("four-bar")) == {}
