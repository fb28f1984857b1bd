"""Loop equations among locked and driven joints: redundant if they agree, an error with names if they do not."""

import numpy as np
import pytest

import symbody as sb
from symbody.system.held_equations import held_equations
from symbody.system.partition import partition

CLOSURES = ("partitioning", "penalty", "augmented")


def parallelogram(*natures, height=1.0):
    """Two cranks of equal length and a bar between them, closed in the plane; a pendulum hangs on the bar."""
    m = sb.Model("parallelogram")
    left = m.body("left", None, "R2", 1.0, (0.0, 0.0, height / 2), 0.02)
    bar = m.body("bar", left.point("tip", (0.0, 0.0, height)), "R2", 2.0, (0.5, 0.0, 0.0), 0.1)
    right = m.body("right", m.ground.point("pivot", (1.0, 0.0, 0.0)), "R2", 1.0, (0.0, 0.0, 0.5), 0.02)
    m.body("pendulum", bar.point("middle", (0.5, 0.0, 0.0)), "R2", 0.5, (0.1, 0.0, -0.3), 0.01)
    m.cut("loop", "planar-ball", bar.point("end", (1.0, 0.0, 0.0)), right.point("tip", (0.0, 0.0, 1.0)), axis=2)
    for joint, q, nature in zip(m.joints(), (0.3, -0.3, 0.3), natures, strict=False):
        joint.q0, joint.nature = (q,), nature
    return m


def swing(m, rate=1.0):
    return lambda t, p: 0.3 + rate * 0.2 * t


def test_a_loop_whose_joints_are_all_locked_stays_where_it_is():
    """Only the pendulum moves, as one on a fixed point does; before, the loop was refused."""
    m = parallelogram("locked", "locked", "locked")
    s = sb.system(m)
    assert s.states == ["pendulum.q", "pendulum.qd"]
    assert sb.simulate(s, 0.5, 1e-3)["right.q"] == pytest.approx(0.3)
    fixed = sb.Model("fixed")
    fixed.body("pendulum", None, "R2", 0.5, (0.1, 0.0, -0.3), 0.01)
    np.testing.assert_allclose(
        sb.simulate(s, 0.5, 1e-3)["pendulum.q"], sb.simulate(fixed, 0.5, 1e-3)["pendulum.q"], atol=1e-12
    )


def test_one_joint_between_two_locked_ones_is_dependent():
    s = sb.system(parallelogram("locked", "locked"))
    assert s.dependent_names == ["right"]
    assert len(s.partition.rows) == 1
    assert sb.simulate(s, 0.2, 1e-3)["right.q"] == pytest.approx(0.3, abs=1e-12)


def test_a_locked_loop_that_is_open_is_refused():
    with pytest.raises(sb.AssemblyError, match=r"'loop' stays open by 0\.1 m at best"):
        sb.system(parallelogram("locked", "locked", "locked", height=1.1))


def driven_twice(rate):
    m = parallelogram("driven", "independent", "driven")
    m.trajectory("left")(swing(m))
    m.trajectory("right")(swing(m, rate))
    return m


@pytest.mark.parametrize("closure", CLOSURES)
def test_two_drives_that_agree_move_as_one(closure):
    twice = sb.simulate(sb.system(driven_twice(1.0), closure=closure), 0.5, 1e-3)
    once = parallelogram("driven")
    once.trajectory("left")(swing(once))
    single = sb.simulate(sb.system(once), 0.5, 1e-3)
    for name in ("bar.q", "right.q", "pendulum.q", "pendulum.qd"):
        np.testing.assert_allclose(twice[name], single[name], atol=1e-5, err_msg=name)


@pytest.mark.parametrize("closure", CLOSURES)
def test_two_drives_that_contradict_each_other_are_refused(closure):
    """The penalty and augmented closures used to open the loop without a warning."""
    with pytest.raises(
        sb.AssemblyError, match=r"driven joints left, right contradicts the loops: loop 'loop' stays open"
    ):
        sb.system(driven_twice(1.5), closure=closure)


@pytest.mark.parametrize("way", [{"dt": 1e-3}, {"rtol": 1e-7}])
@pytest.mark.parametrize("closure", ["partitioning", "penalty"])
def test_measured_drives_that_part_later_end_the_run(way, closure):
    s = sb.system(parallelogram("driven", "independent", "driven"), inputs=["left.q", "right.q"], closure=closure)
    assert len(s.held) == (1 if closure == "partitioning" else 2)

    def together(t):
        return 0.3 + 0.2 * t

    def parting(t):
        return together(t) + max(t - 0.1, 0.0) ** 2

    inputs = {"left.q": together, "left.qd": 0.2, "left.qdd": 0.0, "right.q": parting}
    inputs |= {"right.qd": lambda t: 0.2 + 2 * max(t - 0.1, 0.0), "right.qdd": lambda t: 2.0 * (t > 0.1)}
    with pytest.raises(sb.DivergenceError, match="left, right contradicts the loops: loop 'loop' stays open") as caught:
        sb.simulate(s, 0.5, inputs=inputs, **way)
    assert 0.1 <= caught.value.time < (0.11 if closure == "partitioning" else 0.3)


def test_only_systems_with_drives_watch_redundant_equations():
    m = parallelogram()
    assert held_equations(m, partition(m, sb.assemble(m))) == []
