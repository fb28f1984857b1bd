"""Animations: shapes against volumes and inertias, poses against kinematics, the page, GIF and MP4 as files."""

import base64
import json
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image
from scipy.spatial.transform import Rotation
from unpacked_meshes import unpacked

import symbody as sb
from symbody import machines
from symbody.files.mesh import scaled
from symbody.visual.film import durations
from symbody.visual.geometry import equivalent_solid
from symbody.visual.motion import FIELD, camera, motion
from symbody.visual.page import quaternions
from symbody.visual.primitives import ball, box, coil, cylinder, hull, marker
from symbody.visual.raster import fragments, layers, nearest
from symbody.visual.render import fitted, overlaid, pictures
from symbody.visual.shapes import scene

FILED = [one.name for one in machines.entries() if one.file]


@pytest.fixture(scope="module")
def run():
    return sb.simulate(machines.model("four-bar"), 0.5, 1e-3, inputs={"torque": 0.05})


def volume(mesh):
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6


# -- meshes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mesh", "expected"),
    [
        (ball(3), 4 / 3 * np.pi),
        (cylinder(), np.pi),
        (box(), 1.0),
        (hull(np.array([[0, 0, 0], [3.0, 0, 0]]), 1.0, 3), 4 / 3 * np.pi + 3 * np.pi),
        (hull(np.eye(3) * 1000, 0.5), 0.5 * np.sqrt(3) * 1e6 * 1.0),
        (scaled(box(), np.array([2.0, 3.0, -4.0])), 24.0),
    ],
    ids=["ball", "cylinder", "box", "bar", "plate", "mirrored box"],
)
def test_meshes_enclose_the_right_volume_outside_out(mesh, expected):
    assert volume(mesh) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("mesh", [ball(), cylinder(), box(), coil(), *marker(), scaled(ball(), np.array([1.0, 2, -3]))])
def test_normals_point_where_the_triangles_do(mesh):
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    flat = np.cross(b - a, c - a)
    mean = mesh.normals[mesh.triangles].mean(axis=1)
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0)
    assert np.mean(np.einsum("ij,ij->i", flat, mean) > 0) > 0.97  # the ends of the coil are drawn to a point


@pytest.mark.parametrize(
    ("shape", "inertia"),
    [
        ("ball", (0.4, 0.4, 0.4)),
        ("cylinder", (0.25 + 4 / 12, 0.25 + 4 / 12, 0.5)),
        ("cylinder", (0.02, 0.5, 0.5)),
        ("box", ((4 + 9) / 12, (1 + 9) / 12, (1 + 4) / 12)),
    ],
)
def test_a_solid_has_the_inertia_that_it_stands_for(shape, inertia):
    R = Rotation.from_euler("xyz", (0.3, -1.0, 2.0)).as_matrix()
    mesh, stretch = equivalent_solid(1.0, R @ np.diag(inertia) @ R.T)
    assert mesh == shape
    second = {"ball": 1 / 5 * np.ones(3), "cylinder": np.array([1 / 4, 1 / 4, 1 / 12]), "box": np.full(3, 1 / 12)}[
        shape
    ]
    E = stretch @ np.diag(second) @ stretch.T  # ∫ρ x xᵀ
    np.testing.assert_allclose(np.trace(E) * np.eye(3) - E, R @ np.diag(inertia) @ R.T, atol=0.01)


@pytest.mark.parametrize("inertia", [np.zeros(3), (1, 0, 1), (1, 1, 5)])
def test_no_solid_for_an_inertia_that_cannot_be(inertia):
    assert equivalent_solid(1.0, np.diag(np.array(inertia, dtype=float))) is None


# -- shapes of models -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILED)
def test_every_model_has_shapes(name):
    model = machines.model(name)
    made = scene(model)
    assert {p.role for p in made.parts} >= {"body", "mass"}
    assert len(made.labels) == len(model.bodies)
    assert all(np.all(np.isfinite(p.place)) for p in made.parts)
    assert 0 < made.unit < 1


def test_links_are_springs_rods_are_rods_and_colours_differ():
    made = scene(machines.model("quarter-car"))
    assert [s.role for s in made.spans].count("cut") == 5
    assert [s.mesh for s in made.spans if s.role == "link"] == ["coil", "cylinder"]
    assert len({p.colour for p in made.parts if p.role == "body"}) == 3


def test_parameters_of_the_run_shape_the_bodies():
    m = sb.Model("pendulum")
    length = m.parameter("length", 1.0)
    m.body("arm", joints="R2", mass=1.0, com=(0, 0, -length / 2)).point("tip", (0, 0, -length))
    s = sb.system(m)
    s.parameters["length"] = 3.0
    run = sb.simulate(s, 0.01, 1e-3)
    hulls = [made.meshes["hull arm"] for made in (scene(m), scene(m, run.parameters))]
    assert [round(np.ptp(mesh.vertices[:, 2])) for mesh in hulls] == [1, 3]


# -- poses ----------------------------------------------------------------------------------------------------------


def test_quaternions_of_all_rotations():
    R = Rotation.random(200, random_state=0).as_matrix()
    R = np.concatenate([R, [np.diag(d) for d in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))]])
    w, x, y, z = quaternions(R).T
    np.testing.assert_allclose(Rotation.from_quat(np.column_stack([x, y, z, w])).as_matrix(), R, atol=1e-12)


def test_frames_are_spaced_by_speed_and_rate(run):
    moved = motion(run, scene(run.model), fps=20, speed=0.5)
    np.testing.assert_allclose(moved.t, np.arange(21) * 0.025)
    assert motion(run, scene(run.model), 30, 1).t[-1] <= run.t[-1]


def test_a_run_that_went_astray_is_shown_as_far_as_it_has_numbers(run):
    values = run.values.copy()
    values[300:] = np.nan
    kept = sb.Run(None, run.t, values, names=run.names, model=run.model)
    assert motion(kept, scene(run.model), 100, 1).t[-1] <= run.t[299]
    values[:] = np.nan
    with pytest.raises(sb.ModelError, match="no motion"):
        motion(sb.Run(None, run.t, values, names=run.names, model=run.model), scene(run.model), 30, 1)


@pytest.mark.parametrize(("fps", "speed"), [(0, 1), (30, -1), (30, float("nan")), (1e9, 1)])
def test_rates_that_cannot_be_are_refused(run, fps, speed):
    with pytest.raises(sb.ModelError, match="give"):
        run.animate(None, fps, speed)


def test_gravity_decides_what_is_up():
    m = sb.Model("sideways", gravity=(-9.81, 0, 0))
    m.body("arm", joints="R2", mass=1.0, com=(-0.5, 0, 0), inertia=(0.1, 0.1, 0.1)).point("tip", (-1, 0, 0))
    run = sb.simulate(m, 0.1, 1e-2)
    moved = motion(run, scene(m), 10, 1)
    np.testing.assert_allclose(moved.rotation[0, 1] @ (-1, 0, 0), (0, 0, -1), atol=1e-12)


def test_the_camera_sees_everything_and_follows_what_goes_far():
    m = sb.Model("stone", gravity=(0, 0, 0))
    m.body("stone", joints=[sb.Joint("stone", "free", v0=(30.0, 0, 0, 0, 0, 0))], mass=1.0, inertia=(0.1, 0.2, 0.3))
    run = sb.simulate(m, 1.0, 1e-2)
    made = scene(m)
    seen = camera(made, motion(run, made, 30, 1))
    assert seen.follow
    assert seen.size < 2
    view = fitted(seen, 1.5)
    rest = seen.points - view.eye
    depth = -rest @ view.away
    slope = np.tan(np.radians(FIELD) / 2)
    assert np.all(np.abs(rest @ view.up) < slope * depth)
    assert np.all(np.abs(rest @ view.right) < 1.5 * slope * depth)


def test_the_camera_follows_what_will_go_far_if_only_its_first_moments_are_known():
    m = sb.Model("stone", gravity=(0, 0, 0))
    m.body("stone", joints=[sb.Joint("stone", "free", v0=(30.0, 0, 0, 0, 0, 0))], mass=1.0, inertia=(0.1, 0.2, 0.3))
    made = scene(m)
    begun = motion(sb.simulate(m, 0.03, 1e-2), made, 100, 1)
    assert not camera(made, begun).follow
    assert camera(made, begun, until=1.0).follow


# -- pictures -------------------------------------------------------------------------------------------------------


def test_fragments_cover_a_triangle_once_and_are_linear():
    corners = np.array([[[2.0, 1.0], [40.0, 8.0], [10.0, 30.0]], [[2.0, 1.0], [40.0, 8.0], [50.0, -9.0]]])
    f = fragments(corners, 64, 48)
    area = 0.5 * abs(np.linalg.det(corners[0, 1:] - corners[0, 0]))
    assert np.sum(f.triangle == 0) == pytest.approx(area, rel=0.03)
    assert len(np.unique(f.pixel)) == len(f.pixel)  # two triangles with a common edge share no pixel
    x = f.values(corners[..., 0])
    np.testing.assert_allclose(x, f.pixel % 64 + 0.5, atol=1e-9)
    assert len(fragments(np.zeros((0, 3, 2)), 8, 8).pixel) == 0


def test_the_nearest_wins_and_layers_go_from_far_to_near():
    pixel, close = np.array([3, 5, 3, 3]), np.array([0.1, 0.5, 0.9, 0.4])
    np.testing.assert_array_equal(nearest(pixel, close, np.zeros(8)), [False, True, True, False])
    assert [sorted(layer.tolist()) for layer in layers(pixel, close)] == [[0, 1], [3], [2]]


def test_a_red_ball_is_where_it_should_be():
    m = sb.Model("balls", gravity=(0, 0, -9.81))
    for k, x in enumerate((-1.0, 1.0)):
        m.body(f"b{k}", m.ground.point(f"p{k}", (x, 0, 0.5)), "R3", 1.0, inertia=(0.01, 0.01, 0.01))
    run = sb.simulate(m, 0.01, 1e-2)
    made = scene(m)
    made.parts = [p for p in made.parts if p.role == "body"]
    moved = motion(run, made, 1, 1)
    picture = next(pictures(made, moved, camera(made, moved), 120, 80)).astype(int)
    left, right = picture[:, :60], picture[:, 60:]
    blue, orange = left[..., 2] - left[..., 0], right[..., 0] - right[..., 2]
    assert blue.max() > 60  # #3f7cac
    assert orange.max() > 60  # #e07a3f
    assert picture[2, 60].min() > 230  # paper above
    assert overlaid(made, moved, camera(made, moved), 60, 40).shape == (40, 60, 3)


# -- files ----------------------------------------------------------------------------------------------------------


class Data(HTMLParser):
    """The JSON in a page."""

    def __init__(self, text):
        super().__init__()
        self.inside, self.text, self.outside = False, "", []
        self.feed(text)
        self.found = json.loads(self.text)

    def handle_starttag(self, tag, attributes):
        self.inside = ("id", "motion") in attributes
        self.outside += [value for key, value in attributes if key in ("src", "href", "action", "data")]

    def handle_data(self, data):
        self.text += data if self.inside else ""

    def handle_endtag(self, tag):
        self.inside = False


def test_the_page_holds_the_motion_and_nothing_from_outside(run, tmp_path):
    path = run.animate(tmp_path / "new" / "four-bar.html", fps=20)
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"https?:|//cdn|@import|url\(", text.replace("http://www.w3.org/", ""))  # names of XML
    assert "default-src 'none'" in text
    page = Data(text)
    assert page.outside == []
    data = page.found
    assert data["frames"] == 11
    poses = np.frombuffer(base64.b64decode(data["poses"]), "<f4").reshape(11, data["bodies"], 7)
    every = run.q[::50]
    found = sb.compile(run.model, "kinematics", loads=False)(every, np.zeros_like(every))
    np.testing.assert_allclose(poses[:, 1:, :3], found.position, atol=1e-6)
    w, x, y, z = np.moveaxis(poses[:, 1:, 3:], -1, 0)
    turned = Rotation.from_quat(np.stack([x, y, z, w], axis=-1).reshape(-1, 4)).as_matrix()
    np.testing.assert_allclose(turned, found.rotation.reshape(-1, 3, 3), atol=1e-6)
    np.testing.assert_array_equal(poses[:, 0], np.tile([0, 0, 0, 1, 0, 0, 0], (11, 1)))
    for (count, faces, *_), (vertices, _, triangles) in zip(
        data["meshes"], unpacked(data["meshes"], data["geometry"]), strict=True
    ):
        assert triangles.max() == count - 1
        assert (len(vertices), len(triangles)) == (count, faces)


def test_names_cannot_break_out_of_the_page(run):
    model = machines.model("four-bar")
    model.name = "</script><script>alert(1)</script>&{{data}}"
    text = sb.Run(None, run.t, run.values, names=run.names, model=model).animate().text
    assert text.count("<script") == 2
    assert "alert(1)</script>" not in text
    assert Data(text).found["frames"] > 1


def test_a_notebook_shows_the_page_in_a_frame(run):
    shown = run.animate()._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts allow-downloads" srcdoc=')  # without the notebook's origin
    assert shown.count('"') == 6


def test_gif_has_all_frames_and_lasts_as_long_as_the_motion(run, tmp_path, capsys):
    path = run.animate(tmp_path / "f.gif", fps=24, size=(101, 80), progress=True)
    with Image.open(path) as film:
        assert film.n_frames == 13
        assert film.size == (100, 80)
        lasting = 0
        for k in range(film.n_frames):
            film.seek(k)
            lasting += film.info["duration"]
    assert lasting == pytest.approx(1000 * 13 / 24, abs=10)
    assert "13/13" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["f.gif"]


def test_durations_of_a_gif():
    assert durations(6, 30) == [30, 40, 30, 30, 40, 30]
    with pytest.raises(sb.ModelError, match="fps up to 50"):
        durations(2, 60)


def test_mp4(run, tmp_path):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    path = run.animate(tmp_path / "f.mp4", fps=10, size=(96, 64))
    frames = imageio_ffmpeg.read_frames(str(path))
    assert next(frames)["size"] == (96, 64)
    assert len(list(frames)) == 6


def test_what_cannot_be_written_is_refused_with_a_cure(run, tmp_path, monkeypatch):
    with pytest.raises(sb.ModelError, match=r"\.html, \.gif, \.mp4"):
        run.animate(tmp_path / "x.avi")
    with pytest.raises(sb.ModelError, match="pixels"):
        run.animate(tmp_path / "x.gif", size=(10, 100000))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(sb.ModelError, match=r"pip install 'symbody\[video\]'"):
        run.animate(tmp_path / "x.mp4", fps=4, size=(40, 40))
    assert list(tmp_path.iterdir()) == []


def test_a_saved_run_can_be_animated(tmp_path):
    run = sb.simulate(machines.model("stewart"), 0.1, 1e-3)
    again = sb.Run.load(run.save(tmp_path / "s.csv"))
    assert Data(again.animate().text).found["poses"] == Data(run.animate().text).found["poses"]
