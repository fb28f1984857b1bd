"""What models stand on: posts from the floor up to joints, beside the motion; none below machines that hang."""

from dataclasses import replace

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.studio.machine_loop import foreseen
from symbody.studio.machine_scene import MachineScene
from symbody.studio.model_machine import model_machine
from symbody.studio.poses import Poses
from symbody.visual.motion import extent
from symbody.visual.stands import METAL


def seen(machine):
    """The boxes (2, 3) of the parts of the stands, and the corners of all that moves, in the frame of the view."""
    made, (run, _) = MachineScene(machine), foreseen(machine)
    made.aim(run.q)
    shapes = made.shapes(dict(machine.system.parameters))
    boxes = []
    for part in shapes.parts:
        if part.colour == METAL:
            corners = (shapes.meshes[part.mesh].vertices @ part.place[:, :3].T + part.place[:, 3]) @ made.turn.T
            boxes.append((corners.min(axis=0), corners.max(axis=0)))
    assert all(part.frame == 0 and part.role == "ground" for part in shapes.parts if part.colour == METAL)
    floor = made.page(shapes)["camera"]["floor"]
    moving = made.shapes(dict(machine.system.parameters))
    moving.parts = [part for part in moving.parts if part.colour != METAL]
    poses = Poses(machine.system.model, moving.up, dict(machine.system.parameters))
    return boxes, extent(moving, poses.motion(run.q)), floor


def textbook(name):
    return machines.entry(name).page()


@pytest.mark.parametrize(("name", "posts"), [("four-bar", 2), ("cart-pole", 2), ("arm6", 1)])
def test_joints_above_the_floor_are_carried_by_posts(name, posts):
    boxes, _, floor = seen(textbook(name))
    standing = [(low, high) for low, high in boxes if low[2] == pytest.approx(floor)]
    plates = [low for low, high in standing if np.ptp([low, high], axis=0).argmin() == 2]  # flat
    assert len(standing) == 2 * len(plates) == 2 * posts
    assert max(high[2] for _, high in standing) > 0.5 * floor  # up to the joints, which are at 0


def test_posts_are_beside_everything_that_moves():
    boxes, moving, _ = seen(textbook("four-bar"))
    posts = [(low, high) for low, high in boxes if np.ptp([low, high], axis=0).argmax() == 2]
    assert len(posts) == 2
    assert all(low[1] > moving[..., 1].max() for low, _ in posts)  # behind it, seen from the camera at the side


@pytest.mark.parametrize("name", ["pendulum", "double-pendulum", "n-pendulum", "bricard"])
def test_machines_that_hang_have_no_posts(name):
    assert seen(textbook(name))[0] == []


def test_machines_with_a_ground_or_looks_of_their_own_have_no_posts():
    machine = textbook("four-bar")
    assert seen(machine)[0]
    for more in ({"ground": "wood"}, {"grid": False}, {"marks": False}):
        assert seen(replace(machine, **more))[0] == []


def test_a_joint_without_a_free_place_beside_it_has_no_post():
    m = sb.Model("wide")
    arm = m.body("arm", joints="R2", mass=1.0, com=(0.0, 0.0, 0.5), inertia=(0.1, 0.1, 0.1))
    for k, y in enumerate((-2.0, 2.0)):
        arm.point(f"side{k}", (0.0, y, -0.4))
    arm.point("tip", (0.0, 0.0, 1.0))
    assert seen(model_machine(m, 1000.0, None, {}))[0] == []
