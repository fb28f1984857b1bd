"""Which forces of a model can be drawn, and that their numbers are those of the motion."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.elements import HuntCrossley, sphere_on_plane
from symbody.studio.arrows import MOST_REACTIONS, arrow_outputs, arrows, channels_of
from symbody.studio.model_machine import model_machine
from symbody.studio.player import Player
from symbody.studio.pull import pullable
from symbody.system.channels import USUAL


def hung():
    """A weight on a spring between two bodies, a ball on the floor, a force from outside."""
    m = sb.Model("hung", gravity=(0, 0, -9.81))
    arm = m.body("arm", joints=[sb.Joint("arm", "R2")], mass=1.0, com=(0, 0, -0.5), inertia=0.1)
    arm.point("tip", (0, 0, -1.0))
    weight = m.body("weight", joints=[sb.Joint("weight", "T3", q0=(-2.0,))], mass=3.0)
    m.link("spring", arm["tip"], weight)(lambda length, rate, p: 100.0 * (length - 0.5))
    m.force_site("wind", arm["tip"])(lambda at, p: (2.0, 0.0, 0.0))
    ball = m.body("ball", joints=[sb.Joint("ball", "T3", q0=(0.1,))], mass=2.0)
    sphere_on_plane(m, "floor", ball, 0.1, m.ground, law=HuntCrossley(stiffness=1e6, damping=1.0))
    return m


def by_name(found):
    return {(arrow.name, arrow.frame): arrow for arrow in found}


def test_every_force_of_a_model_has_its_arrow():
    m = hung()
    known = [*arrow_outputs(m), "arm.q"]
    found = by_name(arrows(m, known))
    assert {(name, arrow.kind, arrow.form) for (name, _), arrow in found.items()} == {
        ("spring", "link", "along"), ("wind", "force", "line"), ("floor", "contact", "line"),
        ("arm", "reaction", "own"), ("weight", "reaction", "own"), ("ball", "reaction", "own"),
    }  # fmt: skip
    assert (found["spring", 1].at, found["spring", 1].other) == ((0.0, 0.0, -1.0), 2)
    assert found["spring", 2].other == 1
    assert arrows(m, ["arm.q"]) == []  # nothing that is not among the channels
    assert len(channels_of(arrows(m, known))) == 2 * 1 + 2 * 6 + 3 * 3


def test_a_recorded_run_gives_their_numbers_at_the_instant_that_is_shown():
    """The weight hangs still where the spring carries it: tension m g, and the ball's reaction along z is none."""
    m = hung()
    stretch = 3.0 * 9.81 / 100.0
    m.bodies["weight"].joints[0].q0 = (-1.5 - stretch,)
    run = sb.simulate(sb.system(m, outputs=[USUAL, *arrow_outputs(m)]), 0.2, 1e-3)
    player = Player(run)
    channels = channels_of(player.arrows)
    player._go(0.1005, playing=False)
    shown = dict(zip(channels, player.values(channels), strict=True))
    for name in channels:
        pair = run[name][100:102]
        assert min(pair) - 1e-9 <= shown[name] <= max(pair) + 1e-9
    player._go(0.0, playing=False)
    first = dict(zip(channels, player.values(channels), strict=True))
    assert first["spring.tension"] == pytest.approx(3.0 * 9.81, rel=1e-6)
    assert first["wind.force.x"] == 2.0
    np.testing.assert_allclose(player.numbers("arm")[:4], [1.0, 0.0, 0.0, -0.5])


def test_the_reaction_of_a_hinge_carries_what_hangs_on_it():
    m = sb.Model("still", gravity=(0, 0, -9.81))
    m.body("bob", joints=[sb.Joint("bob", "R2")], mass=2.0, com=(0, 0, -1.0), inertia=0.01)
    s = sb.system(m, outputs=["bob.reaction.force.*"])
    (arrow,) = arrows(m, s.outputs)
    np.testing.assert_allclose(s.observe(0.0, s.x0), [0.0, 0.0, 2.0 * 9.81])
    assert (arrow.form, arrow.channels) == ("own", tuple(s.outputs))


def test_hands_have_arrows_where_they_hold():
    m = pullable(hung())
    pulls = [arrow for arrow in arrows(m, [*arrow_outputs(m), *m.inputs]) if arrow.kind == "pull"]
    assert [arrow.name for arrow in pulls] == ["pull.arm", "pull.weight", "pull.ball"]
    assert all(arrow.channels[3:] == ("pull_at_x", "pull_at_y", "pull_at_z") for arrow in pulls)
    assert not set(arrow_outputs(m)) & set(m.inputs)  # inputs are recorded anyway


@pytest.mark.parametrize("name", ["arm6", "four-bar", "bicycle", "quarter-car", "andrews", "flyball"])
def test_every_output_that_arrows_need_is_possible(name):
    """Trees, cuts, rolling contacts, links, sites."""
    s = model_machine(machines.model(name), 1000.0, None, {}).system
    assert set(arrow_outputs(s.model)) <= set(s.outputs)
    kinds = {arrow.kind for arrow in arrows(s.model, [*s.outputs, *s.inputs])}
    assert {"reaction", "pull"} <= kinds
    assert set(sb.system(machines.model(name)).outputs) <= set(s.outputs)  # what a model records by default stays


def test_reactions_of_large_models_are_left_to_those_who_ask():
    m = sb.Model("chain")
    below = m.ground
    for k in range(MOST_REACTIONS + 1):
        below = m.body(f"b{k}", below, "R2", mass=1.0)
    assert arrow_outputs(m) == []
    names = [f"b{k}.reaction.force.{x}" for k in range(MOST_REACTIONS + 1) for x in "xyz"]
    assert len(arrows(m, names)) == MOST_REACTIONS + 1
