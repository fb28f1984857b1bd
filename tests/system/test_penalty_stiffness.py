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
