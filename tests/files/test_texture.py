"""Textures of meshes: images with texture coordinates from OBJ, COLLADA and glTF; strange ones are left out.

Tests of files/texture.py, files/obj_file.py.
"""

import base64
import json
import struct
import zlib

import numpy as np
import pytest

import symbody as sb
from mesh_writers import collada, gltf
from symbody.files.mesh import Mesh
from symbody.files.read_budget import ReadBudget
from symbody.files.texture import MAX_BYTES, MAX_EDGE, read_texture, texture_of
from symbody.visual.mesh_files import read_looks

SQUARE = "mtllib square.mtl\nv 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
PAINTED = SQUARE + "usemtl painted\nf 1/1 2/2 3/3 4/4\n"
LIBRARY = "newmtl painted\nKd 0.5 0.5 0.5\nmap_Kd -s 1 1 1 image.png\nnewmtl red\nKd 1 0 0\nd 0.5\n"


def png(wide=4, high=2):
    """A grey image."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", wide, high, 8, 0, 0, 0, 0)
    rows = zlib.compress(bytes((1 + wide) * high) if wide * high < 1e6 else b"")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def jpeg(wide, high):
    """The beginning of an image with a comment before its frame."""
    comment = b"\xff\xfe\x00\x06abcd"
    return b"\xff\xd8" + comment + b"\xff\xc2\x00\x11\x08" + struct.pack(">HH", high, wide) + bytes(20)


def in_file(look):
    """Texture coordinates by position."""
    return {tuple(np.round(p, 6)): tuple(np.round(q, 6)) for p, q in zip(look.mesh.vertices, look.mesh.uv, strict=True)}


CORNERS = {(0.0, 0.0, 0.0): (0, 0), (2.0, 0.0, 0.0): (1, 0), (2.0, 1.0, 0.0): (1, 1), (0.0, 1.0, 0.0): (0, 1)}


def square():
    vertices, uv = (np.array(list(x), dtype=float) for x in (CORNERS.keys(), CORNERS.values()))
    return Mesh(vertices, np.tile((0.0, 0.0, 1.0), (4, 1)), np.array([[0, 1, 2], [0, 2, 3]]), uv=uv)


def test_an_obj_has_its_coordinates_image_and_colours(tmp_path):
    (tmp_path / "image.png").write_bytes(png())
    (tmp_path / "square.mtl").write_text(LIBRARY)
    (tmp_path / "square.obj").write_text(PAINTED + "usemtl red\nf 1/1 2/2 3/3\n")
    painted, red = read_looks(tmp_path / "square.obj")
    assert (painted.colour, painted.texture.data, painted.texture.kind) == (None, png(), "image/png")
    assert in_file(painted) == CORNERS
    assert (red.colour, red.opacity, red.texture, red.mesh.uv) == ("#ff0000", 0.5, None, None)


def test_a_collada_file_has_its_coordinates_and_image(tmp_path):
    mesh = square()
    inputs = '<input semantic="VERTEX" source="#v" offset="0"/>'
    inputs += '<input semantic="TEXCOORD" source="#t" offset="1" set="0"/>'
    numbers = " ".join(f"{k} {k}" for k in mesh.triangles.ravel())
    spots = f'<source id="t"><float_array>{" ".join(map(str, mesh.uv.ravel()))}</float_array></source>'
    faces = f'<triangles material="paint">{inputs}<p>{numbers}</p></triangles>'
    text = collada(mesh, surface=faces).decode()
    text = text.replace("<color>0.2 0.4 0.6 1</color>", '<texture texture="sampler" texcoord="UV"/>')
    text = text.replace('<vertices id="v">', spots + '<vertices id="v">')
    params = (
        '<newparam sid="face"><surface type="2D"><init_from>picture</init_from></surface></newparam>'
        '<newparam sid="sampler"><sampler2D><source>face</source></sampler2D></newparam>'
    )
    text = text.replace('<technique sid="c">', params + '<technique sid="c">')
    images = '<library_images><image id="picture"><init_from>maps/image.png</init_from></image></library_images>'
    text = text.replace("<library_effects>", images + "<library_effects>")
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "image.png").write_bytes(png())
    (tmp_path / "square.dae").write_text(text)
    (look,) = read_looks(tmp_path / "square.dae")
    assert in_file(look) == CORNERS
    assert look.texture.data == png()


@pytest.mark.parametrize("inside", [True, False])
def test_a_gltf_file_has_its_coordinates_upside_up_and_its_image(tmp_path, inside):
    mesh = square()
    document, buffer = gltf([(mesh, (1, 1, 1, 1))], uri=None)
    spots = np.column_stack([mesh.uv[:, 0], 1.0 - mesh.uv[:, 1]]).astype("<f4").tobytes()
    document["bufferViews"] += [
        {"buffer": 0, "byteOffset": len(buffer), "byteLength": len(spots)},
        {"buffer": 0, "byteOffset": len(buffer) + len(spots), "byteLength": len(png())},
    ]
    views = len(document["bufferViews"])
    document["accessors"].append({"bufferView": views - 2, "componentType": 5126, "count": 4, "type": "VEC2"})
    document["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = len(document["accessors"]) - 1
    document["images"] = [{"bufferView": views - 1, "mimeType": "image/png"} if inside else {"uri": "image.png"}]
    document["textures"] = [{"source": 0}]
    document["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0}
    data = buffer + spots + png()
    document["buffers"] = [{"byteLength": len(data), "uri": "data:;base64," + base64.b64encode(data).decode()}]
    (tmp_path / "image.png").write_bytes(png())
    (tmp_path / "square.gltf").write_text(json.dumps(document))
    (look,) = read_looks(tmp_path / "square.gltf")
    assert in_file(look) == CORNERS
    assert (look.texture.data, look.colour) == (png(), "#ffffff")


def test_a_texture_of_a_gigabyte_is_left_out_in_words_and_the_mesh_stays(tmp_path):
    with open(tmp_path / "image.png", "wb") as file:
        file.truncate(1_000_000_000)  # takes no space
    (tmp_path / "square.mtl").write_text(LIBRARY)
    (tmp_path / "square.obj").write_text(PAINTED)
    with pytest.warns(UserWarning, match=r"a texture is left out.*1000 MB.*save it as PNG or JPEG with at most"):
        (look,) = read_looks(tmp_path / "square.obj")
    assert (look.texture, look.colour, len(look.mesh.triangles)) == (None, "#808080", 2)


@pytest.mark.parametrize(
    "broken",
    [
        PAINTED.replace("vt 1 1", "vt nan 1"),
        PAINTED.replace("vt 1 1", "vt 1e300 1"),
        PAINTED.replace("3/3", "3"),
        PAINTED.replace("3/3", "3/9"),
        PAINTED.replace("square.mtl", "../gone.mtl"),
    ],
)
def test_without_valid_coordinates_or_materials_the_mesh_has_no_image(tmp_path, broken):
    (tmp_path / "image.png").write_bytes(png())
    (tmp_path / "square.mtl").write_text(LIBRARY)
    (tmp_path / "square.obj").write_text(broken)
    (look,) = read_looks(tmp_path / "square.obj")
    assert (look.texture, look.mesh.uv, len(look.mesh.triangles)) == (None, None, 2)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (png(MAX_EDGE + 1, 2), "pixels"),
        (png(2, 0), "pixels"),
        (jpeg(8, MAX_EDGE + 1), "pixels"),
        (png()[:20], "damaged PNG"),
        (b"\xff\xd8\xff", "neither"),
        (b"GIF89a", "neither"),
        (b"", "neither"),
        (bytes(MAX_BYTES + 1), "MB"),
    ],
)
def test_strange_and_large_images_are_refused(data, problem):
    with pytest.raises(sb.ModelError, match=problem):
        texture_of(data, ReadBudget())


def test_images_have_their_kind_and_one_reading_has_a_limit():
    assert texture_of(jpeg(640, 480), ReadBudget()).address.startswith("data:image/jpeg;base64,")
    budget, large = ReadBudget(), png() + bytes(7_900_000)
    for _ in range(4):
        texture_of(large, budget)
    with pytest.raises(sb.ModelError, match="more than 32 MB together"):
        texture_of(large, budget)


@pytest.mark.parametrize("name", ["../image.png", "/etc/passwd", "http://example.com/image.png", "C:/image.png"])
def test_images_elsewhere_are_refused(tmp_path, name):
    (tmp_path / "image.png").write_bytes(png())
    (tmp_path / "meshes").mkdir()
    with pytest.raises(sb.ModelError):
        read_texture(name, tmp_path / "meshes", ReadBudget())
