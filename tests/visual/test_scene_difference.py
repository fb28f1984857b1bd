"""A page that gets the changes of a scene has the same scene as a page that gets all of it."""

import json

import numpy as np
import pytest
from unpacked_meshes import unpacked

import symbody as sb
from symbody import machines
from symbody.visual.mesh_pack import packed, with_coarser
from symbody.visual.page import shapes_data
from symbody.visual.scene_difference import LISTS, scene_difference
from symbody.visual.shapes import scene


def arm(length, tail=False):
    m = sb.Model("arm")
    body = m.body("arm", joints="R2", mass=1.0, com=(0, 0, -length / 2))
    body.point("tip", (0, 0, -length))
    if tail:
        m.body("tail", body["tip"], "R2", mass=0.2, com=(0, 0, -0.1))
    return scene(m, unit=0.02)


def known(made):
    meshes = with_coarser(list(made.meshes.values()))
    data = shapes_data(made, [0] * len(made.spans))
    return data, unpacked(data["meshes"], packed(meshes))


def page_after(before, after):
    """As difference.ts and geometry.ts take it."""
    data, meshes = known(before)
    change = json.loads(json.dumps(scene_difference(before, after, [0] * len(after.spans))))
    for name in LISTS:
        data[name] = data[name][: change["count"][name]]
        for k, row in change[name]:
            data[name][k : k + 1] = [row]
    new = unpacked([row for _, row in change["meshes"]], change["geometry"]) if change["meshes"] else []
    meshes = meshes[: change["count"]["meshes"]]
    for (k, _), mesh in zip(change["meshes"], new, strict=True):
        meshes[k : k + 1] = [mesh]
    return data, meshes


@pytest.mark.parametrize(("before", "after"), [((1.0,), (1.3,)), ((1.0,), (1.0, True)), ((0.7, True), (1.0,))])
def test_what_is_told_leads_to_the_whole(before, after):
    (data, meshes), (expected, right) = page_after(arm(*before), arm(*after)), known(arm(*after))
    assert data == json.loads(json.dumps(expected))
    for mesh, same in zip(meshes, right, strict=True):
        for values, wanted in zip(mesh, same, strict=True):
            np.testing.assert_array_equal(values, wanted)


def test_a_dial_of_the_car_sends_a_small_part_of_it():
    model = machines.model("car")
    before, value = scene(model), dict(model.values)
    name = "caster_shift"
    after = scene(model, {name: value[name] + 0.01}, unit=before.unit)
    whole = len(json.dumps(shapes_data(before, [0] * len(before.spans)))) + len(packed(list(before.meshes.values())))
    assert len(json.dumps(scene_difference(before, after, [0] * len(after.spans)))) < 0.3 * whole


def test_nothing_new_is_nothing():
    change = scene_difference(arm(1.0), arm(1.0), [])
    assert [change[name] for name in LISTS] == [[]] * len(LISTS)
    assert change["geometry"] == ""
