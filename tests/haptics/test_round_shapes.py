"""Round shapes with their curvature (round_shapes.py, round_post.py): exact, and better than planes."""

from functools import cache

import numpy as np
import pytest
from round_post import LINE, POST, TOOL, disc, led_around

from orderings import SEEDS, Ordering, check
from symbody.errors import ModelError
from symbody.haptics import HapticBody, HapticScene, rectangle
from symbody.haptics.two_rates.packet import LocalConstraint
from symbody.haptics.two_rates.round_shapes import Round, ToolPose
from symbody.haptics.two_rates.scene_world import SceneWorld

AXIS = (0.0, 0.0, 1.0)


@pytest.mark.parametrize("angle", [0.0, 0.3, 2.0, -1.1])
def test_two_discs_are_as_far_apart_as_their_middles_say(angle):
    """Whatever facets the world collides: s = |x − C| − r − ρ."""
    away = POST + TOOL + 0.002
    x = (away * np.cos(angle), away * np.sin(angle), 0.7)
    scene = HapticScene([HapticBody("tool", disc(TOOL), 1.0, 1e-4, x)], {"post": disc(POST)})
    rounds = {"tool": Round((0, 0, 0), TOOL, AXIS), "post": Round((0, 0, 0), POST, AXIS)}
    (found,) = SceneWorld(scene, "tool", rounds=rounds).look().constraints
    n = np.array([np.cos(angle), np.sin(angle), 0.0])
    assert found.s == pytest.approx(0.002)
    assert found.normal == pytest.approx(n)
    assert found.point == pytest.approx(POST * n)
    assert (found.kind, found.radius, found.tool_radius) == ("cylinder", POST, TOOL)
    assert found.tool == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)


def test_a_round_tool_on_a_flat_floor_is_told_by_its_middle():
    tool = HapticBody("tool", disc(TOOL), 1.0, 1e-4, (0.0, TOOL + 0.001, 0.3))
    scene = HapticScene([tool], {"floor": rectangle(1.0, 0.1, (0.0, -0.05))})
    (found,) = SceneWorld(scene, "tool", rounds={"tool": Round((0, 0, 0), TOOL, AXIS)}).look().constraints
    assert (found.kind, found.tool_radius) == ("plane", TOOL)
    assert found.s == pytest.approx(0.001, abs=1e-6)
    assert found.normal == pytest.approx((0.0, 1.0, 0.0))


def test_planes_touch_what_is_round():
    tool = HapticBody("tool", disc(TOOL), 1.0, 1e-4, (POST + TOOL + 0.002, 0.0, 0.4))
    scene = HapticScene([tool], {"post": disc(POST)})
    rounds = {"tool": Round((0, 0, 0), TOOL, AXIS, False), "post": Round((0, 0, 0), POST, AXIS, False)}
    (found,) = SceneWorld(scene, "tool", rounds=rounds).look().constraints
    assert (found.kind, found.tool_radius) == ("plane", 0.0)
    assert ToolPose.of(np.array(tool.pose)).outside(found.tool) == pytest.approx((POST + 0.002, 0.0, 0.0))


def test_what_is_not_round_stays_as_it_is():
    from symbody.haptics.two_rates.round_shapes import rounded

    one = LocalConstraint((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0), 0.0, body=3)
    assert rounded([one], {4: Round((0, 0, 0), 1.0)}, np.zeros(3), None) == [one]


@pytest.mark.parametrize("how", [{"radius": 0.0}, {"radius": np.nan}, {"centre": (0.0, 0.0), "radius": 1.0}])
def test_rounds_that_cannot_be_are_refused(how):
    with pytest.raises(ModelError, match="a round"):
        Round(**{"centre": (0.0, 0.0, 0.0), **how})


SPEEDS = 0.05 + 0.1 * np.arange(10) / 18  # m/s, from 0.05 to 0.1


@cache
def led(name, seed):
    """Around the post with one of ten speeds."""
    return led_around(name == "cylinders", speed=SPEEDS[seed], seconds=1.0)


ORDERINGS = [
    Ordering("error of the surface", "cylinders", "planes", lambda name, seed: led(name, seed).error, 0.02),
    Ordering("jump of the force", "cylinders", "planes", lambda name, seed: led(name, seed).jump, 0.01),
]


@pytest.mark.parametrize("ordering", ORDERINGS, ids=str)
def test_curvature_removes_the_error_of_planes(ordering):
    check(ordering)


def test_planes_are_off_by_the_sagitta_of_the_way_since_the_world_saw_the_tool():
    """(v τ)²/2R where the tool has gone v τ since the world saw it, R = r + ρ."""
    latest = 2.0 / 30.0 + 2 * LINE.delay  # s, the age of what is known, at most
    sagitta = 1e3 * (SPEEDS * latest) ** 2 / (2 * (POST + TOOL))
    found = np.array([led("planes", seed).error for seed in SEEDS]) / sagitta
    assert 0.5 < found.min() <= found.max() < 1.5
