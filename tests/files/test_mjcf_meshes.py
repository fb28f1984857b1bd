"""Masses of meshes against MuJoCo and against closed forms; files of meshes.

Tests of mesh_file.py, mesh_mass.py, mjcf_meshes.py, polygon_faces.py.
"""

import struct

import numpy as np
import pytest
from test_mjcf_file import compared, load, mjcf, written

from symbody.errors import ModelError
from symbody.files.mesh_file import read_triangles
from symbody.files.mesh_mass import hull, mesh_mass
from symbody.files.polygon_faces import triangulated
from symbody.files.read_budget import Amount, ReadBudget

L_SHAPE = np.array([(0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3)], float) * 0.1  # not convex
FLAT = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]


def prism(height=0.2):
    """Triangles of the L as a prism, in turn as seen from outside."""
    low, high = (np.column_stack([L_SHAPE, np.full(6, z)]) for z in (0.0, height))
    sides = [((k, 0), ((k + 1) % 6, 0), ((k + 1) % 6, 1)) for k in range(6)]
    sides += [((k, 0), ((k + 1) % 6, 1), (k, 1)) for k in range(6)]
    both = (low, high)
    faces = [[low[c], low[b], low[a]] for a, b, c in FLAT] + [[high[a], high[b], high[c]] for a, b, c in FLAT]
    faces += [[both[s][k] for k, s in side] for side in sides]
    return np.array(faces)


def stl(corners):
    rows = (struct.pack("<12fH", 0, 0, 0, *c.ravel(), 0) for c in corners)
    return bytes(80) + struct.pack("<I", len(corners)) + b"".join(rows)


def obj(corners):
    points = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in corners.reshape(-1, 3).tolist())
    return (points + "".join(f"f {3 * k + 1} {3 * k + 2} {3 * k + 3}\n" for k in range(len(corners)))).encode()


def msh(corners):
    count = 3 * len(corners)
    faces = np.arange(count, dtype="<i4").tobytes()
    return struct.pack("<4i", count, 0, 0, len(corners)) + corners.astype("<f4").tobytes() + faces


WRITERS = {"part.stl": stl, "part.obj": obj, "part.msh": msh}


def model(mesh, geom="", file="part.stl"):
    return mjcf(
        f'<body name="a"><joint name="j" axis="0 1 0"/><joint name="k" axis="1 0 0.3" pos="0.1 0 0"/>'
        f'<geom type="mesh" mesh="part" pos="0.1 0.2 -0.1" euler="0.3 0.2 0.1" {geom}/></body>',
        f'<asset><mesh name="part" file="{file}" {mesh}/></asset>',
    )


@pytest.mark.parametrize(
    ("mesh", "geom"),
    [
        ("", ""),
        ('inertia="exact"', ""),
        ('inertia="convex"', 'density="300"'),
        ('inertia="shell"', 'mass="0.7"'),
        ('scale="2 -1 0.5"', 'mass="2"'),
        ('refpos="0.1 0.02 -0.3" refquat="0.8 0.1 0.2 -0.4" scale="1 2 3" inertia="exact"', ""),
    ],
)
def test_a_mesh_weighs_what_mujoco_says(mesh, geom, tmp_path):
    (tmp_path / "part.stl").write_bytes(stl(prism()))
    path = written(tmp_path, model(mesh, geom))
    assert compared(path, load(path)).max() < 1e-6  # corners of the file have seven digits


@pytest.mark.parametrize("name", WRITERS)
def test_all_kinds_of_files_hold_the_same(name, tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / name).write_bytes(WRITERS[name](prism()))
    np.testing.assert_allclose(read_triangles(tmp_path / "parts" / name), prism(), atol=1e-7)
    text = model("", file=name).replace("<compiler", '<compiler meshdir="parts"')
    assert load(written(tmp_path, text)).bodies["a"].mass > 0.0


def test_a_prism_has_its_volume_and_its_hull_more():
    """The L has the area 0.04 m²; its hull cuts the corner (0.2, 0.1)–(0.1, 0.3) off the rectangle."""
    exact, convex = mesh_mass(prism(), "exact"), mesh_mass(hull(prism().reshape(-1, 3)), "convex")
    assert exact.volume == pytest.approx(0.04 * 0.2)
    assert convex.volume == pytest.approx((0.06 - 0.5 * 0.1 * 0.2) * 0.2)
    assert exact.centre == pytest.approx([(0.02 * 0.1 + 0.02 * 0.05) / 0.04, (0.02 * 0.05 + 0.02 * 0.2) / 0.04, 0.1])
    assert mesh_mass(prism(), "legacy").volume > exact.volume


def test_a_cube_has_the_moments_of_a_cube():
    corners = np.array(list(np.ndindex(2, 2, 2))) * 0.3
    for kind in ("exact", "legacy", "convex"):
        found = mesh_mass(hull(corners), kind)
        assert found.volume == pytest.approx(0.027)
        np.testing.assert_allclose(found.inertia, np.eye(3) * 0.3**2 / 6, atol=1e-12)


def test_points_written_in_the_model_are_a_mesh_too(tmp_path):
    points = " ".join(f"{x:.6f}" for x in prism().ravel())
    text = mjcf(
        '<body name="a"><joint name="j" axis="0 1 0"/><geom type="mesh" mesh="p"/></body>',
        f'<asset><mesh name="p" vertex="{points}"/></asset>',
    )
    path = written(tmp_path, text)
    assert compared(path, load(path)).max() < 1e-6


@pytest.mark.parametrize(
    ("mesh", "geom", "message"),
    [
        ('<mesh name="q" file="part.stl"/>', '<geom type="mesh" mesh="p"/>', "unknown mesh 'p'"),
        (
            '<mesh name="p" file="part.stl"/><mesh name="p" file="part.stl" scale="2 2 2"/>',
            '<geom type="mesh" mesh="p"/>',
            "two meshes",
        ),
        ('<mesh name="p" file="gone.stl"/>', '<geom type="mesh" mesh="p"/>', "no such file"),
        ('<mesh name="p" file="part.ply"/>', '<geom type="mesh" mesh="p"/>', "'.ply' are not supported"),
        ('<mesh name="p" builtin="sphere" params="2"/>', '<geom type="mesh" mesh="p"/>', "generated by MuJoCo"),
        ('<mesh name="p" file="part.stl" inertia="odd"/>', '<geom type="mesh" mesh="p"/>', "inertia='odd'"),
        ('<mesh name="p" file="part.stl"/>', '<geom type="box" mesh="p"/>', "fitted to a mesh"),
        ('<mesh name="p" vertex="0 0 0 1"/>', '<geom type="mesh" mesh="p"/>', "vertex has 4 numbers"),
        ('<mesh name="p" vertex="0 0 0 1 0 0 0 1 0" face="0 1 7"/>', '<geom type="mesh" mesh="p"/>', "missing corner"),
        ('<mesh name="p" vertex="0 0 0 1 0 0 0 1 0"/>', '<geom type="mesh" mesh="p"/>', "enclose no volume"),
    ],
)
def test_meshes_that_cannot_be_weighed_are_refused_by_name(mesh, geom, message, tmp_path):
    (tmp_path / "part.stl").write_bytes(stl(prism()))
    (tmp_path / "part.ply").write_bytes(b"ply")
    text = mjcf(f'<body name="a"><joint name="j"/>{geom}</body>', f"<asset>{mesh}</asset>")
    with pytest.raises(ModelError, match=message):
        load(written(tmp_path, text))


def test_damaged_mesh_files_are_refused(tmp_path):
    for name, data in (("cut.msh", msh(prism())[:-4]), ("short.msh", b"abc"), ("none.msh", bytes(16))):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ModelError, match="not an MSH file"):
            read_triangles(tmp_path / name)


def test_only_the_first_object_of_an_obj_has_mass(tmp_path):
    """MuJoCo reads the faces of the first object, and so does the reader of MJCF; others show all."""
    two = obj(prism()) + b"o second\n" + obj(prism() + 1.0)
    (tmp_path / "part.obj").write_bytes(two)
    assert len(read_triangles(tmp_path / "part.obj")) == 2 * len(prism())
    assert len(read_triangles(tmp_path / "part.obj", first_object=True)) == len(prism())
    path = written(tmp_path, model("", file="part.obj"))
    assert compared(path, load(path)).max() < 1e-7


def test_products_of_inertia_of_a_light_body_are_kept(tmp_path):
    inertia = "2e-15 3e-15 4e-15 1e-16 2e-16 3e-16"
    inertial = f'<inertial mass="1e-9" pos="0 0 0" fullinertia="{inertia}"/>'
    m = load(written(tmp_path, mjcf(f'<body name="a"><joint name="j"/>{inertial}</body>')))
    assert m.bodies["a"].inertia[3:] == pytest.approx((1e-16, 2e-16, 3e-16), rel=1e-9)


QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]  # of a cube


def ring(count, turns):
    """A prism whose ends are polygons; every second corner is nearer to the axis if turns < 1."""
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
    radii = 0.2 * np.where(np.arange(count) % 2, turns, 1.0)
    low = np.column_stack([radii * np.cos(angles), radii * np.sin(angles), 0 * angles])
    faces = [tuple(range(count))[::-1], tuple(range(count, 2 * count))]
    sides = [(k, (k + 1) % count, (k + 1) % count + count, k + count) for k in range(count)]
    return np.vstack([low, low + np.array((0, 0, 0.3))]), [*faces, *sides]


def obj_of_polygons(points, faces):
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()]
    lines += ["f " + " ".join(str(k + 1) for k in face) for face in faces]
    return "\n".join(lines)


def mass_difference(path):
    """Relative differences of mass, centre and inertia from MuJoCo's body."""
    mujoco = pytest.importorskip("mujoco")
    theirs, ours = mujoco.MjModel.from_xml_path(str(path)), load(path).bodies["a"]
    axes = np.zeros(9)
    mujoco.mju_quat2Mat(axes, theirs.body_iquat[1])
    axes = axes.reshape(3, 3)
    inertia = axes @ np.diag(theirs.body_inertia[1]) @ axes.T
    xx, yy, zz, xy, xz, yz = ours.inertia
    turned = np.abs(np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))) - inertia).max() / np.abs(inertia).max()
    return abs(ours.mass / theirs.body_mass[1] - 1), np.abs(np.array(ours.com) - theirs.body_ipos[1]).max(), turned


@pytest.mark.parametrize("kind", ["legacy", "exact", "convex", "shell"])
@pytest.mark.parametrize("shape", ["quads", "7 corners", "8 corners", "star", "a point apart"])
def test_faces_are_divided_as_in_mujoco(shape, kind, tmp_path):
    """Corners of a face that lie in no plane: the mass depends on the triangles, and on nothing else."""
    points, faces = {
        "quads": (np.array(list(np.ndindex(2, 2, 2))) * 0.3, QUADS),
        "7 corners": ring(7, 1.0),
        "8 corners": ring(8, 1.0),
        "star": ring(8, 0.4),
        "a point apart": (np.vstack([np.array(list(np.ndindex(2, 2, 2))) * 0.3, [(0.5, 0.6, 0.7)]]), QUADS),
    }[shape]
    points = points + np.random.default_rng(3).uniform(-0.02, 0.02, points.shape)
    name = f"{shape.replace(' ', '')}{kind}.obj"  # MuJoCo keeps meshes by the names of their files
    (tmp_path / name).write_text(obj_of_polygons(points, faces))
    body = '<body name="a"><joint/><geom type="mesh" mesh="p"/></body>'
    text = mjcf(body, f'<asset><mesh name="p" file="{name}" inertia="{kind}"/></asset>')
    mass, centre, inertia = mass_difference(written(tmp_path, text))
    assert mass < 1e-12
    assert centre < 1e-12
    assert inertia < 2e-7  # MuJoCo's principal axes


def test_faces_of_opposite_orientation_have_no_exact_volume(tmp_path):
    faces = [face if k % 2 else face[::-1] for k, face in enumerate(QUADS)]
    (tmp_path / "part.obj").write_text(obj_of_polygons(np.array(list(np.ndindex(2, 2, 2))) * 0.3, faces))
    with pytest.raises(ModelError, match="inconsistent orientation"):
        load(written(tmp_path, model('inertia="exact"', file="part.obj")))
    assert load(written(tmp_path, model("", file="part.obj"))).bodies["a"].mass == pytest.approx(27.0)


def test_a_polygon_that_needs_too_many_steps_is_refused():
    points, faces = ring(50, 0.4)
    with pytest.raises(ModelError, match="steps"):
        triangulated(points, faces, ReadBudget({"steps": Amount(1000)}))
    assert len(triangulated(points, faces, ReadBudget())) == 2 * 48 + 2 * 50
