"""glTF files: surfaces where their nodes put them, in their colours; what is damaged or reaches outside is refused."""

import json

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import symbody as sb
from mesh_writers import glb, gltf, gltf_text
from symbody.visual.mesh_files import read_looks
from symbody.visual.primitives import ball, box


def written(tmp_path, data, name="mesh.gltf"):
    path = tmp_path / name
    path.write_bytes(data)
    return path


def corners(look):
    return look.mesh.vertices[look.mesh.triangles]


@pytest.mark.parametrize("kind", ["text", "binary", "beside"])
def test_a_mesh_comes_back(tmp_path, kind):
    mesh, name = ball(1), "mesh.glb" if kind == "binary" else "mesh.gltf"
    data = glb([(mesh, None)]) if kind == "binary" else gltf_text([(mesh, None)])
    if kind == "beside":
        document, buffer = gltf([(mesh, None)], uri="parts/mesh%20one.bin")
        (tmp_path / "parts").mkdir()
        (tmp_path / "parts" / "mesh one.bin").write_bytes(buffer)
        data = json.dumps(document).encode()
    (look,) = read_looks(written(tmp_path, data, name))
    np.testing.assert_allclose(corners(look), mesh.vertices[mesh.triangles], atol=1e-6)
    np.testing.assert_allclose(look.mesh.normals, look.mesh.vertices, atol=1e-6)  # of a ball
    assert look.colour is None


def test_nodes_put_meshes_where_they_stand(tmp_path):
    """Two nodes in one another, the outer one mirrored: places by the product of their matrices, normals outwards."""
    turn = Rotation.from_rotvec([0.3, -0.5, 0.8])
    inner = np.eye(4)
    inner[:3, :3], inner[:3, 3] = turn.as_matrix() * (1.0, 2.0, 0.5), (1.0, 2.0, 3.0)
    outer = np.diag([-1.0, 1.0, 1.0, 1.0])
    nodes = [
        {"children": [1], "matrix": outer.T.ravel().tolist()},
        {"mesh": 0, "rotation": turn.as_quat().tolist(), "scale": [1.0, 2.0, 0.5], "translation": [1.0, 2.0, 3.0]},
    ]
    (look,) = read_looks(written(tmp_path, gltf_text([(ball(1), None)], nodes=nodes)))
    whole = outer @ inner
    expected = ball(1).vertices @ whole[:3, :3].T + whole[:3, 3]
    found = {tuple(np.round(p, 4)) for p in look.mesh.vertices}
    assert found == {tuple(np.round(p, 4)) for p in expected}
    a, b, c = np.moveaxis(corners(look), 1, 0)
    faces = np.cross(b - a, c - a)
    middle = whole[:3, 3]
    assert np.all(np.einsum("ij,ij->i", faces, a - middle) > 0)
    assert np.all(np.einsum("ij,ij->i", look.mesh.normals, look.mesh.vertices - middle) > 0)
    np.testing.assert_allclose(np.linalg.norm(look.mesh.normals, axis=1), 1.0)


def test_colours_are_those_of_a_screen_and_equal_ones_are_one_mesh(tmp_path):
    red, glass = [1.0, 0.0, 0.0, 1.0], [0.5, 0.5, 0.5, 0.25]
    looks = read_looks(written(tmp_path, gltf_text([(box(), red), (ball(1), glass), (ball(0), red)])))
    assert [(look.colour, look.opacity) for look in looks] == [("#ff0000", 1.0), ("#bcbcbc", 0.25)]  # 0.5 → 0.735
    assert len(looks[0].mesh.triangles) == len(box().triangles) + len(ball(0).triangles)


@pytest.mark.parametrize(("mode", "numbers"), [(5, [0, 1, 2, 3]), (6, [0, 1, 3, 2])])
def test_strips_and_fans_are_triangles_that_all_look_up(tmp_path, mode, numbers):
    square = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], dtype=float)
    document, _ = gltf([(type(box())(square, np.tile([0.0, 0, 1], (4, 1)), np.array([[*numbers, 0, 0]])), None)])
    document["meshes"][0]["primitives"][0]["mode"] = mode
    document["accessors"][2]["count"] = 4
    (look,) = read_looks(written(tmp_path, json.dumps(document).encode()))
    a, b, c = np.moveaxis(corners(look), 1, 0)
    up = np.cross(b - a, c - a)[:, 2]
    assert len(up) == 2
    assert np.all(up > 0)


def changed(**more):
    return gltf_text([(box(), None)], **more)


def edited(change):
    document, _ = gltf([(box(), None)])
    change(document)
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "JSON part cannot be read"),
        (b"[" * 100_000, "JSON part cannot be read"),
        (b"[]", "missing or damaged"),
        (b'{"asset": {"version": "1.0"}}', "not glTF 2.0"),
        (b"glTF\1\0\0\0" + bytes(20), "not glTF 2.0"),
        (glb([(box(), None)])[:60], "truncated"),
        (changed(nodes=[{"children": [0]}]), "a node contains itself"),
        (changed(nodes=[{"children": [1, 1]}, {"mesh": 0}]), "a node contains itself"),
        (changed(nodes=[{"mesh": 7}]), "missing or damaged"),
        (changed(nodes=[{"mesh": 0, "scale": [1e300, 1, 1]}]), "not finite"),
        (changed(nodes=[{"mesh": 0, "rotation": [0, 0, 0, 0]}]), "missing or damaged"),
        (changed(nodes=[{}]), "no triangles"),
        (changed(sparse=True), "sparse"),
        (changed(extensionsRequired=["KHR_draco_mesh_compression"]), "without compression"),
        (edited(lambda d: d["accessors"][0].update(count=10**9)), "outside its buffer"),
        (edited(lambda d: d["accessors"][0].update(count=100)), "missing or damaged"),
        (edited(lambda d: d["accessors"][0].update(byteOffset=-4)), "missing or damaged"),
        (edited(lambda d: d["bufferViews"][0].update(byteStride=-12)), "outside its buffer"),
        (edited(lambda d: d["accessors"][2].update(componentType=5126)), "missing or damaged"),
        (edited(lambda d: d["accessors"][2].update(componentType=5126, count=3)), "not whole"),
        (edited(lambda d: d["buffers"][0].update(uri="data:x;base64,?")), "not base64"),
        (edited(lambda d: d["buffers"][0].update(uri="../secret.bin")), "outside the folder"),
        (edited(lambda d: d["buffers"][0].update(uri="%2e%2e/secret.bin")), "outside the folder"),
        (edited(lambda d: d["buffers"][0].update(uri="/etc/passwd")), "outside the folder"),
        (edited(lambda d: d["buffers"][0].update(uri="http://example.org/a.bin")), "outside the folder"),
        (edited(lambda d: d["buffers"][0].update(uri="gone.bin")), "no such file"),
    ],
)
def test_what_is_damaged_or_reaches_outside_is_refused(tmp_path, data, problem):
    (tmp_path / "secret.bin").write_bytes(bytes(1000))
    folder = tmp_path / "meshes"
    folder.mkdir()
    name = "mesh.glb" if data[:4] == b"glTF" else "mesh.gltf"
    with pytest.raises(sb.ModelError, match=problem):
        read_looks(written(folder, data, name))


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    document, buffer = gltf([(box(), None)], uri="mesh.bin")
    (tmp_path / "outside.bin").write_bytes(buffer)
    folder = tmp_path / "meshes"
    folder.mkdir()
    (folder / "mesh.bin").symlink_to(tmp_path / "outside.bin")
    with pytest.raises(sb.ModelError, match="outside the folder"):
        read_looks(written(folder, json.dumps(document).encode()))


def test_too_many_triangles_of_copies_are_refused(tmp_path):
    """A small file that stands for a large one."""
    nodes = [{"children": list(range(1, 1001))}, *({"mesh": 0} for _ in range(1000))]
    with pytest.raises(sb.ModelError, match="too many"):
        read_looks(written(tmp_path, gltf_text([(ball(3), None)], nodes=nodes)))
