"""The piano action in space: what touches in the model touches in the picture."""

import numpy as np
import pytest

from symbody.elements.planar_drawing import MM
from symbody.files.mesh import Mesh
from symbody.machines.piano.looks import looks, outlines, scenery, view
from symbody.machines.piano.model import MISSING, drawing
from symbody.model.body import GROUND
from symbody.visual.primitives import ball, cylinder

ELSEWHERE = {"hammer_rest", "damper_string"}  # drawn where grands have them, not where the model has its felts
CLOSE = 0.6e-3  # m between a side of the model and what is drawn of it
NAMED = {"ball": ball(), "cylinder": cylinder()}


def drawn(body):
    """Corners of all that is drawn of a body, where it is at rest (m)."""
    parts = scenery() if body == GROUND else looks(set())[body]
    x, z = (0.0, 0.0) if body == GROUND else drawing()["bodies"][body]["hinge"]
    meshes = [part.mesh if isinstance(part.mesh, Mesh) else NAMED[part.mesh] for part in parts]
    moved = [mesh.vertices @ part.place[:, :3].T + part.place[:, 3] for mesh, part in zip(meshes, parts, strict=True)]
    return [corners + np.array([x, 0.0, z]) * MM for corners in moved]


def supports(corners, place, outwards):
    """Whether a part ends at a place of its side, seen along a direction in the plane."""
    along = np.array([outwards[0], 0.0, outwards[1]])
    across = np.array([outwards[1], 0.0, -outwards[0]])
    at = np.array([place[0], 0.0, place[1]]) * MM
    reaches = np.ptp(np.sign((corners - at) @ across)) > 0 or np.abs((corners - at) @ across).min() < CLOSE
    return reaches and abs(((corners - at) @ along).max()) < CLOSE


@pytest.mark.parametrize("name", [name for name in drawing()["contacts"] if name not in ELSEWHERE])
def test_faces_and_discs_of_the_model_are_sides_of_what_is_drawn(name):
    contact = drawing()["contacts"][name]
    (of_disc, centre, radius), (of_face, begin, end) = contact["disc"], contact["face"]
    way = np.subtract(end, begin) / np.linalg.norm(np.subtract(end, begin))
    normal = np.array([-way[1], way[0]])
    normal *= np.sign(normal @ (np.subtract(centre, begin)))  # from the face to the disc
    nearest = np.asarray(centre, dtype=float) - radius * normal
    foot = np.asarray(begin) + way * np.clip(way @ (nearest - begin), 0.0, np.linalg.norm(np.subtract(end, begin)))
    assert any(supports(corners, foot, normal) for corners in drawn(of_face))
    assert any(supports(corners, nearest, -normal) for corners in drawn(of_disc))


def test_each_body_is_dressed_and_a_single_escapement_lacks_its_lever():
    bodies = {*drawing()["bodies"], "head"}
    assert set(looks(set())) == bodies
    assert set(looks(MISSING["single"])) == bodies - {"lever"}


def test_the_view_holds_the_key_and_the_hammer():
    held = np.array(view().points)[:, [0, 2]]
    for corners in (corners[:, [0, 2]] for body in ("key", "whippen", "hammer") for corners in drawn(body)):
        assert np.all(corners > held.min(axis=0))
        assert np.all(corners < held.max(axis=0))


def test_colours_are_of_known_materials():
    known = {tuple(made_of) for made_of in outlines()["materials"].values()}
    assert {(part.colour, part.material) for part in scenery()} <= known
