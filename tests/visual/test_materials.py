"""Materials of looks: by name, by role, refused if unknown; and springs that suit their length."""

import numpy as np
import pytest

import symbody as sb
from symbody.studio import Machine
from symbody.visual.materials import MATERIALS, material_of
from symbody.visual.motion import BodyMotion
from symbody.visual.page import shapes_data, sides
from symbody.visual.primitives import coil
from symbody.visual.scene import Look, Scene, Span, placed
from symbody.visual.shapes import scene
from symbody.visual.springs import wound


def pendulum():
    m = sb.Model("one")
    m.body("arm", joints="R2", mass=1.0, com=(0, 0, -1)).point("tip", (0, 0, -2))
    return m


def still(places):
    n = len(places)
    return BodyMotion(np.zeros(1), np.array([places], dtype=float), np.tile(np.eye(3), (1, n, 1, 1)))


def test_looks_keep_their_material_and_joints_are_steel():
    looks = {"arm": [Look("box", placed(), "#112233", material="wood"), Look("ball", placed())]}
    made = scene(pendulum(), looks=looks)
    start = still([(0, 0, 0), (0, 0, 0)])
    rows = shapes_data(made, sides(made, start))["parts"]
    assert [row[6] for row in rows if row[4] == "body"] == ["wood", "paint"]
    assert {row[6] for row in rows if row[4] == "joint"} == {"steel"}
    assert {row[7] for row in rows} == {-1}
    assert {material_of(None, row[4]) for row in rows} <= set(MATERIALS)


def test_unknown_materials_and_grounds_are_refused_with_the_known_ones():
    with pytest.raises(sb.ModelError, match=r"unknown material.*rubber"):
        Look("box", placed(), material="cheese")
    with pytest.raises(sb.ModelError, match=r"unknown ground.*grass"):
        Machine("one", sb.system(pendulum()), ground="cheese")


@pytest.mark.parametrize("slender", [3.0, 12.0, 40.0])
def test_a_spring_fills_its_length_and_its_wire_is_round(slender):
    mesh = coil(6, 0.16, slender)
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    assert (low[2], high[2]) == pytest.approx((0.0, 1.0), abs=1e-9)
    assert np.abs(mesh.vertices[:, :2]).max() == pytest.approx(1.16, rel=0.01)
    ring = mesh.vertices[:8] * (1.0, 1.0, slender)  # around the wire, stretched
    middle = ring.mean(axis=0)
    assert np.linalg.norm(ring - middle, axis=1) == pytest.approx(np.full(8, 0.16))


def test_springs_are_wound_for_their_length_at_the_start():
    made = Scene(np.eye(3)[2], 0.01)
    made.meshes["coil"] = coil()
    ends = np.zeros((2, 3))
    made.spans = [Span("coil", (0, k), ends, 0.02, "#000000", "link") for k in (1, 2)]
    made.spans.append(Span("ram", (0, 1), ends, 0.02, "#000000", "link"))
    wound(made, still([(0, 0, 0), (0, 0, 0.1), (0.3, 0, 0.4)]))
    assert [span.mesh for span in made.spans] == ["coil 6 5", "coil 14 25", "ram"]
    assert {"coil 6 5", "coil 14 25"} <= made.meshes.keys()
