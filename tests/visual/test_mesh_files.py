"""Meshes of bodies: files given by the user, and the looks of a URDF (urdf_shapes.py)."""

import struct

import numpy as np
import pytest

import symbody as sb
from mesh_writers import collada, glb
from symbody.visual.mesh_files import given_looks, read_looks
from symbody.visual.primitives import ball, box
from symbody.visual.shapes import scene
from symbody.visual.urdf_shapes import urdf_looks

ROBOT = """<robot name="two"><material name="red"><color rgba="1 0 0 1"/></material>
<link name="base"/>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><origin xyz="1 2 3"/><geometry><cylinder radius="0.1" length="2"/></geometry><material name="red"/></visual>
  <visual><geometry><mesh filename="package://two/meshes/arm.stl" scale="0.001 0.001 0.001"/></geometry></visual>
  <visual><geometry><mesh filename="gone.dae"/></geometry></visual></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 -1"/></joint></robot>"""


def stl(mesh):
    rows = (struct.pack("<12fH", 0, 0, 0, *mesh.vertices[t].ravel(), 0) for t in mesh.triangles)
    return bytes(80) + struct.pack("<I", len(mesh.triangles)) + b"".join(rows)


def text_stl(mesh):
    facets = ("\n".join(f"vertex {x} {y} {z}" for x, y, z in mesh.vertices[t]) for t in mesh.triangles)
    return "solid s\n" + "\n".join(f"facet normal 0 0 0\nouter loop\n{f}\nendloop\nendfacet" for f in facets)


def obj(mesh):
    lines = [f"v {x} {y} {z}" for x, y, z in mesh.vertices]
    return "\n".join(lines + [f"f {a + 1}//1 {b - len(mesh.vertices)}/2/3 {c + 1}" for a, b, c in mesh.triangles])


@pytest.mark.parametrize("name", ["binary.stl", "text.STL", "mesh.obj"])
def test_meshes_come_back(tmp_path, name):
    mesh, path = ball(1), tmp_path / name
    path.write_bytes({"b": stl, "t": lambda m: text_stl(m).encode(), "m": lambda m: obj(m).encode()}[name[0]](mesh))
    (look,) = read_looks(path)
    found = look.mesh
    np.testing.assert_allclose(found.vertices[found.triangles], mesh.vertices[mesh.triangles], atol=1e-6)
    assert np.all(np.einsum("ij,ij->i", found.normals, found.vertices) > 0.9)


def test_a_face_of_four_corners_becomes_two_triangles(tmp_path):
    path = tmp_path / "square.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
    assert len(read_looks(path)[0].mesh.triangles) == 2


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("a.stl", b"", "not an STL"),
        ("a.stl", stl(box())[:300], "not an STL"),
        ("a.stl", b"solid s\nvertex 0 0 0\nvertex 0 0 one\nvertex 1 1 1", "not numbers"),
        ("a.stl", bytes(84), "no triangles"),
        ("a.stl", stl(box()).replace(struct.pack("<f", 0.5), struct.pack("<f", np.nan)), "not finite"),
        ("a.obj", b"v 0 0 0\nf 1 2 3", "missing corner"),
        ("a.obj", b"v 0 0 0\nf a b c", "not a corner"),
        ("a.obj", b"v 0 0\nv 0 0 0\nf 1 2 2", "three numbers"),
        ("a.fbx", b"<x/>", r"\.glb or \.dae"),
    ],
)
def test_damaged_meshes_are_refused_with_their_file(tmp_path, name, data, problem):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(sb.ModelError, match=problem) as caught:
        read_looks(path)
    assert name in str(caught.value)


def test_a_mesh_takes_the_place_of_the_derived_solid(tmp_path):
    m = sb.Model("one")
    m.body("arm", joints="R2", mass=1.0, com=(0, 0, -1)).point("tip", (0, 0, -2))
    (tmp_path / "arm.stl").write_bytes(stl(box()))
    made = scene(m, looks=given_looks(m, {"arm": (tmp_path / "arm.stl", 1e-3)}))
    assert [p.mesh for p in made.parts if p.role == "body"] == ["look 0 arm"]
    assert np.ptp(made.meshes["look 0 arm"].vertices) == pytest.approx(1e-3)
    run = sb.simulate(m, 0.01, 1e-3)
    assert "motion" in run.animate(meshes={"arm": tmp_path / "arm.stl"}).text
    with pytest.raises(sb.ModelError, match="the bodies are arm"):
        run.animate(meshes={"leg": tmp_path / "arm.stl"})


def test_looks_of_a_urdf_are_on_the_frames_of_its_links(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "arm.stl").write_bytes(stl(box()))
    (tmp_path / "two.urdf").write_text(ROBOT)
    model = sb.load(tmp_path / "two.urdf")
    with pytest.warns(UserWarning, match=r"gone\.dae: mesh file not found"):
        looks = urdf_looks(model)
    assert (list(looks), looks["base"]) == (["arm", "base"], [])  # the file gives the base no looks
    rod, mesh = looks["arm"]
    assert (rod.mesh, rod.colour, mesh.colour) == ("cylinder", "#ff0000", None)
    pose = sb.compile(model, "kinematics", loads=False)(np.zeros(1), np.zeros(1))
    i = list(model.bodies).index("arm")
    ends = rod.place @ np.array([[0, 0, 0, 1], [0, 0, 1, 1]], dtype=float).T
    np.testing.assert_allclose(sorted((pose.rotation[i] @ ends)[2]), [2, 4])  # the axis points down, the link does not
    np.testing.assert_allclose((pose.rotation[i] @ ends)[:2], [[1, 1], [2, 2]], atol=1e-12)
    assert np.ptp(mesh.mesh.vertices) == pytest.approx(1e-3)


def test_meshes_of_a_urdf_keep_their_own_colours(tmp_path):
    """Those of the file where it has some, else that of the link."""
    (tmp_path / "arm.dae").write_bytes(collada(box()))
    (tmp_path / "hand.glb").write_bytes(glb([(box(), None)]))
    names = {"gone.dae": "arm.dae", "package://two/meshes/arm.stl": "hand.glb"}
    text = ROBOT
    for old, new in names.items():
        text = text.replace(f'<mesh filename="{old}"', f'<mesh filename="{new}"')
    (tmp_path / "two.urdf").write_text(
        text.replace("</geometry></visual>", '</geometry><material name="red"/></visual>')
    )
    looks = urdf_looks(sb.load(tmp_path / "two.urdf"))["arm"]
    assert [look.colour for look in looks] == ["#ff0000", "#ff0000", "#336699"]
    assert [np.ptp(look.mesh.vertices) for look in looks[1:]] == pytest.approx([1e-3, 1.0])


def test_a_model_without_a_urdf_has_no_looks():
    assert urdf_looks(sb.Model("none")) == {}
