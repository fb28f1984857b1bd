"""Axes of joints that are turned by a handle, and sliders: what a drag writes into the file."""

import numpy as np
import pytest
from test_document import FOUR_BAR

from symbody.editor.axes import shortest_rotation
from symbody.editor.desk import Desk
from symbody.editor.document import ModelDocument
from symbody.editor.messages import Slide, TurnAxis, Undo
from symbody.editor.view import joint_axes
from symbody.errors import SymbodyError
from symbody.files.yaml_file import model_of_text
from symbody.links.rejected import Rejected
from symbody.model.placement import placement
from symbody.system.assembly import initial_state


@pytest.fixture
def desk(monkeypatch, tmp_path):
    monkeypatch.setenv("SYMBODY_DRAFTS", str(tmp_path / "drafts"))
    made = Desk(ModelDocument(FOUR_BAR), lambda news: None)
    yield made
    made.close()


def axis_in_carrier(desk, body):
    """The axis of the first joint of a body, in the frame of the body that carries it."""
    model = desk.model()
    joint = model.bodies[body].joints[0]
    return placement(model.point_at(model.bodies[body].on), model.values)[0][:, int(joint.type[1]) - 1]


def test_a_direction_near_an_axis_changes_the_type_of_the_joint(desk):
    desk.obey(TurnAxis("crank", 0, (0.05, 0.0, -1.0)))
    assert desk.model().bodies["crank"].joints[0].type == "R3"
    assert desk.model().bodies["crank"].joints[0].q0 == (-1.2,)
    desk.obey(Undo())
    assert desk.document.text == FOUR_BAR


@pytest.mark.parametrize("seed", range(10))
def test_any_other_direction_turns_the_point_that_carries_the_body(desk, seed):
    d = np.random.default_rng(seed).normal(size=3)
    d[1] = abs(d[1])
    d = d / np.linalg.norm(d)
    if np.abs(d).max() > 0.99:
        d = np.array([0.6, 0.8, 0.0])
    before = desk.model()
    for body in ("crank", "rocker"):  # on the origin of the ground, and on a point that nothing else uses
        desk.obey(TurnAxis(body, 0, tuple(d)))
        assert axis_in_carrier(desk, body) == pytest.approx(d, abs=1e-5)
    made = desk.model()
    assert made.bodies["rocker"].on == "ground.pivot"
    assert made.bodies["crank"].on == "ground.crank_axis"
    assert made.ground.points["pivot"].position == before.ground.points["pivot"].position
    assert made.bodies["coupler"] == before.bodies["coupler"]


def test_a_point_that_others_use_stays_as_it_is(desk):
    desk.obey(TurnAxis("coupler", 0, (1.0, 1.0, 0.0)))  # crank.tip carries only the coupler
    assert desk.model().bodies["coupler"].on == "crank.tip"
    shared = Desk(ModelDocument(FOUR_BAR.replace("[ground, rocker.tip]", "[crank.tip, rocker.tip]")), lambda news: None)
    shared.obey(TurnAxis("coupler", 0, (1.0, 1.0, 0.0)))
    assert shared.model().bodies["coupler"].on == "crank.coupler_axis"
    assert shared.model().bodies["crank"].points["tip"].rotation == (0.0, 0.0, 0.0)
    shared.close()


@pytest.mark.parametrize(
    ("body", "joint", "direction"),
    [("crank", 0, (0.0, 0.0, 0.0)), ("nobody", 0, (0.0, 0.0, 1.0)), ("crank", 7, (0.0, 0.0, 1.0))],
)
def test_impossible_axes_are_refused(desk, body, joint, direction):
    with pytest.raises(SymbodyError):
        desk.obey(TurnAxis(body, joint, direction))
    assert desk.document.text == FOUR_BAR


def test_a_later_joint_takes_the_three_axes_only(desk):
    desk.document.edit("x", FOUR_BAR.replace("joints: [{type: R2, q0: -1.4}]", "joints: R2 R3"))
    desk.obey(TurnAxis("rocker", 1, (1.0, 0.0, 0.0)))
    assert [j.type for j in desk.model().bodies["rocker"].joints] == ["R2", "R1"]
    with pytest.raises(Rejected):
        desk.obey(TurnAxis("rocker", 1, (1.0, 1.0, 0.0)))


@pytest.mark.parametrize("seed", range(10))
def test_the_shortest_rotation_is_one_and_turns_a_to_b(seed):
    a, b = np.random.default_rng(seed).normal(size=(2, 3))
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    r = shortest_rotation(a, b)
    np.testing.assert_allclose(r @ a, b, atol=1e-12)
    np.testing.assert_allclose(r.T @ r, np.eye(3), atol=1e-12)
    assert np.trace(r) == pytest.approx(1 + 2 * a @ b)  # by the angle between them, and not more


def test_handles_know_where_joints_begin():
    model = model_of_text(FOUR_BAR)
    rows = {row["name"]: row for row in joint_axes(model, initial_state(model)[0])}
    assert rows["rocker"]["at"] == (0.7, 0.0, 0.0)
    crank = -1.2  # rad about axis 2: the tip is at 0.3 (cos, 0, −sin)
    assert rows["coupler"]["at"] == pytest.approx((0.3 * np.cos(crank), 0.0, -0.3 * np.sin(crank)), abs=1e-8)
    assert rows["coupler"]["axes"][1] == pytest.approx((0.0, 1.0, 0.0))


def test_a_drag_of_a_slider_is_one_step_of_the_history(desk):
    for k, value in enumerate((130.0, 140.0, 150.0)):
        desk.obey(Slide(("parameters", "k"), value, k == 0))
    desk.obey(Slide(("parameters", "k"), 90.0, True))
    assert desk.model().parameters["k"].value == 90.0
    assert desk.model().parameters["k"].unit == "N/m"
    desk.obey(Undo())
    assert desk.model().parameters["k"].value == 150.0
    desk.obey(Undo())
    assert desk.document.text == FOUR_BAR
