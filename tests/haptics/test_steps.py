"""A scene in the real-time loop (steps.py, stepper.c): the same ticks, live settings, restart, a lost device."""

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.haptics import structures as of
from symbody.haptics.friction import LAWS
from symbody.haptics.settings import ContactFriction, Rendering
from symbody.haptics.steps import SceneSource, scene_model, scene_system
from symbody.haptics.thesis_scenes.corner import PUSH, corner
from symbody.realtime.loop import Loop
from symbody.realtime.loop_options import Safety, Scheduling
from waiting import PATIENCE

pytestmark = [pytest.mark.posix, pytest.mark.clock]
RATE = 512.0


@pytest.fixture(scope="module")
def made():
    return corner(Rendering())


def looped(scene, **options):
    scene.reset()
    return Loop(
        SceneSource(scene),
        RATE,
        safety=Safety(stale=None, overrun=None),
        scheduling=Scheduling(priority=0),
        **options,
    )


def push(loop, values):
    loop.give(dict(zip(("push_x", "push_y", "push_turn"), values, strict=True)))


def test_the_model_of_a_scene_has_its_bodies_and_the_handle():
    scene = corner(Rendering())
    assert list(scene_model(scene).bodies) == ["peg", "handle"]
    assert {"push_x", "hand_turn", "stiffness", "controller"} <= set(looped(scene).channels.given)


def test_the_loop_makes_the_same_ticks(made):
    n = 400
    loop = looped(made)
    loop.pause()
    push(loop, PUSH)
    with loop:
        assert loop.step(n, timeout=PATIENCE)
        _, rows = loop.records(0)
    names = {name: k for k, name in enumerate(loop.names)}
    scene = corner(Rendering())
    log = scene.run((n + 1) / RATE, PUSH)
    for axis, name in enumerate(("peg_x.q", "peg_y.q", "peg_turn.q")):
        assert rows[-1, names[name]] == pytest.approx(log["tool"][n - 1, axis], abs=1e-12)
    assert rows[-1, names["handle_x.q"]] == pytest.approx(log["x"][n - 1, 0], abs=1e-12)
    assert rows[-1, names["haptic.command_x"]] == pytest.approx(log["command"][n - 2, 0], abs=1e-12)


def test_settings_are_live_and_a_restart_begins_again(made):
    loop = looped(made)
    loop.pause()
    push(loop, PUSH)
    with loop:
        assert loop.step(300, timeout=PATIENCE)
        hit = loop.latest().outputs
        loop.give({"contact": 1.0, "stiffness": 100.0})
        assert loop.step(200, timeout=PATIENCE)
        assert made.c.settings.contact == 1
        assert made.c.settings.stiffness == 100.0
        loop.restart()
        loop.pause()
        assert loop.step(2, timeout=PATIENCE)
        assert abs(loop.latest().outputs[loop.outputs.index("peg_x.q")]) < 1e-4
    assert hit[loop.outputs.index("peg_x.q")] > 0.01


def test_numbers_that_cannot_be_meant_do_not_reach_the_scene(made):
    loop = looped(made, inputs={"restitution": (0.0, 1.0)})
    loop.pause()
    with loop:
        loop.give({"restitution": 7.0})
        loop.step(2, timeout=PATIENCE)
        loop.give({"restitution": np.nan})
        loop.step(2, timeout=PATIENCE)
        assert sum(loop.statistics().refused.values()) >= 1
    assert 0.0 <= made.c.settings.restitution <= 1.0


def test_another_rate_is_refused(made):
    with pytest.raises(ModelError, match="512 Hz"):
        Loop(SceneSource(made), 1000.0)


def test_a_method_for_a_scene_is_refused(made):
    with pytest.raises(ModelError, match="a scene has its own method"):
        Loop(SceneSource(made), RATE, "rk4")


def test_the_loop_has_the_coordinates_of_the_system_that_shows_the_scene(made):
    s, loop = scene_system(made), looped(made)
    assert set(s.states) <= set(loop.outputs)
    assert loop.channels.units["peg_turn.q"] == "rad"
    assert loop.channels.units["haptic.wrench_turn"] == "N m"


def test_a_friction_law_that_there_is_not_is_the_last_one():
    """Inputs of a loop are numbers from outside: one beyond the laws must not lead beyond their table."""
    ends = []
    for law in (len(LAWS) - 1, 10**9):
        scene = corner(Rendering(friction=ContactFriction("classical")))
        scene.c.settings.friction = law
        ends.append(scene.run(1.0, PUSH)["tool"][-1])
    assert len(LAWS) == of.FRICTIONS
    assert np.array_equal(*ends)
    assert scene.c.memory.ncontacts > 0
