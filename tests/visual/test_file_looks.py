# ruff: noqa: E501  lines of XML
"""Looks of MJCF and SDF models: shapes where the files put them, in their colours.

Tests of visual/file_looks.py, model/file_shape.py, files/mjcf_shapes.py, files/sdf_shapes.py.
"""

import warnings

import numpy as np
import pytest
from test_mesh_files import stl

import symbody as sb
from symbody.files.mesh import Mesh
from symbody.model.body import GROUND
from symbody.visual.file_looks import file_looks
from symbody.visual.primitives import box
from symbody.visual.shapes import scene

MJCF = """<mujoco><compiler angle="radian" meshdir="parts"/><asset><mesh name="part" file="part.stl" scale="{scale}" refpos="0 0 1"/>
<material name="red" rgba="1 0 0 0.5"/></asset><worldbody><geom type="box" size="1 1 0.1" pos="0 0 -1"/>
<body name="a" pos="0 0 1"><joint name="j" axis="1 1 0" pos="0 0 0.2"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.05" material="red"/>
<geom type="mesh" mesh="part" pos="0.1 0.2 0.3" euler="0 0 0.5"/><geom type="sphere" size="0.3" group="3"/></body></worldbody></mujoco>"""
SDF = """<sdf version="1.9"><model name="m"><link name="a"><pose>0 0 1 0 0 0</pose>
<visual name="v"><pose>0.1 0 0 0 0.5 0</pose><geometry><cylinder><radius>0.1</radius><length>0.6</length></cylinder></geometry>
<material><diffuse>0 0 1 1</diffuse></material><transparency>0.25</transparency></visual>
<visual name="w"><geometry><mesh><uri>model://m/parts/part.stl</uri><scale>2 2 2</scale></mesh></geometry></visual>
<visual name="x"><geometry><mesh><uri>gone.dae</uri></mesh></geometry></visual></link></model></sdf>"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "m" / "parts").mkdir(parents=True)
    (tmp_path / "m" / "parts" / "part.stl").write_bytes(stl(box()))
    return tmp_path / "m"


def load(folder, text, name):
    (folder / name).write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sb.load(folder / name)


def corners(model, body, look):
    """Where the corners of a look are in the world when all coordinates are as they start."""
    mesh = look.mesh if isinstance(look.mesh, Mesh) else scene(model).meshes[look.mesh]
    local = mesh.vertices @ look.place[:, :3].T + look.place[:, 3]
    where = sb.compile(model, "kinematics")(sb.system(model).x0[: model.nq], np.zeros(model.nv))
    n = list(model.bodies).index(body)
    rotation, position = np.asarray(where.rotation).reshape(-1, 3, 3)[n], np.asarray(where.position).reshape(-1, 3)[n]
    return local @ rotation.T + position


@pytest.mark.parametrize("scale", ["1 1 1", "2 0.5 -1"])
def test_geoms_are_drawn_where_mujoco_has_them(folder, scale):
    model = load(folder, MJCF.format(scale=scale), "model.xml")
    looks = file_looks(model)
    tube, *ends, part = looks["a"]
    assert [look.mesh for look in (tube, *ends)] == ["cylinder", "ball", "ball"]
    assert (tube.colour, tube.opacity) == ("#ff0000", 0.5)
    middles = sorted(corners(model, "a", end).mean(axis=0)[0] for end in ends)
    assert middles == pytest.approx([0.0, 0.4], abs=1e-9)
    assert len(looks[GROUND]) == 1
    expected = (box().vertices - (0, 0, 1)) * np.array([float(x) for x in scale.split()])
    c, s = np.cos(0.5), np.sin(0.5)
    expected = expected @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]).T + (0.1, 0.2, 1.3)
    found = corners(model, "a", part)
    np.testing.assert_allclose(found.min(axis=0), expected.min(axis=0), atol=1e-6)
    np.testing.assert_allclose(found.max(axis=0), expected.max(axis=0), atol=1e-6)
    a, b, d = (found[part.mesh.triangles[:, k]] for k in range(3))
    middle = found.mean(axis=0)
    assert np.einsum("ij,ij->", a - middle, np.cross(b - middle, d - middle)) > 0  # seen from outside


def test_bodies_without_looks_are_not_drawn_where_others_have_some(folder):
    frame = (
        '<body name="b"><joint name="k"/><inertial pos="0 0 0" mass="1" diaginertia="9 9 9"/></body></body></worldbody>'
    )
    model = load(folder, MJCF.format(scale="1 1 1").replace("</body></worldbody>", frame), "model.xml")
    looks = file_looks(model)
    assert looks["b"] == []
    assert "body" not in {part.role for part in scene(model, looks=looks).parts if part.frame == 2}
    model.shapes = {GROUND: model.shapes[GROUND]}
    assert list(file_looks(model)) == [GROUND]


def test_meshes_that_do_not_collide_are_drawn_and_what_collides_is_not(folder):
    text = MJCF.format(scale="1 1 1").replace('euler="0 0 0.5"', 'contype="0" conaffinity="0"')
    (only,) = file_looks(load(folder, text, "model.xml"))["a"]
    assert isinstance(only.mesh, Mesh)


def test_a_body_whose_geoms_are_all_hidden_shows_them(folder):
    text = MJCF.format(scale="1 1 1").replace(
        "</body></worldbody>", '<body name="b"><joint/><geom size="0.1" group="4"/></body></body></worldbody>'
    )
    assert [look.mesh for look in file_looks(load(folder, text, "model.xml"))["b"]] == ["ball"]


def test_a_scene_has_what_stands_on_the_ground(folder):
    model = load(folder, MJCF.format(scale="1 1 1"), "model.xml")
    drawn = scene(model, looks=file_looks(model))
    assert [part.mesh for part in drawn.parts if part.frame == 0 and part.role == "scenery"] == ["box"]


def test_visuals_of_an_sdf_are_drawn_and_missing_meshes_are_told(folder):
    model = load(folder, SDF, "model.sdf")
    with pytest.warns(UserWarning, match=r"the look of a is left out.*gone\.dae"):
        looks = file_looks(model)["a"]
    tube, part = looks
    assert (tube.mesh, tube.colour, tube.opacity) == ("cylinder", "#0000ff", 0.75)
    along = np.array([np.sin(0.5), 0.0, np.cos(0.5)])
    ends = np.array([(0.1, 0, 1) - 0.3 * along, (0.1, 0, 1) + 0.3 * along])
    found = corners(model, "a", tube)
    assert (found @ along).min() == pytest.approx(ends[0] @ along)
    assert (found @ along).max() == pytest.approx(ends[1] @ along)
    assert np.ptp(corners(model, "a", part), axis=0) == pytest.approx(2 * np.ptp(box().vertices, axis=0))
