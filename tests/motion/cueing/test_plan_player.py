"""Predictive cueing beside the loop: segments at their times, plans without jumps, silence that stops the ride."""

import numpy as np
import pytest

from c_stage import CStage
from symbody.motion.cueing.plan_player import (
    LEAD,
    PATIENCE,
    SEGMENT,
    UPDATE,
    PlanningThread,
    PlanPlayer,
    segment_inbox,
    shifted,
)
from symbody.motion.cueing.predictive import fading
from symbody.motion.data import AXES
from symbody.realtime.chain import Chain, Stage

DT = 1e-3
X, Z = (AXES.index(axis) for axis in ("x", "z"))


def segment(t, x=0.0, v=0.0, a=0.0):
    """A segment in which one axis moves."""
    rows = np.zeros((3, len(AXES)))
    rows[:, X] = x, v, a
    return dict(zip(SEGMENT, [t, *rows.ravel()], strict=True))


def test_a_segment_is_played_from_its_own_time_on():
    stage = CStage(PlanPlayer())
    stage.run(100, lambda k: segment(0.05, 0.1, 0.2, 0.3))
    run = stage.run(60, lambda k: segment(0.12, 0.5))
    now = DT * np.arange(100, 160)
    early = now < 0.12
    t = now - 0.05
    np.testing.assert_allclose(run["plan.x"][early], (0.1 + 0.2 * t + 0.15 * t**2)[early], atol=1e-12)
    np.testing.assert_allclose(run["plan.x"][~early], 0.5, atol=1e-12)
    assert not run["plan.z"].any()


def test_without_new_segments_the_axes_are_not_a_number():
    stage = CStage(PlanPlayer())
    run = stage.run(round((0.1 + PATIENCE) / DT), lambda k: segment(0.01, 0.1))
    assert run["plan.x"][0] == 0.0  # nothing was planned yet
    assert np.isfinite(run["plan.x"][round((PATIENCE - 0.01) / DT)])
    assert np.isnan(run["plan.x"][-1])


class ConstantPlanner:
    """A planner that accelerates x by 1 m/s²."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.x, self.v = np.zeros(len(AXES)), np.zeros(len(AXES))

    def step(self, scene, dt):
        a = np.eye(len(AXES))[X]
        self.x, self.v = self.x + self.v * dt + 0.5 * a * dt**2, self.v + a * dt
        return a


def test_plans_follow_one_another_without_jumps():
    inbox, player = segment_inbox(), PlanPlayer()
    stage = CStage(Chain("plan", [Stage(inbox, prefix="s."), Stage(player, {name: f"s.{name}" for name in SEGMENT})]))
    planner = ConstantPlanner()
    thread = PlanningThread(inbox, lambda: (player.clock, planner), lambda t: fading(np.zeros(6)))
    rows = []
    for _ in range(400):
        thread.plan()
        rows.append(dict(zip(stage.model.outputs, stage.step(), strict=True))["plan.x"])
    begun = LEAD  # the first segment begins then
    t = DT * np.arange(400) - begun
    np.testing.assert_allclose(rows[round(begun / DT) + 1 :], (0.5 * t**2)[round(begun / DT) + 1 :], atol=2e-4)
    assert thread.plan() == pytest.approx(UPDATE, abs=UPDATE)  # nothing is due: the time to wait


def test_a_planner_that_is_not_wanted_rests():
    thread = PlanningThread(segment_inbox(), lambda: (0.0, None), lambda t: fading(np.zeros(6)))
    assert thread.plan() > 0.0


def test_a_track_is_previewed_from_a_time_on():
    samples = np.outer(np.arange(10.0), np.ones(6))
    ahead = shifted(samples, 0.1, 0.25)(np.array([0.0, 0.1, 5.0]))
    np.testing.assert_allclose(ahead[:, 0], [2.5, 3.5, 0.0])
