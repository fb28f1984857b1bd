# ruff: noqa: E501  lines of XML
"""xacro: expanded as ROS's own program does it (where that is installed), and safe: no eval, no other folders, an end.

Tests of xacro_file.py and xacro_scope.py.
"""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import symbody as sb
from symbody.errors import ModelError
from symbody.files.xacro_file import expand_xacro

ROBOT = """<?xml version="1.0"?>
<robot name="two" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="long" default="True"/>
  <xacro:arg name="prefix" default="left_"/>
  <xacro:property name="r" value="0.05"/>
  <xacro:property name="length" value="${0.6 if $(arg long) else 0.3}"/>
  <xacro:property name="masses" value="${[2.0, 1.5*r/0.05]}"/>
  <xacro:property name="colour"><material name="blue"><color rgba="0 0 1 1"/></material></xacro:property>
  <xacro:macro name="inertial" params="m l:=${length} *origin">
    <inertial>
      <xacro:insert_block name="origin"/>
      <mass value="${m}"/>
      <inertia ixx="${m*(3*r**2 + l**2)/12}" iyy="${m*(3*r**2 + l**2)/12}" izz="${m*r*r/2}" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </xacro:macro>
  <xacro:macro name="arm" params="name parent m last:=false r:=^ **more">
    <link name="${name}">
      <xacro:inertial m="${m}"><origin xyz="0 0 ${-length/2}" rpy="0 ${radians(0)} 0"/></xacro:inertial>
      <visual><geometry><cylinder radius="${r}" length="${length}"/></geometry><xacro:insert_block name="colour"/></visual>
    </link>
    <joint name="${name}_joint" type="revolute">
      <xacro:insert_block name="more"/>
      <parent link="${parent}"/><child link="${name}"/><axis xyz="0 1 0"/>
      <xacro:unless value="${last}"><dynamics damping="0.1"/></xacro:unless>
      <xacro:if value="${name == 'lower' and not last}"><broken/></xacro:if>
    </joint>
  </xacro:macro>
  <link name="base"/>
  <xacro:arm name="$(arg prefix)upper" parent="base" m="${masses[0]}">
    <origin><origin xyz="0 0 1"/><limit lower="${-pi/2}" upper="${pi/2}" effort="10" velocity="1"/></origin>
  </xacro:arm>
  <xacro:arm name="lower" parent="$(arg prefix)upper" m="${masses[1]}" last="true">
    <origin><origin xyz="0 0 ${-length}"/></origin>
  </xacro:arm>
  <text a="$${not} $$(this)">half ${1/2} of ${3*'a'}</text>
</robot>
"""


def expanded(folder, text, **options):
    path = folder / "robot.urdf.xacro"
    path.write_text(text)
    return expand_xacro(path, **options)


def robot(body):
    return f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{body}</robot>'


def plain(element):
    """Tags, attributes and texts, numbers as numbers."""

    def value(text):
        words = (text or "").split()
        try:
            return [round(float(word), 12) for word in words]
        except ValueError:
            return words

    attributes = {key: value(text) for key, text in element.attrib.items() if not key.startswith("xmlns")}
    inner = [plain(child) for child in element if isinstance(child.tag, str)]
    return element.tag, attributes, value(element.text), inner


@pytest.mark.parametrize("arguments", [{}, {"long": "False", "prefix": "right_"}])
def test_expands_as_the_program_of_ros(arguments, tmp_path):
    xacro = pytest.importorskip("xacro")
    ours = expanded(tmp_path, ROBOT, arguments=arguments)
    theirs = xacro.process_file(str(tmp_path / "robot.urdf.xacro"), mappings=dict(arguments)).toxml()
    assert plain(ours) == plain(ET.fromstring(theirs))


def test_moves_as_the_urdf_it_stands_for(tmp_path):
    path = tmp_path / "robot.xacro"
    path.write_text(ROBOT)
    m = sb.load(path, arguments={"long": "False"})
    assert m.coordinates == ["left_upper_joint", "lower_joint"]
    assert m.bodies["lower"].com == (0.0, 0.0, -0.15)
    assert m.bodies["left_upper"].inertia[2] == pytest.approx(2.0 * 0.05**2 / 2)
    assert list(m.couplings) == ["left_upper_joint.passive"]
    # a double pendulum of rods, at rest and stretched out: nothing moves
    s = sb.system(m)
    np.testing.assert_allclose(s.rates(0.0, np.zeros(4)), 0.0, atol=1e-12)


def test_files_of_the_folder_and_of_named_packages_are_included(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, here / "parts", there):
        folder.mkdir()
    (here / "parts" / "a.xacro").write_text(robot('<link name="a${x}"/><xacro:include filename="b.xacro"/>'))
    (here / "parts" / "b.xacro").write_text(robot('<link name="b"/>'))
    (there / "c.xacro").write_text(robot('<link name="c"/>'))
    (here / "numbers.yaml").write_text("sizes: {x: 3, name: d}\n")
    text = robot(
        '<xacro:property name="x" value="1"/><xacro:include filename="parts/a.xacro"/>'
        '<xacro:include filename="$(find other)/c.xacro"/>'
        "<xacro:property name='file' value=\"${xacro.load_yaml('numbers.yaml')}\"/>"
        "<link name=\"${file['sizes'].name}${file.sizes['x']}\"/>"
    )
    names = [link.get("name") for link in expanded(here, text, packages={"other": there})]
    assert names == ["a1", "b", "c", "d3"]
    with pytest.raises(ModelError, match="packages="):
        expanded(here, text)
    with pytest.raises(ModelError, match="outside the model's folder"):
        expanded(here, robot('<xacro:include filename="../there/c.xacro"/>'))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('<xacro:property name="undefined" value="1"/><link name="${undefind}"/>', "did you mean undefined"),
        ("<link name=\"${__import__('os').system('true')}\"/>", "calls an unknown function"),
        ('<link name="${().__class__}"/>', "no '__class__'"),
        ('<link name="${[x for x in [1]]}"/>', "is not supported"),
        ('<link name="$(env HOME)"/>', "the environment is not read"),
        ('<link name="$(arg missing)"/>', "argument has no value"),
        ('<xacro:macro name="a" params=""><xacro:a/></xacro:macro><xacro:a/>', "nested|more than"),
        ('<xacro:macro name="a" params=""><xacro:a/><xacro:a/></xacro:macro><xacro:a/>', "nested|more than"),
        (
            '<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/><link name="${a}"/>',
            "depends on itself",
        ),
        ('<link name="${9**9**9}"/>', "too many digits"),
        ("<link name=\"${'a'*100000000}\"/>", "repeated too often"),
        ("<xacro:nothing/>", "unknown macro 'nothing'"),
        ('<xacro:macro name="a" params="x"/><xacro:a/>', "parameter 'x' is missing"),
        ('<xacro:macro name="a" params="x"/><xacro:a y="1"/>', "unknown parameter 'y'"),
        ('<xacro:macro name="a" params="*b"/><xacro:a/>', "block .* is missing"),
        ('<xacro:if value="perhaps"/>', "neither true nor false"),
        ('<link name="${1/0}"/>', "division by zero"),
        ('<link name="${(-1)**0.5}"/>', "complex"),
    ],
)
def test_what_cannot_be_meant_is_refused(body, message, tmp_path):
    with pytest.raises(ModelError, match=message):
        expanded(tmp_path, robot(body))


def test_texts_that_double_end_soon(tmp_path):
    doubling = "".join(f'<xacro:property name="p{k + 1}" value="${{p{k}}}${{p{k}}}"/>' for k in range(60))
    with pytest.raises(ModelError, match="longer than"):
        expanded(tmp_path, robot(f'<xacro:property name="p0" value="ha"/>{doubling}<link name="${{p60}}"/>'))


def test_lists_that_double_do_not_become_text(tmp_path):
    doubling = "".join(f'<xacro:property name="p{k + 1}" value="${{[p{k}, p{k}]}}"/>' for k in range(60))
    with pytest.raises(ModelError, match="cannot be part of a text"):
        expanded(tmp_path, robot(f'<xacro:property name="p0" value="1"/>{doubling}<link name="${{p60}}"/>'))


def test_three_thousand_properties_in_a_chain(tmp_path):
    chain = "".join(f'<xacro:property name="p{k + 1}" value="${{p{k} + 1}}"/>' for k in range(3000))
    root = expanded(tmp_path, robot(f'<xacro:property name="p0" value="0"/>{chain}<link name="l${{p3000}}"/>'))
    assert root.find("link").get("name") == "l3000"


def test_lists_that_double_are_not_compared(tmp_path):
    doubling = "".join(
        f'<xacro:property name="{p}{k + 1}" value="${{[{p}{k}, {p}{k}]}}"/>' for k in range(30) for p in "pq"
    )
    first = "".join(f'<xacro:property name="{p}0" value="${{[1]}}"/>' for p in "pq")
    with pytest.raises(ModelError, match="lists cannot be compared"):
        expanded(tmp_path, robot(f'{first}{doubling}<link name="${{len(max(p30, q30))}}"/>'))


def test_a_large_number_in_a_name(tmp_path):
    with pytest.raises(ModelError, match="too many digits"):
        expanded(tmp_path, robot('<link name="l${2**100000}"/>'))


def test_the_budget_of_a_file_covers_the_texts_of_its_macros(tmp_path):
    """Each call writes 9000 letters."""
    body = "".join(f'<link name="{k}${{long}}"/>' for k in range(30))
    calls = "<xacro:m/>" * 60
    text = (
        f"""<xacro:property name="long" value="${{'a'*9000}}"/><xacro:macro name="m" params="">{body}</xacro:macro>"""
    )
    with pytest.raises(ModelError, match="unpacks to more than"):
        expanded(tmp_path, robot(text + calls))


@pytest.mark.parametrize("text", ["${", "a${1 + 1", "$(arg n", "${" * 1000])
def test_an_expression_without_its_end_is_refused(tmp_path, text):
    path = tmp_path / "robot.xacro"
    path.write_text(f"<robot name='x' xmlns:xacro='http://www.ros.org/wiki/xacro'><link name='{text}'/></robot>")
    with pytest.raises(ModelError, match=r"has no end \(close the bracket, or write \$\$"):
        expand_xacro(path)
