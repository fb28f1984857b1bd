"""COLLADA files: surfaces where their nodes put them, in their colours; what is damaged or strange is refused."""

import numpy as np
import pytest

import symbody as sb
from mesh_writers import collada
from symbody.visual.mesh_files import read_looks
from symbody.visual.primitives import ball, box

NODE = """<node><translate>1 2 3</translate><rotate>0 0 1 90</rotate><scale>2 1 1</scale>
<node><matrix>1 0 0 0.5 0 1 0 0 0 0 1 0 0 0 0 1</matrix>HERE</node></node>"""


def written(tmp_path, data):
    path = tmp_path / "mesh.dae"
    path.write_bytes(data)
    return path


def test_a_mesh_comes_back_with_its_colour_and_unit(tmp_path):
    (look,) = read_looks(written(tmp_path, collada(ball(1), unit="0.001")))
    mesh = ball(1)
    np.testing.assert_allclose(
        look.mesh.vertices[look.mesh.triangles], 1e-3 * mesh.vertices[mesh.triangles], atol=1e-12
    )
    np.testing.assert_allclose(look.mesh.normals, 1e3 * look.mesh.vertices, atol=1e-9)
    assert (look.colour, look.opacity) == ("#336699", 1.0)


def test_nodes_put_meshes_where_they_stand(tmp_path):
    """x' = T R S (x + 0.5): a quarter turn about z, twice as long along its own x."""
    (look,) = read_looks(written(tmp_path, collada(box(), node=NODE)))
    x, y, z = box().vertices.T
    expected = np.column_stack([1 - y, 2 + 2 * (x + 0.5), 3 + z])
    assert {tuple(np.round(p, 9)) for p in look.mesh.vertices} == {tuple(np.round(p, 9)) for p in expected}


def test_the_same_as_another_reader_finds(tmp_path):
    coal = pytest.importorskip("coal")
    path = written(tmp_path, collada(ball(1), node=NODE))
    (look,) = read_looks(path)
    loader = coal.MeshLoader()
    model = loader.load(str(path), np.ones(3))  # kept: its vertices are a view into it
    other = np.array(model.vertices())
    ours = {tuple(np.round(p, 6)) for p in look.mesh.vertices}
    assert ours == {tuple(np.round(p, 6)) for p in other}


def surface(kind, text, inputs='<input semantic="VERTEX" source="#v" offset="0"/>'):
    return f'<{kind} material="paint">{inputs}{text}</{kind}>'


@pytest.mark.parametrize(
    "given",
    [
        surface("polylist", "<vcount>4 4</vcount><p>0 1 2 3 4 5 6 7</p>"),
        surface("polygons", "<p>0 1 2 3</p><p>4 5 6 7</p>"),
        surface("trifans", "<p>0 1 2 3</p><p>4 5 6 7</p>"),
        surface("tristrips", "<p>0 1 3 2</p><p>4 5 7 6</p>"),
        surface("triangles", "<p>0 1 2 0 2 3 4 5 6 4 6 7</p>"),
    ],
)
def test_polygons_strips_and_fans_are_triangles(tmp_path, given):
    """The first two faces of a box, ±x: without normals in the file they are flat, and look outwards."""
    (look,) = read_looks(written(tmp_path, collada(box(), surface=given)))
    a, b, c = np.moveaxis(look.mesh.vertices[look.mesh.triangles], 1, 0)
    area = np.cross(b - a, c - a) / 2
    assert len(area) == 4
    np.testing.assert_allclose(np.abs(area[:, 0]), 0.5)
    np.testing.assert_allclose(np.sign(area[:, 0]), np.sign(a[:, 0]))
    np.testing.assert_allclose(look.mesh.normals[look.mesh.triangles[:, 0]], 2 * area, atol=1e-12)


def transparent(kind, alpha, share):
    text = f"<color>0 0 0 {alpha}</color></transparent><transparency><float>{share}</float></transparency>"
    return f"<transparent{kind}>{text}"


@pytest.mark.parametrize(
    ("more", "opacity"),
    [
        (transparent(' opaque="A_ONE"', 1, 0.3), 0.3),
        (transparent(' opaque="RGB_ZERO"', 1, 0.3), 1.0),
        (transparent("", 0.5, 1), 0.5),
        (transparent("", 1, 0), 1.0),  # how some programs write an opaque one
    ],
)
def test_opacity_where_it_is_told_plainly(tmp_path, more, opacity):
    assert read_looks(written(tmp_path, collada(box(), more=more)))[0].opacity == opacity


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "not well-formed"),
        (b"<robot/>", "not a COLLADA file"),
        (b"<!DOCTYPE x [<!ENTITY a 'b'>]><COLLADA/>", "declares a document type"),
        (b"<COLLADA/>", "no triangles"),
        (collada(box()).replace(b'url="#g"', b'url="other.dae#g"'), "as one file"),
        (collada(box()).replace(b'source="#p"', b'source="#q"'), "no element of this id"),
        (collada(box(), surface=surface("triangles", "<p>0 1 99</p>")), "missing corner"),
        (collada(box(), surface=surface("triangles", "<p>0 1 -1</p>")), "missing corner"),
        (collada(box(), surface=surface("triangles", "<p>0 1 x</p>")), "not numbers"),
        (collada(box(), surface=surface("triangles", f"<p>0 1 {10**30}</p>")), "not numbers"),
        (collada(box(), surface=surface("polylist", "<vcount>9 9</vcount><p>0 1 2</p>")), "missing corners"),
        (collada(box(), surface=surface("triangles", "<p>0 1 2</p>", "")), "no corners"),
        (collada(box(), colour="red"), "not numbers"),
        (collada(box(), node="<node><matrix>1 2 3</matrix>HERE</node>"), "not have 16 numbers"),
        (collada(box(), node="<node id='a'>HERE<instance_node url='#a'/></node>"), "nested more than"),
        (collada(box(), unit="nan"), "not have 1 numbers|not finite"),
        (collada(box(), node="<node><scale>1e300 1 1</scale>HERE</node>"), "not finite"),
    ],
)
def test_what_is_damaged_is_refused(tmp_path, data, problem):
    with pytest.raises(sb.ModelError, match=problem) as caught:
        read_looks(written(tmp_path, data))
    assert "mesh.dae" in str(caught.value)


def test_a_skin_with_bones_is_told_to_be_left_out(tmp_path):
    node = "<node>HERE<instance_controller url='#skin'/></node>"
    with pytest.warns(UserWarning, match="bones"):
        read_looks(written(tmp_path, collada(box(), node=node)))
