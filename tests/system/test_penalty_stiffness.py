"""A warning if the penalty factor holds a loop weakly: near a dead centre, where rows of the Jacobian are small."""

import math
import warnings

import pytest

import symbody as sb
from symbody.errors import PenaltyWarning


def near_dead_centre(angle):
    """A bar on a hinge, held by a rod that almost lies along it."""
    m = sb.Model("bar")
    bar = m.body("bar", None, "R2", 1.0, (0.25, 0.0, 0.0), 0.02)
    bar.joints[0].q0 = (angle,)
    m.cut("rod", "rod", bar.point("end", (0.5, 0.0, 0.0)), m.ground.point("pin", (1.0, 0.0, 0.0)), length=reach(angle))
    return m


def reach(angle):
    return math.hypot(1.0 - 0.5 * math.cos(angle), 0.5 * math.sin(angle))


@pytest.mark.parametrize("closure", ["penalty", "augmented"])
def test_a_loop_that_is_held_weakly_is_named(closure):
    with pytest.warns(PenaltyWarning, match=r"loop 'rod' is near a singular position.*use closure='partitioning'"):
        s = sb.system(near_dead_centre(1e-3), closure=closure, outputs=["bar.qdd"])
    assert abs(s.observe(0.0, s.x0)[0]) > 0.1  # it cannot move, so that the exact value is 0


@pytest.mark.parametrize(("angle", "options"), [(0.5, {}), (1e-3, {"alpha": 1e13})])
def test_a_loop_that_is_held_well_is_not(angle, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        s = sb.system(near_dead_centre(angle), closure="penalty", outputs=["bar.qdd"], **options)
    assert abs(s.observe(0.0, s.x0)[0]) < 1e-3


def test_a_run_that_comes_near_a_dead_centre_says_when():
    """A four-bar whose coupler and rocker stretch almost into a line on the way."""
    m = sb.Model("four-bar")
    crank = m.body("crank", joints=[sb.Joint("crank", "R2", q0=(1.4,), v0=(-6.0,))], mass=1.0, com=(0.15, 0, 0))
    bar = m.body("bar", crank.point("tip", (0.3, 0, 0)), [sb.Joint("bar", "R2", q0=(-1.0,))], 1.0, (0.3, 0, 0))
    ground = m.ground.point("pin", (0.8999, 0, 0))
    m.cut("slide", "rod", bar.point("end", (0.3, 0, 0)), ground, length=0.3)
    s = sb.system(m, closure="penalty")
    with pytest.warns(PenaltyWarning, match=r"loop 'slide' is near a singular position at t = 0\.\d+ s"):
        sb.simulate(s, 0.5, 1e-4, energy="ignore")


def test_a_run_that_stays_away_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error", PenaltyWarning)
        sb.simulate(sb.system(sb.machines.model("four-bar"), closure="penalty"), 0.3, 1e-3, energy="ignore")
