"""What the editor says while a model is drawn: places, cures, freedoms, operations; the diagram and its layout."""

import json
import runpy
import subprocess
from pathlib import Path

import numpy as np
import pytest
from test_document import FOUR_BAR

from symbody import machines
from symbody.editor.diagram import diagram
from symbody.editor.document import readable_model
from symbody.editor.report import figures, operations, place_of, remarks
from symbody.editor.view import body_motion, view_data
from symbody.editor.yaml_edit import data_of
from symbody.files.yaml_file import model_of_text
from symbody.visual.motion import poses, turned
from symbody.visual.shapes import scene

FRONTEND = Path(__file__).parents[2] / "frontend"


def remarks_of(text):
    model, broken = readable_model(text)
    return remarks(model, data_of(text), broken, [])


def test_a_problem_is_at_its_place_with_a_cure_as_a_button():
    wrong = FOUR_BAR.replace("on: crank.tip", "on: crank.tipp")
    (problem,) = (one for one in remarks_of(wrong) if one["kind"] == "error")
    assert problem["path"] == ["bodies", "coupler"]
    assert problem["fix"]["changes"] == [{"op": "set", "path": ("bodies", "coupler", "on"), "value": "crank.tip"}]


def test_a_missing_mass_can_be_set_by_a_button():
    text = "symbody: 1\nname: x\nbodies:\n  rod: {on: ground, joints: R2}\n"
    fixes = [one["fix"] for one in remarks_of(text) if one["fix"]]
    assert {"op": "set", "path": ("bodies", "rod", "mass"), "value": 1} in fixes[0]["changes"]


def test_places_of_messages():
    data = data_of(FOUR_BAR)
    assert place_of("bodies.crank.joints.crank.q0 (line 7)", data) == ["bodies", "crank"]
    assert place_of("links.spring.law", data) == ["links", "spring"]
    assert place_of("nothing", data) == []


def test_the_figures_of_the_four_bar():
    model = model_of_text(FOUR_BAR)
    found, q = figures(model)
    assert found["freedoms"].startswith("1 degree of freedom")
    assert (found["loops"], found["redundant"], found["problem"]) == (1, 1, "")
    counts = {row["function"]: row["operations"] for row in operations(model, q)}
    assert set(counts) == {"inverse", "direct", "System"}
    assert all(count > 10 for count in counts.values())


def test_a_loop_that_cannot_close_is_reported():
    found, _ = figures(model_of_text(FOUR_BAR.replace("pivot: [0.7, 0, 0]", "pivot: [7, 0, 0]")))
    assert "stays open" in found["problem"]


@pytest.mark.parametrize("name", ["four-bar", "leg", "ball joint", "free body"])
def test_poses_are_those_of_the_compiled_kinematics(name):
    """The view computes poses in NumPy; the compiled kinematics is the reference, at ten random positions."""
    from symbody.editor.document import NEW
    from symbody.editor.parts import added_part
    from symbody.editor.yaml_edit import edited

    model = model_of_text(edited(NEW, added_part(data_of(NEW), name, "ground")[0]))
    q = np.random.default_rng(3).normal(size=(10, model.nq))
    first = 0
    for joint in model.joints():
        first += joint.nq
        if joint.nq > 1:
            q[:, first - 4 : first] /= np.linalg.norm(q[:, first - 4 : first], axis=1, keepdims=True)
    shapes = scene(model, model.values)
    mine = body_motion(model, shapes, np.arange(10.0), q)
    same = turned(np.arange(10.0), *poses(model, q, model.values), shapes.up)
    assert mine.position == pytest.approx(same.position, abs=1e-12)
    assert mine.rotation == pytest.approx(same.rotation, abs=1e-12)
    assert view_data(model, q[0])["frames"]["ground"] == 0


# -- diagrams ----------------------------------------------------------------------------------------------------------


def test_the_diagram_of_the_four_bar():
    drawn = diagram(model_of_text(FOUR_BAR))
    assert [node["id"] for node in drawn["nodes"]] == ["ground", "bodies.crank", "bodies.coupler", "bodies.rocker"]
    edges = {edge["id"]: (edge["a"], edge["b"], *edge["at"]) for edge in drawn["edges"]}
    assert edges["cuts.loop"] == ("bodies.coupler", "bodies.rocker", "tip", "tip")
    assert edges["joints.coupler"] == ("bodies.crank", "bodies.coupler", "tip", "origin")
    assert edges["links.spring"] == ("ground", "bodies.rocker", "origin", "tip")


@pytest.mark.slow
def test_no_symbols_overlap_in_the_diagrams_of_all_machines(tmp_path):
    """Layout by elkjs of every model of the gallery: overlaps none; crossings and bends are printed."""
    if not (FRONTEND / "node_modules" / "elkjs").exists():
        pytest.skip("the packages of the front end are not installed")
    drawings = {one.name: diagram(machines.open(one.name)) for one in machines.entries()}
    given = tmp_path / "diagrams.json"
    given.write_text(json.dumps(drawings))
    node = runpy.run_path(str(FRONTEND / "build.py"))["node_command"]()
    command = [*node, str(FRONTEND / "test" / "layout_figures.ts"), str(given)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=FRONTEND)
    found = json.loads(done.stdout)
    print(json.dumps(found, indent=1))
    assert len(found) == len(drawings) > 10
    assert {name: row["overlaps"] for name, row in found.items() if row["overlaps"]} == {}
