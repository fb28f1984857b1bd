"""Scenes against free flight, statics, the engine's own equations.

Tests of scene.py, scene_memory.py, objects.py, resting.h, constraint.h.
"""

import numpy as np
import pytest

import symbody as sb
from symbody.errors import ModelError
from symbody.haptics import (
    ContactFriction,
    ContactModel,
    HapticBody,
    HapticScene,
    Linkage,
    Polygon,
    Rendering,
    box,
    rectangle,
)
from symbody.haptics.thesis_scenes.corner import INERTIA, MASS, PUSH, corner, peg, walls
from symbody.haptics.thesis_scenes.two_link import arm
from symbody.machines.haptic_bench.model import model

FLOOR = {"floor": box(1.0, 1.0, 0.1, (0.0, 0.0, -0.05))}
DOWN = (0.0, 0.0, -9.81)


def test_a_body_in_flight_keeps_momentum_and_falls():
    inertia = np.array([1e-3, 2e-3, 3e-3])
    spin = (0.1, 8.0, 0.1)
    body = HapticBody("b", box(0.1, 0.2, 0.3), 2.0, inertia, (0.0, 0.0, 10.0), (1.0, 0.0, 0.0, *spin))
    scene = HapticScene([body], gravity=DOWN, rate=4000.0)
    before = inertia * spin
    scene.run(0.5)
    x = scene.q[:3]
    assert x[0] == pytest.approx(0.5)
    assert x[2] == pytest.approx(10.0 - 9.81 / 8.0, abs=2e-3)  # semi-implicit: g t h/2 lower
    from random_scenes import rotation

    R = rotation(scene.q[3:])
    assert R @ np.diag(inertia) @ R.T @ scene.v[3:] == pytest.approx(before, rel=0.02, abs=1e-4)


def test_a_linkage_moves_as_the_engine_says():
    m = arm((0.5, 0.4), (2.0, 1.0))
    scene = HapticScene([Linkage("arm", m, q=(0.3, 0.4), v=(2.0, -1.0))], rate=20000.0)
    scene.run(0.5)
    for joint, q, v in zip(m.joints(), (0.3, 0.4), (2.0, -1.0), strict=True):
        joint.q0, joint.v0 = (q,), (v,)
    run = sb.simulate(sb.system(m), 0.5, 1e-3)
    assert scene.q == pytest.approx([run["q1.q"][-1], run["q2.q"][-1]], abs=2e-4)


def test_springs_are_those_of_the_same_model_in_the_engine():
    """The bench's model has springs at its corners as laws; both move alike into the corner, and bounce."""
    contact = Rendering(ContactModel("penalty"))
    scene = HapticScene([peg()], walls(), rate=4000.0, rendering=contact)
    push, n = np.array(PUSH), round(0.9 * 4000)
    path = np.zeros((n, 2))
    for k in range(n):  # without a device: the push as a change of velocity
        scene.v[:] += push / (MASS, MASS, INERTIA) * scene.dt
        scene.run(scene.dt)
        path[k] = scene.q[:2]
    run = sb.simulate(sb.system(model()), 0.9, 1e-4)
    for axis, name in enumerate(("peg_x.q", "peg_y.q")):
        found = np.interp(run.t, (np.arange(n) + 1) * scene.dt, path[:, axis])
        assert found[1:] == pytest.approx(run[name][1:], abs=6e-5)


def test_a_box_at_rest_sinks_in_by_its_weight():
    scene = HapticScene([HapticBody("b", box(0.04, 0.04, 0.04), 0.5, (1e-4,) * 3, (0, 0, 0.02))], FLOOR, gravity=DOWN)
    log = scene.run(1.0)
    assert scene.q[2] == pytest.approx(0.02 - 0.5 * 9.81 / (4 * 4000.0), rel=1e-6)
    assert sum(c.force[2] for c in scene.contacts()) == pytest.approx(0.5 * 9.81)
    assert log["contacts"][-1] == 4


@pytest.mark.parametrize("contact", ["impulse", "penalty", "constraint"])
def test_a_stack_stands(contact):
    boxes = [HapticBody(f"b{k}", box(0.04, 0.04, 0.04), 0.5, (1e-4,) * 3, (0, 0, 0.02 + 0.04 * k)) for k in range(4)]
    scene = HapticScene(boxes, FLOOR, gravity=DOWN, rate=1000.0, rendering=Rendering(ContactModel(contact)))
    scene.run(1.0)
    assert np.abs(scene.v).max() < 1e-3
    assert scene.q.reshape(4, 7)[:, 2] == pytest.approx([0.02 + 0.04 * k for k in range(4)], abs=4e-3)
    assert scene.q.reshape(4, 7)[:, :2] == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("contact", ["impulse", "constraint"])
@pytest.mark.parametrize("slope", [0.15, 0.25])
def test_a_block_on_a_slope_slides_beyond_the_friction_angle(contact, slope):
    friction = ContactFriction("reset-integrator", static=0.2, kinetic=0.2, damping=20.0)
    gravity = (9.81 * np.sin(np.arctan(slope)), -9.81 * np.cos(np.arctan(slope)))
    scene = HapticScene([HapticBody("b", rectangle(0.2, 0.02), 1.0, 0.004, (0.0, 0.01, 0.0))],
                        {"floor": rectangle(4.0, 0.1, (1.0, -0.05))}, gravity=gravity, rate=2000.0,
                        rendering=Rendering(ContactModel(contact), friction))  # fmt: skip
    scene.run(0.5)
    expected = max(gravity[0] + 0.2 * gravity[1], 0.0) * 0.5
    assert scene.v[0] == pytest.approx(expected, abs=0.01)


def test_friction_in_space_is_against_the_motion():
    friction = ContactFriction("reset-integrator", static=0.3, kinetic=0.3, damping=5.0)
    body = HapticBody("b", box(0.1, 0.1, 0.02), 1.0, (1e-2,) * 3, (0, 0, 0.01), (0.3, 0.4, 0.0, 0, 0, 0))
    scene = HapticScene([body], FLOOR, gravity=DOWN, rate=2000.0,
                        rendering=Rendering(ContactModel(damping=200.0), friction))  # fmt: skip
    scene.run(0.1)
    speed = 0.5 - 0.3 * 9.81 * 0.1
    assert scene.v[:2] == pytest.approx([0.6 * speed, 0.8 * speed], abs=0.02)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("contact", ["impulse", "constraint"])
def test_a_ball_of_corners_bounces_as_told(contact, restitution):
    body = HapticBody("b", rectangle(0.05, 0.05), 1.0, 1e-3, (0.0, 0.05, 0.0), (0.0, -1.0, 0.0))
    rendering = Rendering(ContactModel(contact, stiffness=0.0, damping=0.0, restitution=restitution))
    scene = HapticScene([body], {"floor": rectangle(1.0, 0.1, (0.0, -0.05))}, rate=2000.0, rendering=rendering)
    scene.run(0.04)
    assert scene.v[1] == pytest.approx(restitution, abs=1e-9)


def test_groups_are_joined_through_bodies_and_not_through_the_ground():
    bodies = [HapticBody(f"b{k}", rectangle(0.1, 0.1), 1.0, 1e-3, (0.1 * k * (1 - 1e-9), 0.05, 0.0)) for k in range(3)]
    apart = HapticBody("apart", rectangle(0.1, 0.1), 1.0, 1e-3, (1.0, 0.05 - 1e-9, 0.0))
    scene = HapticScene([*bodies, apart], {"floor": rectangle(4.0, 0.1, (0.0, -0.05))})
    scene._look()
    groups = {c.group for c in scene.c.memory.contacts[: scene.c.memory.ncontacts]}
    assert len(groups) == 2


def test_reset_begins_again():
    scene = corner(Rendering())
    first = scene.run(0.7, PUSH)
    scene.reset()
    again = scene.run(0.7, PUSH)
    assert np.array_equal(first, again)


def test_settings_may_change_while_it_runs():
    scene = corner(Rendering())
    scene.run(0.3, PUSH)
    scene.use(Rendering(ContactModel("penalty", stiffness=100.0)))
    assert np.max(scene.run(0.6, PUSH)["depth"]) > 1e-3


@pytest.mark.parametrize(("make", "what"), [
    (lambda: HapticScene([peg(), peg((0.5, 0, 0))], {"a": box(1, 1, 1)}), "polygons and polyhedra"),
    (lambda: HapticScene([peg()], tool="spoon"), "unknown tool"),
    (lambda: HapticScene([peg()], rate=0.0), "rate"),
    (lambda: HapticScene([Linkage("a", arm(), {"elbow": rectangle(1, 1)})]), "unknown body"),
    (lambda: HapticScene([Linkage("a", arm(), q=(1.0,))]), "coordinates"),
    (lambda: HapticScene([HapticBody("b", rectangle(1, 1), 1.0, 1.0, (3.0 * k, 0, 0)) for k in range(40)]), "more"),
    (lambda: HapticScene([peg()]).run(0.1, (1.0, 2.0)), "shape"),
])  # fmt: skip
def test_what_cannot_be_is_refused(make, what):
    with pytest.raises(ModelError, match=what):
        make()


def test_too_many_contacts_are_an_error_and_not_forgotten():
    tiles = {f"t{k}": rectangle(0.01, 0.1, (0.0101 * k, -0.05)) for k in range(90)}
    plank = HapticBody("plank", Polygon([(-0.1, 0.0), (1.0, 0.0), (1.0, 0.5), (-0.1, 0.5)]), 1.0, 1.0, (0, 1e-3, 0))
    scene = HapticScene([plank], tiles, gravity=(0.0, -9.81))
    with pytest.raises(ModelError, match="were dropped"):
        scene.run(0.1)
