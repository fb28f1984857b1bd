"""Meshes that are dropped on a body: budgets and refusals of the readers, files beside the model, looks in .yaml."""

import json

import numpy as np
import pytest
from test_document import FOUR_BAR
from test_editor_server import sends, socket, until

import symbody as sb
from symbody.editor.application import EditorApplication
from symbody.editor.desk import Desk
from symbody.editor.document import ModelDocument, open_document
from symbody.editor.meshes import kept_beside, read_dropped_mesh
from symbody.editor.messages import SendFile, Undo
from symbody.editor.script import python_script
from symbody.editor.uploads import LARGEST, PART, FileUpload
from symbody.errors import ModelError
from symbody.files.yaml_file import model_of_text
from symbody.files.yaml_text import yaml_text
from symbody.links.rejected import Rejected
from symbody.visual.file_looks import file_looks
from symbody.web.server import WebServer

pytestmark = pytest.mark.clock


@pytest.fixture(autouse=True)
def own_drafts(monkeypatch, tmp_path):
    monkeypatch.setenv("SYMBODY_DRAFTS", str(tmp_path / "drafts"))


def cube(edge: float) -> bytes:
    """A binary STL file of a cube from 0 to `edge`: 12 triangles."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype="<f4") * np.float32(edge)
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [face for a, b, c, d in sides for face in ((a, b, c), (a, c, d))]
    rows = b"".join(b"\0" * 12 + corners[list(face)].tobytes() + b"\0\0" for face in faces)
    return b"\0" * 80 + len(faces).to_bytes(4, "little") + rows


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "model" / "four-bar.yaml"
    made.parent.mkdir()
    made.write_text(FOUR_BAR)
    return made


@pytest.fixture
def desk(path):
    made = Desk(open_document(path), lambda news: None)
    yield made
    made.close()


def test_a_dropped_mesh_is_kept_beside_the_model_and_undone_without_a_trace(desk, path):
    said = desk.take_file("../odd name.stl", cube(0.2), "crank")["said"]
    assert said == "odd_name.stl: 12 triangles, 0.2 m"
    assert (path.parent / "odd_name.stl").read_bytes() == cube(0.2)
    (look,) = desk.model().bodies["crank"].looks
    assert (look.file, look.scale) == ("odd_name.stl", 1.0)
    desk.take_file("odd name.stl", cube(0.2), "ground")  # an equal file is used again
    desk.take_file("odd name.stl", cube(300.0), "crank")  # another one never replaces it; 300 units are mm
    assert sorted(p.name for p in path.parent.glob("*.stl")) == ["odd_name-2.stl", "odd_name.stl"]
    assert [one.scale for one in desk.model().bodies["crank"].looks] == [1.0, 1e-3]
    for _ in range(3):
        desk.obey(Undo())
    assert desk.document.text == FOUR_BAR


def test_the_look_of_a_file_is_at_its_place(path, desk):
    desk.take_file("cube.stl", cube(2.0), "rocker")
    text = desk.document.text.replace(
        "{file: cube.stl}", "{file: cube.stl, scale: 0.1, position: [1, 0, 0], rotation: [0, 0, 1.5707963267948966]}"
    )
    assert text != desk.document.text
    path.write_text(text)
    model = sb.load(path)
    (look,) = file_looks(model)["rocker"]
    corners = look.mesh.vertices @ look.place[:, :3].T + look.place[:, 3]
    np.testing.assert_allclose(corners.min(axis=0), (0.8, 0.0, 0.0), atol=1e-6)  # turned by 90°: x is −y
    np.testing.assert_allclose(corners.max(axis=0), (1.0, 0.2, 0.2), atol=1e-6)
    assert "crank" not in file_looks(model)  # the other bodies keep their derived looks
    again = model_of_text(yaml_text(model))
    assert again.bodies["rocker"].looks == model.bodies["rocker"].looks
    made = {}
    exec(python_script(model), made)  # our own script
    assert made["m"].bodies["rocker"].looks == model.bodies["rocker"].looks


@pytest.mark.parametrize(
    "file",
    ["/etc/hosts.stl", "../up.stl", "a/../../b.stl", "C:\\x.stl", "\\\\host\\share\\x.stl", "", "file:x.stl", "a\nb"],
)
def test_a_model_never_names_meshes_outside_of_its_folder(file):
    with pytest.raises(ModelError):
        model_of_text(FOUR_BAR.replace("mass: 1.5", f"mass: 1.5, looks: [{{file: {json.dumps(file)}}}]"))
    with pytest.raises(ModelError):
        sb.Model("m").ground.look(file)


@pytest.mark.parametrize(
    ("look", "problem"),
    [
        ("{file: a.stl, scale: 0}", "place"),
        ("{file: a.stl, position: [0, 1]}", "3 numbers"),
        ("{file: a.stl, colour: red}", "colour"),
        ("{scale: 1}", "file"),
        ("3", "mesh"),
    ],
)
def test_wrong_looks_are_named(look, problem):
    with pytest.raises(ModelError, match=problem) if look != "3" else pytest.raises(ModelError):
        model_of_text(FOUR_BAR.replace("mass: 1.5", f"mass: 1.5, looks: [{look}, {{file: ../x.stl}}]"))


def test_a_format_without_meshes_says_so(tmp_path):
    model = model_of_text(FOUR_BAR)
    model.bodies["rocker"].look("part.stl", 1e-3)
    with pytest.raises(ModelError, match="do not support meshes"):
        sb.save(model, tmp_path / "four-bar.mbs", laws="drop")
    sb.save(model, tmp_path / "four-bar.yaml")
    assert sb.load(tmp_path / "four-bar.yaml").bodies["rocker"].looks == model.bodies["rocker"].looks


def test_a_missing_mesh_leaves_the_derived_look(path):
    path.write_text(FOUR_BAR.replace("mass: 1.5", "mass: 1.5, looks: [gone.stl]"))
    with pytest.warns(UserWarning, match="rocker"):
        assert file_looks(sb.load(path)) == {}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.exe", b"MZ"),
        ("a.stl", b"solid x\nvertex 1 2"),
        ("a.stl", b"\0" * 80 + (10**8).to_bytes(4, "little")),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 nan\nf 1 2 3\n"),
        ("a.glb", b"glTF" + b"\xff" * 40),
        ("a.dae", b'<!DOCTYPE x [<!ENTITY a "aaaa">]><COLLADA>&a;</COLLADA>'),
    ],
)
def test_files_that_the_readers_refuse_are_not_kept(desk, path, name, content):
    with pytest.raises(ModelError):
        desk.take_file(name, content, "crank")
    assert [p.name for p in path.parent.iterdir()] == ["four-bar.yaml"]
    assert desk.document.text == FOUR_BAR


def test_a_link_beside_the_model_is_never_written_through(tmp_path):
    outside = tmp_path / "outside.stl"
    (tmp_path / "part.stl").symlink_to(outside)
    assert kept_beside(tmp_path, "part.stl", cube(1.0)) == "part-2.stl"
    assert not outside.exists()
    assert read_dropped_mesh("x.STL", cube(70.0)).scale == 1e-3


def test_uploads_have_a_size_and_a_place(desk):
    upload = FileUpload("a.stl", PART + 1, "crank")
    assert not upload.received(b"x" * PART)
    with pytest.raises(Rejected):
        upload.received(b"xx")
    with pytest.raises(Rejected, match="no such body"):
        desk.check_upload(SendFile("a.stl", 3, "nobody"))
    new = Desk(ModelDocument(FOUR_BAR), lambda news: None)
    with pytest.raises(Rejected, match="not possible"):
        new.check_upload(SendFile("a.stl", 3, "crank"))
    new.close()
    assert LARGEST < 100_000_000


def test_a_mesh_comes_in_binary_parts_and_only_from_the_pen(path):
    with (
        WebServer({"/": EditorApplication(open_document(path))}) as server,
        socket(server) as first,
        socket(server) as second,
    ):
        until(first, "document")
        until(second, "document")
        content = cube(0.1) + b"\0" * (2 * PART)
        sends(second, do="sendfile", name="cube.stl", size=len(content), body="crank")
        assert until(second, "refused")["reason"] == "another browser edits"
        second.send(content[:PART])
        assert until(second, "refused")["reason"] == "no file was announced"
        sends(first, do="sendfile", name="cube.stl", size=len(content), body="crank")
        for at in range(0, len(content), PART):
            first.send(content[at : at + PART])
        assert until(first, "said").startswith("cube.stl: 12 triangles")
        assert (path.parent / "cube.stl").read_bytes() == content
